"""The result of a position in a stock: the move that followed, after costs, against cash and
against holding the stock, scaled by the risk known when the position was taken."""

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
"""The area whose policy rate cash earns."""


OLDEST_MONTHS: Final = 6
"""How many calendar months before the instant a rate may be from and still count as in force."""

DAY_BEGINS: Final = time(6)
"""UTC, before the exchanges of Europe and America open. If a day had begun when a position was
decided on, its price may already have been known."""

LONGEST_SHUT: Final = timedelta(days=7)
"""The longest time between two prices: New York was closed from a Monday to a Monday in September
2001. A horizon that is cut short by more is not reported as complete."""


class CashRates:
    """The interest on cash: month-end policy rates, each from the instant at which it was known."""

    def __init__(
        self, month_ends: Mapping[str, Decimal], known_from: Callable[[str], datetime]
    ) -> None:
        """`month_ends` has the rate of each month in percent a year, oldest first. `known_from`
        returns when a month's rate became known."""
        self._months = tuple(month_ends)
        self._rates = tuple(month_ends.values())
        self._known_from = [known_from(month) for month in self._months]

    def at(self, instant: datetime) -> Decimal:
        """The newest rate known at an instant, in percent a year.

        Raises:
            Unmeasured: there was none, or it was too old.
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
    """The closes between which a position was held, as stated, and their days."""

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
    """The splits between the shares in which prices were stated at a decision, and those of a
    series of the time that followed."""
    known = last_close_day(made_at)
    since = (split for split in series.splits if split.day > known)
    return tuple(ShareSplit(day=split.day, ratio=split.ratio) for split in since)


def _first_day(made_at: datetime) -> date:
    """The first day that begins after a decision."""
    instant = made_at.astimezone(UTC)
    begun = instant.time() > DAY_BEGINS
    return instant.date() + timedelta(days=begun)


def cash_rate(series: PriceSeries, rates: CashRates, made_at: datetime) -> Decimal:
    """The interest on cash instead of a stock, in percent a year.

    Raises:
        Unmeasured: no rate was known, or the stock is not priced in dollars.
    """
    if series.currency != DOLLAR:
        raise Unmeasured(
            f"{series.symbol} is priced in {series.currency}, and cash is in {DOLLAR} here"
        )
    return rates.at(made_at)


def day_of(metric: Metric, position: HeldPosition) -> date:
    """The day of a performance figure."""
    return position.entry_day if metric is Metric.ENTRY else position.exit_day


def _normalized(price: Decimal) -> Decimal:
    """A known price, without zeros after the cents.

    It is not rounded to the cent, because a price that a split made small would then be off by as
    much as the costs.
    """
    return price.normalize() if price != price.quantize(CENT) else price.quantize(CENT)


def _months_from(month: str, instant: datetime) -> int:
    return instant.year * 12 + instant.month - int(month[:4]) * 12 - int(month[5:])
