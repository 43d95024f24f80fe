"""Companies' statements and the days of their reports, requested through `yfinance`."""

import math
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, NamedTuple

from desk.sources.yahoo.failures import YahooRefused, YahooUnusable

MOST_REPORTS: Final = 25
"""Rows of one page: the reports of five years, and some future ones."""

Place = tuple[str, date]
"""A line of a statement by its name and the end of its period."""

_TOO_LARGE = 1e18


class StatementPeriod(StrEnum):
    """The length of a statement's periods, as `yfinance` names them."""

    YEARLY = "yearly"
    QUARTERLY = "quarterly"


class ReportDay(NamedTuple):
    """A row of the calendar: its time, and the reported and the expected earnings a share."""

    at: datetime
    actual: Decimal | None
    expected: Decimal | None


class Reports(NamedTuple):
    """The reports for which Yahoo has a day, or the reason why it has none."""

    rows: tuple[ReportDay, ...] = ()
    why_none: str | None = None

    @property
    def days(self) -> tuple[date, ...]:
        """The days on which a report was published, oldest first."""
        return tuple(sorted(row.at.date() for row in self.rows if row.actual is not None))


def statement(
    library: Any, ask: Callable[..., Any], every: StatementPeriod
) -> dict[Place, Decimal]:
    """A statement by line and period, without Yahoo's empty cells.

    Raises:
        YahooUnusable: a number in it is impossible for accounts.
    """
    try:
        table = ask(freq=every.value)
    except library.exceptions.YFException:
        # Raised for an answer without any row.
        return {}
    cells = (
        ((str(name), stamp.date()), _figure(value))
        for stamp, column in table.items()
        for name, value in column.items()
    )
    return {place: value for place, value in cells if value is not None}


def reports_of(ticker: Any) -> Reports:
    """A company's reports from the calendar, or the reason for their absence, because accounts are
    useful without them."""
    try:
        table = ticker.get_earnings_dates(limit=MOST_REPORTS)
        if table is None or table.empty:
            return Reports(why_none="Yahoo Finance lists none")
        rows = zip(table.index, table["Reported EPS"], table["EPS Estimate"], strict=True)
        return Reports(tuple(ReportDay(_instant(at), _figure(a), _figure(e)) for at, a, e in rows))
    except YahooRefused as error:
        return Reports(why_none=str(error))
    except YahooUnusable as error:
        return Reports(why_none=f"Yahoo Finance's page cannot be used, {error}")
    except Exception as error:
        # yfinance does not validate a page; a missing part causes one of many errors.
        name = type(error).__name__
        return Reports(why_none=f"yfinance cannot read Yahoo Finance's page ({name})")


def reported_on(end: date, days: Sequence[date], within: timedelta) -> date | None:
    """The day of the first report after a period's end, if it is near enough to be that period's
    own."""
    return next((day for day in days if end < day <= end + within), None)


def _instant(stamp: Any) -> datetime:
    instant: datetime = stamp.to_pydatetime()
    return instant.astimezone(UTC)


def _figure(value: Any) -> Decimal | None:
    """A number as written. None for an empty cell.

    Raises:
        YahooUnusable: it is impossible for accounts.
    """
    number = float(value)
    if math.isnan(number):
        return None
    if abs(number) >= _TOO_LARGE:
        raise YahooUnusable("a figure of it is out of all range")
    return Decimal(int(number)) if number.is_integer() else Decimal(str(number))
