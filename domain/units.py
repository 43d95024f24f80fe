"""What each metric is counted in. Light: workflows use it."""

from collections.abc import Mapping
from typing import Final

from contracts.claims import Metric, Unit

UNITS: Final[Mapping[Metric, Unit]] = {
    Metric.LAST: Unit.LEVEL,
    Metric.PREVIOUS: Unit.LEVEL,
    Metric.WINDOW_HIGH: Unit.LEVEL,
    Metric.WINDOW_LOW: Unit.LEVEL,
    Metric.YEAR_HIGH: Unit.LEVEL,
    Metric.YEAR_LOW: Unit.LEVEL,
    Metric.MOVE: Unit.PERCENT,
    Metric.RANGE_POSITION: Unit.PERCENT,
    Metric.BAND_POSITION: Unit.PERCENT,
    Metric.Z_SCORE: Unit.STANDARD_DEVIATIONS,
    Metric.STREAK: Unit.DAYS,
    Metric.POLICY_RATE: Unit.PERCENT_A_YEAR,
    Metric.DECISION_RATE: Unit.PERCENT_A_YEAR,
    Metric.DIFFERENTIAL: Unit.BASIS_POINTS,
    Metric.DECISION_CHANGE: Unit.BASIS_POINTS,
}
"""What each metric is counted in."""
