"""Daily prices of one market as known at an instant, adjusted for splits.

The close of a stock is known from 22:00 UTC on its day. Prices before a split are restated in the
shares of the last day.
"""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

from desk.analytics.prices.fixings import LONGEST_GAP
from desk.contracts.findings.source_results import Provenance
from desk.contracts.markets import MarketKind

STOCKS_KNOWN_AT: Final = time(22)
"""UTC, later than the close in New York at any time of the year."""

SIGNIFICANT_DIGITS: Final = 6

FEWEST_DECIMALS: Final = 2


class NoPrices(Exception):
    """There are no prices of a symbol. The message says why and what to do."""


class NoPricesThen(NoPrices):
    """A market is known, but has no current price at the instant: data are absent, and the request
    is valid. `ends_on` is the day of its newest price, if there is one."""

    def __init__(self, words: str, source: Provenance, ends_on: date | None = None) -> None:
        super().__init__(words)
        self.source = source
        self.ends_on = ends_on


class Split(NamedTuple):
    """From `day` on, one share is `ratio` shares."""

    day: date
    ratio: Decimal


class Bar(NamedTuple):
    """One day of trading, in the shares of its day. Without open, high and low there is one price a
    day."""

    day: date
    close: Decimal
    open: Decimal | None = None
    high: Decimal | None = None
    low: Decimal | None = None
    volume: int | None = None


@dataclass(frozen=True, slots=True)
class Traded:
    """The days of one series, oldest first, the splits of its shares, and notes on what was
    omitted."""

    bars: tuple[Bar, ...]
    splits: tuple[Split, ...] = ()
    currency: str = "USD"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PriceSeries:
    """Daily prices of one market, oldest first, all of them known at the instant.

    It has no gap longer than fourteen days. `notes` say what was omitted, and why. `opens`,
    `highs`, `lows` and `volumes` are empty if there is one price a day. `splits` are all those
    known by the last day.
    """

    symbol: str
    kind: MarketKind
    currency: str
    source: Provenance
    days: tuple[date, ...]
    closes: tuple[Decimal, ...]
    opens: tuple[Decimal, ...] = ()
    highs: tuple[Decimal, ...] = ()
    lows: tuple[Decimal, ...] = ()
    volumes: tuple[int, ...] = ()
    adjusted: bool = False
    splits: tuple[Split, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def last_day(self) -> date:
        """The day of the newest price."""
        return self.days[-1]

    @property
    def last(self) -> Decimal:
        """The newest price."""
        return self.closes[-1]

    def between(self, first: date, last: date) -> "PriceSeries":
        """The part from one day to another, both included. It may be empty."""
        wanted = [at for at, day in enumerate(self.days) if first <= day <= last]
        start, end = (wanted[0], wanted[-1] + 1) if wanted else (0, 0)
        return replace(
            self,
            days=self.days[start:end],
            closes=self.closes[start:end],
            opens=self.opens[start:end],
            highs=self.highs[start:end],
            lows=self.lows[start:end],
            volumes=self.volumes[start:end],
        )


class Prices(Protocol):
    """A source of the prices of other markets."""

    def series(self, symbol: str, as_of: datetime, *, since: date | None = None) -> PriceSeries:
        """The prices of a market that are current at an instant, from `since` on if given.

        Raises:
            NoPrices: there are none.
        """
        ...


def last_close_day(as_of: datetime) -> date:
    """The last calendar day whose close of a stock, if there was one, is known at an instant."""
    instant = as_of.astimezone(UTC)
    today = instant.date()
    return today if instant.time() >= STOCKS_KNOWN_AT else today - timedelta(days=1)


def close_known_from(day: date) -> datetime:
    """The instant from which a stock's close of a day is known."""
    return datetime.combine(day, STOCKS_KNOWN_AT, UTC)


def as_price(value: Decimal) -> Decimal:
    """Rounds a stock's price to six significant digits, or to the cent if that is finer."""
    exponent = min(-FEWEST_DECIMALS, value.adjusted() - SIGNIFICANT_DIGITS + 1)
    return value.quantize(Decimal((0, (1,), exponent)))


def known_until(traded: Traded, last: date) -> Traded:
    """The prices known by a day, in the shares of that day, without days of no trade."""
    end = bisect_right(traded.bars, last, key=lambda bar: bar.day)
    bars = traded.bars[:end]
    counted = any(bar.volume for bar in bars)
    idle = [bar for bar in bars if counted and not bar.volume]
    kept_bars = tuple(
        restated(bar, ratio_after(traded.splits, bar.day, last)) for bar in bars if bar not in idle
    )
    note = (
        f"{len(idle)} days on which nothing was traded are left out, the last {idle[-1].day}"
        if idle
        else ""
    )
    notes = (*traded.notes, note) if note else traded.notes
    splits = tuple(split for split in traded.splits if split.day <= last)
    return replace(traded, bars=kept_bars, splits=splits, notes=notes)


def series_of(symbol: str, source: Provenance, traded: Traded, since: date) -> PriceSeries:
    """A stock's prices from a day on, from its known days.

    Raises:
        NoPricesThen: there are none.
    """
    bars = [bar for bar in traded.bars if bar.day >= since]
    if not bars:
        raise NoPricesThen(f"no price of {symbol} from {since} on was known", source)
    ranged = all(None not in bar[1:5] for bar in bars)
    counted = all(bar.volume for bar in bars)
    first = bars[0].day
    return PriceSeries(
        symbol,
        MarketKind.STOCK,
        traded.currency,
        source,
        days=tuple(bar.day for bar in bars),
        closes=tuple(as_price(bar.close) for bar in bars),
        opens=_prices(bar.open for bar in bars) if ranged else (),
        highs=_prices(bar.high for bar in bars) if ranged else (),
        lows=_prices(bar.low for bar in bars) if ranged else (),
        volumes=tuple(bar.volume or 0 for bar in bars) if counted else (),
        adjusted=any(split.day > first for split in traded.splits),
        splits=traded.splits,
        notes=traded.notes,
    )


def _prices(values: Iterable[Decimal | None]) -> tuple[Decimal, ...]:
    return tuple(as_price(value) for value in values if value is not None)


def without_gaps(found: PriceSeries) -> PriceSeries:
    """The part after the last gap of more than fourteen days, with a note if there is one."""
    holes = [later for day, later in pairwise(found.days) if later - day > LONGEST_GAP]
    if not holes:
        return found
    note = f"prices before {holes[-1]} are left out, because there is a hole before that day"
    kept = found.between(holes[-1], date.max)
    return replace(kept, notes=(*found.notes, note))


def in_shares_of_its_day(bar: Bar, splits: tuple[Split, ...]) -> Bar:
    """Restates a day that is given in the shares after all splits in the shares of its own day."""
    return restated(bar, 1 / ratio_after(splits, bar.day))


def ratio_after(splits: tuple[Split, ...], day: date, until: date = date.max) -> Decimal:
    """The number of shares that one of `day` had become by `until`."""
    ratio = Decimal(1)
    for split in splits:
        if day < split.day <= until:
            ratio *= split.ratio
    return ratio


def restated(bar: Bar, shares: Decimal) -> Bar:
    """The same day in other shares, of which there are `shares` for one."""
    if shares == 1:
        return bar

    def divided(price: Decimal | None) -> Decimal | None:
        return None if price is None else price / shares

    volume = None if bar.volume is None else int(bar.volume * shares)
    return Bar(
        bar.day, bar.close / shares, divided(bar.open), divided(bar.high), divided(bar.low), volume
    )
