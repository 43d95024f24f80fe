"""Annual accounts and reports of earnings from Yahoo Finance, through the package `yfinance`."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from html.parser import HTMLParser
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from curl_cffi.requests import Response

from desk.analytics.technical.companies import (
    UNTOLD_DELAY,
    AccountLine,
    Accounts,
    EarningsReport,
    NoAccounts,
)
from desk.analytics.technical.series import NoPrices
from desk.sources.analysis.yahoo import SOURCE, YahooStocks
from desk.sources.yahoo.failures import YahooRefused, YahooUnusable
from desk.sources.yahoo.session import YahooSession, json_of, require_success
from desk.sources.yahoo.upstream import YAHOO_URL, YahooFinance

_STATEMENTS = "/ws/fundamentals-timeseries/v1/finance/timeseries/"
_REPORTS = "/calendar/earnings"
_ANNUAL = "annual"


class AccountsSession(YahooSession):
    """Asks `address` for statements and `pages` for the calendar of reports, within `seconds`.

    `currencies` has the currency of each line of the statements asked for, by its name and the end
    of its period. After a refusal nothing more is sent: yfinance asks in smaller pieces then.
    """

    def __init__(self, address: str, pages: str, seconds: float) -> None:
        super().__init__(address, seconds)
        self._pages = pages.rstrip("/")
        self._ended: YahooRefused | YahooUnusable | None = None
        self.currencies: dict[tuple[str, date], str] = {}

    def request(self, method: Any, url: str, *args: Any, **kwargs: Any) -> Response:
        """Send a request of `yfinance`'s, to the address and within the deadline.

        Raises:
            YahooRefused: there was no answer, or it was a refusal.
            YahooUnusable: the answer is not what was asked for.
            YFRateLimitError: a cookie or crumb was asked for.
        """
        path = urlsplit(url).path
        if not path.startswith(_STATEMENTS) and path != _REPORTS:
            return super().request(method, url, *args, **kwargs)
        if self._ended is not None:
            raise self._ended
        try:
            return self._asked(method, url, *args, **kwargs)
        except (YahooRefused, YahooUnusable) as ended:
            self._ended = ended
            raise

    def _asked(self, method: Any, url: str, *args: Any, **kwargs: Any) -> Response:
        parts = urlsplit(url)
        reports = parts.path == _REPORTS
        address = self._pages if reports else self._address
        kwargs |= {"timeout": self._seconds_left()}
        answer = self._answer(method, f"{address}{parts.path}?{parts.query}", *args, **kwargs)
        require_success(answer)
        if reports:
            _require_page(answer.text, parse_qs(parts.query).get("symbol", [""])[0])
        else:
            symbol = unquote(parts.path.removeprefix(_STATEMENTS))
            self.currencies |= _currencies(json_of(answer), symbol)
        return answer


def _currencies(body: Any, symbol: str) -> dict[tuple[str, date], str]:
    """The currencies of annual statements, all of whose lines are of one company."""
    try:
        if body["timeseries"].get("error"):
            raise YahooUnusable("it reports an error in place of statements")
        return dict(_lines(body["timeseries"]["result"] or (), symbol))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise YahooUnusable("its statements have changed") from error


def _lines(rows: Any, symbol: str) -> Iterator[tuple[tuple[str, date], str]]:
    for row in rows:
        if row["meta"]["symbol"] != [symbol]:
            raise YahooUnusable(f"it is not about {symbol}")
        for name in (key for key in row if key.startswith(_ANNUAL)):
            for told in row[name]:
                code = told["currencyCode"]
                if not (isinstance(code, str) and len(code) == 3 and code.isalpha()):
                    raise YahooUnusable("a line of its statements has no currency")
                line = name.removeprefix(_ANNUAL)
                yield (line, date.fromisoformat(told["asOfDate"])), code


class _Table(HTMLParser):
    """The rows of the first table of a page, as texts."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._inside = self._over = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._inside = self._inside or (tag == "table" and not self._over)
        if self._inside and tag == "tr":
            self.rows.append([])
        elif self._inside and tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if self._inside and tag == "table":
            self._inside, self._over = False, True

    def handle_data(self, data: str) -> None:
        if self._inside and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()


def _require_page(page: str, symbol: str) -> None:
    """Refuse reports of other companies, and rows without a day.

    yfinance drops the column that says whose they are, and puts days beside the figures of other
    rows where one is empty.
    """
    if not page.lstrip().startswith("<"):
        raise YahooUnusable("it is no web page")
    table = _Table()
    table.feed(page)
    if not table.rows:
        return
    heads, *rows = table.rows
    if not {"Symbol", "Earnings Date"} <= set(heads):
        raise YahooUnusable("its table of reports has changed")
    ticker, day = heads.index("Symbol"), heads.index("Earnings Date")
    if any(len(row) != len(heads) or row[day] in ("", "-") for row in rows):
        raise YahooUnusable("a row of its table of reports has no day")
    if any(row[ticker] != symbol for row in rows):
        raise YahooUnusable(f"it is not about {symbol}")


PAGES_URL: Final = "https://finance.yahoo.com"
ACCOUNTS_SECONDS: Final = 10.0
"""For two statements and a page together."""

MOST_REPORTS: Final = 25
"""Rows of one page: the reports of five years, and some that are ahead."""

NO_DAYS: Final = (
    "The days of its reports could not be had: {why}. Its accounts count as known from 90 days "
    "after their periods."
)
IN_OTHER_SHARES: Final = (
    "Lines told for a share, or in shares, are left out where Yahoo Finance does not say in which "
    "count of shares it tells them."
)
"""It does not say whether it restates them after a split. The split is not named: it may lie after
the instant that is asked about."""

_Place = tuple[str, date]
"""A line by its name and the end of its period."""

_TOO_LARGE = 1e18
_COUNTED = re.compile(r"Shares|ShareIssued|TaxRate")
"""Lines that are no money."""

_OF_SHARES = re.compile(r"EPS|Share(?!holders)|^(Basic|Diluted)(?!NI)")
"""Lines that a split changes: yfinance's `DilutedContinuousOperations` is for a share as well."""


class YahooAccounts(YahooFinance):
    """A company's annual accounts as Yahoo has them today, with the days of their reports.

    What was corrected later is told corrected. The answers are kept for five minutes.
    """

    source = SOURCE

    def __init__(
        self, stocks: YahooStocks, url: str = YAHOO_URL, pages_url: str = PAGES_URL
    ) -> None:
        """`stocks` tell the splits. Statements are asked of `url`, reports of `pages_url`."""
        super().__init__(url, timeout_seconds=ACCOUNTS_SECONDS)
        self._stocks = stocks
        self._pages_url = pages_url

    def accounts(self, symbol: str) -> Accounts:
        """Every line and report that Yahoo has, whenever it was known.

        Raises:
            NoAccounts: there is none, Yahoo could not be asked, or its answer is not to be relied
                on.
        """
        try:
            traded = self._stocks.traded(symbol, date.max)
            if not traded.bars:
                raise NoAccounts(f"Yahoo Finance has no company {symbol}.")
            found = self._kept_or_asked(symbol, lambda library, _: self._ask(library, symbol))
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
        from desk.sources.analysis.accounts import AccountsSession

        with AccountsSession(self._url, self._pages_url, ACCOUNTS_SECONDS) as session:
            ticker = library.Ticker(symbol, session=session)
            told = _table(library, ticker.get_income_stmt)
            told |= _table(library, ticker.get_balance_sheet)
            reports, notes = _reports(ticker) if told else ((), ())
            return _accounts(told, session.currencies, reports, notes)


class _ReportDay(NamedTuple):
    """A row of the calendar of reports."""

    at: datetime
    actual: Decimal | None
    expected: Decimal | None


def _table(library: Any, ask: Callable[..., Any]) -> dict[_Place, Decimal]:
    """A statement line by line and year by year, without what Yahoo leaves empty."""
    try:
        table = ask(freq="yearly")
    except library.exceptions.YFException:
        # Said of an answer without any row.
        return {}
    cells = (
        ((str(name), stamp.date()), _figure(value))
        for stamp, column in table.items()
        for name, value in column.items()
    )
    return {place: value for place, value in cells if value is not None}


def _reports(ticker: Any) -> tuple[tuple[_ReportDay, ...], tuple[str, ...]]:
    """The reports that Yahoo has a day of, or why it has none: accounts can do without."""
    try:
        table = ticker.get_earnings_dates(limit=MOST_REPORTS)
        if table is None or table.empty:
            return (), (NO_DAYS.format(why="Yahoo Finance lists none"),)
        rows = zip(table.index, table["Reported EPS"], table["EPS Estimate"], strict=True)
        return tuple(_ReportDay(_instant(at), _figure(a), _figure(e)) for at, a, e in rows), ()
    except YahooRefused as error:
        return (), (NO_DAYS.format(why=error),)
    except YahooUnusable as error:
        return (), (NO_DAYS.format(why=f"Yahoo Finance's page cannot be used, {error}"),)
    except Exception as error:
        # yfinance reads a page without looking; what is not there ends in any of many.
        why = f"yfinance cannot read Yahoo Finance's page ({type(error).__name__})"
        return (), (NO_DAYS.format(why=why),)


def _instant(stamp: Any) -> datetime:
    instant: datetime = stamp.to_pydatetime()
    return instant.astimezone(UTC)


def _figure(value: Any) -> Decimal | None:
    """A number as it is written; None for a cell that is empty.

    Raises:
        YahooUnusable: it is no number that accounts can have.
    """
    number = float(value)
    if math.isnan(number):
        return None
    if abs(number) >= _TOO_LARGE:
        raise YahooUnusable("a figure of it is out of all range")
    return Decimal(int(number)) if number.is_integer() else Decimal(str(number))


def _accounts(
    told: Mapping[_Place, Decimal],
    currencies: Mapping[_Place, str],
    reports: Sequence[_ReportDay],
    notes: tuple[str, ...],
) -> Accounts:
    days = sorted(report.at.date() for report in reports if report.actual is not None)
    lines = (
        AccountLine(
            name,
            value,
            None if _COUNTED.search(name) else currencies[name, end],
            end,
            _reported_on(end, days),
        )
        for (name, end), value in told.items()
    )
    complete = (
        EarningsReport(report.at, report.actual, report.expected)
        for report in reports
        if report.actual is not None and report.expected is not None
    )
    return Accounts(tuple(lines), tuple(complete), notes)


def _reported_on(end: date, days: Sequence[date]) -> date | None:
    """The day of the first report after a period's end, where one is near enough to be its own."""
    return next((day for day in days if end < day <= end + UNTOLD_DELAY), None)


def _in_one_count_of_shares(found: Accounts, splits: Iterable[date]) -> Accounts:
    """Without the lines of shares that a split followed: they may be told in either count."""
    last = max(splits, default=date.min)
    kept = tuple(
        line for line in found.lines if line.period_end >= last or not _OF_SHARES.search(line.name)
    )
    if len(kept) == len(found.lines):
        return found
    return replace(found, lines=kept, notes=(*found.notes, IN_OTHER_SHARES))
