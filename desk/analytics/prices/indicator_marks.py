"""The thresholds by which indicators are interpreted, used everywhere."""

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Final, NamedTuple

from desk.contracts.findings.claims import Metric

OVERBOUGHT: Final = 70
OVERSOLD: Final = 30
"""For the relative strength index. Source: Wilder, New Concepts in Technical Trading Systems,
1978."""

TRENDING: Final = 25
"""The directional index from which there is a trend, by the same source."""

FULL_TREND: Final = 50
"""The directional index from which a trend counts as fully strong: a convention."""

FLAT: Final = 0.5
"""A move within this share of the usual swing counts as flat: a convention."""

NEAR_AN_END: Final = 0.2
"""The share of the year's range from either end within which a price counts as near it: a
convention."""

WITHIN: Final = 0.68
"""The share of cases in which a price should be within its expected range four weeks later."""

LARGE_CARRY: Final = Decimal("0.25")
"""As a share of the volatility: from here a carry is large compared with the swings. A
convention."""


class Mark(NamedTuple):
    """A threshold of a figure and its source."""

    metric: Metric
    value: Decimal
    source: str


_WILDER: Final = "Wilder, New Concepts in Technical Trading Systems, 1978"
_CONVENTION: Final = "a convention of the desk"

MARKS: Final[Mapping[Metric, tuple[Mark, ...]]] = MappingProxyType(
    {
        Metric.RSI: (
            Mark(Metric.RSI_OVERBOUGHT, Decimal(OVERBOUGHT), _WILDER),
            Mark(Metric.RSI_OVERSOLD, Decimal(OVERSOLD), _WILDER),
        ),
        Metric.CARRY_TO_VOLATILITY: (Mark(Metric.LARGE_CARRY_FROM, LARGE_CARRY, _CONVENTION),),
        Metric.PAST_RANK: (
            Mark(Metric.DEAR_FROM, Decimal(80), "the highest fifth, " + _CONVENTION),
            Mark(Metric.CHEAP_TO, Decimal(20), "the lowest fifth, " + _CONVENTION),
        ),
        Metric.VOLATILITY_RANK: (
            Mark(Metric.VOLATILE_FROM, Decimal(80), "the highest fifth, " + _CONVENTION),
            Mark(Metric.CALM_TO, Decimal(20), "the lowest fifth, " + _CONVENTION),
        ),
        Metric.DRAWDOWN: (
            Mark(Metric.CORRECTION_FROM, Decimal(-10), "a correction by the market's custom"),
        ),
        Metric.CORRELATION: (
            Mark(
                Metric.CORRELATED_FROM,
                Decimal("0.5"),
                "large by Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988",
            ),
        ),
        Metric.ANOMALY_SCORE: (Mark(Metric.UNUSUAL_FROM, Decimal(3), _CONVENTION),),
        Metric.SEASONAL_P_VALUE: (
            Mark(
                Metric.CHANCE_TO,
                Decimal("0.05"),
                "Fisher, Statistical Methods for Research Workers, 1925",
            ),
        ),
    }
)
"""The thresholds of each figure that has any. Prose refers to them as claims, like the figure."""
