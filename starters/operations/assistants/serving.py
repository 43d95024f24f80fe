"""The implementation of `desk mcp serve`: the desk as an MCP server over stdio, or over HTTP for
this machine."""

import asyncio
from pathlib import Path
from typing import Any, Final

from mcp.server import MCPServer
from mcp.types import ToolAnnotations

from desk.documents.publishing.files import make_private
from desk.platform.settings import load_settings
from starters.operations.assistants.tools import AssistantTools
from starters.operations.up.serve import until_stop_signal
from starters.session import say
from starters.terminal.exit_status import ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.version import PROJECT, installed

NAME: Final = PROJECT
LOOPBACK: Final = "127.0.0.1"

INSTRUCTIONS: Final = (
    "A research desk for currency and interest-rate markets. Every figure that it states has a "
    "source: `report` gives a week, `trace` follows one figure to the row that it was read from, "
    "`ask` has a question answered from sources, `status` says how far a week's run is. What is "
    "missing is said; nothing is to be filled in for it."
)

_READS: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_ASKS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)


def serve_desk(folder: Path | None, http: int | None) -> ExitStatus:
    """Serves the tools until the client disconnects, or until Ctrl-C.

    Raises:
        SettingsError, UsageError: the folder's desk cannot be used.
    """
    settings = load_settings(folder)
    make_private()
    log_to_file(settings)
    if http is not None:
        say(f"the desk as an MCP server  http://{LOOPBACK}:{http}/mcp; Ctrl-C stops it")
    interruptible(_served(AssistantTools(settings), http))
    return ExitStatus.COMPLETE


async def _served(tools: AssistantTools, http: int | None) -> None:
    """Serves until the client disconnects or a stop signal arrives. Then shuts the desk down in
    order, if the tools host it.

    Raises:
        KeyboardInterrupt: at the signal. The server reads standard input in a thread that only the
            client can end, so the process is left as it is.
    """
    server = desk_server(tools)
    serving = asyncio.ensure_future(
        server.run_stdio_async()
        if http is None
        else server.run_streamable_http_async(host=LOOPBACK, port=http, json_response=True)
    )
    stopped = asyncio.ensure_future(until_stop_signal())
    ends: set[asyncio.Future[Any]] = {serving, stopped}
    try:
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopped.cancel()
        await tools.close()
    if not serving.done():
        raise KeyboardInterrupt
    serving.result()


def desk_server(tools: AssistantTools) -> MCPServer[Any]:
    """Builds the MCP server with a desk's tools."""
    server: MCPServer[Any] = MCPServer(NAME, instructions=INSTRUCTIONS, version=installed(PROJECT))
    for read in (tools.report, tools.trace, tools.status):
        server.add_tool(read, annotations=_READS)
    server.add_tool(tools.ask, annotations=_ASKS)
    return server
