"""Sessions for Yahoo's company data: statements, days of reports, and analysts' opinions."""

import re
from collections.abc import Iterator
from datetime import date
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from curl_cffi.requests import Response

from desk.sources.yahoo.failures import UnknownAtYahoo, YahooRefused, YahooUnusable
from desk.sources.yahoo.session import YahooSession, json_of, require_success
from desk.sources.yahoo.statements import Place

_STATEMENTS = "/ws/fundamentals-timeseries/v1/finance/timeseries/"
_REPORTS = "/calendar/earnings"
_SUMMARY = "/v10/finance/quoteSummary/"
_CRUMB = "/v1/test/getcrumb"
_IS_CRUMB = re.compile(r"[\x21-\x7e]{1,40}")
_KINDS = ("annual", "quarterly")
"""The prefixes of the names of lines, by the length of their periods."""


class AccountsSession(YahooSession):
    """Requests statements from `address` and the calendar of reports from `pages`, within
    `seconds`.

    `currencies` has the currency of each line of the requested statements, by its name and the end
    of its period. After a refusal nothing more is sent, because yfinance would then ask in smaller
    pieces.
    """

    def __init__(self, address: str, pages: str, seconds: float) -> None:
        super().__init__(address, seconds)
        self._pages = pages.rstrip("/")
        self._ended: YahooRefused | YahooUnusable | None = None
        self.currencies: dict[Place, str] = {}

    def request(self, method: Any, url: str, *args: Any, **kwargs: Any) -> Response:
        """Sends a request of `yfinance` to the address and within the deadline.

        Raises:
            YahooRefused: there was no answer, or it was a refusal.
            YahooUnusable: the answer is not what was requested.
            YFRateLimitError: a cookie or crumb was requested.
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


def _currencies(body: Any, symbol: str) -> dict[Place, str]:
    """The currencies of statements, all of whose lines must be of one company."""
    try:
        if body["timeseries"].get("error"):
            raise YahooUnusable("it reports an error in place of statements")
        return dict(_lines(body["timeseries"]["result"] or (), symbol))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise YahooUnusable("its statements have changed") from error


def _lines(rows: Any, symbol: str) -> Iterator[tuple[Place, str]]:
    for row in rows:
        if row["meta"]["symbol"] != [symbol]:
            raise YahooUnusable(f"it is not about {symbol}")
        for kind, name in ((kind, key) for key in row for kind in _KINDS if key.startswith(kind)):
            for entry in row[name]:
                code = entry["currencyCode"]
                if not (isinstance(code, str) and len(code) == 3 and code.isalpha()):
                    raise YahooUnusable("a line of its statements has no currency")
                line = name.removeprefix(kind)
                yield (line, date.fromisoformat(entry["asOfDate"])), code


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
    """Refuses reports of other companies, and rows without a day.

    yfinance drops the column with the company, and puts days beside the figures of other rows if
    one is empty.
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


class SummarySession(YahooSession):
    """Requests the summary of a company from `address`, with the cookie from `cookies` and the
    crumb that belongs to it, within `seconds`.

    `yfinance` gets both by itself, and keeps the crumb for the process and not the session; here
    both are always of one session. What yfinance itself requests for them is not sent.
    """

    def __init__(self, address: str, cookies: str, seconds: float) -> None:
        super().__init__(address, seconds, keeps_cookies=True)
        self._cookies_url = cookies.rstrip("/")
        self._crumb: str | None = None

    def request(self, method: Any, url: str, *args: Any, **kwargs: Any) -> Response:
        """Sends a request of `yfinance` to the address and within the deadline.

        Raises:
            YahooRefused: there was no answer, or it was a refusal.
            YahooUnusable: the answer is not what was requested.
            UnknownAtYahoo: Yahoo has no such company.
            YFRateLimitError: a cookie or crumb was requested.
        """
        path = urlsplit(url).path
        if not path.startswith(_SUMMARY):
            return super().request(method, url, *args, **kwargs)
        crumb = self._crumb = self._crumb or self._fetched_crumb()
        kwargs |= {"timeout": self._seconds_left()}
        kwargs["params"] = {**(kwargs.get("params") or {}), "crumb": crumb}
        answer = self._answer(method, self._address + path, *args, **kwargs)
        if answer.status_code == 404 and _says_unknown(answer):
            raise UnknownAtYahoo
        require_success(answer)
        _require_summary(json_of(answer))
        return answer

    def _fetched_crumb(self) -> str:
        # The page itself does not exist (404), but sets the cookie nevertheless.
        self._answer("GET", f"{self._cookies_url}/", timeout=self._seconds_left())
        answer = self._answer("GET", self._address + _CRUMB, timeout=self._seconds_left())
        require_success(answer)
        crumb = answer.text.strip()
        if not _IS_CRUMB.fullmatch(crumb) or crumb.startswith("<"):
            raise YahooUnusable("it gave no crumb, without which it tells nothing of analysts")
        return crumb


def _says_unknown(answer: Response) -> bool:
    try:
        return bool(json_of(answer)["quoteSummary"]["error"]["code"] == "Not Found")
    except (YahooUnusable, KeyError, TypeError):
        return False


def _require_summary(body: Any) -> None:
    try:
        entry = body["quoteSummary"]
        if entry.get("error"):
            raise YahooUnusable("it reports an error in place of a summary")
        (part,) = entry["result"]
        if not isinstance(part, dict):
            raise YahooUnusable("its summary has changed")
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise YahooUnusable("its summary has changed") from error
