"""What came of a position in a stock: the move that followed, after costs, beside cash and beside
holding the stock, scaled by the risk that was known when the position was taken."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.names.markets import DOLLAR
from desk.analytics.technical.measures import CENT, Unmeasured
from desk.analytics.technical.series import PriceSeries, last_close_day
from desk.contracts.episode.analysis import ShareSplit
from desk.contracts.findings.claims import Metric

AREA: Final = "US"
"""Whose policy rate cash earns."""


OLDEST_MONTHS: Final = 6
"""How many calendar months before the instant a rate may be of, to count as the one in force."""

DAY_BEGINS: Final = time(6)
"""UTC, before the exchanges of Europe and America open. Of a day that had begun when a position was
decided on, the price may have been past."""

LONGEST_SHUT: Final = timedelta(days=7)
"""From one price to the next: so long, from a Monday to a Monday, New York was closed in September
2001. A horizon that is cut off by more is not told as a whole one."""


class CashRates:
    """What cash earned: the policy rates of the ends of months, each from the instant that it was
    known."""

    def __init__(
        self, month_ends: Mapping[str, Decimal], known_from: Callable[[str], datetime]
    ) -> None:
        """`month_ends` has the percent a year of each month, oldest first; `known_from` says when
        that of a month became known."""
        self._months = tuple(month_ends)
        self._rates = tuple(month_ends.values())
        self._known_from = [known_from(month) for month in self._months]

    def at(self, instant: datetime) -> Decimal:
        """The newest rate that was known at an instant, in percent a year.

        Raises:
            Unmeasured: none was, or it was too old.
        """
        known = bisect_right(self._known_from, instant)
        if not known:
            raise Unmeasured(f"no policy rate of {AREA} was known at {instant.isoformat()}")
        month = self._months[known - 1]
        if _months_from(month, instant) > OLDEST_MONTHS:
            raise Unmeasured(
                f"the newest policy rate of {AREA} known at {instant.isoformat()} is of {month}, "
                f"more than {OLDEST_MONTHS} months before"
            )
        return self._rates[known - 1]


class HeldPosition(NamedTuple):
    """The closes between which a position was held, as they are told, and their days."""

    entry_day: date
    entry: Decimal
    exit_day: date
    exit: Decimal


def held(series: PriceSeries, made_at: datetime, until: date) -> HeldPosition:
    """The close of the first day that begins after a decision, and the last one up to `until`.

    Raises:
        Unmeasured: there are no two closes, the first is more than `LONGEST_SHUT` after the
            decision, or the last more than that before `until`.
    """
    begins = _first_day(made_at)
    first, last = bisect_left(series.days, begins), bisect_right(series.days, until) - 1
    if last >= 0 and until - series.days[last] > LONGEST_SHUT:
        raise Unmeasured(
            f"the prices of {series.symbol} end on {series.days[last]}, "
            f"{(until - series.days[last]).days} days before the horizon was over"
        )
    if first >= last:
        raise Unmeasured(f"there are no two closes of {series.symbol} from {begins} up to {until}")
    entry_day, exit_day = series.days[first], series.days[last]
    decided = made_at.astimezone(UTC).date()
    if entry_day - decided > LONGEST_SHUT:
        raise Unmeasured(
            f"the prices of {series.symbol} go on on {entry_day}, "
            f"{(entry_day - decided).days} days after the decision"
        )
    return HeldPosition(
        entry_day, _normalized(series.closes[first]), exit_day, _normalized(series.closes[last])
    )


def splits_since(series: PriceSeries, made_at: datetime) -> tuple[ShareSplit, ...]:
    """The splits between the shares that prices were told in at a decision, and those of a series
    that came of it."""
    known = last_close_day(made_at)
    since = (split for split in series.splits if split.day > known)
    return tuple(ShareSplit(day=split.day, ratio=split.ratio) for split in since)


def _first_day(made_at: datetime) -> date:
    """The first day that begins after a decision."""
    instant = made_at.astimezone(UTC)
    begun = instant.time() > DAY_BEGINS
    return instant.date() + timedelta(days=begun)


def cash_rate(series: PriceSeries, rates: CashRates, made_at: datetime) -> Decimal:
    """What cash earns instead of a stock, in percent a year.

    Raises:
        Unmeasured: no rate was known, or the stock is not priced in dollars.
    """
    if series.currency != DOLLAR:
        raise Unmeasured(
            f"{series.symbol} is priced in {series.currency}, and cash is in {DOLLAR} here"
        )
    return rates.at(made_at)


def day_of(metric: Metric, kept: HeldPosition) -> date:
    """The day that a figure of a performance is of."""
    return kept.entry_day if metric is Metric.ENTRY else kept.exit_day


def _normalized(price: Decimal) -> Decimal:
    """A price as it is known, without zeros after the cents.

    Rounded to the cent, a price that a split made small would be off by as much as the costs.
    """
    return price.normalize() if price != price.quantize(CENT) else price.quantize(CENT)


def _months_from(month: str, instant: datetime) -> int:
    return instant.year * 12 + instant.month - int(month[:4]) * 12 - int(month[5:])
