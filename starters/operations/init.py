"""`desk init`."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from pydantic import JsonValue

from desk.documents.publishing.files import publish_folder, published
from desk.platform.settings import DEFAULTS
from starters.operations.assistants.client_files import written
from starters.operations.assistants.entries import (
    CLEARED,
    SERVERS,
    in_cache_of_uvx,
    project_entries,
)
from starters.terminal.exit_status import CommandError, ExitStatus

EXAMPLE = "Example: desk init; desk init ~/desk"

_OLD = ".old"


def init(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="The folder; by default this one.", show_default=False),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Write files anew that are there; the earlier one is kept as NAME.old."
        ),
    ] = False,
) -> ExitStatus:
    """Write desk.toml, .env and .mcp.json into a folder, for editing.

    They contain the defaults. Existing files are left alone.
    """
    return write_configuration(folder or Path.cwd(), force=force)


class _File(NamedTuple):
    name: str
    what: str
    text: Callable[[Path], str]
    secret: bool = False


def _servers(folder: Path) -> str:
    entries: dict[str, JsonValue] = dict(project_entries(DEFAULTS / ".mcp.json", folder))
    return f"{written({SERVERS: entries})}\n"


def _variables() -> str:
    example = (DEFAULTS / ".env.example").read_text(encoding="utf-8")
    return example.replace("Copy to .env and fill in", "Fill in", 1)


_FILES = (
    _File(
        "desk.toml",
        "markets, deadlines, votes, schedule",
        lambda folder: (DEFAULTS / "desk.toml").read_text(encoding="utf-8"),
    ),
    _File(
        ".env",
        "keys and addresses; all of it is commented out, and works so",
        lambda folder: _variables(),
        secret=True,
    ),
    _File(
        ".mcp.json",
        f"the sources, for the desk and for Claude Code; started by {sys.executable}",
        _servers,
    ),
)


def write_configuration(folder: Path, *, force: bool) -> ExitStatus:
    """Writes the three files, and prints what was written and what comes next.

    Raises:
        CommandError: one cannot be written.
    """
    try:
        publish_folder(folder)
        lines = [_written(folder.resolve(), file, force=force) for file in _FILES]
    except OSError as error:
        raise CommandError(f"{error.filename or folder}: {error.strerror}") from None
    sys.stdout.write("".join(f"{line}\n" for line in (*lines, *_next(folder))))
    return ExitStatus.COMPLETE


def _written(folder: Path, file: _File, *, force: bool) -> str:
    path = folder / file.name
    there = path.exists() or path.is_symlink()
    if there and not force:
        return f"Kept   {path}  (it was there; --force writes it anew)"
    if there:
        path.replace(path.with_name(f"{path.name}{_OLD}"))
    path.touch(mode=0o600)
    path.write_text(file.text(folder), encoding="utf-8")
    if not file.secret:
        published(path)
    before = f"; what was there is {path.name}{_OLD}" if there else ""
    return f"Wrote  {path}  ({file.what}{before})"


def _next(folder: Path) -> Iterator[str]:
    if in_cache_of_uvx():
        yield f"{CLEARED} `desk init --force` then names its interpreter."
    there = "" if folder.resolve() == Path.cwd() else f"cd {folder}; "
    yield f"Next: {there}`desk doctor` checks them, `desk run` writes a week,"
    yield "      `desk mcp install claude-desktop` gives an assistant the desk."
