"""The confidence of a built-in analyst: 1, less a fixed amount for each weakness of its result."""

from collections.abc import Iterable
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Weakness(StrEnum):
    """A weakness of a result."""

    SINGLE_SOURCE = "single_source"
    SECONDARY_SOURCE = "secondary_source"
    STALE = "stale"
    SHORT_HISTORY = "short_history"
    SUSPECT_FIXINGS = "suspect_fixings"
    UNCONFIRMED_LAST = "unconfirmed_last"
    EARLY_LAST = "early_last"
    APPROXIMATE_DATE = "approximate_date"
    AREA_WITHOUT_RATE = "area_without_rate"
    UNKNOWN_OUTCOME = "unknown_outcome"
    NO_CALENDAR = "no_calendar"


DEDUCTIONS: Final = MappingProxyType(
    {
        Weakness.SINGLE_SOURCE: 0.05,
        Weakness.SECONDARY_SOURCE: 0.1,
        Weakness.STALE: 0.3,
        Weakness.SHORT_HISTORY: 0.15,
        Weakness.SUSPECT_FIXINGS: 0.1,
        Weakness.UNCONFIRMED_LAST: 0.1,
        Weakness.EARLY_LAST: 0.1,
        Weakness.APPROXIMATE_DATE: 0.1,
        Weakness.AREA_WITHOUT_RATE: 0.2,
        Weakness.UNKNOWN_OUTCOME: 0.1,
        Weakness.NO_CALENDAR: 0.05,
    }
)

NOTHING_FOUND: Final = 0.1
"""The confidence of a result without a single figure, and the lowest possible."""


def confidence(weaknesses: Iterable[Weakness]) -> float:
    """Returns the confidence of a result with these weaknesses, each counted once, to two
    decimals."""
    left = 1.0 - sum(DEDUCTIONS[weakness] for weakness in set(weaknesses))
    return max(NOTHING_FOUND, round(left, 2))
