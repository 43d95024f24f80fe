"""A worker's connections to its MCP servers: opened when first needed, replaced when broken."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar, cast

from mcp import Client, MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    REQUEST_TIMEOUT,
    CallToolResult,
    RequestParamsMeta,
)
from pydantic import JsonValue, SecretStr, ValidationError

from desk.contracts.agents.capabilities import ADDED_BY_THE_DESK
from desk.contracts.agents.tools import ToolSpec
from desk.contracts.names import CallFault
from desk.platform.mcp.answers import answer_of, message_line, offered_tools, specs_of
from desk.platform.mcp.attribution import attributed_answer
from desk.platform.mcp.circuit import Circuit
from desk.platform.mcp.connection import FAULTS, ConnectionFailed, McpConnection
from desk.platform.mcp.redaction import redaction_for
from desk.platform.mcp.running_timeout import running_timeout
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer, ToolUnreachable
from desk.platform.mcp.transports.http import HttpAnswer, ResponseOutcome, recording_responses
from desk.platform.mcp.transports.targets import NoTarget, target_of
from desk.platform.settings.mcp_json import McpServerSpec

Asked = TypeVar("Asked")

CALL_KEY = "research-desk/key"
"""The field of a call's key in the request's metadata."""

PASSING = frozenset({INTERNAL_ERROR, PARSE_ERROR})
"""Codes after which the same call may succeed: the server failed internally, as with HTTP 500, or
its answer was not JSON."""

UNREADABLE = "parse error: what came is no message that can be read"

LONGEST_RUN = timedelta(hours=3)
PAST = "and the week is past: it could tell what was not known then"

DRAINING_TIMEOUT_SECONDS = 60.0
"""How long calls beside one that timed out may continue before their connection is closed."""


class McpPool:
    """One connection to each server, shared by all calls of a worker process.

    Use as an async context manager around the worker: leaving it closes every connection.
    `refresh_every` is passed to the desk's own servers that run in this process. A source that has
    kept failing for longer than `opens_after` is not asked, see `Circuit`. Answers contain none of
    the server's secrets, and none of the desk's own `secrets`.
    """

    def __init__(
        self,
        servers: Mapping[str, McpServerSpec],
        *,
        in_process: bool,
        project_dir: Path,
        cache_dir: Path,
        refresh_every: timedelta | None = None,
        opens_after: timedelta = timedelta(seconds=5),
        secrets: Iterable[SecretStr] = (),
    ) -> None:
        own = tuple(secrets)
        self._servers = servers
        self._redactions = {name: redaction_for(spec, own) for name, spec in servers.items()}
        self._circuits = {server: Circuit(server, opens_after) for server in servers}
        self._in_process = in_process
        self._project_dir = project_dir
        self._cache_dir = cache_dir
        self._refresh_every = refresh_every
        self._connections: dict[str, McpConnection] = {}
        self._retiring: dict[asyncio.Task[None], McpConnection] = {}
        self._left = False

    @property
    def servers(self) -> Mapping[str, McpServerSpec]:
        """The servers that this pool can reach, by name."""
        return self._servers

    async def __aenter__(self) -> Self:
        """Opens nothing: connections are opened when needed."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes every connection, including those that are opening or draining."""
        self._left = True
        open_ones = [*self._connections.values(), *self._retiring.values()]
        await asyncio.gather(*(held.close() for held in open_ones))
        while self._retiring:
            await asyncio.gather(*self._retiring)

    async def call(self, call: ServerCall) -> ToolAnswer:
        """See `ToolCaller.call`. A lost connection is retired; the next call opens another.

        If a server does not accept the caller, that is a refusal. Refusals and errors contain none
        of the server's secrets. A tool that takes no `as_of` is not asked about the past, because
        its answer would include what was not known then.
        """
        server, name = call.server, call.name
        waited = f"{name} did not answer within {call.timeout_seconds:g} s"

        async def request(client: Client) -> CallToolResult | ToolAnswer:
            asked = dict(call.arguments)
            if self._ignores_as_of(server, call.tool):
                instant = asked.pop(ADDED_BY_THE_DESK, None)
                if _is_past(instant):
                    return self._refusal(server, f"{name} takes no {ADDED_BY_THE_DESK}, {PAST}")
            return await _ask(client, call, asked)

        async with self._with_timeout(server, waited, call.timeout_seconds):
            result = await self._asked(server, name, request)
        if isinstance(result, ToolAnswer):
            return result
        answer = answer_of(result, self._redactions[server])
        if answer.refusal is not None:
            return self._refusal(server, f"{name}: {answer.refusal}")
        content, by = attributed_answer(answer.content, server, self._servers[server])
        return replace(answer, content=content, attribution=by)

    def session_id(self, server: str) -> str | None:
        """The id of the session that a server's calls share: only for an open connection over HTTP,
        if the server gives an id. None otherwise, because over pipes and in this process the
        connection is the session."""
        held = self._connections.get(server)
        return held.heard.session if held is not None else None

    def _ignores_as_of(self, server: str, tool: str) -> bool:
        held = self._connections.get(server)
        return held is not None and held.ignores_as_of(tool)

    async def tools(self, server: str, *, timeout_seconds: float) -> tuple[ToolSpec, ...]:
        """See `ToolCaller.tools`. A server that hangs loses its connection, as after a call."""
        waited = f"{server}: did not list its tools within {timeout_seconds:g} s"
        async with self._with_timeout(server, waited, timeout_seconds):
            offered = await self._asked(server, f"{server}: tools/list", offered_tools)
        if isinstance(offered, ToolAnswer):
            words = offered.refusal or f"{server}: it lists no tools"
            raise ToolUnreachable(words, fault=CallFault.SERVER_ERROR)
        return specs_of(server, offered, self._redactions[server])

    @asynccontextmanager
    async def _with_timeout(self, server: str, waited: str, seconds: float) -> AsyncIterator[None]:
        """Limits the time of a whole request, including the opening of a connection.

        Raises:
            ToolUnreachable: the source is not asked now, or the time ran out. The connection is
                then given up, unless it is still being opened, which has a timeout of its own.
        """
        self._check(server)
        async with self._circuits[server].call():
            try:
                async with running_timeout(seconds) as patience:
                    yield
            except TimeoutError:
                if not patience.expired():
                    raise
                self._retire_hung(server)
                raise ToolUnreachable(waited, fault=CallFault.TIMEOUT) from None

    async def _asked(
        self, server: str, name: str, request: Callable[[Client], Awaitable[Asked]]
    ) -> Asked | ToolAnswer:
        """Returns the server's answer to a request, or its refusal.

        Raises:
            ToolUnreachable: there was no answer.
        """
        connection = self._connection(server)
        with recording_responses() as seen:
            try:
                with connection.call_in_flight():
                    return await request(await connection.client())
            except (ConnectionFailed, OSError) as error:
                self._retire(server, connection, connection.close())
                words = f"{server}: {error}"
                if isinstance(error, ConnectionFailed):
                    return self._failed(server, words, error.fault, error.answered)
                return self._failed(server, words, CallFault.UNREACHABLE, None)
            except MCPError as error:
                return self._unanswered(server, name, connection, seen, error)
            except (RuntimeError, ValidationError) as error:
                if not connection.alive:
                    words = f"{name}: the connection was closed"
                    raise ToolUnreachable(words, fault=CallFault.RESET) from None
                # The client validates every result with the schema that the server gave for it.
                return self._refusal(server, f"{name} broke its own schema: {error}")

    def _unanswered(
        self,
        server: str,
        name: str,
        connection: McpConnection,
        seen: ResponseOutcome,
        error: MCPError,
    ) -> ToolAnswer:
        """Interprets an error of the client or the server. The HTTP response says more than the
        error code that the client derives from it."""
        lost = self._retire_after(server, connection, error.code, seen)
        broken = seen if seen.fault is not None or not lost else connection.heard
        if broken.fault is not None:
            return self._failed(server, f"{name}: {broken.words}", broken.fault, None)
        # The client's error contains what it could not read.
        words = UNREADABLE if error.code == PARSE_ERROR else str(error)
        reason = f"{seen.answer}: {words}" if seen.answer else words
        again = lost or (seen.answer is None and (error.code in PASSING or error.code in FAULTS))
        fault = CallFault.SERVER_ERROR if seen.answer else FAULTS.get(error.code)
        return self._failed(
            server, f"{name}: {reason}", fault or CallFault.SERVER_ERROR, seen.answer, again=again
        )

    def _failed(
        self,
        server: str,
        words: str,
        fault: CallFault,
        answered: HttpAnswer | None,
        *,
        again: bool = True,
    ) -> ToolAnswer:
        """Returns a refusal if the server does not accept the caller, or answered with a permanent
        error of its own. `again` says that the call may be retried.

        Raises:
            ToolUnreachable: another attempt may succeed.
        """
        refused = answered is not None and answered.refuses
        passing = answered is not None and answered.passing
        if refused or not (again or passing):
            return self._refusal(server, words)
        after = answered.after if answered else None
        raise ToolUnreachable(
            self._clean_message(server, words), fault=fault, after=after
        ) from None

    def _refusal(self, server: str, words: str) -> ToolAnswer:
        return ToolAnswer(refusal=self._clean_message(server, words))

    def _clean_message(self, server: str, words: str) -> str:
        return message_line(words, self._redactions[server])

    def _retire_hung(self, server: str) -> None:
        connection = self._connections.get(server)
        if connection is not None and connection.ready:
            self._retire(server, connection, connection.drain(DRAINING_TIMEOUT_SECONDS))

    def _retire_after(
        self, server: str, connection: McpConnection, code: int, seen: ResponseOutcome
    ) -> bool:
        """Retires the connection if the error means that it is lost. Returns whether it is."""
        answered = seen.answer
        forgotten = code == INVALID_REQUEST and answered is not None and answered.status == 404
        # An answer that broke off over HTTP says nothing about the connection.
        closed = code == CONNECTION_CLOSED and seen.fault is None
        lost = forgotten or closed or code == REQUEST_TIMEOUT
        if lost:
            # The server may be healthy and only this call slow, or it may use the code of a closed
            # connection for errors of its own: let the other calls finish.
            self._retire(server, connection, connection.drain(DRAINING_TIMEOUT_SECONDS))
        return lost

    def _check(self, server: str) -> None:
        """Raises if the server cannot be asked at all. That says nothing about the source, so it is
        not counted as a failure."""
        if self._left:
            raise ToolUnreachable(f"{server}: the connections of this worker are closed")
        if server not in self._servers:
            raise ToolUnreachable(f"no MCP server is named '{server}' in .mcp.json")

    def _connection(self, server: str) -> McpConnection:
        self._check(server)
        held = self._connections.get(server)
        if held is not None and held.alive:
            return held
        if held is not None:
            self._retire(server, held, held.close())
        opened = self._connections[server] = self._opened(server)
        return opened

    def _opened(self, server: str) -> McpConnection:
        try:
            target = target_of(
                self._servers[server],
                in_process=self._in_process,
                project_dir=self._project_dir,
                cache_dir=self._cache_dir,
                refresh_every=self._refresh_every,
            )
        except NoTarget as error:
            words = self._clean_message(server, f"{server}: {error}")
            raise ToolUnreachable(words, fault=CallFault.MISCONFIGURED) from None
        return McpConnection(server, target)

    def _retire(
        self, server: str, connection: McpConnection, ending: Coroutine[None, None, None]
    ) -> None:
        """Closes a connection in the background, because closing a hung server takes seconds."""
        if self._connections.get(server) is not connection:
            ending.close()
            return
        del self._connections[server]
        task = asyncio.get_running_loop().create_task(ending)
        self._retiring[task] = connection
        task.add_done_callback(lambda ended: self._retiring.pop(ended))


def _is_past(instant: JsonValue) -> bool:
    """Whether an instant is further in the past than the run of its week can take."""
    if not isinstance(instant, str):
        return False
    return datetime.now(UTC) - datetime.fromisoformat(instant) > LONGEST_RUN


async def _ask(client: Client, call: ServerCall, arguments: dict[str, JsonValue]) -> CallToolResult:
    meta = cast("RequestParamsMeta", {CALL_KEY: call.key})
    return await client.call_tool(
        call.tool, arguments, read_timeout_seconds=call.timeout_seconds, meta=meta
    )
