"""`desk cleanup`."""

import asyncio
import json
import os
import re
import sqlite3
import stat
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer
from pydantic import Field
from temporalio.client import Client

from desk.contracts.base import Contract, Instant, Text
from desk.contracts.names import WorkflowType
from desk.documents.answer.publishing import ANSWERS as ANSWERS
from desk.platform.effects import delete_old_effects, old_effects
from desk.platform.server.namespace import retention_of
from desk.platform.settings import Settings, load_settings
from desk.platform.temporal.history import HistoryGone, fetch_raw_events
from desk.programs.week.archive import (
    KEPT,
    MARKETS,
    RetainedRecord,
    is_answer,
    is_past,
    week_of_report,
    weeks_needed,
    write_archive,
)
from desk.programs.week.document.publishing import FOLDER
from starters.session import Desk, with_desk
from starters.terminal.exit_status import CommandError, ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.options import AsJson
from starters.terminal.tables import table_lines
from workflows.engine.options import WEEK

EXAMPLE = "Example: desk cleanup --dry-run"

_STAMP = re.compile(rb"(?:^|[\s\"=])(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)")
_PAYLOAD = re.compile("[0-9a-f]{64}")
_PUBLICATION = re.compile(r"\..+\.(?:[0-9a-f]{8}\.(?:new|old)|claim)")
_PAGE = re.compile(r"\..+\.html\.[0-9a-f]{8}\.new")
_INCOMING = re.compile(r"\.incoming-.+")
_DOWNLOAD = re.compile(r"\..+\.([0-9a-f]{8}|failed)")


def cleanup(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go; delete nothing.")
    ] = False,
    as_json: AsJson = False,
) -> ExitStatus:
    """Delete expired data: logs, old reports, and payloads and results that nothing refers to."""
    return clean_up(dry_run=dry_run, as_json=as_json)


class OldFile(NamedTuple):
    """A file that may be deleted, with its size in bytes."""

    path: Path
    size: int


class OldLines(NamedTuple):
    """The older part of a log: its first `size` bytes."""

    path: Path
    size: int


def old_reports(reports_dir: Path, needed: frozenset[str], now: datetime) -> list[OldFile]:
    """Returns the published reports and answers that were written more than a year ago, except
    reports of the needed weeks."""
    reports = [
        file
        for file in _old(RetainedRecord.REPORTS, _files(reports_dir / FOLDER), now)
        if (week := week_of_report(file.path.name)) is not None and week not in needed
    ]
    answers = (path for path in _files(reports_dir / ANSWERS) if is_answer(path.name))
    return [*reports, *_old(RetainedRecord.REPORTS, answers, now)]


def old_drafts(home: Path, reports_dir: Path, now: datetime) -> list[OldFile]:
    """Returns the unfinished files that killed writers left behind."""
    places = (
        (_files(reports_dir / FOLDER), _PUBLICATION),
        (_files(reports_dir / ANSWERS), _PUBLICATION),
        # The archive is written beside these folders; other files there are not the desk's.
        (_files_in(reports_dir), _PAGE),
        (_files_in(reports_dir / MARKETS), _PAGE),
        (_files(home / "payloads"), _INCOMING),
        (_files(home / "cache"), _DOWNLOAD),
    )
    found: list[OldFile] = []
    for files, name in places:
        drafts = (path for path in files if name.fullmatch(path.name))
        found += _old(RetainedRecord.DRAFTS, drafts, now)
    return found


def old_payloads(payload_dir: Path, now: datetime) -> list[OldFile]:
    """Returns stored payloads past their last use. Does not check whether a history references
    them."""
    named = (path for path in _files(payload_dir) if _PAYLOAD.fullmatch(path.name))
    return list(_old(RetainedRecord.PAYLOADS, named, now))


def old_lines(logs: Path, now: datetime) -> list[OldLines]:
    """Returns the expired part of each log. Lines without a time belong to the line before."""
    found = []
    for path in sorted(logs.glob("*.log")):
        size = _old_bytes(path, (now - KEPT[RetainedRecord.LOGS]).astimezone(UTC))
        if size:
            found.append(OldLines(path, size))
    return found


def delete(record: RetainedRecord, files: Iterable[OldFile], now: datetime) -> tuple[int, int]:
    """Deletes files that are still expired. Returns how many were deleted, and their bytes."""
    gone = space = 0
    for file in files:
        # Storing a payload again updates its time: it is in use again since it was listed.
        if not any(_old(record, [file.path], now)):
            continue
        file.path.unlink(missing_ok=True)
        gone, space = gone + 1, space + file.size
    return gone, space


def cut(lines: OldLines) -> None:
    """Cuts the older part off a log, in place, so that its writers can continue to append."""
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
    """Returns the number of bytes before the first line that is not expired. A log without any
    recent write is expired as a whole; a recently written log without times is not."""
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
    """Returns a line's time, in UTC. The desk's logs begin with it, or have it as a JSON field."""
    if line.startswith(b"{"):
        try:
            return str(json.loads(line).get("timestamp", ""))[:19].encode() or None
        except (ValueError, AttributeError):
            return None
    found = _STAMP.search(line[:80])
    return found[1] if found else None


def _old(record: RetainedRecord, paths: Iterable[Path], now: datetime) -> Iterator[OldFile]:
    for path in paths:
        try:
            found = path.lstat()
        except FileNotFoundError:
            continue
        last_used = datetime.fromtimestamp(found.st_mtime, UTC)
        if stat.S_ISREG(found.st_mode) and is_past(record, last_used, now):
            yield OldFile(path, found.st_size)


def _files(root: Path) -> Iterator[Path]:
    """Every file beneath a folder. Does not follow links."""
    for folder, _, names in os.walk(root):
        yield from (Path(folder) / name for name in sorted(names))


def _files_in(folder: Path) -> Iterator[Path]:
    """Every file directly in a folder."""
    if folder.is_dir():
        yield from sorted(folder.iterdir())


SIDE_BY_SIDE: Final = 8
_DIGEST: Final = re.compile(rb"[0-9a-f]{64}")


async def open_weeks(client: Client) -> frozenset[str]:
    """Returns the weeks that have an open run."""
    query = f'WorkflowType = "{WorkflowType.WEEKLY_RESEARCH}" AND ExecutionStatus = "Running"'
    runs = [run async for run in client.list_workflows(query)]
    weeks = (run.typed_search_attributes.get(WEEK) for run in runs)
    return frozenset(week for week in weeks if week)


async def referenced(client: Client) -> frozenset[str]:
    """Returns every digest in a history on the server, open or closed, or in a schedule. References
    are not compressed. Anything that looks like a digest counts.

    Raises:
        RPCError: something could not be read, so it is not known what is needed.
    """
    turns = asyncio.Semaphore(SIDE_BY_SIDE)
    runs = [(run.id, run.run_id) async for run in client.list_workflows()]
    found = await asyncio.gather(*(_in_history(client, *run, turns) for run in runs))
    scheduled = [digests async for digests in _in_schedules(client)]
    return frozenset().union(*found, *scheduled)


async def _in_history(
    client: Client, workflow_id: str, run_id: str, turns: asyncio.Semaphore
) -> frozenset[str]:
    found: set[str] = set()
    async with turns:
        with suppress(HistoryGone):  # the server has deleted it since it was listed
            async for event in fetch_raw_events(client, workflow_id, run_id):
                found |= _digests(event.SerializeToString())
    return frozenset(found)


async def _in_schedules(client: Client) -> AsyncIterator[set[str]]:
    async for listed in await client.list_schedules():
        described = await client.get_schedule_handle(listed.id).describe()
        yield _digests(described.raw_description.SerializeToString())


def _digests(content: bytes) -> set[str]:
    return {digest.decode() for digest in _DIGEST.findall(content)}


KINDS = 9
UNITS = ("B", "KB", "MB", "GB", "TB")


class CleanupLine(Contract):
    """One kind of record: its retention, and what is past it. `held` counts the expired items that
    are still referenced."""

    record: RetainedRecord
    kept_seconds: float
    items: int = 0
    size: int = 0
    held: int = 0
    note: Text = ""


class Cleanup(Contract):
    """The result of `desk cleanup`; its `--json` prints this model. Sizes are in bytes."""

    at: Instant
    dry_run: bool
    lines: Annotated[tuple[CleanupLine, ...], Field(max_length=KINDS)]

    @property
    def size(self) -> int:
        """The bytes that are freed in total."""
        return sum(line.size for line in self.lines)


def clean_up(*, dry_run: bool, as_json: bool) -> ExitStatus:
    """Deletes what is expired, or lists it, and prints the result.

    Raises:
        CommandError: something could not be read or deleted.
    """
    settings = load_settings()
    log_to_file(settings)

    async def work(desk: Desk) -> Cleanup:
        return await cleaned(desk, datetime.now(UTC), dry_run=dry_run)

    try:
        done = interruptible(with_desk(settings, work, server_only=True))
    except (OSError, sqlite3.Error) as error:
        raise CommandError(f"not all could be cleaned up: {error}") from error
    text = done.model_dump_json(indent=2) if as_json else "\n".join(cleanup_lines(done))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE


async def cleaned(desk: Desk, now: datetime, *, dry_run: bool) -> Cleanup:
    """Deletes what is expired, or only lists it with `dry_run`.

    Raises:
        OSError, sqlite3.Error, RPCError: something could not be read or deleted.
    """
    settings = desk.settings
    retention = await retention_of(desk.client)
    lines = (
        _line(RetainedRecord.HISTORIES, kept=retention, note="Temporal deletes closed runs"),
        await _payloads(desk, now, dry_run=dry_run),
        _effects(settings, dry_run=dry_run),
        _logs(settings, now, dry_run=dry_run),
        _line(RetainedRecord.CACHE, note="answers in memory; the files of `cache/` stay"),
        await _reports(desk, now, dry_run=dry_run),
        _cleaned(
            RetainedRecord.DRAFTS,
            old_drafts(settings.home, settings.reports_dir, now),
            now,
            dry_run,
        ),
    )
    return Cleanup(at=now, dry_run=dry_run, lines=lines)


def cleanup_lines(done: Cleanup) -> Iterator[str]:
    """Formats the result for people."""
    titles = ("record", "kept", "gone", "space", "note")
    yield from table_lines(titles, map(_cells, done.lines), right={1, 2, 3})
    told = f"{sum(line.items for line in done.lines)} items, {_space(done.size)}"
    yield f"would delete {told}; nothing was changed" if done.dry_run else f"deleted {told}"


def _cells(line: CleanupLine) -> tuple[str, ...]:
    note = f"{line.held} held: still referred to" if line.held else line.note
    kept = _span(timedelta(seconds=line.kept_seconds))
    return line.record, kept, str(line.items), _space(line.size), note


async def _payloads(desk: Desk, now: datetime, *, dry_run: bool) -> CleanupLine:
    """Deletes the payloads that no history and no schedule references. Reads the histories only if
    a payload is expired."""
    old = old_payloads(desk.settings.payload_dir, now)
    named = await referenced(desk.client) if old else frozenset()
    free = [file for file in old if file.path.name not in named]
    line = _cleaned(RetainedRecord.PAYLOADS, free, now, dry_run)
    return line.model_copy(update={"held": len(old) - len(free)})


async def _reports(desk: Desk, now: datetime, *, dry_run: bool) -> CleanupLine:
    needed = weeks_needed(await open_weeks(desk.client))
    reports_dir = desk.settings.reports_dir
    line = _cleaned(RetainedRecord.REPORTS, old_reports(reports_dir, needed, now), now, dry_run)
    if line.items and not dry_run:
        # The archive must not link to deleted reports.
        await asyncio.to_thread(write_archive, reports_dir)
    return line


def _effects(settings: Settings, *, dry_run: bool) -> CleanupLine:
    old = old_effects(settings.journal_path)
    if old.results and not dry_run:
        delete_old_effects(settings.journal_path)
    return _line(
        RetainedRecord.EFFECTS, old.results, old.size, note="the journal fills the space again"
    )


def _logs(settings: Settings, now: datetime, *, dry_run: bool) -> CleanupLine:
    old = old_lines(settings.home / "logs", now)
    for lines in old:
        if not dry_run:
            cut(lines)
    note = "older lines, of as many logs" if old else ""
    return _line(RetainedRecord.LOGS, len(old), sum(lines.size for lines in old), note=note)


def _cleaned(
    record: RetainedRecord, files: list[OldFile], now: datetime, dry_run: bool
) -> CleanupLine:
    if dry_run:
        return _line(record, len(files), sum(file.size for file in files))
    return _line(record, *delete(record, files, now))


def _line(
    record: RetainedRecord,
    items: int = 0,
    size: int = 0,
    *,
    kept: timedelta | None = None,
    note: str = "",
) -> CleanupLine:
    seconds = (KEPT[record] if kept is None else kept).total_seconds()
    return CleanupLine(record=record, kept_seconds=seconds, items=items, size=size, note=note)


def _span(kept: timedelta) -> str:
    return f"{kept.days} days" if kept.days else f"{kept.seconds // 60} minutes"


def _space(size: float) -> str:
    unit = 0
    while size >= 1000 and unit < len(UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.1f} {UNITS[unit]}" if unit else f"{size:.0f} {UNITS[0]}"
