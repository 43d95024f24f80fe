"""A company's accounts as they were known at an instant."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from desk.contracts.findings.source_results import Provenance

UNTOLD_DELAY = timedelta(days=90)
"""How long after the end of its period an account counts as unknown where no day of filing is
told: the longest that the SEC allows a company for its annual report (Form 10-K)."""


class NoAccounts(Exception):
    """There are no accounts of a company, or they could not be had. The message says why."""


class Line(StrEnum):
    """The lines that ratios are made of, as the source of accounts calls them."""

    REVENUE = "TotalRevenue"
    NET_INCOME = "NetIncome"
    EARNINGS_A_SHARE = "DilutedEPS"
    EQUITY = "StockholdersEquity"
    DEBT = "TotalDebt"
    SHARES = "OrdinarySharesNumber"


@dataclass(frozen=True, slots=True)
class AccountLine:
    """One line of the accounts of a year. `currency` is None for what is no money."""

    name: str
    value: Decimal
    currency: str | None
    period_end: date
    filed_on: date | None = None

    @property
    def known_from(self) -> datetime:
        """The instant from which the line counts as known: the end of its day of filing (UTC), or
        90 days after its period where that day is not told."""
        return _after(self.filed_on or self.period_end + UNTOLD_DELAY)


@dataclass(frozen=True, slots=True)
class EarningsReport:
    """What a company reported for a share at an instant, and what had been expected of it."""

    reported_at: datetime
    actual: Decimal
    expected: Decimal

    @property
    def known_from(self) -> datetime:
        """The end of its day (UTC): sources tell the hour as it was planned, if at all."""
        return _after(self.reported_at.astimezone(UTC).date())


@dataclass(frozen=True, slots=True)
class Accounts:
    """All lines and reports that a source has of a company, of annual accounts.

    `notes` say what was left out, and why.
    """

    lines: tuple[AccountLine, ...] = ()
    reports: tuple[EarningsReport, ...] = ()
    notes: tuple[str, ...] = ()

    def known(self, as_of: datetime) -> "Accounts":
        """What was known at an instant, oldest first."""
        lines = (line for line in self.lines if line.known_from <= as_of)
        reports = (report for report in self.reports if report.known_from <= as_of)
        return Accounts(
            tuple(sorted(lines, key=lambda line: (line.period_end, line.name))),
            tuple(sorted(reports, key=lambda report: report.reported_at)),
            self.notes,
        )

    def year(self, years_back: int = 0) -> dict[Line, AccountLine]:
        """The lines of the newest year, or of one so many before it; empty where there is none."""
        ends = sorted({line.period_end for line in self.lines}, reverse=True)
        if len(ends) <= years_back:
            return {}
        return _by_name(line for line in self.lines if line.period_end == ends[years_back])


class AccountsSource(Protocol):
    """Where accounts are asked for."""

    source: Provenance

    def accounts(self, symbol: str) -> Accounts:
        """Everything that there is of a company.

        Raises:
            NoAccounts: there is nothing, or it could not be asked.
        """
        ...


def _after(day: date) -> datetime:
    """The end of a day (UTC)."""
    return datetime.combine(day + timedelta(days=1), time(), UTC)


def _by_name(lines: Iterable[AccountLine]) -> dict[Line, AccountLine]:
    known = set(Line)
    return {Line(line.name): line for line in lines if line.name in known}
