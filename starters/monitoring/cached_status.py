"""Caches the status of an idle desk: while no process hosts it, nothing of it changes.

The process that hosts a desk also caches what it sees of a run while it works, so that it is there
if the process is killed.
"""

import contextlib
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from desk.platform.server.record import IDLE_STATUS, ServerRecord
from desk.platform.settings import Settings


class PrintedStatus(NamedTuple):
    """What `desk status` prints for a week's run, as text and as JSON.

    With `lasts` it is valid while the desk is idle, at most until `until`, when the run closes.
    """

    week: str
    text: str
    json: str
    lasts: bool
    until: datetime | None = None


class _CachedStatus(BaseModel):
    """A printed status, and the state of the server's database when it was printed; None if the
    server was running."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    database: tuple[int, int, int] | None
    told: PrintedStatus

    @classmethod
    def read(cls, home: Path) -> Self | None:
        """Reads the cached status. Returns None if it is absent or unreadable."""
        with contextlib.suppress(OSError, ValidationError):
            return cls.model_validate_json((home / IDLE_STATUS).read_bytes())
        return None

    def is_valid(self, home: Path) -> bool:
        """Returns whether no server has written since. The next server deletes the file."""
        if self.database is None:
            return ServerRecord.of_running_server(home) is None
        return self.database == _database(home)


def cached_status(settings: Settings, week: str | None) -> PrintedStatus | None:
    """Returns the last printed status of the week, or of the newest week, if it is still valid: no
    server runs, and none has written to the database since."""
    kept, now = _CachedStatus.read(settings.home), datetime.now(UTC)
    if kept is None or not kept.is_valid(settings.home):
        return None
    told = kept.told
    is_over = told.until is not None and told.until <= now
    return None if is_over or week not in (None, told.week) else told


def cache_status(settings: Settings, told: PrintedStatus | None) -> None:
    """Caches a printed status for the next command. Must be called after the desk has ended.

    Does not cache when payloads are encrypted or the file cannot be written.
    """
    database = _database(settings.home)
    if told is not None and told.lasts and database is not None:
        _cache(settings, _CachedStatus(database=database, told=told))


def cache_seen_status(settings: Settings, told: PrintedStatus) -> None:
    """Caches the status that the process hosting the desk has just seen, in case it is killed.

    Does not cache when payloads are encrypted. If the file cannot be written, an earlier status is
    deleted.
    """
    _cache(settings, _CachedStatus(database=None, told=told))


def _cache(settings: Settings, kept: _CachedStatus) -> None:
    if settings.payload_keys is not None:
        return
    file = settings.home / IDLE_STATUS
    new = file.with_suffix(".new")
    try:
        new.write_text(kept.model_dump_json(), encoding="utf-8")
        new.replace(file)
    except OSError:
        for each in (new, file):
            with contextlib.suppress(OSError):
                each.unlink(missing_ok=True)


def _database(home: Path) -> tuple[int, int, int] | None:
    """The database's inode, size and modification time; None while a server may write to it."""
    if ServerRecord.path(home).exists() or (home / "temporal.db-wal").exists():
        return None
    try:
        found = (home / "temporal.db").stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
