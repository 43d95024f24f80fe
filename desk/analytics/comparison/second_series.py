"""A pair's daily series held against another origin's averages of months."""

from calendar import monthrange
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import ROUND_CEILING, Decimal
from statistics import median
from typing import Final, NamedTuple

from desk.analytics.comparison.tolerances import ANOTHER_QUANTITY, TOLERANCES, Quantity
from desk.analytics.figures import MONTHS
from desk.contracts.findings.source_results import History, Month, MonthAverage, MonthAverages

MOST_MONTHS: Final = 3
LEAST_FIXINGS: Final = 15
"""Of a month with fewer fixings no average is taken."""

LATE_START: Final = timedelta(days=5)
"""A month whose first fixing is later, or its last one earlier, is not covered."""

_TENTH: Final = Decimal("0.1")


class SeriesComparison(NamedTuple):
    """How far a series lies from another origin's averages of the last common months.

    `distance` is the middle one of the months' distances in percent, so that a single month of
    crisis decides nothing, and `widest` the largest, rounded up to a tenth.
    """

    distance: Decimal
    widest: Decimal
    first: Month
    last: Month

    @property
    def agrees(self) -> bool:
        """Whether it is the same series but for the hour of the day."""
        return self.distance <= TOLERANCES[Quantity.MONTH_AVERAGE].size

    @property
    def is_another_quantity(self) -> bool:
        """Whether no disagreement of sources explains the distance."""
        return self.distance > ANOTHER_QUANTITY

    @property
    def span(self) -> str:
        """The months in words: `Jul to Sep 2026`."""
        first, last = _words(self.first), _words(self.last)
        if self.first == self.last:
            return last
        return f"{first[:3] if self.first[:4] == self.last[:4] else first} to {last}"


def compare_series(history: History, averages: MonthAverages) -> SeriesComparison | None:
    """The comparison over the last months that both have whole; None when there are none."""
    if history.symbol != averages.symbol:
        return None
    newest_first = sorted(averages.averages, key=lambda average: average.month, reverse=True)
    found: list[tuple[Month, Decimal]] = []
    for average in newest_first:
        distance = _distance(history, average)
        if distance is not None and len(found) < MOST_MONTHS:
            found.append((average.month, distance))
    if not found:
        return None
    distances = [distance for _, distance in found]
    widest = max(distances).quantize(_TENTH, rounding=ROUND_CEILING)
    return SeriesComparison(median(distances), max(widest, _TENTH), found[-1][0], found[0][0])


def _distance(history: History, average: MonthAverage) -> Decimal | None:
    """Percent between the mean of a month's fixings and an average of it."""
    year, number = int(average.month[:4]), int(average.month[5:])
    first, last = date(year, number, 1), date(year, number, monthrange(year, number)[1])
    pairs = zip(history.days, history.values, strict=False)
    fixings = [(day, value) for day, value in pairs if first <= day <= last]
    if not _is_covered([day for day, _ in fixings], first, last) or average.value <= 0:
        return None
    mean = sum(value for _, value in fixings) / Decimal(len(fixings))
    return abs(mean / average.value - 1) * 100


def _is_covered(days: Sequence[date], first: date, last: date) -> bool:
    if len(days) < LEAST_FIXINGS:
        return False
    return min(days) - first <= LATE_START and last - max(days) <= LATE_START


def _words(month: Month) -> str:
    return f"{MONTHS[int(month[5:]) - 1]} {month[:4]}"
