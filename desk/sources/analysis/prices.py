"""Daily prices for the analysis: pairs from the ECB's rates, stocks from packages or from Yahoo.

A series is what could be known at an instant. A fixing is known from 16:00 in Frankfurt on its day,
the close of a stock from 22:00 UTC; prices before a split are told in the shares of the last day.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime
from difflib import get_close_matches
from functools import cache
from typing import Final, Protocol

from desk.analytics.names.markets import DOLLAR
from desk.analytics.prices.fixings import LONGEST_GAP, last_known_day
from desk.analytics.technical.measures import NotInstalled
from desk.analytics.technical.series import (
    NoPrices,
    NoPricesThen,
    PriceSeries,
    Traded,
    known_until,
    last_close_day,
    series_of,
    without_holes,
)
from desk.contracts.agents.tools import SourceTier
from desk.contracts.episode.analysis import KnownSymbol
from desk.contracts.findings.source_results import Provenance
from desk.contracts.markets import PAIR_PATTERN, STOCK_PATTERN, MarketKind
from desk.sources.analysis.packaged import OFFLINE, PackagedSeries
from desk.sources.analysis.symbols import COMPANIES, OTHER_CROSSES, name_of_pair
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

MOST_NEAREST: Final = 3


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
        return KnownSymbol(
            symbol=symbol,
            kind=found.kind,
            name=self.name_of(symbol),
            first_day=found.days[0],
            last_day=found.last_day,
        )

    def name_of(self, symbol: str) -> str:
        """What a symbol is called: its currencies, its company, or else as it is written."""
        if re.fullmatch(PAIR_PATTERN, symbol):
            return name_of_pair(symbol)
        company = COMPANIES.get(symbol)
        return company.name if company else symbol

    def nearest(self, words: str, most: int = MOST_NEAREST) -> tuple[str, ...]:
        """The symbols that are written most like some words, best first."""
        return tuple(get_close_matches(words.upper()[:40], self.names(), n=most, cutoff=0.5))

    def _pair(self, symbol: str, as_of: datetime, since: date) -> PriceSeries:
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
        known = [(known_until(traded, last), source) for traded, source in candidates]
        current = [entry for entry in known if entry[0].bars]
        if not current:
            raise NoPricesThen(
                f"no price of {symbol} was known at {as_of.isoformat()}", candidates[0][1]
            )
        traded, source = max(current, key=lambda one: (one[0].bars[-1].day, len(one[0].bars)))
        return series_of(symbol, source, traded, since)

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

    def _euro_rates(self, as_of: datetime | None = None) -> EuroRates:
        """As they were told at an instant; without one, as they are told now."""
        try:
            return self._rates.current() if as_of is None else self._rates.as_of(as_of)
        except DamagedRatesFile as error:
            raise NoPrices(str(error)) from error


def _advice(kind: MarketKind, last: date) -> str:
    otherwise = "run `desk refresh`" if kind is MarketKind.PAIR else "run it with --live"
    return f"ask as of a day up to {last + LONGEST_GAP}, or {otherwise}"
