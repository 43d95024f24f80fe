"""MCP server `ecb`: currency pairs from the ECB's euro reference rates."""

import argparse
import sys
from bisect import bisect_right
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from desk.analytics.prices.fixings import has_lapsed, last_known_day
from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import (
    CrossLegs,
    FixingCoverage,
    History,
    PairQuote,
    Provenance,
    Quote,
    Quotes,
    SymbolMatches,
)
from desk.contracts.findings.sources import NetworkUse, SourceDescription
from desk.sources.ecb.rates import EURO, DamagedRatesFile, EuroRates, Series
from desk.sources.ecb.store import ECB_URL, RatesStore, rates_file
from desk.sources.serving.arguments import (
    AsOf,
    Day,
    DeskServer,
    Symbol,
    currencies_of,
    require_order,
)
from desk.sources.serving.command_line import (
    READS_ONLY,
    refreshing_parser,
    serve_or_refresh,
)
from desk.sources.serving.kept_file import KeptFile
from desk.sources.serving.origins import ECB
from desk.sources.serving.symbol_search import matching_symbols
from desk.sources.serving.upkeep import upkeep_of

SOURCE = Provenance(
    name="ECB euro foreign exchange reference rates",
    tier=SourceTier.AUTHORITATIVE,
    origin=ECB,
    url="https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/",
)
MAX_MATCHES = 50

NEWEST = 15
"""Fixings whose legs are included: those of a week and of the days around it."""

YEAR = timedelta(weeks=52)

Symbols = Annotated[
    list[Symbol], Field(min_length=1, max_length=60, description="pairs such as USD/JPY")
]
Query = Annotated[
    str, Field(min_length=1, max_length=200, description="codes or names, such as `yen`")
]


class EcbTools:
    """The tools of the server. Each answers only with fixings known at `as_of`."""

    def __init__(self, store: RatesStore) -> None:
        self._store = store

    def get_quote(self, symbol: Symbol, as_of: AsOf) -> Quote:
        """Last ECB reference rate of a pair known at as_of, with its day.

        One fixing each business day, known from 16:00 Frankfurt time. Crosses are computed from
        the euro rates, to 10 significant digits.
        """
        found = _quote(self._rates(as_of), symbol, as_of)
        return Quote(as_of=as_of, source=SOURCE, **dict(found))

    def get_quotes(self, symbols: Symbols, as_of: AsOf) -> Quotes:
        """Last ECB reference rates of several pairs known at as_of, each as in get_quote.

        ends_on is the last day of which any rate was known at as_of.
        """
        rates = self._rates(as_of)
        quotes = tuple(_quote(rates, symbol, as_of) for symbol in symbols)
        ends_on = rates.last_day_until(last_known_day(as_of))
        return Quotes(as_of=as_of, source=SOURCE, quotes=quotes, ends_on=ends_on)

    def get_historical(
        self, symbol: Symbol, start: Day, as_of: AsOf, end: Day | None = None
    ) -> History:
        """Daily ECB reference rates of a pair from start to end, oldest first.

        Both days included; by default up to the last fixing known at as_of. No fixings on
        weekends and TARGET holidays. Crosses have 10 significant digits.
        """
        base, quote = currencies_of(symbol)
        require_order(start, end)
        rates = self._rates(as_of)
        missing = _absent(rates, base, quote)
        if missing is not None:
            return History(as_of=as_of, source=SOURCE, symbol=symbol, missing=missing)
        last = min(end or date.max, last_known_day(as_of))
        series = rates.between(base, quote, start, last)
        return History(
            as_of=as_of,
            source=SOURCE,
            symbol=symbol,
            days=series.days,
            values=series.values,
            legs=_legs(rates, (base, quote), series),
            missing=None if series.days else _nothing_between(symbol, start, last),
        )

    def search_symbols(self, query: Query, as_of: AsOf) -> SymbolMatches:
        """Pairs with a quote at as_of whose symbol or currency names match, best first."""
        rates = self._rates(as_of)
        day = last_known_day(as_of)
        fixed = {code: rates.last_fixing(EURO, code, day) for code in rates.currencies}
        live = {code for code, last in fixed.items() if last and not has_lapsed(last[0], as_of)}
        symbols = matching_symbols(query, live | {EURO} if live else (), MAX_MATCHES)
        return SymbolMatches(as_of=as_of, source=SOURCE, query=query, symbols=symbols)

    def get_coverage(self, as_of: AsOf) -> FixingCoverage:
        """First and last day with ECB reference rates known at as_of."""
        rates = self._rates(as_of)
        last = rates.last_day_until(last_known_day(as_of))
        if last is None:
            raise ToolError(f"no ECB reference rate had been published by {as_of.isoformat()}")
        return FixingCoverage(as_of=as_of, source=SOURCE, first_day=rates.first_day, last_day=last)

    def _rates(self, as_of: datetime) -> EuroRates:
        try:
            return self._store.as_of(as_of)
        except DamagedRatesFile as error:
            raise ToolError(str(error)) from error


def _quote(rates: EuroRates, symbol: str, as_of: datetime) -> PairQuote:
    base, quote = currencies_of(symbol)
    fixing, missing = None, _absent(rates, base, quote)
    if missing is None:
        fixing = rates.last_fixing(base, quote, last_known_day(as_of))
        missing = _lapsed(rates, symbol, fixing and fixing[0], as_of)
    if fixing is None or missing is not None:
        return PairQuote(symbol=symbol, missing=missing)
    legs = rates.legs(base, quote, fixing[0])
    return PairQuote(symbol=symbol, fixed_on=fixing[0], value=fixing[1], legs=legs)


def _legs(rates: EuroRates, pair: tuple[str, str], series: Series) -> tuple[CrossLegs, ...]:
    """The published rates behind the newest fixings of a series, and behind the highest and the
    lowest of the last year."""
    if not series.days:
        return ()
    year = bisect_right(series.days, series.days[-1] - YEAR)
    of_year = range(year, len(series.days))
    ends = (
        max(of_year, key=series.values.__getitem__),
        min(of_year, key=series.values.__getitem__),
    )
    with_legs = sorted({*ends, *of_year[-NEWEST:]})
    legs = (rates.legs(*pair, series.days[at]) for at in with_legs)
    return tuple(each for each in legs if each is not None)


def _absent(rates: EuroRates, base: str, quote: str) -> str | None:
    unknown = [code for code in (base, quote) if not rates.has(code)]
    if not unknown:
        return None
    verb = "is" if len(unknown) == 1 else "are"
    return f"{' and '.join(unknown)} {verb} not among the ECB reference currencies."


def _lapsed(rates: EuroRates, symbol: str, last: date | None, as_of: datetime) -> str | None:
    if last is None:
        return f"The ECB had published no fixing for {symbol} by {as_of.isoformat()}."
    if not has_lapsed(last, as_of):
        return None
    if last == rates.last_day_until(last_known_day(as_of)):
        return (
            f"The file of ECB reference rates ends on {last}, more than 14 days before "
            f"{as_of.isoformat()}; `desk refresh` gets later fixings of {symbol}."
        )
    return (
        f"The ECB had published no fixing for {symbol} in the 14 days before "
        f"{as_of.isoformat()}; the last one is of {last}."
    )


def _nothing_between(symbol: str, start: date, last: date) -> str:
    if last < start:
        return f"No fixing of {symbol} from {start} on was known yet; the last known day is {last}."
    return f"The file of ECB reference rates has no fixing of {symbol} from {start} to {last}."


DESCRIPTION = SourceDescription(
    server="ecb",
    gives="Euro foreign exchange reference rates of 41 currencies, one fixing each business day "
    "since 1999, and crosses of them.",
    origin=ECB,
    tiers=(SourceTier.AUTHORITATIVE,),
    licence="Free reuse by the ESCB's policy: name the source, change no figures.",
    terms="For information only; the ECB answers for no use of them.",
    terms_url="https://www.ecb.europa.eu/services/using-our-site/disclaimer/html/index.en.html",
    publication="Set at about 14:15 in Frankfurt; a fixing counts as known from 16:00 there.",
    network=NetworkUse.REFRESHES,
)


def kept_files(args: Sequence[str] = ()) -> tuple[KeptFile, ...]:
    """The files that the server caches when it is started with such arguments."""
    return (rates_file(_parser().parse_args(args).url),)


def build_server(
    cache_dir: Path | None = None,
    *,
    refresh_every: timedelta | None = None,
    packaged: Path | None = None,
    url: str = ECB_URL,
) -> MCPServer:
    """The server, for use in this process or to be run.

    `cache_dir` is the folder of the cached file; without it only the packaged file is read.
    `packaged` replaces that file. With `refresh_every` and a `cache_dir` the server fetches from
    `url` by itself, see `Upkeep`; without either it fetches nothing.
    """
    tools = EcbTools(RatesStore(cache_dir, packaged))
    server = DeskServer(
        "ecb",
        instructions="Daily reference rates of the European Central Bank, for information only.",
        log_level="WARNING",
        middleware=upkeep_of((rates_file(url, packaged),), cache_dir, refresh_every),
    )
    for tool in (
        tools.get_quote,
        tools.get_quotes,
        tools.get_historical,
        tools.search_symbols,
        tools.get_coverage,
    ):
        server.add_tool(tool, annotations=READS_ONLY, structured_output=True)
    return server


def from_arguments(
    args: Sequence[str], *, cache_dir: Path | None, refresh_every: timedelta | None
) -> MCPServer:
    """The server as configured in its entry in `.mcp.json`, for use in this process."""
    return build_server(cache_dir, refresh_every=refresh_every, url=_parser().parse_args(args).url)


def main(argv: list[str] | None = None) -> int:
    """Runs the server, or refreshes its data, as the command line says. Returns the exit status."""
    return serve_or_refresh(
        _parser(),
        argv,
        lambda given: (rates_file(given.url),),
        lambda given: build_server(
            given.cache_dir, refresh_every=given.refresh_every, url=given.url
        ),
    )


def _parser() -> argparse.ArgumentParser:
    parser = refreshing_parser(
        "desk.sources.ecb.server", "Currency pairs from the ECB reference rates."
    )
    parser.add_argument("--url", default=ECB_URL, help="where to fetch from (default: %(default)s)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
