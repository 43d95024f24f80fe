"""The servers of `.mcp.json` as an assistant's client starts them.

A client knows neither the desk's interpreter nor its folder, and passes no instant. An entry
therefore has the interpreter's path, and a server of the desk answers as of now by default.
"""

import json
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from desk.platform.files import read_text_file
from desk.platform.mcp.attribution import own_module
from desk.platform.settings import Settings
from desk.platform.settings.mcp_json import (
    FOR_ASSISTANTS,
    McpServerSpec,
    filled_args,
    present,
    read_mcp_config,
)

SERVERS: Final = "mcpServers"
ITSELF: Final = "research_desk"
"""The name of the desk's own server in a client's file."""

AS_OF_NOW: Final = "--as-of-now"
SERVES: Final = ("mcp", "serve")

_USUAL: Final = frozenset({"type", "command", "args", "env", "cwd", "url", "headers"})
"""The keys that every client understands; the other keys of an entry are for the desk."""

_FOLDERS: Final = frozenset({"--cache-dir", "--reports", "--corpus"})
"""Arguments of the desk's own servers that are paths of folders."""

Entry = dict[str, JsonValue]

CLEARED: Final = (
    "This desk is in the cache of uvx, which can be cleared: `uv tool install` keeps one for good;"
)


def in_cache_of_uvx() -> bool:
    """Returns whether the interpreter is in the cache of `uvx`, and is deleted with it."""
    return "archive-v0" in Path(sys.prefix).parts


def project_entries(mcp_config: Path, folder: Path) -> dict[str, Entry]:
    """Builds the entries for the `.mcp.json` of a folder, which the desk also reads. Relative paths
    and `${NAME}` stay: a client of the project starts the servers there and substitutes the
    variables.

    Raises:
        McpConfigError: the file cannot be used.
    """
    servers = read_mcp_config(mcp_config)
    entries = {name: _started(entry, spec) for name, entry, spec in _written(mcp_config, servers)}
    return {**entries, ITSELF: {**_itself(folder), FOR_ASSISTANTS: True}}


def entries_anywhere(settings: Settings) -> dict[str, Entry]:
    """Builds the entries for a client that starts servers in its own folder and substitutes no
    variables: paths are absolute, and keys for the desk alone are omitted.

    Raises:
        McpConfigError: the file cannot be used, or a variable in the arguments of a server of the
            desk is not set.
    """
    entries: dict[str, Entry] = {}
    servers = present(read_mcp_config(settings.mcp_config))
    for name, entry, spec in _written(settings.mcp_config, servers):
        if own_module(spec) is not None:
            args = filled_args(settings.mcp_config, name, spec, settings.variables)
            spec = spec.model_copy(update={"args": tuple(_whole(args, settings.project_dir))})
        started = _started(entry, spec)
        entries[name] = {key: value for key, value in started.items() if key in _USUAL}
    return {**entries, ITSELF: _itself(settings.project_dir)}


def unfilled(entries: Mapping[str, Entry]) -> tuple[str, ...]:
    """Returns the servers whose entry has an unsubstituted variable."""
    return tuple(name for name, entry in entries.items() if "${" in json.dumps(entry))


def is_ours(entry: JsonValue) -> bool:
    """Returns whether an entry of a client's file starts a server of the desk, of any
    installation."""
    if not isinstance(entry, dict):
        return False
    args = entry.get("args")
    words = args if isinstance(args, list) else []
    module = words[1] if words[:1] == ["-m"] and len(words) > 1 else ""
    return str(module).startswith("desk.sources.") or words[:2] == list(SERVES)


def _written(
    mcp_config: Path, servers: Mapping[str, McpServerSpec]
) -> Iterator[tuple[str, Entry, McpServerSpec]]:
    """Yields each server's entry as written and as parsed."""
    entries = json.loads(read_text_file(mcp_config))[SERVERS]
    yield from ((name, entries[name], spec) for name, spec in servers.items())


def _started(entry: Entry, spec: McpServerSpec) -> Entry:
    if spec.url is not None:
        return entry
    own = own_module(spec) is not None
    args = list(spec.args)
    if spec.command is None and spec.in_process is not None:
        args = ["-m", spec.in_process, *spec.module_args]
    if own and AS_OF_NOW not in args:
        args.append(AS_OF_NOW)
    command = sys.executable if own or spec.command == "python" else spec.command
    return {**entry, "command": command, "args": list[JsonValue](args)}


def _whole(args: Iterable[str], folder: Path) -> Iterator[str]:
    """Makes the folders in the arguments absolute."""
    before = ""
    for each in args:
        yield str(folder / Path(each).expanduser()) if before in _FOLDERS else each
        before = each


def _itself(folder: Path) -> Entry:
    program = Path(sysconfig.get_path("scripts")) / "desk"
    return {"command": str(program), "args": [*SERVES, "--folder", str(folder)]}
