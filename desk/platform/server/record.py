"""The record of the embedded server's process, read by whoever starts the next one."""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from desk.platform.files import naming_space

ORPHAN_GRACE_SECONDS = 5.0
_PROC = Path("/proc")


class ServerRecord(BaseModel):
    """Which process serves, on which ports. Kept in `server.json` while it runs."""

    model_config = ConfigDict(frozen=True)

    pid: int
    port: int
    ui_port: int

    @staticmethod
    def path(home: Path) -> Path:
        """The record's file."""
        return home / "server.json"

    @classmethod
    def load(cls, home: Path) -> Self | None:
        """The record, or None when there is none or it cannot be read."""
        try:
            return cls.model_validate_json(cls.path(home).read_bytes())
        except (OSError, ValidationError):
            return None

    @classmethod
    def of_a_running(cls, home: Path) -> Self | None:
        """The record of a server of this home that runs; None if there is none. The record that a
        killed server left behind does not count, because another desk may have its ports."""
        record = cls.load(home)
        return record if record is not None and _serves(record.pid, home) else None

    def save(self, home: Path) -> None:
        """Write the record.

        Raises:
            NoSpace: the disk of the home is full.
        """
        with naming_space(home):
            self.path(home).write_text(self.model_dump_json(), encoding="utf-8")

    @classmethod
    def remove(cls, home: Path) -> None:
        """Take the record away."""
        cls.path(home).unlink(missing_ok=True)


def stop_orphan(home: Path, binary: Path) -> None:
    """Stop a server of this home that outlived the process which started it.

    It is replaced and not adopted: a server can only be watched by its parent. It is killed at
    once, for a killed server loses nothing and a stopping one takes a second. A process that is
    not our server is left alone: process ids are used again.
    """
    record = ServerRecord.load(home)
    if record is None:
        return
    if _command_of(record.pid):
        if not _serves(record.pid, home, binary):
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(record.pid, signal.SIGKILL)
    # A process that is being killed has no command line any more and still holds its ports.
    deadline = time.monotonic() + ORPHAN_GRACE_SECONDS
    while not _ended(record.pid) and time.monotonic() < deadline:
        time.sleep(0.02)


def _serves(pid: int, home: Path, binary: Path | None = None) -> bool:
    command = _command_of(pid)
    return str(home / "temporal.db") in command and (binary is None or str(binary) in command)


def _command_of(pid: int) -> str:
    """The command line of a process; empty when there is no such process."""
    try:
        words = (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return "" if _PROC.exists() else _asked_of_ps("command=", pid)
    return words.replace(b"\0", b" ").decode(errors="replace")


def _ended(pid: int) -> bool:
    """Whether a killed process has let go of its ports and files: with its last thread."""
    if not _PROC.exists():
        return _asked_of_ps("stat=", pid)[:1] in ("", "Z")
    try:
        threads = list((_PROC / str(pid) / "task").iterdir())
        state = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return len(threads) == 1 and state == "Z"


def _asked_of_ps(column: str, pid: int) -> str:
    asked = ["ps", "-ww", "-o", column, "-p", str(pid)]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
