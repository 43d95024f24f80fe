"""MCP server `official_statistics`: statistics to compare the desk's other sources with."""

import argparse
import sys
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import MonthAverages, MonthEndRates, Provenance
from desk.contracts.findings.sources import NetworkUse, SourceDescription
from desk.sources.central_banks.facts_table import DamagedTable, ReadOnce
from desk.sources.central_banks.policy_facts import FACTS_DIR
from desk.sources.serving.arguments import (
    Areas,
    AsOf,
    CalendarMonth,
    Symbol,
    currencies_of,
    require_areas,
    require_order,
)
from desk.sources.serving.command_line import READS_ONLY, argument_parser, log_to_stderr, run
from desk.sources.serving.origins import BIS, FEDERAL_RESERVE
from desk.sources.statistics.answers import (
    month_averages,
    month_end_rates,
    no_averages,
    quoted_currency,
    rate_gaps,
)
from desk.sources.statistics.tables import OfficialTables, read_official_tables

H10 = Provenance(
    name="Federal Reserve Board, H.10 foreign exchange rates",
    tier=SourceTier.AUTHORITATIVE,
    origin=FEDERAL_RESERVE,
    url="https://www.federalreserve.gov/releases/h10/",
)
CBPOL = Provenance(
    name="BIS central bank policy rates",
    tier=SourceTier.AUTHORITATIVE,
    origin=BIS,
    url="https://data.bis.org/topics/CBPOL",
)
MAX_RATES = 5_000


class OfficialStatisticsTools:
    """The tools of the server. Each answers only with what had been released by `as_of`."""

    def __init__(self, folder: Path = FACTS_DIR) -> None:
        """`folder` holds the three tables, which are read when first asked for."""
        self._kept = ReadOnce(partial(read_official_tables, folder))

    def get_month_averages(
        self, symbol: Symbol, start: CalendarMonth, end: CalendarMonth, as_of: AsOf
    ) -> MonthAverages:
        """Monthly averages of a pair's noon rates in New York, from the Federal Reserve's H.10.

        From start to end, both included, oldest first; known from the 8th of the next month.
        Pairs with the dollar only, in the market's quotation. AUD, EUR, GBP and NZD averages above
        one dollar are accurate to 0.0002.
        """
        currencies_of(symbol)
        require_order(start, end)
        tables = self._tables()
        currency, missing = quoted_currency(symbol)
        if currency is None:
            return MonthAverages(as_of=as_of, source=H10, symbol=symbol, missing=missing)
        averages = month_averages(tables, currency, start, end, as_of)
        return MonthAverages(
            as_of=as_of,
            source=H10,
            symbol=symbol,
            averages=averages,
            missing=None if averages else no_averages(symbol, start, end, as_of),
        )

    def get_month_end_rates(
        self, areas: Areas, start: CalendarMonth, end: CalendarMonth, as_of: AsOf
    ) -> MonthEndRates:
        """Policy rates in force at the end of months, percent a year, from the BIS.

        From start to end, both included, oldest first; known from the 21st of the next month
        (IN: a month later). Rates are in force from the day they take effect, not from their
        announcement. Compare rates of the same instrument only: XM is the main refinancing rate
        until 2024-08 and the deposit facility rate from 2024-09.
        """
        require_areas(areas)
        require_order(start, end)
        rates = month_end_rates(self._tables(), areas, start, end, as_of)
        if len(rates) > MAX_RATES:
            raise ToolError(f"{len(rates)} are above {MAX_RATES}; ask for fewer areas or months")
        return MonthEndRates(
            as_of=as_of,
            source=CBPOL,
            rates=tuple(rates),
            missing=rate_gaps(rates, areas, start, end, as_of),
        )

    def _tables(self) -> OfficialTables:
        try:
            return self._kept.current()
        except DamagedTable as error:
            raise ToolError(str(error)) from error


DESCRIPTION = SourceDescription(
    server="official_statistics",
    gives="Month averages of exchange rates and month-end policy rates, to compare with.",
    origin="Federal Reserve Board; Bank for International Settlements",
    tier=SourceTier.AUTHORITATIVE,
    licence="H.10 is a work of the United States government, in the public domain. BIS "
    "statistics may be reused where the BIS is named as their source.",
    terms="Later revisions of a month are not tracked.",
    terms_url="https://www.bis.org/terms_statistics.htm",
    publication="A month's average counts as known from the 8th of the next month, a month-end "
    "policy rate from the 21st, 00:00 UTC.",
    network=NetworkUse.NONE,
)


def build_server(
    cache_dir: Path | None = None,
    *,
    refresh_every: timedelta | None = None,
    facts_dir: Path = FACTS_DIR,
) -> MCPServer:
    """The server, for use in this process or to be run.

    `facts_dir` holds the tables. `cache_dir` and `refresh_every` are accepted as by every server
    of ours and not used: the tables come with the project.
    """
    del cache_dir, refresh_every
    tools = OfficialStatisticsTools(facts_dir)
    server = MCPServer(
        "official_statistics",
        instructions="Monthly statistics of the Federal Reserve and the BIS, for comparison.",
        log_level="WARNING",
    )
    for tool in (tools.get_month_averages, tools.get_month_end_rates):
        server.add_tool(tool, annotations=READS_ONLY, structured_output=True)
    return server


def from_arguments(
    args: Sequence[str], *, cache_dir: Path | None, refresh_every: timedelta | None
) -> MCPServer:
    """The server as its entry in `.mcp.json` starts it, for use in this process."""
    _parser().parse_args(args)
    return build_server(cache_dir, refresh_every=refresh_every)


def main(argv: list[str] | None = None) -> int:
    """Run the server as the command line says; gives the exit status."""
    arguments = _parser().parse_args(argv)
    log_to_stderr()
    return run(build_server(arguments.cache_dir), arguments)


def _parser() -> argparse.ArgumentParser:
    return argument_parser("desk.sources.statistics.server", "Statistics to compare with.")


if __name__ == "__main__":
    sys.exit(main())
