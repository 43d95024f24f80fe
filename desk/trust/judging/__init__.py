"""Objections to findings, and how they are settled."""

from desk.trust.judging.objections import (
    ObjectionGrounds,
    recommendation_of,
    settled_by,
    withholds,
)

__all__ = [
    "ObjectionGrounds",
    "recommendation_of",
    "settled_by",
    "withholds",
]
