"""A file that records the embedded server's process, so that the next start can find it."""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from desk.platform.files import explaining_full_disk

ORPHAN_GRACE_SECONDS = 5.0

LAST_SEEN: Final = "last-seen.json"
"""The file of a home with the status of a run that the process hosting the desk saw last. Deleted
when a server starts: from then on, the run may progress."""

_PROC = Path("/proc")


class ServerRecord(BaseModel):
    """The process id and ports of the server. Stored in `server.json` while it runs."""

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
        """Returns the record, or None if it is absent or unreadable."""
        try:
            return cls.model_validate_json(cls.path(home).read_bytes())
        except (OSError, ValidationError):
            return None

    @classmethod
    def of_running_server(cls, home: Path) -> Self | None:
        """Returns the record of this home's running server, or None. Ignores the record of a killed
        server, because another desk may use its ports by now."""
        record = cls.load(home)
        return record if record is not None and _serves(record.pid, home) else None

    def save(self, home: Path) -> None:
        """Writes the record.

        Raises:
            NoSpace: the disk of the home is full.
        """
        with explaining_full_disk(home):
            self.path(home).write_text(self.model_dump_json(), encoding="utf-8")

    @classmethod
    def remove(cls, home: Path) -> None:
        """Deletes the record."""
        cls.path(home).unlink(missing_ok=True)


def stop_orphan(home: Path, binary: Path) -> None:
    """Stops a server of this home that outlived the process which started it.

    It is replaced and not adopted, because only a parent can watch a server. It is killed at once:
    a killed server loses nothing, and a graceful stop takes a second. A process that is not the
    desk's server is left alone, because process ids are reused.
    """
    record = ServerRecord.load(home)
    if record is None:
        return
    if _command_of(record.pid):
        if not _serves(record.pid, home, binary):
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(record.pid, signal.SIGKILL)
    # A process that is being killed has no command line but still holds its ports.
    deadline = time.monotonic() + ORPHAN_GRACE_SECONDS
    while not _ended(record.pid) and time.monotonic() < deadline:
        time.sleep(0.02)


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped by a signal, as by Ctrl-Z or `kill -STOP`."""
    return _state(pid) in ("T", "t")


def _serves(pid: int, home: Path, binary: Path | None = None) -> bool:
    command = _command_of(pid)
    return str(home / "temporal.db") in command and (binary is None or str(binary) in command)


def _command_of(pid: int) -> str:
    """The command line of a process. Empty if there is no such process."""
    try:
        words = (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return "" if _PROC.exists() else _ps_column("command=", pid)
    return words.replace(b"\0", b" ").decode(errors="replace")


def _ended(pid: int) -> bool:
    """Whether a killed process has released its ports and files, which happens with its last
    thread."""
    state = _state(pid)
    if not _PROC.exists():
        return state in ("", "Z")
    try:
        threads = list((_PROC / str(pid) / "task").iterdir())
    except OSError:
        return True
    return state == "" or (len(threads) == 1 and state == "Z")


def _state(pid: int) -> str:
    """The state of a process, one letter as `ps` prints it. Empty if there is no such process."""
    if not _PROC.exists():
        return _ps_column("stat=", pid)[:1]
    try:
        return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def _ps_column(column: str, pid: int) -> str:
    asked = ["ps", "-ww", "-o", column, "-p", str(pid)]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
