"""A company's accounts as known at an instant, and the ratios computed from them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import partial

from desk.analytics.formulas import percent_change
from desk.analytics.technical.measures import Unmeasured, analysis, figure, share, towards
from desk.analytics.technical.series import PriceSeries
from desk.contracts.episode.analysis import Analysis, Hint, MeasuredFigure, Signal
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.source_results import Provenance

UNKNOWN_FILING_DELAY = timedelta(days=90)
"""How long after the end of its period an account counts as unknown if its filing day is not given:
the longest that the SEC allows for an annual report (Form 10-K)."""

OF_ACCOUNTS = (
    "The last price divided by diluted earnings per share, and by equity per share; net income "
    "divided by revenue, in percent; debt divided by equity. From the newest annual accounts known "
    "at as_of, by the day of their report or 90 days after their period."
)

REPORTED = (
    "Revenue of the newest annual accounts known at as_of, compared with the year before; the last "
    "reported earnings per share, compared with the expected ones, in percent of these."
)

MOST_STRENGTH = 0.5
"""For growth and surprises, which say little about the coming weeks."""

LARGE_GROWTH = 50
_LARGE = {Metric.REVENUE_GROWTH: LARGE_GROWTH, Metric.EARNINGS_SURPRISE: 20}
"""In percent. From here a signal has its full strength."""


class AccountItem(StrEnum):
    """The account lines that ratios use, by the names of the source."""

    REVENUE = "TotalRevenue"
    NET_INCOME = "NetIncome"
    EARNINGS_A_SHARE = "DilutedEPS"
    EQUITY = "StockholdersEquity"
    DEBT = "TotalDebt"
    SHARES = "OrdinarySharesNumber"


@dataclass(frozen=True, slots=True)
class AccountLine:
    """One line of a year's accounts. `currency` is None if it is not money."""

    name: str
    value: Decimal
    currency: str | None
    period_end: date
    filed_on: date | None = None

    @property
    def came_out(self) -> date:
        """The day at whose end (UTC) the line counts as known: its filing day, or 90 days after its
        period if that is not given."""
        return self.filed_on or self.period_end + UNKNOWN_FILING_DELAY

    @property
    def known_from(self) -> datetime:
        """The instant from which the line counts as known."""
        return _after(self.came_out)


_Measure = Callable[[PriceSeries, Mapping[AccountItem, AccountLine]], Decimal]


def _to_earnings(series: PriceSeries, year: Mapping[AccountItem, AccountLine]) -> Decimal:
    return quotient(_price(series), line_of(year, AccountItem.EARNINGS_A_SHARE))


def _to_book(series: PriceSeries, year: Mapping[AccountItem, AccountLine]) -> Decimal:
    price, shares = _price(series), line_of(year, AccountItem.SHARES)
    worth = AccountLine("price", price.value * shares.value, price.currency, price.period_end)
    return quotient(worth, line_of(year, AccountItem.EQUITY))


_MEASURES: Mapping[Metric, _Measure] = {
    Metric.PRICE_TO_EARNINGS: _to_earnings,
    Metric.PRICE_TO_BOOK: _to_book,
    Metric.NET_MARGIN: lambda _, year: (
        100 * quotient(line_of(year, AccountItem.NET_INCOME), line_of(year, AccountItem.REVENUE))
    ),
    Metric.DEBT_TO_EQUITY: lambda _, year: quotient(
        line_of(year, AccountItem.DEBT), line_of(year, AccountItem.EQUITY)
    ),
}


class NoAccounts(Exception):
    """A company has no accounts, or they could not be read. The message says why."""


@dataclass(frozen=True, slots=True)
class EarningsReport:
    """A company's reported earnings a share, and what had been expected."""

    reported_at: datetime
    actual: Decimal
    expected: Decimal

    @property
    def came_out(self) -> date:
        """The day at whose end (UTC) the report counts as known: sources give the planned hour, if
        any."""
        return self.reported_at.astimezone(UTC).date()

    @property
    def known_from(self) -> datetime:
        """The instant from which the report counts as known."""
        return _after(self.came_out)


@dataclass(frozen=True, slots=True)
class Accounts:
    """All lines and reports of annual accounts that a source has of a company.

    `notes` say what was omitted, and why.
    """

    lines: tuple[AccountLine, ...] = ()
    reports: tuple[EarningsReport, ...] = ()
    notes: tuple[str, ...] = ()

    def known(self, as_of: datetime) -> "Accounts":
        """What was known at an instant, oldest first."""
        today = as_of.astimezone(UTC).date()
        lines = (line for line in self.lines if line.came_out < today)
        reports = (report for report in self.reports if report.came_out < today)
        return Accounts(
            tuple(sorted(lines, key=lambda line: (line.period_end, line.name))),
            tuple(sorted(reports, key=lambda report: report.reported_at)),
            self.notes,
        )

    def year(self, years_back: int = 0) -> dict[AccountItem, AccountLine]:
        """The lines of the newest year, or of the year that many years before it. Empty if there is
        none."""
        ends = sorted({line.period_end for line in self.lines}, reverse=True)
        if len(ends) <= years_back:
            return {}
        return _by_name(line for line in self.lines if line.period_end == ends[years_back])


def ratios_of(
    accounts: Accounts, series: PriceSeries, as_of: datetime, source: Provenance
) -> Analysis:
    """The ratios of a company from the newest known annual accounts."""
    figures, missing = _measured(series, ratio_measures(accounts.year(), series))
    found = analysis(series, as_of, OF_ACCOUNTS, figures, (), (*missing, *accounts.notes))
    return found.model_copy(update={"source": source})


CompanyMeasures = Mapping[Metric, Callable[[], Decimal | float]]
"""The function that computes each figure. It raises `Unmeasured` if that is not possible."""


def ratio_measures(year: Mapping[AccountItem, AccountLine], series: PriceSeries) -> CompanyMeasures:
    """The ratios from the newest year's lines and the newest price."""
    return {metric: partial(measure, series, year) for metric, measure in _MEASURES.items()}


def earnings_measures(known: Accounts) -> CompanyMeasures:
    """The growth of revenue, and the surprise of the last earnings report."""
    return {
        Metric.REVENUE_GROWTH: partial(_growth, known),
        Metric.EARNINGS_SURPRISE: partial(_surprise, known),
    }


def _measured(
    series: PriceSeries, measures: CompanyMeasures
) -> tuple[tuple[MeasuredFigure, ...], tuple[str, ...]]:
    figures: list[MeasuredFigure] = []
    missing: list[str] = []
    for metric, measure in measures.items():
        try:
            figures.append(figure(series, metric, measure()))
        except Unmeasured as reason:
            missing.append(f"{metric}: {reason}.")
    return tuple(figures), tuple(missing)


def quotient(above: AccountLine, below: AccountLine) -> Decimal:
    """One line divided by another, in one currency.

    Raises:
        Unmeasured: their currencies differ, or the second is not above zero.
    """
    if above.currency != below.currency:
        raise Unmeasured(f"{above.name} and {below.name} are not in one currency")
    if below.value <= 0:
        raise Unmeasured(f"{below.name} of {below.period_end} is not positive")
    return above.value / below.value


def line_of(year: Mapping[AccountItem, AccountLine], line: AccountItem) -> AccountLine:
    """A line of a year's accounts.

    Raises:
        Unmeasured: the accounts do not contain it.
    """
    if line not in year:
        raise Unmeasured(f"the accounts known then have no {line}")
    return year[line]


def earnings_of(
    accounts: Accounts, series: PriceSeries, as_of: datetime, source: Provenance
) -> Analysis:
    """A company's revenue growth over a year, and the surprise of its last earnings, in percent."""
    figures, missing = _measured(series, earnings_measures(accounts))
    signals = [_signal(each.metric, float(each.value)) for each in figures]
    answer = analysis(series, as_of, REPORTED, figures, signals, (*missing, *accounts.notes))
    return answer.model_copy(update={"source": source})


def _after(day: date) -> datetime:
    """The end of a day (UTC)."""
    return datetime.combine(day + timedelta(days=1), time(), UTC)


def _by_name(lines: Iterable[AccountLine]) -> dict[AccountItem, AccountLine]:
    known = set(AccountItem)
    return {AccountItem(line.name): line for line in lines if line.name in known}


def _price(series: PriceSeries) -> AccountLine:
    return AccountLine("price", series.last, series.currency, series.last_day)


def _growth(known: Accounts) -> float:
    """The newest year's revenue against that of the year before, in percent."""
    now, before = (line_of(known.year(back), AccountItem.REVENUE) for back in (0, 1))
    if not 300 <= (now.period_end - before.period_end).days <= 430:
        raise Unmeasured("the two newest accounts are not of two years in a row")
    return float(100 * (quotient(now, before) - 1))


def _surprise(known: Accounts) -> float:
    """The last reported earnings a share against the expected ones, in percent of those."""
    if not known.reports:
        raise Unmeasured("no report of earnings was known then")
    last = known.reports[-1]
    if last.actual <= 0 or last.expected <= 0:
        raise Unmeasured("a loss has no surprise in percent")
    return float(percent_change(last.expected, last.actual))


def _signal(metric: Metric, percent: float) -> Signal:
    hint = towards(percent)
    way = {Hint.UP: "above", Hint.DOWN: "below", Hint.NEUTRAL: "level with"}[hint]
    what = {
        Metric.REVENUE_GROWTH: "The revenue of the last year was {way} that of the year before.",
        Metric.EARNINGS_SURPRISE: "The last earnings came in {way} what had been expected.",
    }[metric]
    return Signal(
        name=metric.value.replace("_", " "),
        hint=hint,
        strength=share(MOST_STRENGTH * min(1.0, abs(percent) / _LARGE[metric])),
        words=what.format(way=way),
    )
