"""Tools of the server `analysis` about companies' accounts, and about the carry of pairs."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from mcp.server.mcpserver.exceptions import ToolError

from desk.analytics.technical.companies import Accounts, NoAccounts, earnings_of, ratios_of
from desk.analytics.technical.market_data import carry_of
from desk.analytics.technical.scenarios import DECISION_METHOD, decision_figures
from desk.analytics.technical.series import PriceSeries
from desk.contracts.agents.tools import SourceTier
from desk.contracts.episode.analysis import (
    Analysis,
    CompanyFundamentals,
    FundamentalItem,
    MeasuredFigure,
)
from desk.contracts.findings.source_results import Provenance
from desk.sources.analysis.answers import analysed
from desk.sources.analysis.prices import PriceStore
from desk.sources.central_banks.current_facts import CurrentFacts
from desk.sources.central_banks.facts.policy import FACTS_DIR, read_facts
from desk.sources.central_banks.facts.tables import DamagedTable, ReadOnce
from desk.sources.central_banks.policy_answers import policy_rate, rate_decisions
from desk.sources.serving.arguments import AsOf
from desk.sources.serving.market_symbol import MarketSymbol, areas_of, is_pair

CARRY_SOURCE = Provenance(
    name="ECB reference rates and the project's table of central-bank decisions",
    tier=SourceTier.PRIMARY,
)
DECISIONS_SOURCE = Provenance(
    name="Project table of central-bank decisions", tier=SourceTier.PRIMARY
)
NOT_HERE = Provenance(name="Accounts of companies", tier=SourceTier.SECONDARY)
OFFLINE = (
    "There are no accounts of companies without a network: no package that is installed has any."
)
NO_COMPANY = "{symbol} is no company, and has no accounts."
NOTHING = "Nothing was computed."
MOST_LINES = 400


class AccountsSource(Protocol):
    """A source of companies' accounts."""

    source: Provenance

    def accounts(self, symbol: str) -> Accounts:
        """All accounts of a company.

        Raises:
            NoAccounts: there are none, or the source could not be asked.
        """
        ...


class CompanyTools:
    """Accounts and ratios. Each tool answers only with what was known at `as_of`."""

    def __init__(
        self,
        prices: PriceStore,
        accounts: AccountsSource | None = None,
        facts_dir: Path = FACTS_DIR,
        cache_dir: Path | None = None,
    ) -> None:
        """`accounts` provides companies' filings; without it there are none. `facts_dir` holds the
        tables of central-bank decisions, `cache_dir` the additional files of the server
        `central_banks`."""
        self._prices = prices
        self._accounts = accounts
        self._facts = CurrentFacts(ReadOnce(partial(read_facts, facts_dir)), cache_dir)

    def company_fundamentals(self, symbol: MarketSymbol, as_of: AsOf) -> CompanyFundamentals:
        """A company's annual accounts known at as_of, oldest first, line by line.

        known_from: the end of the day of its report or, if that is not known, of the 90th day
        after the period. missing: why there are none.
        """
        areas_of(symbol)
        try:
            known = self._known(symbol, as_of)
        except NoAccounts as reason:
            return CompanyFundamentals(
                as_of=as_of, source=self._source, symbol=symbol, missing=(str(reason),)
            )
        items = tuple(
            FundamentalItem(
                name=line.name,
                value=line.value,
                currency=line.currency,
                period_end=line.period_end,
                known_from=line.known_from,
            )
            for line in known.lines[-MOST_LINES:]
        )
        return CompanyFundamentals(
            as_of=as_of,
            source=self._source,
            symbol=symbol,
            items=items,
            missing=_left_out(known, symbol, as_of),
        )

    def ratio_calculator(self, symbol: MarketSymbol, as_of: AsOf) -> Analysis:
        """A pair's carry divided by its volatility, or the ratios of a company's accounts.

        carry_to_volatility: the first currency's policy rate minus the second's, divided by the
        annual volatility. For a company: price to earnings, price to book, net margin, debt to
        equity. missing: why a ratio is absent.
        """
        if is_pair(symbol):
            return analysed(self._prices, symbol, as_of, partial(self._carry, as_of=as_of))
        return self._of_accounts(ratios_of, symbol, as_of)

    def earnings_analyzer(self, symbol: MarketSymbol, as_of: AsOf) -> Analysis:
        """A company's revenue growth over a year and its last earnings surprise, in percent."""
        return self._of_accounts(earnings_of, symbol, as_of)

    def decision_record(self, symbol: MarketSymbol, as_of: AsOf) -> Analysis:
        """What the central bank of an area, such as JP, decided after meetings like its last.

        decision_starts: the number of meetings after one with the same outcome as the last known at
        as_of; held_share, raised_share, cut_share: what these decided, in percent.
        """
        area = next(iter(areas_of(symbol)), None)
        try:
            facts = self._facts.as_of(as_of)
        except DamagedTable as error:
            raise ToolError(str(error)) from error
        known = facts.areas.get(area) if area is not None else None
        first = known.meetings_from if known is not None else None
        if area is None or first is None:
            return self._no_record(symbol, as_of, f"no meetings of {symbol} are all on record.")
        listed = rate_decisions(facts, [area], first, as_of.date(), as_of)
        return Analysis(
            as_of=as_of,
            source=DECISIONS_SOURCE,
            symbol=symbol,
            method=DECISION_METHOD,
            figures=tuple(
                MeasuredFigure(metric=metric, value=value, as_of=listed[-1].decided_on)
                for metric, value in decision_figures(each.change for each in listed).items()
            ),
        )

    def _no_record(self, symbol: str, as_of: datetime, reason: str) -> Analysis:
        return Analysis(
            as_of=as_of, source=DECISIONS_SOURCE, symbol=symbol, method=NOTHING, missing=(reason,)
        )

    @property
    def _source(self) -> Provenance:
        return self._accounts.source if self._accounts is not None else NOT_HERE

    def _known(self, symbol: str, as_of: datetime) -> Accounts:
        if areas_of(symbol):
            raise NoAccounts(NO_COMPANY.format(symbol=symbol))
        if self._accounts is None:
            raise NoAccounts(OFFLINE)
        return self._accounts.accounts(symbol).known(as_of)

    def _of_accounts(
        self,
        measured: Callable[[Accounts, PriceSeries, datetime, Provenance], Analysis],
        symbol: str,
        as_of: datetime,
    ) -> Analysis:
        try:
            known = self._known(symbol, as_of)
        except NoAccounts as reason:
            return self._nothing(symbol, as_of, str(reason))
        source = self._source
        return analysed(
            self._prices, symbol, as_of, lambda series: measured(known, series, as_of, source)
        )

    def _nothing(self, symbol: str, as_of: datetime, reason: str) -> Analysis:
        return Analysis(
            as_of=as_of, source=self._source, symbol=symbol, method=NOTHING, missing=(reason,)
        )

    def _carry(self, series: PriceSeries, as_of: datetime) -> Analysis:
        try:
            facts = self._facts.as_of(as_of)
        except DamagedTable as error:
            raise ToolError(str(error)) from error
        found = carry_of(lambda area: policy_rate(facts, area, as_of), series, as_of)
        return found.model_copy(update={"source": CARRY_SOURCE})


def _left_out(known: Accounts, symbol: str, as_of: datetime) -> tuple[str, ...]:
    """Why there are no accounts, or not all."""
    if not known.lines:
        none = f"The source has no accounts of {symbol} that were known at {as_of.isoformat()}."
        return (none, *known.notes)
    more = len(known.lines) - MOST_LINES
    return (f"{more} older lines are left out.", *known.notes) if more > 0 else known.notes
