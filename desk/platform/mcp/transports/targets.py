"""What an MCP client connects to, for each way in which a server can be reached."""

import importlib
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters
from mcp.client import Transport as Connectable
from mcp.server import MCPServer

from desk.contracts.agents.tools import OFFLINE_FLAG
from desk.platform.mcp.transports.http import http_target
from desk.platform.mcp.transports.stdio import stdio_target
from desk.platform.settings.mcp_json import McpServerSpec, Transport

Target = MCPServer[Any] | Connectable
"""Our own server object, or a way to another process. Good for one connection."""


class NoTarget(Exception):
    """There is nothing to connect to."""


def target_of(
    spec: McpServerSpec,
    *,
    in_process: bool,
    project_dir: Path,
    cache_dir: Path,
    refresh_every: timedelta | None = None,
) -> Target:
    """What to connect to. `refresh_every` is how often our own servers that run in this process
    refresh their files; None is for a worker that fetches nothing, as our own servers then do,
    also as processes of their own.

    Raises:
        NoTarget: the module to run in-process is not there or cannot serve.
    """
    if spec.in_process and spec.runs_here(in_process=in_process):
        return _own_server(spec.in_process, spec.module_args, cache_dir, refresh_every)
    if spec.transport is Transport.STDIO:
        return _process(spec, project_dir, offline=bool(spec.own_module) and refresh_every is None)
    return http_target(spec)


def _process(spec: McpServerSpec, project_dir: Path, *, offline: bool) -> Connectable:
    """The MCP client adds `env` to the few variables that it passes on to any process: that the
    desk is offline, an argument has to say."""
    command = sys.executable if spec.command == "python" else str(spec.command)
    server = StdioServerParameters(
        command=command,
        args=[*spec.args, OFFLINE_FLAG] if offline else [*spec.args],
        env={name: value.get_secret_value() for name, value in spec.env.items()},
        cwd=str(project_dir / (spec.cwd or "")),
    )
    return stdio_target(server, spec.max_answer_bytes)


def _own_server(
    module: str, args: tuple[str, ...], cache_dir: Path, refresh_every: timedelta | None
) -> MCPServer[Any]:
    """A server of ours, started with its `args` of `.mcp.json` where its module reads them. Where
    its files are kept and how often they are refreshed is the worker's to say."""
    try:
        found = importlib.import_module(module)
        if hasattr(found, "from_arguments"):
            return found.from_arguments(  # type: ignore[no-any-return]
                args, cache_dir=cache_dir, refresh_every=refresh_every
            )
        server: MCPServer[Any] = found.build_server(
            cache_dir=cache_dir, refresh_every=refresh_every
        )
    except SystemExit:
        # The parser has written what is wrong to standard error.
        raise NoTarget(
            f"MCP server {module} does not know its args in .mcp.json; "
            f"`python -m {module} --help` lists what it knows"
        ) from None
    except Exception as error:
        mended = "install what it needs, or correct its entry in .mcp.json"
        raise NoTarget(f"MCP server {module} cannot be built: {error}; {mended}") from error
    return server
