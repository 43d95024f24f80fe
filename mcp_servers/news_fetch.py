"""Fetching a feed over the network: every way in which it can fail has one clear ending."""

import time

import httpx2

TIMEOUT_SECONDS = 5.0
LARGEST_FEED = 1024 * 1024
"""Bytes. Parsing takes a time in proportion, and 100 items need far less."""

_HEADERS = {
    "Accept": "application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.8",
    "User-Agent": "research-desk/0.1 (feed reader)",
}
_TOO_MANY = 429
_FIRST_SERVER_ERROR = 500


class FeedRefused(Exception):
    """The source does not want to answer this question, or not now. The text says what it said."""


class FeedUnusable(Exception):
    """No feed was had: no answer in time, an error of the source, or something else than a feed."""


def fetch(url: str, timeout_seconds: float = TIMEOUT_SECONDS) -> bytes:
    """What stands at an address. One try; `timeout_seconds` bounds each wait and the download.

    Raises:
        FeedRefused: the answer was 429 or another 4xx.
        FeedUnusable: there was no answer, or one that is an error, too slow or too large.
    """
    deadline = time.monotonic() + timeout_seconds
    try:
        with httpx2.stream(
            "GET", url, headers=_HEADERS, timeout=timeout_seconds, follow_redirects=True
        ) as answer:
            _require_success(answer)
            return _body(answer, deadline, timeout_seconds)
    except httpx2.TimeoutException as error:
        raise FeedUnusable(_too_slow(timeout_seconds)) from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise FeedUnusable(f"it could not be reached ({type(error).__name__})") from error


def _require_success(answer: httpx2.Response) -> None:
    status = f"{answer.status_code} {answer.reason_phrase}".strip()[:80]
    if answer.is_success:
        return
    if answer.status_code == _TOO_MANY:
        raise FeedRefused(f"it answered {status}{_wait(answer)}")
    if answer.is_client_error:
        raise FeedRefused(f"it answered {status}")
    if answer.status_code >= _FIRST_SERVER_ERROR:
        raise FeedUnusable(f"it answered {status}, an error of its own")
    raise FeedUnusable(f"it answered {status} and no feed")


def _wait(answer: httpx2.Response) -> str:
    """What the source says of when to come back: seconds or an HTTP date."""
    asked = answer.headers.get("retry-after", "").strip()
    if asked.isascii() and asked.isdecimal() and len(asked) < 8:
        return f" and asks to wait {int(asked)} seconds"
    readable = asked.isascii() and asked.isprintable() and asked.endswith("GMT")
    return f" and asks to wait until {asked}" if readable and len(asked) < 40 else ""


def _body(answer: httpx2.Response, deadline: float, timeout_seconds: float) -> bytes:
    content = bytearray()
    for part in answer.iter_bytes():
        content += part
        if len(content) > LARGEST_FEED:
            raise FeedUnusable(f"its answer is above {LARGEST_FEED} bytes")
        if time.monotonic() > deadline:
            raise FeedUnusable(_too_slow(timeout_seconds))
    return bytes(content)


def _too_slow(timeout_seconds: float) -> str:
    return f"it did not answer within {timeout_seconds:g} seconds"
