"""Objections to findings, and what becomes of them."""

from desk.trust.judging.objections import (
    ObjectionGrounds,
    is_about,
    recommendation_of,
    settled_by,
    withholds,
)

__all__ = [
    "ObjectionGrounds",
    "is_about",
    "recommendation_of",
    "settled_by",
    "withholds",
]
