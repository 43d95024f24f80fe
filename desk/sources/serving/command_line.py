"""How a server of ours is started from the command line: stdio, or streamable HTTP on a port."""

import argparse
import logging
import sys
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from mcp.types import ToolAnnotations

READS_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
"""What a tool of ours promises: it changes nothing, and a repeated call gives the same."""

READS_THE_WEB = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)
"""What a tool promises that asks a live source: it changes nothing; what it reads is out in the
world."""

LOOPBACK = "127.0.0.1"
_HIGHEST_PORT = 65_535


def _port(text: str) -> int:
    port = int(text) if text.isascii() and text.isdecimal() else 0
    if 1 <= port <= _HIGHEST_PORT:
        return port
    raise argparse.ArgumentTypeError(f"{text!r} is not a port; use 1 to {_HIGHEST_PORT}")


def argument_parser(module: str, description: str) -> argparse.ArgumentParser:
    """The arguments that every server understands, with an example in the help text."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {module}",
        description=f"{description} Speaks MCP over stdin and stdout unless --http is given.",
        epilog=f"example: python -m {module} --http 8901 --cache-dir .desk/cache",
    )
    parser.add_argument(
        "--http", type=_port, metavar="PORT", help="serve streamable HTTP at /mcp on this port"
    )
    parser.add_argument(
        "--host", default=LOOPBACK, help="address to listen on with --http (default: %(default)s)"
    )
    parser.add_argument(
        "--cache-dir", type=Path, metavar="DIR", help="folder of refreshed data, if there is one"
    )
    return parser


def log_to_stderr() -> None:
    """Send log lines to standard error: standard output carries the protocol."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )


def run(server: MCPServer[Any], arguments: argparse.Namespace) -> int:
    """Serve until the input ends or Ctrl-C, as the parsed arguments say; gives the exit status."""
    try:
        if arguments.http is None:
            server.run("stdio")
        else:
            server.run(
                "streamable-http",
                host=arguments.host,
                port=arguments.http,
                json_response=True,
                stateless_http=True,
            )
    except KeyboardInterrupt:
        return 0
    return 0
