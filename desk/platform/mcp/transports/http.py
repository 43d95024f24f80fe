"""MCP over HTTP: a client with the server's headers, which records the outcome of each request.

The MCP client raises one error for every HTTP status, so that a rejected token looks like a server
that is down. It reads an answer of any size. And one broken connection ends every concurrent call.
The client here distinguishes statuses, limits how much it reads, and substitutes a response for a
server that did not answer.
"""

import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Any, Final, NamedTuple, NoReturn

import httpx2
from mcp.client import Transport as Connectable
from mcp.client.sse import sse_client
from mcp.client.streamable_http import DEFAULT_MAX_SSE_EVENT_SIZE, streamable_http_client

from desk.contracts.names import CallFault
from desk.platform.models.retry_after import pause_of
from desk.platform.settings.mcp_json import McpServerSpec, Transport
from desk.platform.settings.tls import tls_context

CONNECT_SECONDS: Final = 5.0
READ_SECONDS: Final = 300.0
"""How long a stream may be silent. A call has its own, shorter limit."""

LONGEST_PAUSE: Final = timedelta(hours=1)
"""The longest `retry-after` that is honoured."""

SESSION: Final = "mcp-session-id"
"""The header in which a server names a session."""

_REFUSED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_PASSING: Final = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS})


class HttpAnswer(NamedTuple):
    """An unsuccessful status, and the pause that came with it."""

    status: int
    after: timedelta | None

    @property
    def refuses(self) -> bool:
        """Whether the server does not accept the caller, so that retrying does not help."""
        return self.status in _REFUSED

    @property
    def passing(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status in _PASSING or self.status >= HTTPStatus.INTERNAL_SERVER_ERROR

    def __str__(self) -> str:
        try:
            phrase = f" {HTTPStatus(self.status).phrase}"
        except ValueError:
            phrase = ""
        hint = "; check its headers in .mcp.json" if self.refuses else ""
        pause = (
            f", to be asked again after {self.after.total_seconds():.0f} s" if self.after else ""
        )
        return f"it answered {self.status}{phrase}{pause}{hint}"


@dataclass(slots=True)
class ResponseOutcome:
    """The outcome of the responses to one call, or to one opening. All None after a success.

    `answer` is an unsuccessful status. `fault` and `words` say why there was no answer. `session`
    is the id that the server gave the session, None if it gave none.
    """

    answer: HttpAnswer | None = None
    fault: CallFault | None = None
    words: str | None = None
    session: str | None = None

    def note(self, answer: HttpAnswer | None) -> None:
        """Records that a response has begun."""
        self.answer, self.fault, self.words = answer, None, None

    def failed(self, fault: CallFault, words: str) -> None:
        """Records that there is no response, or that it broke off."""
        self.answer, self.fault, self.words = None, fault, words


_SEEN: ContextVar[ResponseOutcome | None] = ContextVar("seen", default=None)


@contextmanager
def recording_responses() -> Iterator[ResponseOutcome]:
    """Records the responses to the requests made in this block. The MCP client sends each request
    in the context of the task that asked for it."""
    seen = ResponseOutcome()
    token = _SEEN.set(seen)
    try:
        yield seen
    finally:
        _SEEN.reset(token)


def http_target(spec: McpServerSpec) -> Connectable:
    """The way to a server with a `url`. Entering it opens an HTTP client, leaving it closes the
    client."""
    url, most = spec.url or "", spec.max_answer_bytes
    headers = {name: value.get_secret_value() for name, value in spec.headers.items()}
    if spec.transport is not Transport.SSE:
        return _streamable(url, headers, most)

    def client(
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        return _Client(headers, auth, most)

    return sse_client(url, headers=headers, httpx_client_factory=client)


@asynccontextmanager
async def _streamable(url: str, headers: dict[str, str], most: int) -> AsyncIterator[Any]:
    async with (
        _Client(headers, None, most) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=most) as streams,
    ):
        yield streams


class AnswerBrokenOff(httpx2.StreamError):
    """The rest of a response cannot be read. It fails one call and no other."""


class _Client(httpx2.AsyncClient):
    """A client that records the responses to its requests, and reads at most `most` bytes of
    each."""

    def __init__(self, headers: dict[str, str] | None, auth: httpx2.Auth | None, most: int) -> None:
        super().__init__(
            headers=headers,
            auth=auth,
            timeout=httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
            verify=tls_context(),
        )
        # A few compressed bytes can decompress to any size.
        self.headers["accept-encoding"] = "identity"
        self._most = most

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Returns the response. If there is none, returns one with status 502, so that concurrent
        calls go on."""
        seen = _SEEN.get() or ResponseOutcome()
        try:
            response = await super().send(request, **options)
        except httpx2.TransportError as error:
            seen.failed(_fault_of(error), _words_of(error))
            return _no_answer(request)
        seen.session = response.headers.get(SESSION, seen.session)
        # Many servers offer no stream to listen to, and say so with this status.
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
            seen.note(_answer_of(response))
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            seen.failed(CallFault.MALFORMED, "its answer is compressed, and it was asked not to")
            return _no_answer(request)
        if isinstance(response.stream, httpx2.AsyncByteStream):
            listens = request.method == "GET"
            most = min(self._most, DEFAULT_MAX_SSE_EVENT_SIZE - 1) if listens else self._most
            response.stream = _Bounded(response.stream, most, seen, by_event=listens)
        return response


class _Bounded(httpx2.AsyncByteStream):
    """The bytes of a response, up to a limit: for the whole response, or for one event of a stream
    that is listened to."""

    def __init__(
        self, stream: httpx2.AsyncByteStream, most: int, seen: ResponseOutcome, *, by_event: bool
    ) -> None:
        self._stream = stream
        self._most = most
        self._seen = seen
        self._by_event = by_event

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        try:
            async for chunk in self._stream:
                size += len(chunk)
                if size > self._most:
                    self._break_off(
                        CallFault.TOO_LARGE, f"its answer has more than {self._most} bytes"
                    )
                if (
                    self._by_event
                    and (ended := max(chunk.rfind(b"\n\n"), chunk.rfind(b"\r\n\r"))) >= 0
                ):
                    size = len(chunk) - ended
                yield chunk
        except httpx2.TransportError as error:
            self._break_off(_fault_of(error), _words_of(error))

    async def aclose(self) -> None:
        """Releases the connection."""
        await self._stream.aclose()

    def _break_off(self, fault: CallFault, words: str) -> NoReturn:
        self._seen.failed(fault, words)
        raise AnswerBrokenOff(words)


def _answer_of(response: httpx2.Response) -> HttpAnswer | None:
    if response.status_code < HTTPStatus.MULTIPLE_CHOICES:
        return None
    return HttpAnswer(response.status_code, pause_of(response.headers, LONGEST_PAUSE))


def _no_answer(request: httpx2.Request) -> httpx2.Response:
    return httpx2.Response(HTTPStatus.BAD_GATEWAY, request=request)


def _fault_of(error: httpx2.TransportError) -> CallFault:
    match error:
        case httpx2.ConnectTimeout() | httpx2.ConnectError() | httpx2.ProxyError():
            return CallFault.UNREACHABLE
        case httpx2.UnsupportedProtocol():
            return CallFault.UNREACHABLE
        case httpx2.TimeoutException():
            return CallFault.TIMEOUT
        case _:
            return CallFault.RESET


def _words_of(error: httpx2.TransportError) -> str:
    causes = tuple(_causes(error))
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return "no connection: its name has no address; is there a network?"
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return "no connection: nothing listens at its address; is it started?"
    return _FAILURES[_fault_of(error)] + (f": {error}" if str(error) else "")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yields an error and its causes. If several addresses were tried, the causes of each."""
    while error is not None:
        yield error
        cause = error.__cause__ or error.__context__
        if isinstance(cause, BaseExceptionGroup):
            for each in cause.exceptions:
                yield from _causes(each)
        error = cause


_FAILURES: Final = {
    CallFault.TIMEOUT: "no answer in time",
    CallFault.UNREACHABLE: "no connection",
    CallFault.RESET: "the connection ended before the answer did",
}
