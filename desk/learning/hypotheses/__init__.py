"""The hypotheses of swarms, and their outcomes."""

from desk.learning.hypotheses.prices import (
    NoPrice,
    Price,
    expected_day,
    last_price,
    no_source_message,
    price_calls,
    price_when_due,
    too_early,
)
from desk.learning.hypotheses.scoring import (
    SIDES,
    brier_score,
    scored,
    side_of_level,
    unscorable,
    view_score,
    view_state,
    void,
)
from desk.learning.hypotheses.words import (
    hypothesis_details,
    hypothesis_outcome,
    hypothesis_summary,
    likely,
    outcome_memory,
    statement_of_hypothesis,
    view_words,
    where,
)

__all__ = [
    "SIDES",
    "NoPrice",
    "Price",
    "brier_score",
    "expected_day",
    "hypothesis_details",
    "hypothesis_outcome",
    "hypothesis_summary",
    "last_price",
    "likely",
    "no_source_message",
    "outcome_memory",
    "price_calls",
    "price_when_due",
    "scored",
    "side_of_level",
    "statement_of_hypothesis",
    "too_early",
    "unscorable",
    "view_score",
    "view_state",
    "view_words",
    "void",
    "where",
]
