"""Tools of the server `analysis` about companies' accounts, and about the carry of pairs."""

from datetime import datetime
from functools import partial
from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError

from desk.analytics.formulas import percent_change
from desk.contracts.agents.tools import SourceTier
from desk.contracts.episode.analysis import (
    Analysis,
    CompanyFundamentals,
    FundamentalItem,
    Hint,
    MeasuredFigure,
    Signal,
)
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.source_results import Provenance
from desk.sources.analysis.answers import analysed
from desk.sources.analysis.companies.companies_accounts import (
    Accounts,
    AccountsSource,
    Line,
    NoAccounts,
)
from desk.sources.analysis.figures import Unmeasured, analysis, figure, share, towards
from desk.sources.analysis.prices import PriceSeries, PriceStore
from desk.sources.analysis.technical.ratios import carry_of, line_of, quotient, ratios_of
from desk.sources.central_banks.facts_table import DamagedTable, ReadOnce
from desk.sources.central_banks.policy_facts import FACTS_DIR, read_facts
from desk.sources.serving.arguments import AsOf
from desk.sources.serving.market_symbol import MarketSymbol, areas_of, is_pair

NOT_HERE = Provenance(name="Accounts of companies", tier=SourceTier.SECONDARY)
OFFLINE = (
    "There are no accounts of companies without a network: no package that is installed has any."
)
NO_COMPANY = "{symbol} is no company, and has no accounts."
REPORTED = (
    "Revenue of the newest annual accounts known at as_of against the year before; the last "
    "reported earnings a share against what had been expected, in percent of it."
)
NOTHING = "Nothing was computed."
MOST_LINES = 400
MOST_STRENGTH = 0.5
"""Of growth and of surprises, which say little of the weeks to come."""

_LARGE_GROWTH, _LARGE_SURPRISE = 50, 20
"""Percent, from which on a signal is as strong as it gets."""


class CompanyTools:
    """Accounts and ratios. Each tool answers only with what was known at `as_of`."""

    def __init__(
        self,
        prices: PriceStore,
        accounts: AccountsSource | None = None,
        facts_dir: Path = FACTS_DIR,
    ) -> None:
        """`accounts` are asked for what companies filed; without them there is none.

        `facts_dir` holds the tables of central-bank decisions.
        """
        self._prices = prices
        self._accounts = accounts
        self._facts = ReadOnce(partial(read_facts, facts_dir))

    def company_fundamentals(self, symbol: MarketSymbol, as_of: AsOf) -> CompanyFundamentals:
        """A company's annual accounts known at as_of, oldest first, line by line.

        known_from: the end of the day of its report, or of the 90th day after the period where no
        day is told. missing: why there are none.
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
        """Of a pair the carry over its volatility; of a company the ratios of its accounts.

        carry_to_volatility: the policy rate of the first currency less that of the second, over
        the annual volatility. Of a company: price to earnings, price to book, net margin, debt to
        equity. missing: why one is not there.
        """
        if is_pair(symbol):
            return analysed(self._prices, symbol, as_of, partial(self._carry, as_of=as_of))
        try:
            known = self._known(symbol, as_of)
        except NoAccounts as reason:
            return self._nothing(symbol, as_of, str(reason))
        source = self._source
        return analysed(
            self._prices, symbol, as_of, lambda series: ratios_of(known, series, as_of, source)
        )

    def earnings_analyzer(self, symbol: MarketSymbol, as_of: AsOf) -> Analysis:
        """How a company's revenue grew over a year, and its last earnings surprised, in percent."""
        try:
            known = self._known(symbol, as_of)
        except NoAccounts as reason:
            return self._nothing(symbol, as_of, str(reason))
        return analysed(
            self._prices, symbol, as_of, lambda series: self._earnings(known, series, as_of)
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

    def _nothing(self, symbol: str, as_of: datetime, reason: str) -> Analysis:
        return Analysis(
            as_of=as_of, source=self._source, symbol=symbol, method=NOTHING, missing=(reason,)
        )

    def _carry(self, series: PriceSeries, as_of: datetime) -> Analysis:
        try:
            return carry_of(self._facts.current(), series, as_of)
        except DamagedTable as error:
            raise ToolError(str(error)) from error

    def _earnings(self, known: Accounts, series: PriceSeries, as_of: datetime) -> Analysis:
        figures: list[MeasuredFigure] = []
        signals: list[Signal] = []
        missing: list[str] = []
        for metric, measure, large in (
            (Metric.REVENUE_GROWTH, _growth, _LARGE_GROWTH),
            (Metric.EARNINGS_SURPRISE, _surprise, _LARGE_SURPRISE),
        ):
            try:
                found = figure(series, metric, measure(known))
            except Unmeasured as reason:
                missing.append(f"{metric}: {reason}.")
                continue
            figures.append(found)
            signals.append(_signal(metric, float(found.value), large))
        answer = analysis(series, as_of, REPORTED, figures, signals, (*missing, *known.notes))
        return answer.model_copy(update={"source": self._source})


def _left_out(known: Accounts, symbol: str, as_of: datetime) -> tuple[str, ...]:
    """Why there are no accounts, or not all."""
    if not known.lines:
        none = f"The source has no accounts of {symbol} that were known at {as_of.isoformat()}."
        return (none, *known.notes)
    more = len(known.lines) - MOST_LINES
    return (f"{more} older lines are left out.", *known.notes) if more > 0 else known.notes


def _growth(known: Accounts) -> float:
    """The newest year's revenue against that of the year before, in percent."""
    now, before = (line_of(known.year(back), Line.REVENUE) for back in (0, 1))
    if not 300 <= (now.period_end - before.period_end).days <= 430:
        raise Unmeasured("the two newest accounts are not of two years in a row")
    return float(100 * (quotient(now, before) - 1))


def _surprise(known: Accounts) -> float:
    """The last reported earnings a share against the expected, in percent of it."""
    if not known.reports:
        raise Unmeasured("no report of earnings was known then")
    last = known.reports[-1]
    if last.actual <= 0 or last.expected <= 0:
        raise Unmeasured("a loss has no surprise in percent")
    return float(percent_change(last.expected, last.actual))


def _signal(metric: Metric, percent: float, large: int) -> Signal:
    hint = towards(percent)
    way = {Hint.UP: "above", Hint.DOWN: "below", Hint.NEUTRAL: "level with"}[hint]
    what = {
        Metric.REVENUE_GROWTH: "The revenue of the last year was {way} that of the year before.",
        Metric.EARNINGS_SURPRISE: "The last earnings came in {way} what had been expected.",
    }[metric]
    return Signal(
        name=metric.value.replace("_", " "),
        hint=hint,
        strength=share(MOST_STRENGTH * min(1.0, abs(percent) / large)),
        words=what.format(way=way),
    )
