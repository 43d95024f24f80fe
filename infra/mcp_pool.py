"""Connections to the MCP servers of a worker: opened when needed, healed when broken."""

import asyncio
import json
from collections.abc import Mapping
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

_LOST = frozenset({CONNECTION_CLOSED, REQUEST_TIMEOUT})


class McpPool:
    """One connection for each server, shared by all calls of a worker process.

    Use as an async context manager around the worker: leaving it closes every connection.
    """

    def __init__(
        self,
        servers: Mapping[str, McpServerSpec],
        *,
        in_process: bool,
        project_dir: Path,
        cache_dir: Path,
    ) -> None:
        self._servers = servers
        self._in_process = in_process
        self._project_dir = project_dir
        self._cache_dir = cache_dir
        self._connections: dict[str, McpConnection] = {}
        self._opening: dict[str, asyncio.Lock] = {name: asyncio.Lock() for name in servers}

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
        """Close every connection."""
        await asyncio.gather(*(held.close() for held in self._connections.values()))

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
        try:
            connection = await self._connection(server)
        except ConnectionFailed as error:
            raise ToolUnreachable(f"{server}: {error}") from None
        try:
            client = await connection.client()
            result = await _ask(client, tool, arguments, key, timeout_seconds)
        except (ConnectionFailed, OSError) as error:
            self._retire(server, connection)
            raise ToolUnreachable(f"{server}: {error}") from None
        except MCPError as error:
            if error.code not in _LOST:
                return ToolAnswer(refusal=f"{server}.{tool}: {error}")
            self._retire(server, connection)
            raise ToolUnreachable(f"{server}.{tool}: {error}") from None
        except (RuntimeError, ValidationError) as error:
            # The client checks every result against the schema that the server gave for it.
            return ToolAnswer(refusal=f"{server}.{tool} broke its own schema: {error}")
        return _answer(server, tool, result)

    async def _connection(self, server: str) -> McpConnection:
        if server not in self._servers:
            raise ToolUnreachable(f"no MCP server is named '{server}' in .mcp.json")
        async with self._opening[server]:
            held = self._connections.get(server)
            if held is None or not held.alive:
                target = target_of(
                    self._servers[server],
                    in_process=self._in_process,
                    project_dir=self._project_dir,
                    cache_dir=self._cache_dir,
                )
                held = self._connections[server] = McpConnection(server, target)
            return held

    def _retire(self, server: str, connection: McpConnection) -> None:
        """Close in the background: closing a hung server takes seconds."""
        if self._connections.get(server) is connection:
            del self._connections[server]
            asyncio.get_running_loop().create_task(connection.close())


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
