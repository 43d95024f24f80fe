"""Compares two statements of the same quantity: quotation, units, tolerances."""

from desk.analytics.comparison.normalise import (
    Comparable,
    Difference,
    Incomparable,
    StatedFigure,
    normalise,
    statement_of,
)
from desk.analytics.comparison.tolerances import (
    LITTLE_CHANGED,
    TOLERANCES,
    Quantity,
    SeriesComparison,
    compare_series,
    is_little_changed,
    tolerance_of,
)

__all__ = [
    "LITTLE_CHANGED",
    "TOLERANCES",
    "Comparable",
    "Difference",
    "Incomparable",
    "Quantity",
    "SeriesComparison",
    "StatedFigure",
    "compare_series",
    "is_little_changed",
    "normalise",
    "statement_of",
    "tolerance_of",
]
