"""The file of the embedded memory: opened, checked, begun, and set aside where it is damaged."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from desk.platform.memory.store import MemoryAway, MemoryUnusable

VERSION: Final = 1
"""Of the tables below. A file of another version is set aside as a damaged one is."""

PATIENCE_SECONDS: Final = 10.0
"""How long a process waits for others that write, or that begin the same file."""

LOST: Final = "lost"
"""The note that a file has until what was lost is brought back."""

LOG = logging.getLogger(__name__)

_TABLES: Final = """
CREATE TABLE entries (
    memory_id TEXT PRIMARY KEY, kind TEXT NOT NULL, as_of INTEGER NOT NULL,
    workflow_id TEXT NOT NULL, entry BLOB NOT NULL, model TEXT, vector BLOB);
CREATE INDEX by_instant ON entries (as_of);
CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL);
"""

_DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)
_HELD: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class Damaged(Exception):
    """The file holds something else than the desk's memory, or what is left of it."""


@contextmanager
def opened(path: Path, *, thoroughly: bool) -> Iterator[sqlite3.Connection]:
    """A connection to the file, which is begun where there is none; closed at the end.

    `thoroughly` looks at every page, which takes a few milliseconds a megabyte.

    Raises:
        Damaged: it cannot be used, and can be set aside.
        MemoryUnusable: nor can it be had at all; `MemoryAway` where another try may do.
    """
    try:
        if not path.exists():
            begin(path)
        with closing(_connected(path)) as connection:
            _check(connection, thoroughly=thoroughly)
            yield connection
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _DAMAGE:
            raise Damaged(str(error)) from error
        raise _unusable(path, code, error) from error
    except OSError as error:
        raise MemoryUnusable(f"the memory in {path} cannot be used: {error}") from error


def begin(path: Path) -> None:
    """Begin the file where nobody has meanwhile. It is there whole, or not at all.

    Raises:
        sqlite3.Error, OSError: it cannot be.
        MemoryAway: others have been at it all the while.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone(path):
        if not path.exists():
            _begin(path, None)


def set_aside(path: Path, reason: str, *, surely: bool) -> None:
    """Put a damaged file under another name and begin a new one, which notes what happened.

    Nothing is done where another process has done it already: unless it is meant `surely`, a file
    in which no damage is found stays.

    Raises:
        MemoryUnusable: it could not be done.
    """
    try:
        with _alone(path):
            if not surely and not _is_damaged(path):
                return
            aside = _moved(path)
            LOG.warning("the memory in %s is damaged (%s): moved to %s", path, reason, aside)
            lost = f"the memory was damaged ({reason}) and was set aside as {aside}"
            _begin(path, f"{lost}; `desk memory rebuild` brings back what histories hold")
    except (sqlite3.Error, OSError) as error:
        words = f"the memory in {path} is damaged ({reason}) and cannot be set aside: {error}"
        raise MemoryUnusable(words) from error


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    try:
        with FileLock(path.with_name(f"{path.name}.lock"), timeout=PATIENCE_SECONDS):
            yield
    except Timeout as error:
        raise MemoryAway(f"the memory in {path} is held by another process") from error


def _connected(path: Path) -> sqlite3.Connection:
    # Never created by being opened: an empty file is one that was cut off.
    uri = f"{path.resolve().as_uri()}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=PATIENCE_SECONDS, isolation_level=None)
    connection.text_factory = lambda text: text.decode(errors="replace")
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def _check(connection: sqlite3.Connection, *, thoroughly: bool) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != VERSION:
        raise Damaged("it is no memory of this desk's" if version else "it is empty or cut short")
    try:
        connection.execute(
            "SELECT memory_id, kind, as_of, workflow_id, entry, model, vector FROM entries LIMIT 0"
        )
        connection.execute("SELECT name, text FROM notes LIMIT 0")
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_ERROR:
            raise
        raise Damaged(str(error)) from error
    if thoroughly:
        (told,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if told != "ok":
            raise Damaged(" ".join(told.split()))


def _is_damaged(path: Path) -> bool:
    try:
        with closing(_connected(path)) as connection:
            _check(connection, thoroughly=True)
    except Damaged:
        return True
    except sqlite3.DatabaseError as error:
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE
    return False


def _begin(path: Path, lost: str | None) -> None:
    """Made beside its place and then put there, so that nobody sees half of it."""
    made = path.with_name(f"{path.name}.new")
    made.unlink(missing_ok=True)
    with closing(sqlite3.connect(made, isolation_level=None)) as connection:
        connection.executescript(_TABLES)
        if lost is not None:
            connection.execute("INSERT INTO notes VALUES (?, ?)", (LOST, lost))
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA user_version={VERSION}")
    _moved(path)
    made.replace(path)


def _moved(path: Path) -> Path:
    """The first free `<name>.damaged-<n>`; the write-ahead log goes along, for it belongs to it."""
    names = (path.with_name(f"{path.name}.damaged-{n}") for n in count(1))
    aside = next(name for name in names if not name.exists())
    for ending in ("-wal", "-shm", ""):
        beside = path.with_name(path.name + ending)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + ending))
    return aside


def _unusable(path: Path, code: int, error: sqlite3.DatabaseError) -> MemoryUnusable:
    if code in _HELD:
        return MemoryAway(f"the memory in {path} is held by another process: {error}")
    if code == sqlite3.SQLITE_FULL:
        return MemoryUnusable(f"there is no room for the memory in {path}: {error}")
    return MemoryUnusable(f"the memory in {path} cannot be used: {error}")
