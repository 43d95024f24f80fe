"""The tolerances between two figures of one quantity, and the comparison of a pair's daily series
with another origin's monthly averages.

Workflows use it. docs/method.md has the same table.
"""

from calendar import monthrange
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import ROUND_CEILING, Decimal
from enum import StrEnum
from statistics import median
from typing import Final, NamedTuple

from desk.analytics.figures import MONTHS
from desk.analytics.units import UNITS
from desk.contracts.findings.claims import Metric, Unit
from desk.contracts.findings.source_results import History, Month, MonthAverage, MonthAverages

LITTLE_CHANGED: Final = Decimal("0.1")
LITTLE_CHANGED_PEG: Final = Decimal("0.02")
"""In percent. A smaller move has no direction."""

DEVIATIONS: Final = Decimal(3)
"""Two fixings of one day may differ by this many of the pair's robust daily deviations."""

ANOTHER_QUANTITY: Final = Decimal(5)
"""In percent. Monthly averages further apart than this are of different quantities: the pair is
inverted, of another currency, or quoted for another number of units."""


class Quantity(StrEnum):
    """The kinds of figures, each with its own tolerance."""

    SAME_FIXING = "level of the same fixing"
    OTHER_FIXING = "level of another fixing hour of the same day"
    BANDED_FIXING = "level of another fixing hour within a band, of the band's width"
    MONTH_AVERAGE = "average of a month"
    MOVE = "move between the same fixings"
    OTHER_MOVE = "move between fixings of other hours"
    RATE = "policy rate"
    DIFFERENTIAL = "rate differential"
    YIELD = "government bond yield"
    YIELD_CHANGE = "change or differential of yields"
    CHANGE = "change of a rate"
    POSITION = "position in a range or band"
    SCORE = "score"
    STREAK = "streak"
    TARGET = "target four weeks ahead"
    STATISTIC = "percentage of a series"
    INDEX = "index"
    RATIO = "ratio"
    P_VALUE = "p value"
    COUNT = "count"
    COMPANY = "growth or margin of a company"


class Tolerance(NamedTuple):
    """The largest distance that is not a contradiction.

    `size` is in the unit of the quantity or, if `relative`, in percent of the smaller figure.
    Figures that are equal at the precision of the coarser one always agree.
    """

    quantity: Quantity
    size: Decimal
    relative: bool

    def allowance(self, one: Decimal, other: Decimal) -> Decimal:
        """The largest distance allowed between two figures, in their unit."""
        return self.size * min(abs(one), abs(other)) / 100 if self.relative else self.size


TOLERANCES: Final[Mapping[Quantity, Tolerance]] = {
    quantity: Tolerance(quantity, Decimal(size), relative)
    for quantity, size, relative in (
        (Quantity.SAME_FIXING, "0", True),
        (Quantity.OTHER_FIXING, "1", True),
        (Quantity.BANDED_FIXING, "10", True),
        (Quantity.MONTH_AVERAGE, "0.5", True),
        (Quantity.MOVE, "0.05", False),
        (Quantity.OTHER_MOVE, "2", False),
        (Quantity.RATE, "0.005", False),
        (Quantity.DIFFERENTIAL, "0.5", False),
        (Quantity.YIELD, "0.02", False),
        (Quantity.YIELD_CHANGE, "2", False),
        (Quantity.CHANGE, "0.5", False),
        (Quantity.POSITION, "0.1", False),
        (Quantity.SCORE, "0.1", False),
        (Quantity.STREAK, "0", False),
        (Quantity.TARGET, "2", True),
        (Quantity.STATISTIC, "0.05", False),
        (Quantity.INDEX, "0.1", False),
        (Quantity.RATIO, "0.01", False),
        (Quantity.P_VALUE, "0.001", False),
        (Quantity.COUNT, "0", False),
        (Quantity.COMPANY, "0.1", False),
    )
}
"""The reasons are in docs/method.md, section Conflicts."""

_QUANTITIES: Final = {
    Metric.MOVE: Quantity.MOVE,
    Metric.POLICY_RATE: Quantity.RATE,
    Metric.DECISION_RATE: Quantity.RATE,
    Metric.TARGET_RANGE_LOW: Quantity.RATE,
    Metric.TARGET_RANGE_HIGH: Quantity.RATE,
    Metric.DIFFERENTIAL: Quantity.DIFFERENTIAL,
    Metric.YIELD_2Y: Quantity.YIELD,
    Metric.YIELD_10Y: Quantity.YIELD,
    Metric.YIELD_2Y_CHANGE: Quantity.YIELD_CHANGE,
    Metric.YIELD_DIFFERENTIAL: Quantity.YIELD_CHANGE,
    Metric.YIELD_DIFFERENTIAL_CHANGE: Quantity.YIELD_CHANGE,
    Metric.DECISION_CHANGE: Quantity.CHANGE,
    Metric.RANGE_POSITION: Quantity.POSITION,
    Metric.BAND_POSITION: Quantity.POSITION,
    Metric.Z_SCORE: Quantity.SCORE,
    Metric.STREAK: Quantity.STREAK,
    Metric.HIGHEST_SINCE: Quantity.COUNT,
    Metric.LOWEST_SINCE: Quantity.COUNT,
    Metric.LARGEST_DAY: Quantity.POSITION,
    Metric.SPAN_MOVE: Quantity.MOVE,
    Metric.FROM_HIGH: Quantity.MOVE,
    Metric.FROM_LOW: Quantity.MOVE,
    Metric.CUTS_IN_A_ROW: Quantity.COUNT,
    Metric.RISES_IN_A_ROW: Quantity.COUNT,
    Metric.HOLDS_IN_A_ROW: Quantity.COUNT,
    Metric.CUTS_WITHIN: Quantity.COUNT,
    Metric.RISES_WITHIN: Quantity.COUNT,
    Metric.DECISIONS_WITHIN: Quantity.COUNT,
    Metric.CHANGE_WITHIN: Quantity.CHANGE,
    Metric.BANKS_CUT: Quantity.COUNT,
    Metric.BANKS_RAISED: Quantity.COUNT,
    Metric.BANKS_HELD: Quantity.COUNT,
    Metric.DOLLAR_ROSE: Quantity.COUNT,
    Metric.DOLLAR_FELL: Quantity.COUNT,
    Metric.DOLLAR_LITTLE_CHANGED: Quantity.COUNT,
    Metric.MONTH_MOVE: Quantity.MOVE,
    Metric.QUARTER_MOVE: Quantity.MOVE,
    Metric.YEAR_MOVE: Quantity.MOVE,
    Metric.GROUP_MOVE: Quantity.MOVE,
    Metric.RELATIVE_MOVE: Quantity.MOVE,
    Metric.STATED: Quantity.STATISTIC,
    Metric.ANALOGUE_MOVE: Quantity.STATISTIC,
    Metric.SEASONAL_MOVE: Quantity.STATISTIC,
    Metric.VOLATILITY: Quantity.STATISTIC,
    Metric.MACD_HISTOGRAM: Quantity.STATISTIC,
    Metric.BOLLINGER_POSITION: Quantity.POSITION,
    Metric.BREADTH: Quantity.STATISTIC,
    Metric.ANALOGUE_HIT_RATE: Quantity.STATISTIC,
    Metric.SEASONAL_HIT_RATE: Quantity.STATISTIC,
    Metric.RSI: Quantity.INDEX,
    Metric.ADX: Quantity.INDEX,
    Metric.NEWS_TONE: Quantity.INDEX,
    Metric.ANOMALY_SCORE: Quantity.SCORE,
    Metric.SEASONAL_P_VALUE: Quantity.P_VALUE,
    Metric.CARRY_TO_VOLATILITY: Quantity.RATIO,
    Metric.PRICE_TO_EARNINGS: Quantity.RATIO,
    Metric.PRICE_TO_BOOK: Quantity.RATIO,
    Metric.DEBT_TO_EQUITY: Quantity.RATIO,
    Metric.NET_MARGIN: Quantity.COMPANY,
    Metric.REVENUE_GROWTH: Quantity.COMPANY,
    Metric.EARNINGS_SURPRISE: Quantity.COMPANY,
    Metric.QUARTER_REVENUE_GROWTH: Quantity.COMPANY,
    Metric.QUARTER_NET_MARGIN: Quantity.COMPANY,
    Metric.PATTERN_COUNT: Quantity.COUNT,
    Metric.NEWS_COUNT: Quantity.COUNT,
    Metric.MENTION_COUNT: Quantity.COUNT,
    Metric.MENTION_REACH: Quantity.COUNT,
    Metric.ANALYST_RATINGS: Quantity.COUNT,
    Metric.RATINGS_RAISED: Quantity.COUNT,
    Metric.RATINGS_CUT: Quantity.COUNT,
    Metric.ESTIMATES_RAISED: Quantity.COUNT,
    Metric.ESTIMATES_CUT: Quantity.COUNT,
    Metric.ANALOGUES: Quantity.COUNT,
    Metric.TARGET: Quantity.TARGET,
    Metric.FORWARD_MOVE: Quantity.MOVE,
    Metric.CASH_MOVE: Quantity.MOVE,
    Metric.OVER_CASH: Quantity.MOVE,
    Metric.OVER_HOLDING: Quantity.MOVE,
    Metric.RISK: Quantity.STATISTIC,
    Metric.REWARD: Quantity.RATIO,
    Metric.PAST_RANK: Quantity.POSITION,
    Metric.DEAR_FROM: Quantity.POSITION,
    Metric.CHEAP_TO: Quantity.POSITION,
    Metric.VOLATILITY_RANK: Quantity.POSITION,
    Metric.VOLATILE_FROM: Quantity.POSITION,
    Metric.CALM_TO: Quantity.POSITION,
    Metric.QUARTER_SWING: Quantity.STATISTIC,
    Metric.SPAN_SWING: Quantity.STATISTIC,
    Metric.SPAN_VOLATILITY: Quantity.STATISTIC,
    Metric.FIXINGS_WITHIN: Quantity.COUNT,
    Metric.DAYS_RISEN: Quantity.COUNT,
    Metric.DAYS_FALLEN: Quantity.COUNT,
    Metric.LONGEST_RISE: Quantity.COUNT,
    Metric.LONGEST_FALL: Quantity.COUNT,
    Metric.DAYS_ABOVE: Quantity.COUNT,
    Metric.DAYS_BELOW: Quantity.COUNT,
    Metric.FIRST_ABOVE: Quantity.COUNT,
    Metric.FIRST_BELOW: Quantity.COUNT,
    Metric.LAST_ABOVE: Quantity.COUNT,
    Metric.LAST_BELOW: Quantity.COUNT,
    Metric.WEEK_STREAK: Quantity.STREAK,
    Metric.DRAWDOWN: Quantity.MOVE,
    Metric.CORRECTION_FROM: Quantity.MOVE,
    Metric.CORRELATION: Quantity.RATIO,
    Metric.CORRELATION_YEAR: Quantity.RATIO,
    Metric.CORRELATED_FROM: Quantity.RATIO,
    Metric.EDGE_DISTANCE: Quantity.STATISTIC,
    Metric.PEG_SINCE: Quantity.COUNT,
    Metric.PEG_ENDED: Quantity.COUNT,
    Metric.NEXT_DECISION: Quantity.COUNT,
    Metric.BAND_SPANS: Quantity.COUNT,
    Metric.RANGE_STARTS: Quantity.COUNT,
    Metric.RANGE_HELD: Quantity.POSITION,
    Metric.BAND_STARTS: Quantity.COUNT,
    Metric.BAND_ENDED_LOW: Quantity.POSITION,
    Metric.BAND_ENDED_MIDDLE: Quantity.POSITION,
    Metric.BAND_ENDED_HIGH: Quantity.POSITION,
    Metric.BAND_OUTSIDE: Quantity.POSITION,
    Metric.BAND_BREAK_MOST: Quantity.POSITION,
    Metric.DECISION_STARTS: Quantity.COUNT,
    Metric.HELD_SHARE: Quantity.POSITION,
    Metric.RAISED_SHARE: Quantity.POSITION,
    Metric.CUT_SHARE: Quantity.POSITION,
    Metric.RSI_OVERBOUGHT: Quantity.INDEX,
    Metric.RSI_OVERSOLD: Quantity.INDEX,
    Metric.LARGE_CARRY_FROM: Quantity.RATIO,
    Metric.UNUSUAL_FROM: Quantity.SCORE,
    Metric.CHANCE_TO: Quantity.P_VALUE,
}

_OTHER_HOUR: Final = {
    Quantity.SAME_FIXING: Quantity.OTHER_FIXING,
    Quantity.MOVE: Quantity.OTHER_MOVE,
}


def is_little_changed(move: Decimal, *, pegged: bool) -> bool:
    """Whether a move in percent is too small to have a direction."""
    return abs(move) < (LITTLE_CHANGED_PEG if pegged else LITTLE_CHANGED)


def tolerance_of(
    metric: Metric,
    *,
    same_fixing: bool,
    daily_deviation: Decimal | None = None,
    band: tuple[Decimal, Decimal] | None = None,
) -> Tolerance:
    """The tolerance between two figures of a metric.

    Args:
        same_fixing: both are known to go back to one fixing.
        daily_deviation: the pair's robust deviation of daily moves in percent, if known. It
            replaces the flat share for levels and moves of different hours.
        band: the edges of the band that the pair is kept in, if any. Without a deviation, a share
            of its width replaces the flat share, which would be most of the band.
    """
    level = UNITS[metric] is Unit.LEVEL and metric is not Metric.TARGET
    quantity = Quantity.SAME_FIXING if level else _QUANTITIES[metric]
    if same_fixing or quantity not in _OTHER_HOUR:
        return TOLERANCES[quantity]
    tolerance = TOLERANCES[_OTHER_HOUR[quantity]]
    ends = 1 if level else 2
    if daily_deviation is not None:
        return tolerance._replace(size=ends * DEVIATIONS * daily_deviation)
    if band is not None:
        low, high = band
        share = TOLERANCES[Quantity.BANDED_FIXING].size / 100
        # In percent of the pair's own level, as for every other pair.
        return tolerance._replace(size=ends * share * (high - low) / low * 100)
    return tolerance


MOST_MONTHS: Final = 3
LEAST_FIXINGS: Final = 15
"""A month with fewer fixings is not averaged."""

LATE_START: Final = timedelta(days=5)
"""A month whose first fixing is later, or whose last one is earlier, is not covered."""

_TENTH: Final = Decimal("0.1")


class SeriesComparison(NamedTuple):
    """The distance of a series from another origin's averages of the last common months.

    `distance` is the median of the months' distances in percent, so that a single month of crisis
    decides nothing. `widest` is the largest, rounded up to a tenth.
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
        """Whether the distance is too large to be a disagreement of sources."""
        return self.distance > ANOTHER_QUANTITY

    @property
    def span(self) -> str:
        """The months in words: `Jul to Sep 2026`."""
        first, last = _words(self.first), _words(self.last)
        if self.first == self.last:
            return last
        return f"{first[:3] if self.first[:4] == self.last[:4] else first} to {last}"


def compare_series(history: History, averages: MonthAverages) -> SeriesComparison | None:
    """Compares the last months that both have in full. None if there are none."""
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
    """The distance of a month's mean fixing from an average of that month, in percent."""
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
