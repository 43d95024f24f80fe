"""Connections to the MCP servers of a worker: opened when needed, healed when broken."""

import asyncio
import json
from collections.abc import Coroutine, Mapping
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Self, cast

from mcp import Client, MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    REQUEST_TIMEOUT,
    CallToolResult,
    RequestParamsMeta,
    TextContent,
)
from pydantic import JsonValue, ValidationError

from infra.mcp_config import McpServerSpec
from infra.mcp_connection import ConnectionFailed, McpConnection, target_of
from infra.tool_calling import ToolAnswer, ToolUnreachable

CALL_KEY = "research-desk/key"
"""Where a call's key stands in the metadata of the request."""

DRAINING_TIMEOUT_SECONDS = 60.0
"""How long the calls beside one that timed out may go on before their connection is closed."""


class McpPool:
    """One connection for each server, shared by all calls of a worker process.

    Use as an async context manager around the worker: leaving it closes every connection.
    `refresh_every` is handed to our own servers that run in this process.
    """

    def __init__(
        self,
        servers: Mapping[str, McpServerSpec],
        *,
        in_process: bool,
        project_dir: Path,
        cache_dir: Path,
        refresh_every: timedelta | None = None,
    ) -> None:
        self._servers = servers
        self._in_process = in_process
        self._project_dir = project_dir
        self._cache_dir = cache_dir
        self._refresh_every = refresh_every
        self._connections: dict[str, McpConnection] = {}
        self._retiring: dict[asyncio.Task[None], McpConnection] = {}
        self._left = False

    @property
    def servers(self) -> Mapping[str, McpServerSpec]:
        """The servers this pool can reach, by name."""
        return self._servers

    async def __aenter__(self) -> Self:
        """Nothing is opened before it is needed."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close every connection, also those being opened and those still draining."""
        self._left = True
        open_ones = [*self._connections.values(), *self._retiring.values()]
        await asyncio.gather(*(held.close() for held in open_ones))
        while self._retiring:
            await asyncio.gather(*self._retiring)

    async def call(
        self,
        server: str,
        tool: str,
        arguments: Mapping[str, JsonValue],
        *,
        key: str,
        timeout_seconds: float,
    ) -> ToolAnswer:
        """See `ToolCaller.call`. A lost connection is retired; the next call opens another."""
        connection = self._connection(server)
        try:
            with connection.call_under_way():
                client = await connection.client()
                result = await _ask(client, tool, arguments, key, timeout_seconds)
        except (ConnectionFailed, OSError) as error:
            self._retire(server, connection, connection.close())
            raise ToolUnreachable(f"{server}: {error}") from None
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                self._retire(server, connection, connection.close())
            elif error.code == REQUEST_TIMEOUT:
                # The server may be well and only this call slow: its neighbours may finish.
                self._retire(server, connection, connection.drain(DRAINING_TIMEOUT_SECONDS))
            else:
                return ToolAnswer(refusal=f"{server}.{tool}: {error}")
            raise ToolUnreachable(f"{server}.{tool}: {error}") from None
        except (RuntimeError, ValidationError) as error:
            # The client checks every result against the schema that the server gave for it.
            return ToolAnswer(refusal=f"{server}.{tool} broke its own schema: {error}")
        return _answer(server, tool, result)

    def _connection(self, server: str) -> McpConnection:
        if self._left:
            raise ToolUnreachable(f"{server}: the connections of this worker are closed")
        if server not in self._servers:
            raise ToolUnreachable(f"no MCP server is named '{server}' in .mcp.json")
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
        except ConnectionFailed as error:
            raise ToolUnreachable(f"{server}: {error}") from None
        return McpConnection(server, target)

    def _retire(
        self, server: str, connection: McpConnection, ending: Coroutine[None, None, None]
    ) -> None:
        """End it in the background: closing a hung server takes seconds."""
        if self._connections.get(server) is not connection:
            ending.close()
            return
        del self._connections[server]
        task = asyncio.get_running_loop().create_task(ending)
        self._retiring[task] = connection
        task.add_done_callback(lambda ended: self._retiring.pop(ended))


async def _ask(
    client: Client, tool: str, arguments: Mapping[str, JsonValue], key: str, timeout: float
) -> CallToolResult:
    meta = cast("RequestParamsMeta", {CALL_KEY: key})
    return await client.call_tool(tool, dict(arguments), read_timeout_seconds=timeout, meta=meta)


def _answer(server: str, tool: str, result: CallToolResult) -> ToolAnswer:
    text = " ".join(part.text for part in result.content if isinstance(part, TextContent))
    if result.is_error:
        return ToolAnswer(refusal=f"{server}.{tool}: {text or 'refused without a reason'}")
    if result.structured_content is not None:
        return ToolAnswer(content=result.structured_content)
    try:
        return ToolAnswer(content=json.loads(text))
    except json.JSONDecodeError:
        return ToolAnswer(content={"text": text})
