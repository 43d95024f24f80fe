"""Finds what a claim was computed from besides the inputs that it names.

A statistic of a series names the tool result with the series but no claims. The extreme of a window
may be the same fixing as the last of the window. If one of the two is withheld, the other must be
withheld as well.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from desk.contracts.findings.claims import Claim, Metric

ENDS: Final = frozenset({Metric.LAST, Metric.PREVIOUS})
"""The metrics that a window's other figures are computed from."""

EXTREMES: Final = frozenset(
    {
        *(Metric.WINDOW_HIGH, Metric.WINDOW_LOW, Metric.YEAR_HIGH, Metric.YEAR_LOW),
    }
)

OF_SPANS: Final = frozenset({Metric.SPAN_START, Metric.SPAN_END, Metric.SPAN_HIGH, Metric.SPAN_LOW})
"""Levels of days that were requested separately, in an answer of their own."""

OF_PRICES: Final = frozenset(
    {
        Metric.MOVE,
        Metric.Z_SCORE,
        Metric.RANGE_POSITION,
        Metric.BAND_POSITION,
        Metric.STREAK,
        Metric.HIGHEST_SINCE,
        Metric.LOWEST_SINCE,
        Metric.MONTH_MOVE,
        Metric.QUARTER_MOVE,
        Metric.YEAR_MOVE,
        Metric.VOLATILITY,
        Metric.EXPECTED_LOW,
        Metric.EXPECTED_HIGH,
        Metric.RELATIVE_MOVE,
        Metric.RSI,
        Metric.MACD_HISTOGRAM,
        Metric.SMA_50,
        Metric.SMA_200,
        Metric.ADX,
        Metric.BOLLINGER_POSITION,
        Metric.PATTERN_COUNT,
        Metric.TARGET,
        Metric.CARRY_TO_VOLATILITY,
        Metric.ANALOGUES,
        Metric.ANALOGUE_MOVE,
        Metric.ANALOGUE_HIT_RATE,
        Metric.ANOMALY_SCORE,
    }
)
"""The metrics computed from a series of prices up to the claim's day."""

OF_THE_MOVE: Final = frozenset({Metric.LARGEST_DAY})
"""The metrics computed from the whole window, whose day lies within it."""

OF_MEETINGS: Final = frozenset({Metric.CUTS_IN_A_ROW, Metric.RISES_IN_A_ROW, Metric.HOLDS_IN_A_ROW})
"""The metrics counted backwards from a decision over the ones before it."""


def is_computed_from(claim: Claim, other: Claim) -> bool:
    """Returns whether the value of one claim was computed from another's, both of one result."""
    if other.claim_id in claim.inputs:
        return True
    if claim.subject != other.subject:
        return False
    if claim.metric in OF_SPANS and other.metric in ENDS:
        return (claim.as_of, claim.value) == (other.as_of, other.value)
    if set(claim.evidence).isdisjoint(other.evidence):
        return False
    if claim.metric in OF_MEETINGS:
        return (claim.as_of, other.metric) == (other.as_of, Metric.DECISION_CHANGE)
    if other.metric not in ENDS:
        return False
    if claim.metric in EXTREMES:
        return (claim.as_of, claim.value) == (other.as_of, other.value)
    reaches = claim.metric in OF_PRICES and claim.as_of >= other.as_of
    return not claim.inputs and (reaches or claim.metric in OF_THE_MOVE)


def inputs_of(claim: Claim, own: Iterable[Claim]) -> tuple[str, ...]:
    """Returns the ids of the claims that a claim was computed from: the inputs that it names, and
    those of the result's `own` claims that it was computed from without naming them."""
    unnamed = (other.claim_id for other in own if is_computed_from(claim, other))
    return tuple(dict.fromkeys((*claim.inputs, *unnamed)))


def without_dependents(claims: Sequence[Claim], gone: Iterable[Claim]) -> tuple[Claim, ...]:
    """Returns the claims of a result without those in `gone`, and without everything computed from
    these, directly or indirectly."""
    lost, left = list(gone), list(claims)
    for fallen in lost:
        lost.extend(claim for claim in left if is_computed_from(claim, fallen))
        left = [claim for claim in left if not is_computed_from(claim, fallen)]
    return tuple(left)
