"""The lock held by the process that hosts a home's embedded server and workers."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from filelock import FileLock, Timeout

from desk.platform.files import explaining_full_disk
from desk.platform.server.record import ServerRecord, is_stopped


class HostTaken(Exception):
    """Another process hosts this home. The message names the process if it is known."""


class Host(NamedTuple):
    """A process that hosts a home, and since when."""

    pid: int
    since: datetime

    def __str__(self) -> str:
        """Formats it as `process 4711, since 2026-11-29 01:51 UTC`."""
        return f"process {self.pid}, since {self.since:%Y-%m-%d %H:%M} UTC"


class HostLock:
    """The right to host a home, held by one process at a time. Use as a context manager.

    The operating system holds the lock and releases it with the process, even if that is killed, so
    there is no stale lock to clean up.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lock = FileLock(home / "host.lock")
        self._holder = home / "host.json"

    def __enter__(self) -> Self:
        """Takes the lock.

        Raises:
            HostTaken: another process holds it.
            NoSpace: the disk of the home is full.
        """
        with explaining_full_disk(self._home):
            self._home.mkdir(parents=True, exist_ok=True)
            try:
                self._lock.acquire(blocking=False)
            except Timeout:
                raise HostTaken(self._taken()) from None
            held = {"pid": os.getpid(), "since": datetime.now(UTC).isoformat()}
            self._holder.write_text(json.dumps(held), encoding="utf-8")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Releases the lock."""
        self._holder.unlink(missing_ok=True)
        self._lock.release()

    def holder(self) -> Host | None:
        """Returns the process that holds the lock. Returns None if it is not known."""
        try:
            held = json.loads(self._holder.read_text(encoding="utf-8"))
            return Host(int(held["pid"]), datetime.fromisoformat(held["since"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _taken(self) -> str:
        by = self.holder()
        return f"{self._home} is hosted already" + (f" by {by}" if by is not None else "")


def stopped_words(home: Path) -> str | None:
    """Says which process of a hosted home is stopped, and what to do. Returns None if none is.

    A stopped process holds the home and does nothing, and its workers and server seem to be busy.
    """
    host, record = HostLock(home).holder(), ServerRecord.of_running_server(home)
    if host is not None and is_stopped(host.pid):
        return (
            f"{host}, hosts {home} and is stopped: `fg` in its terminal or `kill -CONT {host.pid}` "
            f"continues it, `kill -KILL {host.pid}` ends it and loses no work"
        )
    if record is not None and is_stopped(record.pid):
        return (
            f"process {record.pid}, the Temporal server of {home}, is stopped: "
            f"`kill -CONT {record.pid}` continues it"
        )
    return None
