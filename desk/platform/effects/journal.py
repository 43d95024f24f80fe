"""Stores the results of effects by key, so that a retried activity returns the first result.

Temporal runs an activity again if the worker and the server both die after the effect and before
the completion is stored. A paid call must not be paid for twice. So the result is stored here,
under the activity's key, before the activity completes.
"""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from filelock import FileLock
from pydantic import BaseModel, ValidationError

from desk.platform.effects.paid_calls import PaidCalls
from desk.platform.files import DiskAwareConnection, explaining_full_disk

EFFECT_RETENTION = "-14 days"
"""How long results are stored: far longer than a completion can be outstanding."""

OPENING_SECONDS = 30
"""How long a process waits for others that open the same file."""

TABLES = (
    "CREATE TABLE IF NOT EXISTS effects (key TEXT PRIMARY KEY, result TEXT NOT NULL,"
    " at TEXT NOT NULL DEFAULT (datetime('now')))",
    "CREATE TABLE IF NOT EXISTS paid (id INTEGER PRIMARY KEY, key TEXT NOT NULL,"
    " attempt INTEGER NOT NULL, usage TEXT NOT NULL, answer TEXT,"
    " at TEXT NOT NULL DEFAULT (datetime('now')))",
    "CREATE INDEX IF NOT EXISTS paid_by_key ON paid (key)",
)

_HAS_ANSWER_COLUMN = "SELECT count(*) FROM pragma_table_info('paid') WHERE name = 'answer'"

PATIENCE_SECONDS = 10


LOG = logging.getLogger(__name__)

T = TypeVar("T", bound=BaseModel)


class EffectJournal:
    """Results by key, in an SQLite file shared by the processes of one machine. `paid` records the
    requests that were sent for them and may be billed.

    A damaged file is moved aside and a new one is created. A result that cannot be stored is still
    returned, because it has been paid for.

    Raises:
        sqlite3.OperationalError: the file cannot be opened or written at all.
        filelock.Timeout: other processes held the file for the whole timeout.
    """

    def __init__(self, path: Path) -> None:
        with explaining_full_disk(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}
        self._in_flight: dict[str, asyncio.Task[Any]] = {}
        # One process at a time: SQLite does not wait for another that begins the same file.
        with FileLock(path.with_name(f"{path.name}.lock"), timeout=OPENING_SECONDS):
            self._connection = _open_or_recreate(path)
        self.paid = PaidCalls(self._connection)

    async def once(
        self,
        key: str,
        effect: Callable[[], Awaitable[T]],
        kind: type[T],
        *,
        outlives: bool = False,
    ) -> T:
        """Returns the result stored under the key. If there is none, runs the effect and stores its
        result.

        An effect that raises stores nothing and may be tried again. If another process has stored a
        result first, that one is returned. An effect that `outlives` its caller continues when the
        caller is cancelled, as after a missed heartbeat: the next caller waits for the same effect,
        and its result is stored even if no caller is left.
        """
        if not outlives:
            return await self._once(key, effect, kind)
        task: asyncio.Task[T] | None = self._in_flight.get(key)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._once(key, effect, kind))
            self._in_flight[key] = task
            task.add_done_callback(lambda ended: self._ended(key, ended))
        return await asyncio.shield(task)

    def is_in_flight(self, key: str) -> bool:
        """Whether an effect that outlives its callers is running. A caller with its key waits for
        it."""
        return key in self._in_flight

    def _ended(self, key: str, task: asyncio.Task[Any]) -> None:
        del self._in_flight[key]
        if not task.cancelled():
            task.exception()  # Retrieved, because there may be no caller left to raise it to.

    async def _once(self, key: str, effect: Callable[[], Awaitable[T]], kind: type[T]) -> T:
        async with self._exclusive(key):
            stored = self._stored(key, kind)
            if stored is not None:
                return stored
            result = await effect()
            try:
                return self._store(key, result, kind)
            except sqlite3.Error as error:
                LOG.warning("the result of %s could not be kept: %s", key, error)
                return result

    def close(self) -> None:
        """Cancels the effects in progress and closes the file."""
        for task in self._in_flight.values():
            task.cancel()
        self._connection.close()

    @asynccontextmanager
    async def _exclusive(self, key: str) -> AsyncIterator[None]:
        """Allows one attempt at a time: after a missed heartbeat the next attempt can start while
        the last one still runs."""
        lock, waiting = self._locks.get(key, (asyncio.Lock(), 0))
        self._locks[key] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._locks[key]
            if waiting == 1:
                del self._locks[key]
            else:
                self._locks[key] = (lock, waiting - 1)

    def _stored(self, key: str, kind: type[T]) -> T | None:
        """Returns the result stored under the key. Treats an unreadable row as absent."""
        try:
            row = self._read(key)
            return None if row is None else kind.model_validate_json(row)
        except (ValidationError, sqlite3.DatabaseError) as error:
            if isinstance(error, sqlite3.DatabaseError) and not _is_damage(error):
                raise
            LOG.warning("the result kept under %s cannot be used: %s", key, error)
            return None

    def _store(self, key: str, result: T, kind: type[T]) -> T:
        """Stores a result. Returns the stored one, which is another process's if that came
        first."""
        row = (key, result.model_dump_json())
        added = self._connection.execute(
            "INSERT OR IGNORE INTO effects (key, result) VALUES (?, ?)", row
        )
        if added.rowcount == 1:
            return result
        earlier = self._stored(key, kind)
        if earlier is not None:
            return earlier
        self._connection.execute("INSERT OR REPLACE INTO effects (key, result) VALUES (?, ?)", row)
        return result

    def _read(self, key: str) -> bytes | None:
        with closing(
            self._connection.execute("SELECT result FROM effects WHERE key = ?", (key,))
        ) as rows:
            row = rows.fetchone()
        return None if row is None else row[0]


def _open_or_recreate(path: Path) -> sqlite3.Connection:
    try:
        return _opened(path)
    except sqlite3.DatabaseError as error:
        if not _is_damage(error):
            raise
        aside = _moved_aside(path)
        LOG.warning("%s is damaged (%s): moved to %s and begun anew", path, error, aside)
        return _opened(path)


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=10, isolation_level=None, factory=DiskAwareConnection
    )
    try:
        # Text as bytes, so that validating the result finds text that is not UTF-8.
        connection.text_factory = bytes
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        delete_expired(connection)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def delete_expired(connection: sqlite3.Connection) -> None:
    """Deletes results that no activity can ask for any more. Creates missing tables."""
    for statement in TABLES:
        connection.execute(statement)
    with closing(connection.execute(_HAS_ANSWER_COLUMN)) as counted:
        # An earlier version stored no answers.
        if counted.fetchone()[0] == 0:
            connection.execute("ALTER TABLE paid ADD COLUMN answer TEXT")
    for table in ("effects", "paid"):
        statement = f"DELETE FROM {table} WHERE at < datetime('now', ?)"  # noqa: S608
        connection.execute(statement, (EFFECT_RETENTION,))


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether an error means that the file is damaged, rather than locked or the disk full."""
    primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _moved_aside(path: Path) -> Path:
    """Moves the file to the first free `<name>.damaged-<n>`, with the write-ahead log that belongs
    to it."""
    aside = next(
        free for n in count(1) if not (free := path.with_name(f"{path.name}.damaged-{n}")).exists()
    )
    for ending in ("-wal", "-shm", ""):
        beside = path.with_name(path.name + ending)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + ending))
    return aside


class OldEffects(NamedTuple):
    """The number of results that no activity can ask for any more, and their size in bytes."""

    results: int
    size: int


def old_effects(path: Path) -> OldEffects:
    """Counts the results that may be deleted, without changing the journal. Zero if there is no
    file.

    Raises:
        sqlite3.Error: the file is damaged, or was locked for the whole timeout.
    """
    if not path.exists():
        return OldEffects(0, 0)
    with closing(
        sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", PATIENCE_SECONDS, uri=True)
    ) as journal:
        row = journal.execute(
            "SELECT count(*), coalesce(sum(length(result) + length(key)), 0) FROM effects"
            " WHERE at < datetime('now', ?)",
            (EFFECT_RETENTION,),
        ).fetchone()
    return OldEffects(int(row[0]), int(row[1]))


def delete_old_effects(path: Path) -> None:
    """Deletes results that no activity can ask for any more. The file keeps its size; later results
    reuse the space.

    Raises:
        sqlite3.Error: the file is damaged, or was locked for the whole timeout.
    """
    with closing(sqlite3.connect(path, PATIENCE_SECONDS, isolation_level=None)) as journal:
        delete_expired(journal)
