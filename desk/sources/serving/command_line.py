"""Starts a server from the command line: over stdio, or streamable HTTP on a port."""

import argparse
import gc
import logging
import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from mcp.types import ToolAnnotations

from desk.contracts.agents.tools import OFFLINE_FLAG
from desk.sources.serving.arguments import answer_as_of_now
from desk.sources.serving.kept_file import KeptFile, refresh

READS_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
"""The annotations of the desk's tools: they change nothing, and a repeated call gives the same
result."""

READS_THE_WEB = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)
"""The annotations of a tool that asks a live source: it changes nothing, and reads from the open
world."""

LOOPBACK = "127.0.0.1"
_HIGHEST_PORT = 65_535


def _port(text: str) -> int:
    port = int(text) if text.isascii() and text.isdecimal() else 0
    if 1 <= port <= _HIGHEST_PORT:
        return port
    raise argparse.ArgumentTypeError(f"{text!r} is not a port; use 1 to {_HIGHEST_PORT}")


def argument_parser(module: str, description: str) -> argparse.ArgumentParser:
    """The arguments that every server accepts, with an example in the help text."""
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
    parser.add_argument(
        "--as-of-now",
        action="store_true",
        help="answer a call without as_of as of now, for an assistant; the desk always says it",
    )
    parser.add_argument(
        OFFLINE_FLAG, action="store_true", help="fetch nothing, and answer from what is there"
    )
    return parser


def refreshing_parser(module: str, description: str) -> argparse.ArgumentParser:
    """The arguments of a server that caches files: those of every server, `--refresh` and
    `--refresh-every`."""
    parser = argument_parser(module, description)
    parser.add_argument(
        "--refresh",
        action="store_true",
        help="fetch the newest files into --cache-dir, print each outcome as JSON and stop",
    )
    parser.add_argument(
        "--refresh-every",
        type=_whole_seconds,
        metavar="SECONDS",
        help="while serving, fetch into --cache-dir at the start and then this often",
    )
    return parser


def serve_or_refresh(
    parser: argparse.ArgumentParser,
    argv: Sequence[str] | None,
    kept_files: Callable[[argparse.Namespace], Sequence[KeptFile]],
    server: Callable[[argparse.Namespace], MCPServer[Any]],
) -> int:
    """Runs the command line of a server that caches files: with `--refresh` fetches its files, else
    serves. Returns the exit status.

    Args:
        parser: A `refreshing_parser`.
        argv: The command line; that of the process if None.
        kept_files: Returns the files that the server caches with such arguments.
        server: Returns the server for such arguments.
    """
    arguments = parser.parse_args(argv)
    _require_cache_dir(parser, arguments)
    log_to_stderr()
    if arguments.offline:
        arguments.refresh_every = None
    if arguments.refresh:
        return _refresh_all(kept_files(arguments), arguments.cache_dir)
    return run(server(arguments), arguments)


def _require_cache_dir(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """Exits with status 2 if files are to be refreshed and there is no folder for them."""
    if arguments.cache_dir is None and (arguments.refresh or arguments.refresh_every):
        option = "--refresh" if arguments.refresh else "--refresh-every"
        parser.error(f"{option} needs --cache-dir, the folder to keep the file in")


def _refresh_all(files: Sequence[KeptFile], cache_dir: Path) -> int:
    """Fetches files and prints each outcome as JSON. Returns the exit status, 1 if one failed."""
    outcomes = [refresh(kept, cache_dir) for kept in files]
    for outcome in outcomes:
        sys.stdout.write(outcome.model_dump_json(indent=2) + "\n")
    return 0 if all(outcome.succeeded for outcome in outcomes) else 1


def _whole_seconds(text: str) -> timedelta:
    seconds = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
    if seconds > 0:
        return timedelta(seconds=seconds)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds; use 3600 for an hour")


def add_addresses(parser: argparse.ArgumentParser, keys: Sequence[str]) -> None:
    """Adds `--url KEY=ADDRESS`, which may be repeated: files of one of several providers are then
    fetched from the scheme and host of another address. Parsed as a mapping by key."""
    parser.add_argument(
        "--url",
        action=_Addresses,
        default={},
        metavar="KEY=ADDRESS",
        help=f"where to fetch from in place of a provider's own host; KEY: {', '.join(keys)}",
        choices=keys,
    )


class _Addresses(argparse.Action):
    def __init__(self, *args: Any, choices: Sequence[str], **named: Any) -> None:
        super().__init__(*args, **named)
        self._keys = choices

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Adds one address to the mapping."""
        key, _, address = str(values).partition("=")
        if key not in self._keys or not address:
            parser.error(f"{option_string} {values}: write KEY=ADDRESS, KEY one of {self._keys}")
        setattr(namespace, self.dest, {**getattr(namespace, self.dest), key: address.rstrip("/")})


def log_to_stderr() -> None:
    """Sends log lines to standard error, because standard output carries the protocol."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )


def run(server: MCPServer[Any], arguments: argparse.Namespace) -> int:
    """Serves until the input ends or Ctrl-C, as the parsed arguments say. Returns the exit
    status."""
    if arguments.as_of_now:
        answer_as_of_now(server)
    # Excludes the server and the modules imported for it from garbage collection.
    gc.freeze()
    gc.enable()
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
