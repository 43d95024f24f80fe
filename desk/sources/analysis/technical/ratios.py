"""Ratios: what a pair's carry is to its swings, and what a stock's price is to its accounts."""

from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal

from desk.analytics.formulas import basis_point_difference
from desk.contracts.agents.tools import SourceTier
from desk.contracts.episode.analysis import Analysis, Hint, MeasuredFigure, Signal
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.source_results import PolicyRate, Provenance
from desk.sources.analysis.companies.companies_accounts import AccountLine, Accounts, Line
from desk.sources.analysis.figures import Unmeasured, analysis, figure
from desk.sources.analysis.prices import PriceSeries
from desk.sources.analysis.technical.moves import volatility
from desk.sources.central_banks.policy_answers import policy_rate
from desk.sources.central_banks.policy_facts import PolicyFacts
from desk.sources.serving.market_symbol import areas_of

CARRY_SOURCE = Provenance(
    name="ECB reference rates and the project's table of central-bank decisions",
    tier=SourceTier.PRIMARY,
)
CARRY = (
    "The policy rate of the first currency less that of the second, in percent a year, over the "
    "pair's volatility: the deviation of its daily logarithmic moves of the last quarter, told for "
    "a year."
)
OF_ACCOUNTS = (
    "The last price over the diluted earnings a share, and over the equity a share; the net income "
    "over the revenue, in percent; the debt over the equity: of the newest annual accounts known "
    "at as_of, by the day of their report or 90 days after their period."
)
TELLING = 0.25
"""A carry below this share of the volatility points nowhere."""

MOST_STRENGTH = 0.6

_Measure = Callable[[PriceSeries, Mapping[Line, AccountLine]], Decimal]


def carry_of(facts: PolicyFacts, series: PriceSeries, as_of: datetime) -> Analysis:
    """The carry of a pair over its volatility, by the rates announced at an instant."""
    figures: list[MeasuredFigure] = []
    signals: list[Signal] = []
    missing: list[str] = []
    try:
        base, quote = (
            _rate(facts, currency, area, as_of, missing)
            for currency, area in zip(
                series.symbol.split("/"), areas_of(series.symbol), strict=True
            )
        )
        swings = volatility(series)
        if swings <= 0:
            raise Unmeasured(f"{series.symbol} did not move in the last quarter")
        ratio = float(basis_point_difference(base, quote)) / 100 / swings
        figures.append(figure(series, Metric.CARRY_TO_VOLATILITY, ratio))
        signals.append(_carry_signal(ratio))
    except Unmeasured as reason:
        missing.append(f"{Metric.CARRY_TO_VOLATILITY}: {str(reason).rstrip('.')}.")
    found = analysis(series, as_of, CARRY, figures, signals, missing)
    return found.model_copy(update={"source": CARRY_SOURCE})


def _rate(
    facts: PolicyFacts, currency: str, area: str | None, as_of: datetime, missing: list[str]
) -> Decimal:
    """The rate in force; a remark where the table ends before the instant."""
    if area is None:
        raise Unmeasured(f"the table has no central bank of {currency}")
    found: PolicyRate = policy_rate(facts, area, as_of)
    if found.rate is None:
        raise Unmeasured(found.missing or f"the table has no rate of {found.bank}")
    if found.stale:
        missing.append(
            f"The table has the decisions of {found.bank} up to {found.covered_until} only; a "
            "later change is not in the carry."
        )
    return found.rate


def _carry_signal(ratio: float) -> Signal:
    """A carry that is large beside the swings favours the currency that earns it."""
    if abs(ratio) < TELLING:
        hint, words = Hint.NEUTRAL, "The carry is small beside the swings of the pair."
    else:
        side = "first" if ratio > 0 else "second"
        hint = Hint.UP if ratio > 0 else Hint.DOWN
        words = f"The carry favours the {side} currency, and is large beside the pair's swings."
    strength = round(min(MOST_STRENGTH, abs(ratio) / 2), 2)
    return Signal(name="carry", hint=hint, strength=strength, words=words)


def ratios_of(
    accounts: Accounts, series: PriceSeries, as_of: datetime, source: Provenance
) -> Analysis:
    """The ratios of a company by the newest annual accounts among those known."""
    year = accounts.year()
    figures: list[MeasuredFigure] = []
    missing: list[str] = []
    for metric, measure in _MEASURES.items():
        try:
            figures.append(figure(series, metric, measure(series, year)))
        except Unmeasured as reason:
            missing.append(f"{metric}: {reason}.")
    found = analysis(series, as_of, OF_ACCOUNTS, figures, (), (*missing, *accounts.notes))
    return found.model_copy(update={"source": source})


def quotient(above: AccountLine, below: AccountLine) -> Decimal:
    """One line over another, in one currency.

    Raises:
        Unmeasured: they are of two currencies, or the second is not above zero.
    """
    if above.currency != below.currency:
        raise Unmeasured(f"{above.name} and {below.name} are not in one currency")
    if below.value <= 0:
        raise Unmeasured(f"{below.name} of {below.period_end} is not positive")
    return above.value / below.value


def line_of(year: Mapping[Line, AccountLine], line: Line) -> AccountLine:
    """A line of a year's accounts.

    Raises:
        Unmeasured: it is not in them.
    """
    if line not in year:
        raise Unmeasured(f"the accounts known then have no {line}")
    return year[line]


def _to_earnings(series: PriceSeries, year: Mapping[Line, AccountLine]) -> Decimal:
    return quotient(_price(series), line_of(year, Line.EARNINGS_A_SHARE))


def _to_book(series: PriceSeries, year: Mapping[Line, AccountLine]) -> Decimal:
    price, shares = _price(series), line_of(year, Line.SHARES)
    worth = AccountLine("price", price.value * shares.value, price.currency, price.period_end)
    return quotient(worth, line_of(year, Line.EQUITY))


def _price(series: PriceSeries) -> AccountLine:
    return AccountLine("price", series.last, series.currency, series.last_day)


_MEASURES: Mapping[Metric, _Measure] = {
    Metric.PRICE_TO_EARNINGS: _to_earnings,
    Metric.PRICE_TO_BOOK: _to_book,
    Metric.NET_MARGIN: lambda _, year: (
        100 * quotient(line_of(year, Line.NET_INCOME), line_of(year, Line.REVENUE))
    ),
    Metric.DEBT_TO_EQUITY: lambda _, year: quotient(
        line_of(year, Line.DEBT), line_of(year, Line.EQUITY)
    ),
}
