"""Daily prices for the analysis: pairs from the ECB's rates, stocks from packages or from Yahoo.

A series is what could be known at an instant. A fixing is known from 16:00 in Frankfurt on its day,
the close of a stock from 22:00 UTC; prices before a split are told in the shares of the last day.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from difflib import get_close_matches
from functools import cache
from itertools import pairwise
from typing import Final, Protocol

from desk.analytics.prices.fixings import LONGEST_GAP, last_known_day
from desk.contracts.agents.tools import SourceTier
from desk.contracts.episode.analysis import KnownSymbol
from desk.contracts.findings.source_results import Provenance
from desk.contracts.markets import PAIR_PATTERN, STOCK_PATTERN, MarketKind
from desk.sources.analysis.names import COMPANIES, DOLLAR, OTHER_CROSSES, name_of_pair
from desk.sources.analysis.offline import (
    OFFLINE,
    NotInstalled,
    PackagedSeries,
    Split,
    Traded,
    ratio_after,
    restated,
)
from desk.sources.ecb.rates import EURO, DamagedRatesFile, EuroRates
from desk.sources.ecb.store import RatesStore
from desk.sources.serving.origins import ECB
from desk.sources.serving.symbol_search import quoted_as

ECB_SOURCE: Final = Provenance(
    name="ECB euro foreign exchange reference rates",
    tier=SourceTier.AUTHORITATIVE,
    origin=ECB,
    url="https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/",
)
STOCKS_KNOWN_AT: Final = time(22)
"""UTC, later than the close in New York at any time of the year."""

SIGNIFICANT_DIGITS: Final = 6
FEWEST_DECIMALS: Final = 2
MOST_NEAREST: Final = 3


class NoPrices(Exception):
    """There are no prices of a symbol. The message says why and what to do."""


class NoPricesThen(NoPrices):
    """A market is known, and nothing of it is current at the instant: absent data, no mistake."""

    def __init__(self, words: str, source: Provenance) -> None:
        super().__init__(words)
        self.source = source


@dataclass(frozen=True, slots=True)
class PriceSeries:
    """Daily prices of one market, oldest first, none of them known only after the instant.

    No hole in it is longer than fourteen days. `notes` say what was left out, and why. `opens`,
    `highs`, `lows` and `volumes` are empty where there is one price a day. `splits` are those known
    by the last day that counts, of any time.
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


class LivePrices(Protocol):
    """Where the prices of stocks are asked for that no package has."""

    source: Provenance

    def traded(self, symbol: str, last: date) -> Traded:
        """The days of trading up to `last`, as they were traded; none where there are none.

        Raises:
            NoPrices: it could not be asked, or the answer cannot be used.
        """
        ...


class PriceStore:
    """The prices there are. Each answer holds only what was known at its instant."""

    def __init__(
        self,
        rates: RatesStore,
        packaged: Sequence[PackagedSeries] = OFFLINE,
        live: LivePrices | None = None,
    ) -> None:
        """Stocks are asked of `live` where it is given, and else read from `packaged`."""
        self._rates = rates
        self._packaged = tuple(packaged)
        self._live = live
        self._read: Callable[[PackagedSeries], Traded] = cache(PackagedSeries.read)

    def series(self, symbol: str, as_of: datetime, *, since: date | None = None) -> PriceSeries:
        """The prices of a market that are current at an instant, from `since` on where given.

        Raises:
            NoPrices: there are none.
            NoPricesThen: none was known, or the newest is more than fourteen days old.
        """
        found = self.history(symbol, as_of, since=since)
        known = self._known_day(found.kind, as_of)
        if known - found.last_day > LONGEST_GAP:
            raise NoPricesThen(
                f"the prices of {symbol} end on {found.last_day}, more than fourteen days before "
                f"{as_of.isoformat()}; {_advice(found.kind, found.last_day)}",
                found.source,
            )
        return without_holes(found)

    def history(self, symbol: str, as_of: datetime, *, since: date | None = None) -> PriceSeries:
        """The same, however old the newest price is, and with the holes that it has.

        Raises:
            NoPrices: there are none.
            NoPricesThen: none was known at the instant.
        """
        if re.fullmatch(PAIR_PATTERN, symbol):
            return self._pair(symbol, as_of, since or date.min)
        if not re.fullmatch(STOCK_PATTERN, symbol):
            raise NoPrices(f"{symbol[:40]!r} is not a symbol; write it like USD/JPY or NVDA")
        return self._stock(symbol, as_of, since or date.min)

    def symbols(self, as_of: datetime | None = None) -> tuple[KnownSymbol, ...]:
        """Every market that there are prices of, with the first and last day known at `as_of`."""
        described = (self.known(symbol, as_of) for symbol in self.names())
        return tuple(symbol for symbol in described if symbol is not None)

    def names(self) -> tuple[str, ...]:
        """The symbols alone: the usual pairs of all currencies, then the stocks of the packages."""
        codes = [code for code in self._euro_rates().currencies if code != DOLLAR]
        pairs = [quoted_as(DOLLAR, code) for code in (EURO, *codes)]
        crosses = [quoted_as(EURO, code) for code in codes]
        return tuple(dict.fromkeys((*pairs, *crosses, *OTHER_CROSSES, *self.packaged_stocks())))

    def packaged_stocks(self) -> tuple[str, ...]:
        """The stocks of the packages that are installed."""
        return tuple(dict.fromkeys(one.symbol for one in self._packaged if one.installed))

    def packaged(self, symbol: str) -> tuple[Traded, ...]:
        """Every packaged series of a stock as it was traded; none where there is none.

        Raises:
            NotInstalled: the package of one is not there.
        """
        return tuple(self._read(one) for one in self._packaged if one.symbol == symbol)

    def known(self, symbol: str, as_of: datetime | None = None) -> KnownSymbol | None:
        """A symbol with its name and days; None where no price of it was known."""
        try:
            found = self.history(symbol, as_of or datetime.max.replace(tzinfo=UTC))
        except NoPrices:
            return None
        pair = found.kind is MarketKind.PAIR
        company = COMPANIES.get(symbol)
        return KnownSymbol(
            symbol=symbol,
            kind=found.kind,
            name=name_of_pair(symbol) if pair else company.name if company else symbol,
            first_day=found.days[0],
            last_day=found.last_day,
        )

    def nearest(self, words: str, most: int = MOST_NEAREST) -> tuple[str, ...]:
        """The symbols that are written most like some words, best first."""
        return tuple(get_close_matches(words.upper()[:40], self.names(), n=most, cutoff=0.5))

    def _pair(self, symbol: str, as_of: datetime, since: date) -> PriceSeries:
        base, _, quote = symbol.partition("/")
        if base == quote:
            raise NoPrices(f"{symbol!r} pairs a currency with itself; name two currencies")
        rates = self._euro_rates()
        unknown = [code for code in (base, quote) if not rates.has(code)]
        if unknown:
            raise NoPricesThen(
                f"{' and '.join(unknown)} {'is' if len(unknown) == 1 else 'are'} not among the "
                f"ECB reference currencies{self._hint(symbol)}",
                ECB_SOURCE,
            )
        found = rates.between(base, quote, since, last_known_day(as_of))
        if not found.days:
            raise NoPricesThen(
                f"no fixing of {symbol} was known at {as_of.isoformat()}", ECB_SOURCE
            )
        return PriceSeries(
            symbol, MarketKind.PAIR, quote, ECB_SOURCE, days=found.days, closes=found.values
        )

    def _stock(self, symbol: str, as_of: datetime, since: date) -> PriceSeries:
        last = last_close_day(as_of)
        candidates = [*self._candidates(symbol, last)]
        if not candidates:
            raise NoPrices(f"there are no prices of {symbol}{self._hint(symbol)}")
        known = [(_until(traded, last), source) for traded, source in candidates]
        current = [entry for entry in known if entry[0].bars]
        if not current:
            raise NoPricesThen(
                f"no price of {symbol} was known at {as_of.isoformat()}", candidates[0][1]
            )
        traded, source = max(current, key=lambda one: (one[0].bars[-1].day, len(one[0].bars)))
        return _series_of(symbol, source, traded, since)

    def _candidates(self, symbol: str, last: date) -> Iterable[tuple[Traded, Provenance]]:
        if self._live is not None:
            found = self._live.traded(symbol, last)
            return [(found, self._live.source)] if found.bars else []
        packaged = [one for one in self._packaged if one.symbol == symbol]
        try:
            return [(self._read(one), one.source) for one in packaged]
        except NotInstalled as error:
            raise NoPrices(str(error)) from error

    def _known_day(self, kind: MarketKind, as_of: datetime) -> date:
        return last_known_day(as_of) if kind is MarketKind.PAIR else last_close_day(as_of)

    def _hint(self, symbol: str) -> str:
        nearest = self.nearest(symbol)
        return f"; nearest: {', '.join(nearest)}" if nearest else "; find_symbols says which are"

    def _euro_rates(self) -> EuroRates:
        try:
            return self._rates.current()
        except DamagedRatesFile as error:
            raise NoPrices(str(error)) from error


def last_close_day(as_of: datetime) -> date:
    """The last calendar day whose close of a stock, if there was one, is known at an instant."""
    instant = as_of.astimezone(UTC)
    today = instant.date()
    return today if instant.time() >= STOCKS_KNOWN_AT else today - timedelta(days=1)


def close_known_from(day: date) -> datetime:
    """The instant from which the close of a stock of a day is known."""
    return datetime.combine(day, STOCKS_KNOWN_AT, UTC)


def as_price(value: Decimal) -> Decimal:
    """A stock's price to six significant digits, and to the cent in any case."""
    exponent = min(-FEWEST_DECIMALS, value.adjusted() - SIGNIFICANT_DIGITS + 1)
    return value.quantize(Decimal((0, (1,), exponent)))


def _until(traded: Traded, last: date) -> Traded:
    """What was known by a day, in the shares of that day, without the days of no trade."""
    end = bisect_right(traded.bars, last, key=lambda bar: bar.day)
    bars = traded.bars[:end]
    counted = any(bar.volume for bar in bars)
    idle = [bar for bar in bars if counted and not bar.volume]
    told = tuple(
        restated(bar, ratio_after(traded.splits, bar.day, last)) for bar in bars if bar not in idle
    )
    note = (
        f"{len(idle)} days on which nothing was traded are left out, the last {idle[-1].day}"
        if idle
        else ""
    )
    notes = (*traded.notes, note) if note else traded.notes
    splits = tuple(split for split in traded.splits if split.day <= last)
    return replace(traded, bars=told, splits=splits, notes=notes)


def _series_of(symbol: str, source: Provenance, traded: Traded, since: date) -> PriceSeries:
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


def _advice(kind: MarketKind, last: date) -> str:
    otherwise = "refresh the file of the ECB" if kind is MarketKind.PAIR else "run it with --live"
    return f"ask as of a day up to {last + LONGEST_GAP}, or {otherwise}"


def _prices(values: Iterable[Decimal | None]) -> tuple[Decimal, ...]:
    return tuple(as_price(value) for value in values if value is not None)


def without_holes(found: PriceSeries) -> PriceSeries:
    """The part after the last hole of more than fourteen days, with a note where there is one."""
    holes = [later for day, later in pairwise(found.days) if later - day > LONGEST_GAP]
    if not holes:
        return found
    note = f"prices before {holes[-1]} are left out, because there is a hole before that day"
    kept = found.between(holes[-1], date.max)
    return replace(kept, notes=(*found.notes, note))
