"""Downloads of bounded size and bounded time: every way in which one can fail has one ending."""

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2


class NotDownloaded(Exception):
    """What stands at the address was not had. The text says why, without the address."""


class TooLarge(NotDownloaded):
    """There was an answer, of more bytes than are read."""


def download(
    url: str,
    check: Callable[[httpx2.Response], None],
    *,
    timeout_seconds: float,
    largest: int,
    headers: Mapping[str, str] | None = None,
    form: Mapping[str, str] | None = None,
    follow_redirects: bool = True,
) -> bytes:
    """What stands at an address, or what it answers to a form, of at most `largest` bytes. One try.

    `timeout_seconds` bounds each wait and, between waits, the whole download. `check` sees the
    status and the headers before anything else is read, and raises for what is no success.

    Raises:
        NotDownloaded: there was no answer in time, or one that is too large.
    """
    deadline = time.monotonic() + timeout_seconds
    too_slow = f"it did not answer within {timeout_seconds:g} seconds"
    content = bytearray()
    try:
        with httpx2.stream(
            "GET" if form is None else "POST",
            url,
            data=form,
            headers=headers,
            timeout=timeout_seconds,
            follow_redirects=follow_redirects,
        ) as answer:
            check(answer)
            for part in answer.iter_bytes():
                content += part
                if len(content) > largest:
                    raise TooLarge(f"its answer is above {largest} bytes")
                if time.monotonic() > deadline:
                    raise NotDownloaded(too_slow)
    except httpx2.TimeoutException as error:
        raise NotDownloaded(too_slow) from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise NotDownloaded(f"it could not be reached ({type(error).__name__})") from error
    return bytes(content)


def status_of(answer: httpx2.Response) -> str:
    """The status with its phrase, such as "503 Service Unavailable"; at most 80 characters."""
    return f"{answer.status_code} {answer.reason_phrase}".strip()[:80]


_MOST_DIGITS = 7


def asked_pause(retry_after: str | None) -> str:
    """What the header asks for: "asks to wait 30 seconds" or "asks to wait until" an instant in
    UTC. Empty where there is no header, or one that cannot be read; nothing of its text is
    repeated."""
    given = (retry_after or "").strip()
    if given.isascii() and given.isdecimal() and len(given) <= _MOST_DIGITS:
        return f"asks to wait {int(given)} seconds"
    try:
        until = _in_utc(parsedate_to_datetime(given))
    except (ValueError, OverflowError):
        return ""
    return f"asks to wait until {until:%Y-%m-%dT%H:%M:%SZ}"


def _in_utc(instant: datetime) -> datetime:
    """HTTP dates are in GMT, also where they do not say so."""
    return instant.astimezone(UTC) if instant.tzinfo else instant.replace(tzinfo=UTC)
