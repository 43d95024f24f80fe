"""Annual accounts and earnings reports from Yahoo Finance, through the package `yfinance`."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any, Final

from desk.analytics.technical.companies import (
    UNKNOWN_FILING_DELAY,
    AccountLine,
    Accounts,
    EarningsReport,
    NoAccounts,
)
from desk.analytics.technical.series import NoPrices
from desk.sources.analysis.yahoo import SOURCE, YahooStocks
from desk.sources.yahoo.failures import YahooRefused, YahooUnusable
from desk.sources.yahoo.statements import (
    Place,
    Reports,
    StatementPeriod,
    reported_on,
    reports_of,
    statement,
)
from desk.sources.yahoo.upstream import PAGES_URL, YAHOO_URL, YahooFinance

ACCOUNTS_SECONDS: Final = 10.0
"""The timeout of two statements and a page together."""

NO_DAYS: Final = (
    "The days of its reports could not be had: {why}. Its accounts count as known from 90 days "
    "after their periods."
)
IN_OTHER_SHARES: Final = (
    "Lines told for a share, or in shares, are left out where Yahoo Finance does not say in which "
    "count of shares it tells them."
)
"""Yahoo does not say whether it restates them after a split. The message does not name the split,
because it may lie after the requested instant."""

_COUNTED = re.compile(r"Shares|ShareIssued|TaxRate")
"""Lines that are not money."""

_OF_SHARES = re.compile(r"EPS|Share(?!holders)|^(Basic|Diluted)(?!NI)")
"""Lines that a split changes. yfinance's `DilutedContinuousOperations` is also per share."""


class YahooAccounts(YahooFinance):
    """A company's annual accounts as Yahoo has them today, with the days of their reports. Later
    corrections cannot be distinguished from what was first reported. Answers are cached for five
    minutes."""

    source = SOURCE

    def __init__(
        self, stocks: YahooStocks, url: str = YAHOO_URL, pages_url: str = PAGES_URL
    ) -> None:
        """`stocks` provides the splits. Statements are requested from `url`, reports from
        `pages_url`."""
        super().__init__(url, timeout_seconds=ACCOUNTS_SECONDS)
        self._stocks = stocks
        self._pages_url = pages_url

    def accounts(self, symbol: str) -> Accounts:
        """Every line and report that Yahoo has, whenever it became known.

        Raises:
            NoAccounts: there are none, Yahoo could not be asked, or its answer is not reliable.
        """
        try:
            traded = self._stocks.traded(symbol, date.max)
            if not traded.bars:
                raise NoAccounts(f"Yahoo Finance has no company {symbol}.")
            found = self._cached_or_asked(symbol, lambda library, _: self._ask(library, symbol))
        except NoPrices as error:
            raise NoAccounts(f"{error}.") from error
        except YahooRefused as error:
            raise NoAccounts(f"{symbol}: {error}.") from error
        except YahooUnusable as error:
            raise NoAccounts(
                f"Yahoo Finance's accounts of {symbol} cannot be used: {error}."
            ) from error
        if not found.lines:
            raise NoAccounts(f"Yahoo Finance has no accounts of {symbol}.")
        return _in_one_count_of_shares(found, [split.day for split in traded.splits])

    def _ask(self, library: Any, symbol: str) -> Accounts:
        # yfinance needs its package curl_cffi for a session.
        from desk.sources.yahoo.company_sessions import AccountsSession

        with AccountsSession(self._url, self._pages_url, ACCOUNTS_SECONDS) as session:
            ticker = library.Ticker(symbol, session=session)
            statement_lines = statement(library, ticker.get_income_stmt, StatementPeriod.YEARLY)
            statement_lines |= statement(library, ticker.get_balance_sheet, StatementPeriod.YEARLY)
            reports = reports_of(ticker) if statement_lines else Reports()
            return _accounts(statement_lines, session.currencies, reports)


def _accounts(
    statement_lines: Mapping[Place, Decimal], currencies: Mapping[Place, str], reports: Reports
) -> Accounts:
    lines = (
        AccountLine(
            name,
            value,
            None if _COUNTED.search(name) else currencies[name, end],
            end,
            reported_on(end, reports.days, UNKNOWN_FILING_DELAY),
        )
        for (name, end), value in statement_lines.items()
    )
    complete = (
        EarningsReport(row.at, row.actual, row.expected)
        for row in reports.rows
        if row.actual is not None and row.expected is not None
    )
    notes = (NO_DAYS.format(why=reports.why_none),) if reports.why_none else ()
    return Accounts(tuple(lines), tuple(complete), notes)


def _in_one_count_of_shares(found: Accounts, splits: Iterable[date]) -> Accounts:
    """Omits the lines in shares that a split followed, because they may be in either count."""
    last = max(splits, default=date.min)
    remaining = tuple(
        line for line in found.lines if line.period_end >= last or not _OF_SHARES.search(line.name)
    )
    if len(remaining) == len(found.lines):
        return found
    return replace(found, lines=remaining, notes=(*found.notes, IN_OTHER_SHARES))
