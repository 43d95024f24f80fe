"""`desk archive`."""

import json
import sys
import webbrowser
from collections.abc import Iterator
from typing import Annotated

import typer

from desk.documents.rendering.words.wording import one_line
from desk.platform.settings import load_settings
from desk.programs.week.archive import Archive, write_archive
from starters.published.published_files import reports_here
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError

EXAMPLE = "Example: desk archive --open"

MOST_NAMED = 10


def archive(
    browse: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Say what is in it as JSON.")] = False,
) -> ExitStatus:
    """Write the archive of all published reports anew: weeks, markets, search. Needs no server."""
    return write(browse=browse, as_json=as_json)


def write(*, browse: bool, as_json: bool) -> ExitStatus:
    """Writes the archive, prints what is and is not in it, and opens it if requested.

    Raises:
        UsageError: both --open and --json were given.
        CommandError: nothing is published, or no browser could be started.
        desk.programs.week.archive.archive.ArchiveError: it could not be written.
    """
    if browse and as_json:
        raise UsageError("one of --open and --json at a time")
    reports_dir = reports_here(load_settings())
    if not reports_dir.is_dir():
        raise CommandError(f"no report in {reports_dir}; `desk run` publishes one")
    archive = write_archive(reports_dir)
    if as_json:
        sys.stdout.write(json.dumps(_as_json(archive), ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.write("".join(f"{line}\n" for line in archive_lines(archive)))
    if browse and not webbrowser.open(archive.front.resolve().as_uri()):
        raise CommandError(f"no browser could be started; the archive is {archive.front}")
    return ExitStatus.COMPLETE


def archive_lines(archive: Archive) -> Iterator[str]:
    """Lists where the archive is, what is in it, and the files left out, with the reason."""
    weeks = archive.weeks
    span = f", {weeks[0]} to {weeks[-1]}" if len(weeks) > 1 else f", {weeks[0]}" if weeks else ""
    partial = f"; {archive.partial} of some markets" if archive.partial else ""
    yield f"{archive.front}"
    yield f"weeks    {len(weeks)}{span}{partial}"
    yield f"markets  {archive.markets}"
    for file in archive.left_out[:MOST_NAMED]:
        yield f"left out  {one_line(file.name)}"
        yield f"          {one_line(file.reason)}"
    if len(archive.left_out) > MOST_NAMED:
        yield f"and {len(archive.left_out) - MOST_NAMED} more, which the page names"


def _as_json(archive: Archive) -> dict[str, object]:
    return {
        "index": str(archive.front),
        "weeks": list(archive.weeks),
        "of_some_markets": archive.partial,
        "markets": archive.markets,
        "left_out": [file._asdict() for file in archive.left_out],
    }
