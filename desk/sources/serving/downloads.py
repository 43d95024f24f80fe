"""Downloads with limits of size and time. Every failure is the same exception."""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from http import HTTPStatus
from typing import Final

import httpx2


class NotDownloaded(Exception):
    """The download failed. The message says why, without the address."""


class TooLarge(NotDownloaded):
    """The answer is larger than the limit."""


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
    """Downloads an address, or the response to a form, of at most `largest` bytes. One attempt.

    `timeout_seconds` limits each wait and, between waits, the whole download. `check` gets the
    status and the headers before anything else is read, and raises if they are not a success.

    Raises:
        NotDownloaded: there was no answer in time, or it was too large.
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
            verify=download_tls_context(),
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
        raise NotDownloaded(_in_plain_words(error)) from error
    except ValueError as error:
        # The client reads the environment's proxies when it is created.
        raise NotDownloaded(f"the network settings of this machine are wrong: {error}") from error
    return bytes(content)


def require_success(answer: httpx2.Response) -> None:
    """The check of a download for which only a successful status will do.

    Raises:
        NotDownloaded: the status is not a success. The message says what it means, and how long the
            source asks to wait.
    """
    if answer.is_success:
        return
    words = f"it answered {status_of(answer)}"
    meaning = _MEANINGS.get(answer.status_code)
    if meaning is None and answer.is_server_error:
        meaning = "it has trouble of its own"
    pause = asked_pause(answer.headers.get("retry-after"))
    raise NotDownloaded(": ".join(filter(None, (words, meaning))) + (f"; it {pause}" * bool(pause)))


_MEANINGS: Final[Mapping[int, str]] = {
    HTTPStatus.UNAUTHORIZED: "it lets in only who signs on",
    HTTPStatus.FORBIDDEN: "it does not let the desk in",
    HTTPStatus.NOT_FOUND: "nothing stands at this address",
    HTTPStatus.GONE: "nothing stands at this address any more",
    HTTPStatus.TOO_MANY_REQUESTS: "it was asked too often",
}


def _in_plain_words(error: Exception) -> str:
    """Why the download failed, without the names of a library's exceptions."""
    causes = tuple(_causes(error))
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return "it could not be reached: its name has no address; is there a network?"
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return "it could not be reached: nothing answers at its address"
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return "it could not be reached: its certificate is not valid here"
    for kind, words in _FAILURES.items():
        if isinstance(error, kind):
            return words
    return f"it could not be reached ({type(error).__name__})"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


_FAILURES: Final[Mapping[type[Exception], str]] = {
    httpx2.TooManyRedirects: "it redirects in a circle",
    httpx2.ProxyError: "the proxy did not let the desk through to it",
    httpx2.UnsupportedProtocol: "its address does not begin with http:// or https://",
    httpx2.InvalidURL: "its address is not a valid one",
    httpx2.DecodingError: "its answer is damaged: it cannot be unpacked",
    httpx2.RemoteProtocolError: "the connection ended before its answer did",
    httpx2.ReadError: "the connection ended before its answer did",
    httpx2.ConnectError: "it could not be reached: no connection came about",
}


def download_tls_context() -> ssl.SSLContext:
    """The trusted certificate authorities. Loading them takes 20 to 70 ms, longer than most
    answers: of several threads only one loads them."""
    with _READING:
        return _loaded_tls_context()


_READING = threading.Lock()


@cache
def _loaded_tls_context() -> ssl.SSLContext:
    return httpx2.create_ssl_context()


def status_of(answer: httpx2.Response) -> str:
    """The status with its phrase, such as "503 Service Unavailable"; at most 80 characters."""
    return f"{answer.status_code} {answer.reason_phrase}".strip()[:80]


_MOST_DIGITS = 7


def asked_pause(retry_after: str | None) -> str:
    """The pause that the header requests: "asks to wait 30 seconds" or "asks to wait until" an
    instant in UTC. Empty without a readable header. Its text is never repeated."""
    given = (retry_after or "").strip()
    if given.isascii() and given.isdecimal() and len(given) <= _MOST_DIGITS:
        return f"asks to wait {int(given)} seconds"
    try:
        until = _in_utc(parsedate_to_datetime(given))
    except (ValueError, OverflowError):
        return ""
    return f"asks to wait until {until:%Y-%m-%dT%H:%M:%SZ}"


def _in_utc(instant: datetime) -> datetime:
    """HTTP dates are in GMT, even if they do not say so."""
    return instant.astimezone(UTC) if instant.tzinfo else instant.replace(tzinfo=UTC)
