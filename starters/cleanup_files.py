"""Files that are past their time: reports, drafts, payloads, and the older part of logs."""

import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from desk.documents.archive.pages import MARKETS
from desk.documents.publishing.answer_publish import FOLDER as ANSWERS
from desk.documents.publishing.publish import FOLDER
from desk.documents.upkeep.retention import KEPT, Record, is_answer, is_past, week_of_report

_STAMP = re.compile(rb"(?:^|[\s\"=])(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)")
_PAYLOAD = re.compile("[0-9a-f]{64}")
_PUBLICATION = re.compile(r"\..+\.[0-9a-f]{8}\.(new|old)")
_PAGE = re.compile(r"\..+\.html\.[0-9a-f]{8}\.new")
_INCOMING = re.compile(r"\.incoming-.+")
_DOWNLOAD = re.compile(r"\.eurofxref-hist\.zip\..+")


class OldFile(NamedTuple):
    """A file that may go, with its size in bytes."""

    path: Path
    size: int


class OldLines(NamedTuple):
    """The older part of a log: its first bytes."""

    path: Path
    size: int


def old_reports(reports_dir: Path, needed: frozenset[str], now: datetime) -> list[OldFile]:
    """Published reports and answers that were written more than a year ago, but no report of the
    needed weeks."""
    reports = [
        file
        for file in _old(Record.REPORTS, _files(reports_dir / FOLDER), now)
        if (week := week_of_report(file.path.name)) is not None and week not in needed
    ]
    answers = (path for path in _files(reports_dir / ANSWERS) if is_answer(path.name))
    return [*reports, *_old(Record.REPORTS, answers, now)]


def old_drafts(home: Path, reports_dir: Path, now: datetime) -> list[OldFile]:
    """What writers that were killed have left half written."""
    places = (
        (_files(reports_dir / FOLDER), _PUBLICATION),
        (_files(reports_dir / ANSWERS), _PUBLICATION),
        # The archive is written beside these folders; what else lies there is not the desk's.
        (_files_in(reports_dir), _PAGE),
        (_files_in(reports_dir / MARKETS), _PAGE),
        (_files(home / "payloads"), _INCOMING),
        (_files(home / "cache"), _DOWNLOAD),
    )
    found: list[OldFile] = []
    for files, name in places:
        drafts = (path for path in files if name.fullmatch(path.name))
        found += _old(Record.DRAFTS, drafts, now)
    return found


def old_payloads(payload_dir: Path, now: datetime) -> list[OldFile]:
    """Stored payloads by their last use. Whether a history names them is not looked at here."""
    named = (path for path in _files(payload_dir) if _PAYLOAD.fullmatch(path.name))
    return list(_old(Record.PAYLOADS, named, now))


def old_lines(logs: Path, now: datetime) -> list[OldLines]:
    """The part of each log that is past its time. Lines without a time belong to the one before."""
    found = []
    for path in sorted(logs.glob("*.log")):
        size = _old_bytes(path, (now - KEPT[Record.LOGS]).astimezone(UTC))
        if size:
            found.append(OldLines(path, size))
    return found


def delete(record: Record, files: Iterable[OldFile], now: datetime) -> tuple[int, int]:
    """Delete files that are still past their time; how many went, and their bytes."""
    gone = space = 0
    for file in files:
        # Whoever stores a payload again touches it: it is in use since we looked.
        if not any(_old(record, [file.path], now)):
            continue
        file.path.unlink(missing_ok=True)
        gone, space = gone + 1, space + file.size
    return gone, space


def cut(lines: OldLines) -> None:
    """Take the older part off a log, in place: those who append to it go on doing so."""
    with lines.path.open("r+b") as log:
        log.seek(lines.size)
        kept = 0
        while part := log.read(1 << 20):
            after = log.tell()
            log.seek(kept)
            log.write(part)
            kept += len(part)
            log.seek(after)
        log.truncate(kept)


def _old_bytes(path: Path, oldest: datetime) -> int:
    """How many bytes stand before the first line that is not past its time. A log that nobody has
    written to since is past as a whole; one without times is not otherwise."""
    found = path.stat()
    if datetime.fromtimestamp(found.st_mtime, UTC) < oldest:
        return found.st_size
    wanted = oldest.strftime("%Y-%m-%dT%H:%M:%S").encode()
    offset, seen = 0, False
    with path.open("rb") as log:
        for line in log:
            stamp = _stamp(line)
            if stamp is not None and stamp >= wanted:
                break
            offset, seen = offset + len(line), seen or stamp is not None
    return offset if seen else 0


def _stamp(line: bytes) -> bytes | None:
    """A line's time, in UTC: the desk's logs begin with it, as JSON they name it."""
    if line.startswith(b"{"):
        try:
            return str(json.loads(line).get("timestamp", ""))[:19].encode() or None
        except (ValueError, AttributeError):
            return None
    found = _STAMP.search(line[:80])
    return found[1] if found else None


def _old(record: Record, paths: Iterable[Path], now: datetime) -> Iterator[OldFile]:
    for path in paths:
        try:
            found = path.lstat()
        except FileNotFoundError:
            continue
        last_used = datetime.fromtimestamp(found.st_mtime, UTC)
        if stat.S_ISREG(found.st_mode) and is_past(record, last_used, now):
            yield OldFile(path, found.st_size)


def _files(root: Path) -> Iterator[Path]:
    """Every file beneath a folder; links are not followed."""
    for folder, _, names in os.walk(root):
        yield from (Path(folder) / name for name in sorted(names))


def _files_in(folder: Path) -> Iterator[Path]:
    """Every file in a folder itself."""
    if folder.is_dir():
        yield from sorted(folder.iterdir())
