"""MCP server `yahoo_finance`: daily closes of currency pairs, and company data."""

import argparse
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from desk.analytics.prices.fixings import LONGEST_GAP
from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import History, Provenance, Quote, SymbolMatches
from desk.contracts.findings.sources import NetworkUse, SourceDescription
from desk.sources.serving.arguments import (
    AsOf,
    Day,
    DeskServer,
    Symbol,
    currencies_of,
    require_order,
)
from desk.sources.serving.command_line import READS_THE_WEB, argument_parser, log_to_stderr, run
from desk.sources.serving.kept_answers import KeptNotes
from desk.sources.serving.reachability import Reach, add_reach_tool
from desk.sources.yahoo.closes import Close, last_known_day
from desk.sources.yahoo.companies import COOKIES_URL, YahooCompanies
from desk.sources.yahoo.company_tools import YahooCompanyTools
from desk.sources.yahoo.failures import YahooRefused, YahooUnusable
from desk.sources.yahoo.upstream import PAGES_URL, YAHOO_URL, YahooFinance

SOURCE = Provenance(
    name="Yahoo Finance",
    tier=SourceTier.SECONDARY,
    origin="Yahoo Finance",
    url="https://finance.yahoo.com/markets/currencies/",
)
MOST_CLOSES = 10_000
_EARLIEST = date(1980, 1, 1)
"""Nothing earlier is requested: no currency pair at Yahoo reaches back to this day."""

Query = Annotated[
    str, Field(min_length=1, max_length=200, description="codes or names, such as `yen`")
]


class YahooTools:
    """The tools of the server. Each answers only with closes known at `as_of`."""

    def __init__(self, yahoo: YahooFinance, now: Callable[[], datetime]) -> None:
        """`now` returns the present instant, with its zone, because the current day has no
        close."""
        self._yahoo = yahoo
        self._now = now

    def get_quote(self, symbol: Symbol, as_of: AsOf) -> Quote:
        """Last daily close of a pair at Yahoo Finance known at as_of, with its day.

        A close is Yahoo's last rate of a London day. It counts as known from one hour after the
        end of its UTC day, because until then Yahoo's row for the day is the running rate.
        """
        base, quote = currencies_of(symbol)
        last = last_known_day(as_of, self._now())
        found, missing = self._closes(base, quote, last - LONGEST_GAP, last)
        if not found:
            missing = missing or (
                f"Yahoo Finance has no close of {symbol} in the {LONGEST_GAP.days} days "
                f"up to {last}."
            )
            return Quote(as_of=as_of, source=SOURCE, symbol=symbol, missing=missing)
        day, value = found[-1]
        return Quote(as_of=as_of, source=SOURCE, symbol=symbol, fixed_on=day, value=value)

    def get_historical(
        self, symbol: Symbol, start: Day, as_of: AsOf, end: Day | None = None
    ) -> History:
        """Daily closes of a pair at Yahoo Finance from start to end, oldest first.

        Both days included; by default up to the last close known at as_of. A close counts as known
        from one hour after the end of its UTC day. No closes on weekends.
        """
        base, quote = currencies_of(symbol)
        require_order(start, end)
        last = min(end or date.max, last_known_day(as_of, self._now()))
        if last < start:
            missing: str | None = _not_yet(symbol, start, last)
            return History(as_of=as_of, source=SOURCE, symbol=symbol, missing=missing)
        found, missing = self._closes(base, quote, start, last)
        if not found:
            missing = missing or f"Yahoo Finance has no close of {symbol} from {start} to {last}."
        if len(found) > MOST_CLOSES:
            raise ToolError(f"{len(found)} closes are above {MOST_CLOSES}; ask for fewer days")
        return History(
            as_of=as_of,
            source=SOURCE,
            symbol=symbol,
            days=tuple(close.day for close in found),
            values=tuple(close.value for close in found),
            missing=missing,
        )

    def search_symbols(self, query: Query, as_of: AsOf) -> SymbolMatches:
        """Currency pairs that Yahoo Finance finds for a query, best first.

        Yahoo's list of symbols is not dated: this is today's, with names only. get_quote says
        whether a pair had a close at as_of.
        """
        try:
            symbols = self._yahoo.pairs(query)
        except YahooRefused as error:
            raise ToolError(f"{error}.") from error
        except YahooUnusable as error:
            raise ToolError(_unusable(f"the search for {query[:40]!r}", error)) from error
        return SymbolMatches(as_of=as_of, source=SOURCE, query=query, symbols=symbols)

    def _closes(
        self, base: str, quote: str, first: date, last: date
    ) -> tuple[tuple[Close, ...], str | None]:
        """The closes, or the reason why there can be none. Neither if Yahoo has none in the
        range."""
        if last < _EARLIEST:
            return (), f"Yahoo Finance has no rates of days before {_EARLIEST}."
        try:
            found = self._yahoo.closes(base, quote, max(first, _EARLIEST), last)
        except YahooRefused as error:
            raise ToolError(f"{error}.") from error
        except YahooUnusable as error:
            return (), _unusable(f"{base}/{quote}", error)
        if found.no_such_symbol:
            return (), f"Yahoo Finance has no pair {base}{quote}=X."
        return found.closes, None


def _not_yet(symbol: str, start: date, last: date) -> str:
    return f"No close of {symbol} from {start} on was known yet; the last known day is {last}."


def _unusable(subject: str, error: YahooUnusable) -> str:
    return f"Yahoo Finance's answer for {subject} cannot be used: {error}."


def _present() -> datetime:
    return datetime.now(UTC)


DESCRIPTION = SourceDescription(
    server="yahoo_finance",
    gives="Daily closes of currency pairs, analysts' ratings and quarterly accounts of companies.",
    origin="Yahoo Finance",
    tiers=(SourceTier.SECONDARY,),
    licence="None is granted: Yahoo offers no public interface.",
    terms="For personal use only. Read Yahoo's terms before its figures are published or "
    "passed on.",
    terms_url="https://legal.yahoo.com/us/en/yahoo/terms/otos/index.html",
    publication="A close counts as known one hour after the end of its UTC day, a rating from the "
    "end of its day, a quarter's accounts from the end of the day of their report or, where none "
    "is told, 45 days after the quarter (90 after a financial year's). Corrections are not told "
    "apart.",
    network=NetworkUse.LIVE,
    extra="live",
)


def build_server(
    cache_dir: Path | None = None,
    *,
    refresh_every: timedelta | None = None,
    url: str = YAHOO_URL,
    cookies_url: str = COOKIES_URL,
    pages_url: str = PAGES_URL,
    now: Callable[[], datetime] = _present,
    offline: bool = False,
) -> MCPServer:
    """The server, for use in this process or to be run.

    `url` replaces Yahoo's hosts of data, `cookies_url` that of its cookie, `pages_url` that of its
    pages. Answers are cached in memory for five minutes; `cache_dir` records whether Yahoo could be
    reached. With `offline` it counts as unreachable, and the tools refuse. Without the package
    `yfinance` the tools refuse and say how to install it. `refresh_every` is accepted, as by every
    server of the desk, and not used.
    """
    del refresh_every
    reach = Reach("yahoo_finance", (url,), cache_dir, offline=offline)
    tools = YahooTools(YahooFinance(url, offline=offline), now)
    companies = YahooCompanyTools(YahooCompanies(url, cookies_url, pages_url, offline=offline), now)
    server = DeskServer(
        "yahoo_finance",
        instructions="Closes of currency pairs, analysts' ratings and quarterly accounts of "
        "companies from Yahoo Finance, for personal use. A rating is an opinion and no fact.",
        log_level="WARNING",
        extensions=[KeptNotes()],
    )
    offered: tuple[Callable[..., Any], ...] = (
        tools.get_quote,
        tools.get_historical,
        tools.search_symbols,
        companies.analyst_ratings,
        companies.quarterly_accounts,
    )
    for tool in offered:
        server.add_tool(tool, annotations=READS_THE_WEB, structured_output=True)
    add_reach_tool(server, reach)
    return server


def from_arguments(
    args: Sequence[str], *, cache_dir: Path | None, refresh_every: timedelta | None
) -> MCPServer:
    """The server as configured in its entry in `.mcp.json`, for use in this process. In a worker
    that refreshes nothing it counts as unreachable."""
    arguments = _parser().parse_args(args)
    return _built(arguments, cache_dir, offline=arguments.offline or refresh_every is None)


def main(argv: list[str] | None = None) -> int:
    """Runs the server as the command line says. Returns the exit status."""
    arguments = _parser().parse_args(argv)
    log_to_stderr()
    built = _built(arguments, arguments.cache_dir, offline=arguments.offline)
    return run(built, arguments)


def _built(arguments: argparse.Namespace, cache_dir: Path | None, *, offline: bool) -> MCPServer:
    return build_server(
        cache_dir,
        url=arguments.url,
        cookies_url=arguments.cookies_url,
        pages_url=arguments.pages_url,
        offline=offline,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser("desk.sources.yahoo.server", "Pairs and companies from Yahoo Finance.")
    parser.add_argument("--url", default=YAHOO_URL, help="where to ask (default: %(default)s)")
    parser.add_argument(
        "--cookies-url",
        default=COOKIES_URL,
        help="where Yahoo gives the cookie that ratings take (default: %(default)s)",
    )
    parser.add_argument(
        "--pages-url",
        default=PAGES_URL,
        help="where Yahoo's calendar of reports is (default: %(default)s)",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
