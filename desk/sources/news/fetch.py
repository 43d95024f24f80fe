"""Downloads a feed. Each kind of failure has its own exception."""

from datetime import datetime

import httpx2

from desk.sources.serving.downloads import (
    NotDownloaded,
    TooLarge,
    asked_pause,
    download,
    status_of,
)

TIMEOUT_SECONDS = 3.0
LARGEST_FEED = 1024 * 1024
"""In bytes. Parsing time is proportional, and 100 items need far less."""

_HEADERS = {
    "Accept": "application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.8",
    "User-Agent": "research-desk/0.1 (feed reader)",
}
_TOO_MANY = 429
_FIRST_SERVER_ERROR = 500


class FeedRefused(Exception):
    """The source refuses the request, permanently or temporarily. The text is its reason; `later`
    is set if it was asked too often."""

    def __init__(self, reason: str, *, later: bool = False) -> None:
        super().__init__(reason)
        self.later = later


class FeedUnusable(Exception):
    """No feed was received: no answer in time, an error of the source, or something other than a
    feed."""


class FeedUnreachable(FeedUnusable):
    """There was no answer. `since` is the first attempt without one, if that is known."""

    def __init__(self, reason: str, since: datetime | None = None) -> None:
        super().__init__(reason)
        self.since = since


def fetch(url: str, timeout_seconds: float = TIMEOUT_SECONDS) -> bytes:
    """Downloads an address, in one attempt. `timeout_seconds` limits each wait and the whole
    download.

    Raises:
        FeedRefused: the answer was 429 or another 4xx.
        FeedUnreachable: there was no answer, or it was too slow.
        FeedUnusable: the answer is an error or too large.
    """
    try:
        return download(
            url,
            _require_success,
            timeout_seconds=timeout_seconds,
            largest=LARGEST_FEED,
            headers=_HEADERS,
        )
    except TooLarge as error:
        raise FeedUnusable(str(error)) from error
    except NotDownloaded as error:
        raise FeedUnreachable(str(error)) from error


def _require_success(answer: httpx2.Response) -> None:
    if answer.is_success:
        return
    answered = f"it answered {status_of(answer)}"
    if answer.status_code == _TOO_MANY:
        wait = asked_pause(answer.headers.get("retry-after"))
        raise FeedRefused(f"{answered} and {wait}" if wait else answered, later=True)
    if answer.is_client_error:
        raise FeedRefused(answered)
    if answer.status_code >= _FIRST_SERVER_ERROR:
        raise FeedUnusable(f"{answered}, an error of its own")
    raise FeedUnusable(f"{answered} and no feed")
