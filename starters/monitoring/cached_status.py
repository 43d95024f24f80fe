"""Caches the status of an idle desk: while no process hosts it, nothing of it changes.

The process that hosts a desk also caches what it sees of a run while it works, so that it is there
if the process is killed.
"""

import contextlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from desk.platform.server.record import LAST_SEEN, ServerRecord
from desk.platform.server.stored_runs import runs_digest
from desk.platform.settings import Settings

IDLE_STATUS: Final = "at-rest.json"
"""The file of a home with the status that `desk status` printed last."""


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
    """A printed status. `runs` is the digest of all runs when it was printed, or None if it is the
    status that a host saw last: the run may have progressed a little before the host was killed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    runs: str | None = None
    told: PrintedStatus

    @classmethod
    def read(cls, file: Path) -> Self | None:
        """Reads a cached status. Returns None if it is absent or unreadable."""
        with contextlib.suppress(OSError, ValidationError):
            return cls.model_validate_json(file.read_bytes())
        return None


def cached_status(settings: Settings, week: str | None) -> PrintedStatus | None:
    """Returns the last printed status of the week, or of the newest week, if it is still valid: no
    server runs, and none has changed a run since."""
    told, now = _valid_status(settings.home), datetime.now(UTC)
    if told is None or (told.until is not None and told.until <= now):
        return None
    return told if week in (None, told.week) else None


def _valid_status(home: Path) -> PrintedStatus | None:
    printed = _CachedStatus.read(home / IDLE_STATUS)
    if printed is not None and printed.runs is not None and printed.runs == runs_digest(home):
        return printed.told
    seen = _CachedStatus.read(home / LAST_SEEN)
    return seen.told if seen is not None and ServerRecord.of_running_server(home) is None else None


def cache_status(settings: Settings, told: PrintedStatus | None) -> None:
    """Caches a printed status for the next command. Must be called after the desk has ended.

    Does not cache when payloads are encrypted or the file cannot be written.
    """
    if told is None or not told.lasts:
        return
    runs = runs_digest(settings.home)
    if runs is not None:
        _cache(settings, IDLE_STATUS, _CachedStatus(runs=runs, told=told))


def cache_seen_status(settings: Settings, told: PrintedStatus) -> None:
    """Caches the status that the process hosting the desk has just seen, in case it is killed.

    Does not cache when payloads are encrypted. If the file cannot be written, an earlier status is
    deleted.
    """
    _cache(settings, LAST_SEEN, _CachedStatus(told=told))


def _cache(settings: Settings, name: str, status: _CachedStatus) -> None:
    if settings.payload_keys is not None:
        return
    file = settings.home / name
    new = file.with_suffix(".new")
    try:
        new.write_text(status.model_dump_json(), encoding="utf-8")
        new.replace(file)
    except OSError:
        for each in (new, file):
            with contextlib.suppress(OSError):
                each.unlink(missing_ok=True)
