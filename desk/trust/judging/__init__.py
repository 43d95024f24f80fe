"""Objections to findings, and how they are settled."""

from desk.trust.judging.objections import (
    NOTHING_AGAINST,
    ObjectionGrounds,
    recommendation_of,
    settled_by,
    withholds,
)

__all__ = [
    "NOTHING_AGAINST",
    "ObjectionGrounds",
    "recommendation_of",
    "settled_by",
    "withholds",
]
