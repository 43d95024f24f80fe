"""A figure and where it comes from."""

from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from contracts.base import Contract, Figure, ShortText

ClaimId = Annotated[str, Field(pattern=r"^[A-Z]{2,3}(/[A-Z]{3})?:[a-z0-9_]+(@\d{4}-\d{2}-\d{2})?$")]
"""`USD/JPY:last` or `JP:decision_change@2026-10-30`: subject, metric and, where there can be
several in a window, the day."""


class Unit(StrEnum):
    """What a claim's number counts."""

    LEVEL = "level"
    """Units of the quote currency for one unit of the base currency."""
    PERCENT = "percent"
    """A relative change, times one hundred."""
    PERCENT_A_YEAR = "percent_a_year"
    """An interest rate."""
    BASIS_POINTS = "basis_points"
    STANDARD_DEVIATIONS = "standard_deviations"
    DAYS = "days"
    """A count of fixings in a row, signed by their direction."""


class Metric(StrEnum):
    """What is measured. The definitions are in docs/method.md."""

    LAST = "last"
    PREVIOUS = "previous"
    MOVE = "move"
    WINDOW_HIGH = "window_high"
    WINDOW_LOW = "window_low"
    YEAR_HIGH = "year_high"
    YEAR_LOW = "year_low"
    Z_SCORE = "z_score"
    RANGE_POSITION = "range_position"
    STREAK = "streak"
    BAND_POSITION = "band_position"
    POLICY_RATE = "policy_rate"
    DIFFERENTIAL = "differential"
    DECISION_RATE = "decision_rate"
    DECISION_CHANGE = "decision_change"


class Claim(Contract):
    """One figure: what it is about, its value, and the evidence that it rests on.

    A derived claim names its formula (a public function of `domain.formulas`); its inputs are
    the evidence, the claims in `inputs`, or both. `as_of` is the day the figure is about.
    """

    claim_id: ClaimId
    subject: ShortText
    metric: Metric
    value: Figure
    unit: Unit
    as_of: date
    evidence: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()
    formula: ShortText | None = None
    inputs: Annotated[tuple[ClaimId, ...], Field(max_length=8)] = ()


def claim_id(subject: str, metric: Metric, day: date | None = None) -> str:
    """The id of a claim, unique within a report."""
    return f"{subject}:{metric}" if day is None else f"{subject}:{metric}@{day.isoformat()}"
