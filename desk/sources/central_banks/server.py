"""MCP server `central_banks`: policy rates, rate decisions and announced decision days."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import (
    DecisionCalendar,
    PolicyRates,
    Provenance,
    RateDecision,
    RateDecisions,
    ScheduledDecision,
)
from desk.contracts.findings.sources import NetworkUse, SourceDescription
from desk.sources.central_banks.current_facts import KEYS, CurrentFacts, files_from
from desk.sources.central_banks.facts.policy import FACTS_DIR, PolicyFacts, read_facts
from desk.sources.central_banks.facts.tables import DamagedTable, ReadOnce
from desk.sources.central_banks.policy_answers import (
    calendar_ends,
    calendar_gaps,
    covered_until,
    decision_gaps,
    decisions_before,
    policy_rate,
    rate_decisions,
    scheduled_decisions,
)
from desk.sources.news.banks.feeds import BANK_FEEDS, BankNews
from desk.sources.news.banks.server import BankFeedTools
from desk.sources.serving.arguments import (
    Areas,
    AsOf,
    Day,
    DeskServer,
    require_areas,
    require_order,
)
from desk.sources.serving.command_line import (
    READS_ONLY,
    READS_THE_WEB,
    add_addresses,
    refreshing_parser,
    serve_or_refresh,
)
from desk.sources.serving.kept_answers import KeptNotes
from desk.sources.serving.kept_file import KeptFile
from desk.sources.serving.upkeep import upkeep_of

SOURCE = Provenance(name="Project table of central-bank decisions", tier=SourceTier.PRIMARY)
MAX_ROWS = 2_000

_Row = TypeVar("_Row", RateDecision, ScheduledDecision)


class CentralBankTools:
    """The tools of the server. Each answers only with what was public at `as_of`."""

    def __init__(self, folder: Path = FACTS_DIR, *, cache_dir: Path | None = None) -> None:
        """`folder` holds the three tables, which are read at their first use; `cache_dir` the
        additional cached files."""
        self._known = CurrentFacts(ReadOnce(partial(read_facts, folder)), cache_dir)

    def get_policy_rate(self, areas: Areas, as_of: AsOf) -> PolicyRates:
        """Policy rates announced by as_of, in percent a year, in the requested order.

        US: midpoint of the target range, with its ends. `since`: the day this level was decided.
        `stale`: as_of is later than the last day up to which every change is known.
        """
        facts = self._facts(areas, as_of)
        rates = tuple(policy_rate(facts, code, as_of) for code in areas)
        return PolicyRates(as_of=as_of, source=SOURCE, rates=rates)

    def get_rate_decisions(self, areas: Areas, start: Day, end: Day, as_of: AsOf) -> RateDecisions:
        """Rate decisions announced by as_of, from start to end (local days, both included).

        Oldest first. Rate in percent a year after the decision, change in basis points (0: held).
        Some areas list changes only. A change of instrument alone is not listed. `before`: the
        meetings before start, back to the last one whose outcome differs from the newest.
        """
        require_order(start, end)
        facts = self._facts(areas, as_of)
        decisions = _within_limit(rate_decisions(facts, areas, start, end, as_of))
        return RateDecisions(
            as_of=as_of,
            source=SOURCE,
            decisions=decisions,
            before=_within_limit(decisions_before(facts, decisions, start)),
            covered_until=covered_until(facts, areas, as_of),
            missing=decision_gaps(facts, areas, start),
        )

    def get_decision_calendar(
        self, areas: Areas, start: Day, end: Day, as_of: AsOf
    ) -> DecisionCalendar:
        """Scheduled decision days from start to end (local days, both included), earliest first.

        Days as announced and valid at as_of, even if they were moved or cancelled later. `missing`
        names areas whose announced days are not in the table or end before start; `ends` has the
        last day of each area.
        """
        require_order(start, end)
        facts = self._facts(areas, as_of)
        return DecisionCalendar(
            as_of=as_of,
            source=SOURCE,
            scheduled=_within_limit(scheduled_decisions(facts, areas, start, end, as_of)),
            missing=calendar_gaps(facts, areas, start, as_of),
            ends=calendar_ends(facts, areas, as_of),
        )

    def _facts(self, areas: list[str], as_of: datetime) -> PolicyFacts:
        require_areas(areas)
        try:
            return self._known.as_of(as_of)
        except DamagedTable as error:
            raise ToolError(str(error)) from error


def _within_limit(rows: list[_Row]) -> tuple[_Row, ...]:
    if len(rows) > MAX_ROWS:
        raise ToolError(f"{len(rows)} rows are above {MAX_ROWS}; ask for fewer areas or days")
    return tuple(rows)


DESCRIPTION = SourceDescription(
    server="central_banks",
    gives="Policy rates of 18 areas, decisions on them and the calendar of decisions, which are "
    "primary, and, with --news, press releases from the banks' own feeds, which are authoritative.",
    origin="Each row's own: the central bank, or the Bank for International Settlements",
    tiers=(SourceTier.AUTHORITATIVE, SourceTier.PRIMARY),
    licence="The tables are the project's own, of facts that the banks and the BIS publish;"
    " each row names its source.",
    terms="BIS statistics may be reused where the BIS is named as their source. Press "
    "releases are each bank's, under its own terms.",
    terms_url="https://www.bis.org/terms_statistics.htm",
    publication="A decision counts as known from the bank's hour of announcement, else from the "
    "end of its local day, also where a series tells it that came out later.",
    network=NetworkUse.REFRESHES,
)


def kept_files(args: Sequence[str] = ()) -> tuple[KeptFile, ...]:
    """The files that the server caches when it is started with such arguments."""
    return files_from(_parser().parse_args(args).url)


def build_server(
    cache_dir: Path | None = None,
    *,
    refresh_every: timedelta | None = None,
    facts_dir: Path = FACTS_DIR,
    news_urls: Mapping[str, str] | None = None,
    addresses: Mapping[str, str] | None = None,
) -> MCPServer:
    """The server, for use in this process or to be run.

    `facts_dir` holds the three tables. `news_urls` are the banks' news feeds by area, such as
    `BANK_FEEDS`, and also give it the tool of the server `bank_feeds`. `cache_dir` is the folder of
    the cached files; with it and `refresh_every` they are fetched, see `Upkeep`; without either
    nothing is. `addresses` replace providers' own, by `KEYS`.
    """
    tools = CentralBankTools(facts_dir, cache_dir=cache_dir)
    server = DeskServer(
        "central_banks",
        instructions="Policy rates of central banks; every row of the table names its source.",
        log_level="WARNING",
        extensions=[KeptNotes()],
        middleware=upkeep_of(files_from(addresses), cache_dir, refresh_every),
    )
    for tool in (tools.get_policy_rate, tools.get_rate_decisions, tools.get_decision_calendar):
        server.add_tool(tool, annotations=READS_ONLY, structured_output=True)
    if news_urls is not None:
        news = BankFeedTools(BankNews(news_urls), facts_dir)
        server.add_tool(
            news.get_central_bank_news, annotations=READS_THE_WEB, structured_output=True
        )
    return server


def from_arguments(
    args: Sequence[str], *, cache_dir: Path | None, refresh_every: timedelta | None
) -> MCPServer:
    """The server as configured in its entry in `.mcp.json`, for use in this process."""
    return _built(_parser().parse_args(args), cache_dir, refresh_every)


def main(argv: list[str] | None = None) -> int:
    """Runs the server, or refreshes its data, as the command line says. Returns the exit status."""
    return serve_or_refresh(
        _parser(),
        argv,
        lambda given: files_from(given.url),
        lambda given: _built(given, given.cache_dir, given.refresh_every),
    )


def _built(
    arguments: argparse.Namespace, cache_dir: Path | None, refresh_every: timedelta | None
) -> MCPServer:
    return build_server(
        cache_dir,
        refresh_every=refresh_every,
        news_urls=BANK_FEEDS if arguments.news else None,
        addresses=arguments.url,
    )


def _parser() -> argparse.ArgumentParser:
    parser = refreshing_parser(
        "desk.sources.central_banks.server", "Policy rates and rate decisions."
    )
    parser.add_argument(
        "--news", action="store_true", help="have the tool of the server bank_feeds as well"
    )
    add_addresses(parser, KEYS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
