"""MCP server `bank_feeds`: what central banks publish themselves, from their own news feeds."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import NewsItems
from desk.contracts.findings.sources import NetworkUse, SourceDescription
from desk.sources.central_banks.facts.policy import FACTS_DIR, read_facts
from desk.sources.central_banks.facts.tables import DamagedTable, ReadOnce
from desk.sources.news.banks.feeds import BANK_FEEDS, BankNews
from desk.sources.news.feed import FeedReader
from desk.sources.news.items import Days
from desk.sources.serving.arguments import Areas, AsOf, DeskServer, require_areas
from desk.sources.serving.command_line import READS_THE_WEB, argument_parser, log_to_stderr, run
from desk.sources.serving.kept_answers import KeptNotes
from desk.sources.serving.reachability import Reach, add_reach_tool

DESCRIPTION = SourceDescription(
    server="bank_feeds",
    gives="Press releases of thirteen central banks, from the banks' own feeds, in English.",
    origin="Each release's bank",
    tiers=(SourceTier.AUTHORITATIVE,),
    licence="Each release is its bank's; the banks offer their feeds to the public.",
    terms="Name the bank where its words are passed on.",
    publication="A release counts as known from its own date, a day without an hour from its end.",
    network=NetworkUse.LIVE,
)


class BankFeedTools:
    """The tools of the server. Each answers only with what was published by `as_of`."""

    def __init__(self, news: BankNews, facts_dir: Path = FACTS_DIR) -> None:
        """`facts_dir` holds the tables with the banks' names and time zones."""
        self._news = news
        self._tables = ReadOnce(partial(read_facts, facts_dir))

    def get_central_bank_news(self, areas: Areas, as_of: AsOf, days: Days = 7) -> NewsItems:
        """What the areas' central banks published in the days before as_of, newest first.

        From the banks' own feeds, which contain only the latest items. `missing` says which bank
        could not be read, and why.
        """
        require_areas(areas)
        try:
            banks = self._tables.current().areas
        except DamagedTable as error:
            raise ToolError(str(error)) from error
        return self._news.of(areas, banks, as_of, days)


def build_server(
    cache_dir: Path | None = None,
    *,
    refresh_every: timedelta | None = None,
    facts_dir: Path = FACTS_DIR,
    feeds: Mapping[str, str] = BANK_FEEDS,
    offline: bool = False,
) -> MCPServer:
    """The server, for use in this process or to be run.

    `feeds` are the banks' feeds by area. Answers are cached in memory, for ten minutes; `cache_dir`
    records which banks could be reached. With `offline` nothing is fetched. `refresh_every` is
    accepted, as by every server of the desk, and not used.
    """
    del refresh_every
    reach = Reach("bank_feeds", feeds.values(), cache_dir, offline=offline)
    tools = BankFeedTools(BankNews(feeds, FeedReader(reach)), facts_dir)
    server = DeskServer(
        "bank_feeds",
        instructions="Press releases from the feeds of central banks, in the banks' own words.",
        log_level="WARNING",
        extensions=[KeptNotes()],
    )
    server.add_tool(tools.get_central_bank_news, annotations=READS_THE_WEB, structured_output=True)
    add_reach_tool(server, reach)
    return server


def from_arguments(
    args: Sequence[str], *, cache_dir: Path | None, refresh_every: timedelta | None
) -> MCPServer:
    """The server as configured in its entry in `.mcp.json`, for use in this process. It fetches
    nothing in a worker that refreshes nothing."""
    arguments = _parser().parse_args(args)
    offline = arguments.offline or refresh_every is None
    return build_server(cache_dir, feeds=_feeds(arguments.url), offline=offline)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the server as the command line says. Returns the exit status."""
    arguments = _parser().parse_args(argv)
    log_to_stderr()
    feeds, offline = _feeds(arguments.url), arguments.offline
    return run(build_server(arguments.cache_dir, feeds=feeds, offline=offline), arguments)


def _feeds(url: str | None) -> Mapping[str, str]:
    """The banks' own addresses, or paths below another address, such as `/US`."""
    if url is None:
        return BANK_FEEDS
    return {area: f"{url.rstrip('/')}/{area}" for area in BANK_FEEDS}


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser("desk.sources.news.banks.server", "Press releases of central banks.")
    parser.add_argument(
        "--url", help="ask URL/AREA, such as URL/US, in place of the banks' own addresses"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
