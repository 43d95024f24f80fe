"""What a claim was computed from beyond the inputs that it names.

A statistic of a series names the tool result of the series and no claims, and the extreme of a
window can be the same fixing as the window's last. A withheld figure is withheld there too.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from desk.contracts.findings.claims import Claim, Metric

ENDS: Final = frozenset({Metric.LAST, Metric.PREVIOUS})
"""The fixings that a window's figures are computed from."""

EXTREMES: Final = frozenset(
    {
        *(Metric.WINDOW_HIGH, Metric.WINDOW_LOW, Metric.YEAR_HIGH, Metric.YEAR_LOW),
    }
)

OF_SPANS: Final = frozenset({Metric.SPAN_START, Metric.SPAN_END, Metric.SPAN_HIGH, Metric.SPAN_LOW})
"""Levels of days that were asked for by themselves, in an answer of their own."""

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
"""What is computed from a series of prices up to the day that it is of."""

OF_THE_MOVE: Final = frozenset({Metric.LARGEST_DAY})
"""What is computed from the whole window and is of a day within it."""

OF_MEETINGS: Final = frozenset({Metric.CUTS_IN_A_ROW, Metric.RISES_IN_A_ROW, Metric.HOLDS_IN_A_ROW})
"""What is counted from a decision on, back over those before it."""


def is_computed_from(claim: Claim, other: Claim) -> bool:
    """Whether a claim's value was computed from another's, among claims of one result."""
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
    """The ids that a claim was computed from: those that it names, and those of its result's `own`
    claims that it was computed from all the same."""
    unnamed = (other.claim_id for other in own if is_computed_from(claim, other))
    return tuple(dict.fromkeys((*claim.inputs, *unnamed)))


def without_dependents(claims: Sequence[Claim], gone: Iterable[Claim]) -> tuple[Claim, ...]:
    """What is left of a result's claims when some are gone, and all that was computed from them,
    directly or by others."""
    lost, left = list(gone), list(claims)
    for fallen in lost:
        lost.extend(claim for claim in left if is_computed_from(claim, fallen))
        left = [claim for claim in left if not is_computed_from(claim, fallen)]
    return tuple(left)
