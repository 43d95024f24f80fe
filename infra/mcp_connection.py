"""One connection to an MCP server, owned from opening to closing by one task.

The MCP client must be closed by the task that opened it, and a transport error cancels that task
(notes of the `mcp` package, measured). An owner task keeps both away from the activities that
make the calls; a connection that broke is retired and the next call opens a new one.
"""

import asyncio
import contextvars
import importlib
import sys
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.server import MCPServer

from infra.mcp_config import McpServerSpec

OPENING_TIMEOUT_SECONDS = 15.0


class ConnectionFailed(Exception):
    """The server could not be reached, or went away."""


class McpConnection:
    """A live client, from `open` until `close`."""

    def __init__(self, name: str, target: "MCPServer[Any] | StdioServerParameters | str") -> None:
        self._name = name
        self._target = target
        self._stop = asyncio.Event()
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        # A context of its own: background tasks of the client must not inherit the activity
        # that happened to open it.
        self._owner = asyncio.get_running_loop().create_task(
            self._own(), name=f"mcp-{name}", context=contextvars.Context()
        )

    async def client(self) -> Client:
        """The client, once connected.

        Raises:
            ConnectionFailed: it could not be opened in time.
        """
        try:
            async with asyncio.timeout(OPENING_TIMEOUT_SECONDS):
                return await asyncio.shield(self._ready)
        except TimeoutError:
            raise ConnectionFailed(f"MCP server {self._name} did not answer in time") from None

    @property
    def alive(self) -> bool:
        """Whether the owner still holds the connection."""
        return not self._owner.done()

    async def close(self) -> None:
        """Close the connection and wait for its owner."""
        self._stop.set()
        await asyncio.wait([self._owner])

    async def _own(self) -> None:
        try:
            async with Client(self._target) as client:
                await client.list_tools()
                self._ready.set_result(client)
                await self._stop.wait()
        except (Exception, asyncio.CancelledError) as error:
            if not self._ready.done():
                self._ready.set_exception(
                    ConnectionFailed(f"MCP server {self._name} cannot be opened: {_root(error)}")
                )
                # Nobody may be waiting any more; retrieving it here keeps the log quiet.
                self._ready.exception()


def target_of(
    spec: McpServerSpec, *, in_process: bool, project_dir: Path, cache_dir: Path
) -> "MCPServer[Any] | StdioServerParameters | str":
    """What to connect to: our own server object, a command, or an address.

    Raises:
        ConnectionFailed: the module to run in-process is not there or cannot serve.
    """
    if spec.in_process and (in_process or not (spec.command or spec.url)):
        return _own_server(spec.in_process, cache_dir)
    if spec.url:
        return spec.url
    command = sys.executable if spec.command == "python" else str(spec.command)
    return StdioServerParameters(
        command=command, args=list(spec.args), env=dict(spec.env), cwd=str(project_dir)
    )


def _own_server(module: str, cache_dir: Path) -> "MCPServer[Any]":
    try:
        server: MCPServer[Any] = importlib.import_module(module).build_server(cache_dir=cache_dir)
    except Exception as error:
        raise ConnectionFailed(f"MCP server {module} cannot be built: {error}") from error
    return server


def _root(error: BaseException) -> BaseException:
    """The first real error inside the groups in which task groups wrap it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
