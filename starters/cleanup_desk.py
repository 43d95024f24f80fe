"""What `desk cleanup` does."""

import asyncio
import sqlite3
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import Field

from desk.contracts.base import Contract, Instant, Text
from desk.documents.archive.archive import write_archive
from desk.documents.upkeep.retention import KEPT, Record, weeks_needed
from desk.platform.effects.journal import forget_old_effects, old_effects
from desk.platform.server.namespace import retention_of
from desk.platform.settings import Settings, load_settings
from starters.cleanup_files import (
    OldFile,
    cut,
    delete,
    old_drafts,
    old_lines,
    old_payloads,
    old_reports,
)
from starters.cleanup_references import open_weeks, referenced
from starters.desk_logs import log_to_file
from starters.desk_session import Desk, with_desk
from starters.endings import CommandError, ExitStatus
from starters.interrupts import interruptible

KINDS = 9
UNITS = ("B", "KB", "MB", "GB", "TB")


class CleanupLine(Contract):
    """One kind of record: how long it is kept, and what of it is past its time. `held` are those
    past it that something still refers to."""

    record: Record
    kept_seconds: float
    items: int = 0
    size: int = 0
    held: int = 0
    note: Text = ""


class Cleanup(Contract):
    """The result of `desk cleanup`; its `--json` is this model. Sizes are in bytes."""

    at: Instant
    dry_run: bool
    lines: Annotated[tuple[CleanupLine, ...], Field(max_length=KINDS)]

    @property
    def size(self) -> int:
        """What is freed in all."""
        return sum(line.size for line in self.lines)


def clean_up(*, dry_run: bool, as_json: bool) -> ExitStatus:
    """Delete what is past its time, or say what would be, and print it.

    Raises:
        CommandError: something could not be looked at or deleted.
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
    """What is past its time, deleted unless this is only to look.

    Raises:
        OSError, sqlite3.Error, RPCError: something could not be looked at or deleted.
    """
    settings = desk.settings
    retention = await retention_of(desk.client)
    lines = (
        _line(Record.HISTORIES, kept=retention, note="Temporal deletes closed runs"),
        await _payloads(desk, now, dry_run=dry_run),
        _effects(settings, dry_run=dry_run),
        _logs(settings, now, dry_run=dry_run),
        _line(Record.CACHE, note="in memory only; fixings stay"),
        await _reports(desk, now, dry_run=dry_run),
        _files(Record.DRAFTS, old_drafts(settings.home, settings.reports_dir, now), now, dry_run),
    )
    return Cleanup(at=now, dry_run=dry_run, lines=lines)


def cleanup_lines(done: Cleanup) -> Iterator[str]:
    """The result for people, in at most 80 columns."""
    yield f"{'record':<10}  {'kept':>10}  {'gone':>6}  {'space':>8}  note"
    for line in done.lines:
        note = f"{line.held} held: still referred to" if line.held else line.note
        kept, space = _span(timedelta(seconds=line.kept_seconds)), _space(line.size)
        yield f"{line.record:<10}  {kept:>10}  {line.items:>6}  {space:>8}  {note}".rstrip()
    told = f"{sum(line.items for line in done.lines)} items, {_space(done.size)}"
    yield f"would delete {told}; nothing was changed" if done.dry_run else f"deleted {told}"


async def _payloads(desk: Desk, now: datetime, *, dry_run: bool) -> CleanupLine:
    """Those that no history and no schedule names. The histories are looked through only where
    there is something to delete."""
    old = old_payloads(desk.settings.payload_dir, now)
    named = await referenced(desk.client) if old else frozenset()
    free = [file for file in old if file.path.name not in named]
    line = _files(Record.PAYLOADS, free, now, dry_run)
    return line.model_copy(update={"held": len(old) - len(free)})


async def _reports(desk: Desk, now: datetime, *, dry_run: bool) -> CleanupLine:
    needed = weeks_needed(await open_weeks(desk.client))
    reports_dir = desk.settings.reports_dir
    line = _files(Record.REPORTS, old_reports(reports_dir, needed, now), now, dry_run)
    if line.items and not dry_run:
        # The archive names no report that is gone.
        await asyncio.to_thread(write_archive, reports_dir)
    return line


def _effects(settings: Settings, *, dry_run: bool) -> CleanupLine:
    old = old_effects(settings.journal_path)
    if old.results and not dry_run:
        forget_old_effects(settings.journal_path)
    return _line(Record.EFFECTS, old.results, old.size, note="the journal fills the space again")


def _logs(settings: Settings, now: datetime, *, dry_run: bool) -> CleanupLine:
    old = old_lines(settings.home / "logs", now)
    for lines in old:
        if not dry_run:
            cut(lines)
    note = "older lines, of as many logs" if old else ""
    return _line(Record.LOGS, len(old), sum(lines.size for lines in old), note=note)


def _files(record: Record, files: list[OldFile], now: datetime, dry_run: bool) -> CleanupLine:
    if dry_run:
        return _line(record, len(files), sum(file.size for file in files))
    return _line(record, *delete(record, files, now))


def _line(
    record: Record, items: int = 0, size: int = 0, *, kept: timedelta | None = None, note: str = ""
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
