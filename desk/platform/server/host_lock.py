"""The lock held by the process that hosts a home's embedded server and workers."""

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from desk.platform.files import explaining_full_disk


class HostTaken(Exception):
    """Another process hosts this home. The message names its process id if it is known."""


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
            self._holder.write_text(json.dumps({"pid": os.getpid()}), encoding="utf-8")
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

    def holder(self) -> int | None:
        """Returns the id of the process that holds the lock. Returns None if it is not known."""
        try:
            return int(json.loads(self._holder.read_text(encoding="utf-8"))["pid"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _taken(self) -> str:
        by = self.holder()
        return f"{self._home} is hosted already" + (f" by process {by}" if by is not None else "")
