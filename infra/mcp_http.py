"""MCP over HTTP: a client of our own with the server's headers, and which status answered a call.

The MCP client gives one error for every HTTP status, so that a token that is not accepted looks
like a server that is down. A hook on the responses tells them apart.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Any, Final, NamedTuple

import httpx2
from mcp.client import Transport as Connectable
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from infra.mcp_config import McpServerSpec, Transport
from infra.retry_after import pause_of

CONNECT_SECONDS: Final = 5.0
READ_SECONDS: Final = 300.0
"""How long a stream may be silent; a call has a limit of its own, which is shorter."""

LONGEST_PAUSE: Final = timedelta(hours=1)
"""The most that `retry-after` is believed."""

_REFUSED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_PASSING: Final = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS})


class HttpAnswer(NamedTuple):
    """A status other than success, and the pause that was asked for with it."""

    status: int
    after: timedelta | None

    @property
    def refuses(self) -> bool:
        """Whether the server does not accept who asks; asking again does not mend that."""
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
class Seen:
    """What the responses to one call, or to one opening, came to: None after a success."""

    answer: HttpAnswer | None = None


_SEEN: ContextVar[Seen | None] = ContextVar("seen", default=None)


@contextmanager
def watching() -> Iterator[Seen]:
    """For the requests that are made in this block: the MCP client sends each in the context of
    the task that asked for it."""
    seen = Seen()
    token = _SEEN.set(seen)
    try:
        yield seen
    finally:
        _SEEN.reset(token)


def http_target(spec: McpServerSpec) -> Connectable:
    """The way to a server with a `url`. Whoever enters it opens and closes its HTTP client."""
    url = spec.url or ""
    headers = {name: value.get_secret_value() for name, value in spec.headers.items()}
    if spec.transport is Transport.SSE:
        return sse_client(url, headers=headers, httpx_client_factory=_watched_client)
    return _streamable(url, headers)


@asynccontextmanager
async def _streamable(url: str, headers: dict[str, str]) -> AsyncIterator[Any]:
    async with (
        _watched_client(headers) as client,
        streamable_http_client(url, http_client=client) as streams,
    ):
        yield streams


def _watched_client(
    headers: dict[str, str] | None = None,
    timeout: httpx2.Timeout | None = None,
    auth: httpx2.Auth | None = None,
) -> httpx2.AsyncClient:
    """A client that notes how its requests are answered. `timeout` is ours for every transport."""
    return httpx2.AsyncClient(
        headers=headers,
        auth=auth,
        timeout=httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
        event_hooks={"response": [_note]},
    )


async def _note(response: httpx2.Response) -> None:
    seen = _SEEN.get()
    # Many servers have no stream of their own to listen to and say so with this status.
    if seen is None or response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        return
    failed = response.status_code >= HTTPStatus.MULTIPLE_CHOICES
    after = pause_of(response.headers, LONGEST_PAUSE)
    seen.answer = HttpAnswer(response.status_code, after) if failed else None
