"""Objections to findings, and what becomes of them."""

from desk.trust.judging.objections import ObjectionGrounds, recommendation_of, settled_by, withholds

__all__ = [
    "ObjectionGrounds",
    "recommendation_of",
    "settled_by",
    "withholds",
]
