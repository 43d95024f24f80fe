"""Caches the status of an idle desk: while no process hosts it, nothing of it changes."""

import contextlib
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from desk.platform.server.record import ServerRecord
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
    """A printed status, and the state of the server's database when it was printed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    database: tuple[int, int, int]
    told: PrintedStatus

    @classmethod
    def read(cls, home: Path) -> Self | None:
        """Reads the cached status. Returns None if it is absent or unreadable."""
        with contextlib.suppress(OSError, ValidationError):
            return cls.model_validate_json(_file(home).read_bytes())
        return None


def cached_status(settings: Settings, week: str | None) -> PrintedStatus | None:
    """Returns the last printed status of the week, or of the newest week, if it is still valid: no
    server runs, and none has written to the database since."""
    kept, now = _CachedStatus.read(settings.home), datetime.now(UTC)
    if kept is None or kept.database != _database(settings.home):
        return None
    told = kept.told
    is_over = told.until is not None and told.until <= now
    return None if is_over or week not in (None, told.week) else told


def cache_status(settings: Settings, told: PrintedStatus | None) -> None:
    """Caches a printed status for the next command. Must be called after the desk has ended.

    Does not cache when payloads are encrypted or the file cannot be written.
    """
    database = _database(settings.home)
    if told is None or not told.lasts or database is None or settings.payload_keys is not None:
        return
    kept = _CachedStatus(database=database, told=told)
    with contextlib.suppress(OSError):
        _file(settings.home).write_text(kept.model_dump_json(), encoding="utf-8")


def _file(home: Path) -> Path:
    return home / "at-rest.json"


def _database(home: Path) -> tuple[int, int, int] | None:
    """The database's inode, size and modification time; None while a server may write to it."""
    if ServerRecord.path(home).exists() or (home / "temporal.db-wal").exists():
        return None
    try:
        found = (home / "temporal.db").stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
