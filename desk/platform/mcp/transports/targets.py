"""The connection target of an MCP client, for each way in which a server can be reached."""

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
"""The desk's own server object, or a way to another process. Valid for one connection."""


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
    """The target to connect to. `refresh_every` is how often the desk's own servers in this process
    refresh their files. None is for a worker that fetches nothing: the desk's own servers then
    fetch nothing either, also as processes of their own.

    Raises:
        NoTarget: the module to run in-process is missing or cannot serve.
    """
    if spec.in_process and spec.runs_here(in_process=in_process):
        return _own_server(spec.in_process, spec.module_args, cache_dir, refresh_every)
    if spec.transport is Transport.STDIO:
        return _process(spec, project_dir, offline=bool(spec.own_module) and refresh_every is None)
    return http_target(spec)


def _process(spec: McpServerSpec, project_dir: Path, *, offline: bool) -> Connectable:
    """The MCP client adds `env` to the few variables that it passes to any process, so an argument
    must say that the desk is offline."""
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
    """Builds one of the desk's own servers, with its `args` of `.mcp.json` if its module reads
    them. The worker decides where its files are cached and how often they are refreshed."""
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
        # The argument parser has written the reason to standard error.
        raise NoTarget(
            f"MCP server {module} does not know its args in .mcp.json; "
            f"`python -m {module} --help` lists what it knows"
        ) from None
    except Exception as error:
        remedy = "install what it needs, or correct its entry in .mcp.json"
        raise NoTarget(f"MCP server {module} cannot be built: {error}; {remedy}") from error
    return server
