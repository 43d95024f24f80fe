"""The archive of the published reports: a static site in their folder that opens from disk."""

import secrets
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from desk.documents.publishing.files import publish_folder, published
from desk.programs.week.archive.pages import INDEX, MARK, MARKETS, archive_pages
from desk.programs.week.archive.reading import (
    DrawnReport,
    LeftOut,
    ReportFile,
    ReportFiles,
    is_full,
    listing_of,
    read_drawn,
)
from desk.programs.week.archive.week import ArchivedWeek, archived_week
from desk.programs.week.document.publishing import FOLDER

MOST_ROUNDS: Final = 3
"""How often the archive is written again because reports were published in the meantime."""

MOST_REMEMBERED: Final = 2_000
"""The number of reports whose parts of the archive a process caches, so that a worker reads each
file once."""

HEAD: Final = 1_000
"""The first bytes of a page, which contain the mark of the program that made it."""


class ArchiveError(Exception):
    """The archive could not be written. Some of its pages may be new and others old."""


class Archive(NamedTuple):
    """A written archive: its front page, what it contains, and what was omitted."""

    front: Path
    weeks: tuple[str, ...]
    partial: int
    markets: int
    left_out: tuple[LeftOut, ...]


def write_archive(directory: Path) -> Archive:
    """Writes the archive of a directory's reports beside them. Each page is written whole or not at
    all.

    Files that are damaged, foreign or older are named in it and are not errors. For each week and
    choice of markets the latest report counts, or the last readable revision. Reports that are
    published in the meantime are included.

    Raises:
        ArchiveError: a page could not be written, or would replace one that is not the desk's.
    """
    for _ in range(MOST_ROUNDS):
        listing = listing_of(directory)
        weeks, left_out = _read(listing)
        pages = archive_pages(weeks, left_out, _drawn(listing, weeks))
        try:
            names = _place(pages, directory)
        except OSError as error:
            reason = error.strerror or str(error)
            raise ArchiveError(
                f"the archive could not be written to {directory}: {reason}"
            ) from error
        if listing_of(directory) == listing:
            break
    full = sorted(week.week for week in weeks if is_full(week.slug))
    markets = sum(name.startswith(f"{MARKETS}/") for name in names)
    return Archive(directory / INDEX, tuple(full), len(weeks) - len(full), markets, tuple(left_out))


def is_behind(directory: Path) -> bool:
    """Returns whether a report is newer than the archive, or there are reports and no archive."""
    front = directory / INDEX
    try:
        reports = [path.stat().st_mtime_ns for path in (directory / FOLDER).glob("[!.]*.json")]
        if not reports or not front.exists():
            return bool(reports)
        return _is_ours(front) and front.stat().st_mtime_ns < max(reports)
    except OSError:
        return False


def _read(listing: ReportFiles) -> tuple[list[ArchivedWeek], list[LeftOut]]:
    weeks: list[ArchivedWeek] = []
    left_out = list(listing.foreign)
    for _, files in groupby(listing.files, key=lambda file: (file.week, file.slug)):
        for file in files:
            found = _remembered(file)
            if isinstance(found, ArchivedWeek):
                weeks.append(found)
                break
            left_out.append(found)
    return weeks, left_out


def _drawn(listing: ReportFiles, weeks: Iterable[ArchivedWeek]) -> DrawnReport | None:
    """Returns the series of the newest report of all markets."""
    newest = max((week.week for week in weeks if is_full(week.slug)), default=None)
    read = (file for file in listing.files if file.week == newest and is_full(file.slug))
    return next((drawn for file in read if (drawn := read_drawn(file))), None)


@lru_cache(maxsize=MOST_REMEMBERED)
def _remembered(file: ReportFile) -> ArchivedWeek | LeftOut:
    """Returns a file's part of the archive, cached until the file changes."""
    return archived_week(file)


def _place(pages: Iterable[tuple[str, str]], directory: Path) -> list[str]:
    """Writes every page to a temporary file beside its place, then moves them into place in order.
    Returns their names."""
    token = secrets.token_hex(4)
    new: dict[Path, Path] = {}
    names = []
    try:
        publish_folder(directory / MARKETS)
        for name, text in pages:
            path = directory / name
            _refuse_foreign_file(path)
            new[path] = path.with_name(f".{path.name}.{token}.new")
            new[path].write_text(text, encoding="utf-8", newline="\n")
            published(new[path])
            names.append(name)
        for path, written in new.items():
            written.replace(path)
        for path in _outdated(new, directory / MARKETS):
            path.unlink(missing_ok=True)
    finally:
        for leftover in new.values():
            with suppress(OSError):
                leftover.unlink(missing_ok=True)
    return names


def _refuse_foreign_file(path: Path) -> None:
    if path.exists() and not _is_ours(path):
        raise ArchiveError(
            f"{path} was not written by the desk and is not replaced; move it away, or keep "
            "the reports in a directory of their own (DESK_REPORTS)"
        )


def _outdated(pages: Collection[Path], folder: Path) -> Iterator[Path]:
    """Yields pages of markets that are no longer in any report."""
    for path in folder.glob("*.html"):
        if path not in pages and _is_ours(path):
            yield path


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        return MARK.encode() in file.read(HEAD)
