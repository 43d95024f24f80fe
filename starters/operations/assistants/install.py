"""The implementation of `desk mcp install`."""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from desk.contracts.agents.extras import Extra, install_words
from desk.platform.files import read_text_file
from desk.platform.settings import Settings, load_settings
from desk.platform.settings.mcp_json import McpConfigError, lacks, read_mcp_config
from starters.operations.assistants.choices import Assistant
from starters.operations.assistants.client_files import (
    Merged,
    desktop_file,
    merged,
    read_client_file,
    write_client_file,
    written,
)
from starters.operations.assistants.entries import (
    CLEARED,
    SERVERS,
    Entry,
    entries_anywhere,
    in_cache_of_uvx,
    project_entries,
    unfilled,
)
from starters.terminal.exit_status import CommandError, ExitStatus

_NEXT = {
    Assistant.CLAUDE_CODE: "Next: start `claude` in {folder}; it asks once whether to use them.",
    Assistant.CLAUDE_DESKTOP: "Next: quit Claude Desktop and start it again.",
}


class Installation(NamedTuple):
    """What to install: the client, the desk's folder, and a file that replaces the usual one."""

    client: Assistant
    folder: Path | None = None
    file: Path | None = None
    only_print: bool = False
    force: bool = False


def install_servers(wanted: Installation) -> ExitStatus:
    """Adds the servers to the client's file, or prints the resulting file.

    Raises:
        CommandError: the file or `.mcp.json` cannot be used; nothing is changed.
    """
    settings = load_settings(wanted.folder)
    try:
        ours = _entries(settings, wanted.client)
    except McpConfigError as error:
        raise CommandError(str(error)) from None
    path = wanted.file or _usual_file(settings, wanted.client)
    result = merged(read_client_file(path), ours, _source(settings.mcp_config), force=wanted.force)
    if wanted.only_print:
        sys.stdout.write(f"{written(result.content)}\n")
    else:
        write_client_file(path, result.content)
        sys.stdout.write(f"Wrote {path}\n")
    told = _remarks(wanted, settings, ours, result)
    stream = sys.stderr if wanted.only_print else sys.stdout
    stream.write("".join(f"{line}\n" for line in told))
    return ExitStatus.COMPLETE


def _entries(settings: Settings, client: Assistant) -> dict[str, Entry]:
    if client is Assistant.CLAUDE_CODE:
        return project_entries(settings.mcp_config, settings.project_dir)
    return entries_anywhere(settings)


def _usual_file(settings: Settings, client: Assistant) -> Path:
    if client is Assistant.CLAUDE_CODE:
        return settings.project_dir / ".mcp.json"
    return desktop_file(settings.variables)


def _source(mcp_config: Path) -> Mapping[str, JsonValue]:
    servers: Mapping[str, JsonValue] = json.loads(read_text_file(mcp_config))[SERVERS]
    return servers


def _absent(settings: Settings) -> dict[str, str]:
    """Returns the servers of `.mcp.json` whose package is not installed, with that package."""
    servers = read_mcp_config(settings.mcp_config)
    return {name: package for name, spec in servers.items() if (package := lacks(spec))}


def _remarks(
    wanted: Installation, settings: Settings, ours: Mapping[str, Entry], result: Merged
) -> Iterator[str]:
    absent = _absent(settings)
    yield f"Servers: {', '.join(name for name in ours if name not in (*result.kept, *absent))}"
    for name, package in absent.items():
        install = f"{name} needs the package {package}: {install_words(Extra.LIVE)}"
        yield (
            f"Listed, and answers nothing yet: {install}"
            if name in ours
            else f"Left out: {install}, and give this command again"
        )
    if result.kept:
        yield (
            f"Left alone, for others have these names there: {', '.join(result.kept)}; "
            "--force replaces them"
        )
    open_ones = unfilled(ours) if wanted.client is Assistant.CLAUDE_DESKTOP else ()
    if open_ones:
        yield (
            f"Claude Desktop fills no variables in: write the values of {', '.join(open_ones)} "
            "into the file, or leave these servers out"
        )
    if in_cache_of_uvx():
        yield f"{CLEARED} give this command again from there."
    if not wanted.only_print:
        yield _NEXT[wanted.client].format(folder=settings.project_dir)
