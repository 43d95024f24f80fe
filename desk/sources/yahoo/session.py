"""The HTTP session of `yfinance` for Yahoo: one address, one deadline, typed errors.

`yfinance` has Yahoo's hosts in its code, repeats requests whose answer it dislikes, and reads a web
page as an empty table. It accepts a session, which is the public way to change that.
"""

import json
import time
from typing import Any
from urllib.parse import urlsplit

from curl_cffi import CurlECode, CurlOpt
from curl_cffi.requests import RequestsError, Response, Session
from curl_cffi.requests.exceptions import Timeout
from yfinance.exceptions import YFRateLimitError  # type: ignore[import-untyped]

from desk.sources.serving.downloads import asked_pause
from desk.sources.yahoo.failures import NoneInRange, UnknownAtYahoo, YahooRefused, YahooUnusable

LARGEST_ANSWER = 8 * 1024 * 1024
"""In bytes. Thirty years of daily closes take less than one mebibyte."""

_CHART, _SEARCH = "chart", "quotes"
_PATHS = {"/v8/finance/chart/": _CHART, "/v1/finance/search": _SEARCH}
"""The paths of the charts and the search, and the field that every answer from them has."""

_NO_SUCH_SYMBOL = (404, "Not Found")
_NOTHING_THEN = (400, "Data doesn't exist for startDate")
"""Yahoo's words for a range without closes; the days in seconds follow."""


class YahooSession(Session[Response]):
    """Sends requests to `address` instead of Yahoo's hosts, and waits `seconds` for all of them
    together.

    Every answer that it accepts is JSON of the requested kind. It follows no redirect, stores no
    cookies unless it `keeps_cookies`, and is for one question: close it afterwards.
    """

    def __init__(self, address: str, seconds: float, *, keeps_cookies: bool = False) -> None:
        # Yahoo rejects clients that do not look like a browser; yfinance impersonates one too.
        super().__init__(
            impersonate="chrome",
            allow_redirects=False,
            discard_cookies=not keeps_cookies,
            curl_options={CurlOpt.MAXFILESIZE_LARGE: LARGEST_ANSWER},
        )
        self._address = address.rstrip("/")
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds

    def request(self, method: Any, url: str, *args: Any, **kwargs: Any) -> Response:
        """Send a request of `yfinance`'s, to the address and within the deadline.

        Raises:
            YahooRefused: there was no answer, or it was a refusal.
            YahooUnusable: the answer is not what was asked for.
            UnknownAtYahoo, NoneInRange: Yahoo says that it has nothing.
            YFRateLimitError: a cookie or crumb was asked for.
        """
        path = urlsplit(url).path
        kind = next((kind for start, kind in _PATHS.items() if path.startswith(start)), None)
        if kind is None:
            # Charts and search need neither cookie nor crumb. This is the one error after which
            # yfinance continues without them (`YfData._make_request`), and nothing is sent.
            raise YFRateLimitError
        kwargs |= {"timeout": self._seconds_left()}
        return _usable(self._answer(method, self._address + path, *args, **kwargs), kind)

    def _answer(self, method: Any, url: str, *args: Any, **kwargs: Any) -> Response:
        try:
            return super().request(method, url, *args, **kwargs)
        except Timeout as error:
            raise self._too_late() from error
        except RequestsError as error:
            if error.code == CurlECode.FILESIZE_EXCEEDED:
                raise YahooUnusable(f"it is above {LARGEST_ANSWER} bytes") from error
            reason = type(error).__name__
            raise YahooRefused(f"Yahoo Finance cannot be reached ({reason})") from error

    def _seconds_left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise self._too_late()
        return left

    def _too_late(self) -> YahooRefused:
        return YahooRefused(f"Yahoo Finance did not answer within {self._seconds:g} seconds")


def _usable(answer: Response, kind: str) -> Response:
    """The answer itself, if it is JSON with the field of its kind."""
    if kind == _CHART and answer.status_code in (400, 404):
        _require_no_absence(answer)
    require_success(answer)
    _require_field(json_of(answer), kind)
    return answer


def require_success(answer: Response) -> None:
    """Refuses every answer but HTTP 200.

    Raises:
        YahooRefused: it is a refusal, a redirect or a failure.
    """
    status = answer.status_code
    if status == 429:
        wait = asked_pause(answer.headers.get("retry-after"))
        limited = "Yahoo Finance limits the rate of requests (HTTP 429)"
        raise YahooRefused(f"{limited}; it {wait}" if wait else limited)
    if status != 200:
        raise YahooRefused(_refusal(status))


def _refusal(status: int) -> str:
    if status in (401, 403):
        return f"Yahoo Finance refuses the request (HTTP {status})"
    if 300 <= status < 400:
        return f"Yahoo Finance sends to another page, such as its consent form (HTTP {status})"
    if status >= 500:
        return f"Yahoo Finance has a failure of its own (HTTP {status})"
    return f"Yahoo Finance answered with HTTP {status}"


def _require_no_absence(answer: Response) -> None:
    """Distinguishes the two refusals that mean "there is none" from all others."""
    try:
        error = json_of(answer)["chart"]["error"]
        code, description = str(error["code"]), str(error["description"])
    except (YahooUnusable, KeyError, TypeError):
        return
    if (answer.status_code, code) == _NO_SUCH_SYMBOL:
        raise UnknownAtYahoo
    if answer.status_code == _NOTHING_THEN[0] and description.startswith(_NOTHING_THEN[1]):
        raise NoneInRange


def json_of(answer: Response) -> Any:
    """Parses an answer's JSON.

    Raises:
        YahooUnusable: it is empty, a web page, or not JSON.
    """
    content = answer.content.strip()
    if not content:
        raise YahooUnusable("it is empty")
    if content.startswith(b"<"):
        raise YahooUnusable("it is a web page and no JSON")
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise YahooUnusable("it is no JSON") from error


def _require_field(body: Any, kind: str) -> None:
    expected = dict if kind == _CHART else list
    if not isinstance(body, dict) or not isinstance(body.get(kind), expected):
        raise YahooUnusable(f"its field `{kind}` is missing or has changed")
    if kind == _CHART and body[kind].get("error"):
        raise YahooUnusable("it reports an error in place of a chart")
