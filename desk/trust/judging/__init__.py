"""Objections to findings, and what becomes of them."""

from desk.trust.judging.objections import (
    Grounds,
    is_about,
    recommendation_of,
    settled_by,
    withholds,
)

__all__ = [
    "Grounds",
    "is_about",
    "recommendation_of",
    "settled_by",
    "withholds",
]
