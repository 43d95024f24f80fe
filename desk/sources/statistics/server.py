"""MCP server `official_statistics`: statistics to compare the desk's other sources with."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import (
    Histories,
    MonthAverages,
    MonthEndRates,
    Provenance,
    RateRecords,
)
from desk.contracts.findings.sources import NetworkUse, SourceDescription
from desk.sources.central_banks.facts.policy import FACTS_DIR
from desk.sources.central_banks.facts.tables import DamagedTable, ReadOnce
from desk.sources.serving.arguments import (
    Areas,
    AsOf,
    CalendarMonth,
    Day,
    DeskServer,
    Symbol,
    currencies_of,
    require_areas,
    require_order,
)
from desk.sources.serving.command_line import (
    READS_ONLY,
    add_addresses,
    refreshing_parser,
    serve_or_refresh,
)
from desk.sources.serving.kept_file import KeptFile
from desk.sources.serving.origins import BIS, FEDERAL_RESERVE
from desk.sources.serving.upkeep import upkeep_of
from desk.sources.statistics.answers import (
    month_averages,
    month_end_rates,
    no_averages,
    quoted_currency,
    rate_gaps,
)
from desk.sources.statistics.bank_rates import CALENDAR_KEY, RATE_PUBLISHERS, BankRates
from desk.sources.statistics.daily_rates import PUBLISHERS, DailyRates
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
MAX_DAYS = 100

Days = Annotated[
    list[Day],
    Field(min_length=1, max_length=MAX_DAYS, description="days such as 2026-10-30"),
]


class OfficialStatisticsTools:
    """The tools of the server. Each answers only with what had been released by `as_of`."""

    def __init__(
        self,
        folder: Path = FACTS_DIR,
        daily: DailyRates | None = None,
        banks: BankRates | None = None,
    ) -> None:
        """`folder` holds the three tables, which are read at their first use. Without `daily` and
        `banks` no files of daily rates and of policy rates are cached."""
        self._kept = ReadOnce(partial(read_official_tables, folder))
        self._daily = daily or DailyRates(None)
        self._banks = banks or BankRates(None)

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
        tables = self._tables().with_later(self._banks.month_ends(as_of))
        rates = month_end_rates(tables, areas, start, end, as_of)
        if len(rates) > MAX_RATES:
            raise ToolError(f"{len(rates)} are above {MAX_RATES}; ask for fewer areas or months")
        return MonthEndRates(
            as_of=as_of,
            source=CBPOL,
            rates=tuple(rates),
            missing=rate_gaps(rates, areas, start, end, as_of),
        )

    def get_daily_rates(self, symbol: Symbol, days: Days, as_of: AsOf) -> Histories:
        """A pair's rates on up to 100 days by central banks other than the ECB.

        One history for each publisher: Bank of Canada (average of the day), Reserve Bank of
        Australia (16:00 Sydney), Bank of England (16:00 London), Federal Reserve H.10 (noon New
        York) and BIS; each as published by as_of. Their hours differ from the ECB's 14:15: levels
        of one day differ by up to a day's move. Crosses have 10 significant digits.
        """
        return self._daily.answer(symbol, *currencies_of(symbol), days, as_of)

    def get_recorded_rates(self, areas: Areas, as_of: AsOf) -> RateRecords:
        """Policy rates known at as_of from other publishers, percent a year; several rows an area.

        The banks' own daily series (US, XM, GB, CA, AU, CH, HK, NO, SE), China's loan prime rate,
        the BIS's daily series, and the IMF's monthly averages (ID, IN, KR, MY, NZ, PH, TH; dated
        the month's first day). A row with bears_out_within is another figure that follows from the
        rate: the HKMA's base rate for US, the overnight market rate for JP, KR, NZ. since: the day
        on which the last change took effect; previous: the level before it. A row with decided_on
        is an economic calendar's record of the last decision: rate after it, previous before it.
        """
        require_areas(areas)
        return self._banks.answer(areas, as_of)

    def _tables(self) -> OfficialTables:
        try:
            return self._kept.current()
        except DamagedTable as error:
            raise ToolError(str(error)) from error


KEYS = (*(each.key for each in (*PUBLISHERS, *RATE_PUBLISHERS)), CALENDAR_KEY)
"""Providers whose address can be configured, by `--url KEY=ADDRESS`."""

DESCRIPTION = SourceDescription(
    server="official_statistics",
    gives="Figures to hold others against: month averages of H.10, policy rates at month ends, "
    "daily exchange rates of five publishers, and records of policy rates and of decisions on "
    "them.",
    origin="Each figure's own: a central bank, China's interbank funding center, the BIS, the "
    "IMF, the OECD or Nasdaq",
    tiers=(SourceTier.AUTHORITATIVE, SourceTier.SECONDARY),
    licence="Free reuse where the publisher is named; the Federal Reserve's is in the public "
    "domain.",
    terms="None of the rates are prices to deal at. Nasdaq's calendar is for personal use.",
    publication="Rates of Canada and Australia on their day, of the Bank of England by noon of the "
    "next working day, H.10 on the next Monday, the BIS's on the next Thursday; what the calendar "
    "has of a decision from the end of the day in New York; month averages "
    "from the 8th, month ends from the 21st of the next month.",
    network=NetworkUse.REFRESHES,
)


def kept_files(args: Sequence[str] = ()) -> tuple[KeptFile, ...]:
    """The files that the server caches when it is started with such arguments."""
    return _files(_parser().parse_args(args).url)


def build_server(
    cache_dir: Path | None = None,
    *,
    refresh_every: timedelta | None = None,
    facts_dir: Path = FACTS_DIR,
    addresses: Mapping[str, str] | None = None,
) -> MCPServer:
    """The server, for use in this process or to be run.

    `facts_dir` holds the tables of months. The files of daily rates are in `cache_dir`; with
    `refresh_every` the server fetches them by itself, each from its publisher or from the address
    that `addresses` gives for its key.
    """
    daily, banks = DailyRates(cache_dir, addresses), BankRates(cache_dir, addresses)
    tools = OfficialStatisticsTools(facts_dir, daily, banks)
    server = DeskServer(
        "official_statistics",
        instructions="Statistics of the Federal Reserve, the BIS and other central banks, for "
        "comparison.",
        log_level="WARNING",
        middleware=upkeep_of(daily.files + banks.upkept, cache_dir, refresh_every),
    )
    for tool in (
        tools.get_month_averages,
        tools.get_month_end_rates,
        tools.get_daily_rates,
        tools.get_recorded_rates,
    ):
        server.add_tool(tool, annotations=READS_ONLY, structured_output=True)
    return server


def from_arguments(
    args: Sequence[str], *, cache_dir: Path | None, refresh_every: timedelta | None
) -> MCPServer:
    """The server as configured in its entry in `.mcp.json`, for use in this process."""
    addresses = _parser().parse_args(args).url
    return build_server(cache_dir, refresh_every=refresh_every, addresses=addresses)


def main(argv: list[str] | None = None) -> int:
    """Runs the server, or refreshes its data, as the command line says. Returns the exit status."""
    return serve_or_refresh(
        _parser(),
        argv,
        lambda given: _files(given.url),
        lambda given: build_server(
            given.cache_dir, refresh_every=given.refresh_every, addresses=given.url
        ),
    )


def _files(addresses: Mapping[str, str] | None) -> tuple[KeptFile, ...]:
    return DailyRates(None, addresses).files + BankRates(None, addresses).files


def _parser() -> argparse.ArgumentParser:
    parser = refreshing_parser("desk.sources.statistics.server", "Statistics to compare with.")
    add_addresses(parser, KEYS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
