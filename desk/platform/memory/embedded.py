"""The desk's memory in its own SQLite file, which is checked when it is opened."""

import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import numpy as np
from filelock import FileLock, Timeout
from pydantic import ValidationError

from desk.analytics.retrieval.fusion import Order
from desk.analytics.retrieval.meaning import EmbeddingModel, FindEmbeddingModel, Vector, by_meaning
from desk.contracts.learning.memory import MemoryEntry, MemoryQuery, Recalled
from desk.platform.memory.meaning import DIMENSIONS, embedded_text, installed_embedding_model
from desk.platform.memory.ranking import MEANING, WORDS, by_words, is_visible, nearest
from desk.platform.memory.store import MemoryAway, MemoryUnusable, microseconds

VERSION: Final = 1
"""The version of the tables below. A file of another version is set aside like a damaged one."""

LOG = logging.getLogger(__name__)

PATIENCE_SECONDS: Final = 10.0
"""How long a process waits for others that write, or create the same file."""

LOST: Final = "lost"
"""The note that a file has until the lost entries are restored."""

_TABLES: Final = """
CREATE TABLE entries (
    memory_id TEXT PRIMARY KEY, kind TEXT NOT NULL, as_of INTEGER NOT NULL,
    workflow_id TEXT NOT NULL, entry BLOB NOT NULL, model TEXT, vector BLOB);
CREATE INDEX by_instant ON entries (as_of);
CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL);
"""

_DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)
_HELD: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class DamagedMemoryFile(Exception):
    """The file is damaged, or contains something other than the desk's memory."""


@contextmanager
def opened(path: Path, *, thoroughly: bool) -> Iterator[sqlite3.Connection]:
    """Opens the file, creates it if it is absent, and closes it at the end. `thoroughly` checks
    every page, which takes a few milliseconds a megabyte.

    Raises:
        DamagedMemoryFile: it cannot be used, and can be set aside.
        MemoryUnusable: it cannot be opened at all; `MemoryAway` if another attempt may succeed.
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
            raise DamagedMemoryFile(str(error)) from error
        raise _unusable(path, code, error) from error
    except OSError as error:
        raise MemoryUnusable(f"the memory in {path} cannot be used: {error}") from error


def begin(path: Path) -> None:
    """Creates the file, whole or not at all, unless another process has created it meanwhile.

    Raises:
        sqlite3.Error, OSError: it cannot be created.
        MemoryAway: other processes held it for the whole timeout.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone(path):
        if not path.exists():
            _begin(path, None)


def set_aside(path: Path, reason: str, *, surely: bool) -> None:
    """Renames a damaged file and creates a new one with a note of what happened. Does nothing if
    another process has done so already: without `surely`, a file in which no damage is found stays.

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
    # Opening must not create the file: an empty file counts as cut short.
    uri = f"{path.resolve().as_uri()}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=PATIENCE_SECONDS, isolation_level=None)
    connection.text_factory = lambda text: text.decode(errors="replace")
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def _check(connection: sqlite3.Connection, *, thoroughly: bool) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != VERSION:
        raise DamagedMemoryFile(
            "it is no memory of this desk's" if version else "it is empty or cut short"
        )
    try:
        connection.execute(
            "SELECT memory_id, kind, as_of, workflow_id, entry, model, vector FROM entries LIMIT 0"
        )
        connection.execute("SELECT name, text FROM notes LIMIT 0")
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_ERROR:
            raise
        raise DamagedMemoryFile(str(error)) from error
    if thoroughly:
        (check_result,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if check_result != "ok":
            raise DamagedMemoryFile(" ".join(check_result.split()))


def _is_damaged(path: Path) -> bool:
    try:
        with closing(_connected(path)) as connection:
            _check(connection, thoroughly=True)
    except DamagedMemoryFile:
        return True
    except sqlite3.DatabaseError as error:
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE
    return False


def _begin(path: Path, lost: str | None) -> None:
    """Writes the new file beside its final path and then moves it there, so that no process sees a
    partial file."""
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
    """Moves the file to the first free `<name>.damaged-<n>`, with the write-ahead log that belongs
    to it."""
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


MOST_BACKFILLED: Final = 16
"""The most vectors that one search computes for entries without one: a tenth of a second each."""

T = TypeVar("T")

_LAST: Final = 2**63 - 1
_PUT: Final = """
INSERT INTO entries (memory_id, kind, as_of, workflow_id, entry, model, vector)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (memory_id) DO UPDATE SET kind = excluded.kind, as_of = excluded.as_of,
    workflow_id = excluded.workflow_id, entry = excluded.entry, model = excluded.model,
    vector = excluded.vector
"""
_BACKFILL: Final = "UPDATE entries SET model = ?, vector = ? WHERE memory_id = ? AND entry = ?"
"""Leaves an entry alone that was replaced meanwhile."""


class EmbeddedMemory:
    """A memory in an SQLite file that processes on one machine share. See `MemoryStore`.

    Always compares words; compares meanings if a model is installed. An unreadable row is omitted
    and logged.
    """

    def __init__(self, path: Path, meaning: FindEmbeddingModel = installed_embedding_model) -> None:
        self._path = path
        self._find_meaning = meaning
        self._checked = False

    def put(self, entries: Sequence[MemoryEntry]) -> int:
        """See `MemoryStore`. An unchanged entry keeps its vector."""
        latest = {entry.memory_id: entry for entry in entries}
        meaning = self._find_meaning()
        unchanged = self._do(lambda connection: _unchanged(connection, latest.values(), meaning))
        new = [entry for entry in latest.values() if entry.memory_id not in unchanged]
        # Before the file is locked, because the model takes longer than others should wait.
        rows = _rows(new, meaning)
        self._do(lambda connection: _write(connection, _PUT, rows))
        return len(latest)

    def search(self, query: MemoryQuery) -> tuple[Recalled, ...]:
        """See `MemoryStore`."""
        found = self._do(lambda connection: _found(connection, query))
        known = {one.entry.memory_id: one.entry for one in found}
        orders = [Order(WORDS, by_words(query, known.values()))]
        cosines: dict[str, float] = {}
        meaning = self._find_meaning()
        if meaning is not None and query.text.strip():
            vectors = self._with_vectors(meaning, found)
            question = meaning.question(query.text)
            orders.append(Order(MEANING, by_meaning(question, vectors)))
            cosines = {identity: float(vector @ question) for identity, vector in vectors}
        return nearest(query, known, orders, cosines)

    def entries(self) -> tuple[MemoryEntry, ...]:
        """See `MemoryStore`."""
        found = self._do(lambda connection: _found(connection, None))
        return tuple(one.entry for one in found)

    def clear(self) -> None:
        """See `MemoryStore`."""
        self._do(lambda connection: connection.execute("DELETE FROM entries"))

    def lost(self) -> str | None:
        """See `MemoryStore`."""
        row = self._do(
            lambda connection: connection.execute(
                "SELECT text FROM notes WHERE name = ?", (LOST,)
            ).fetchone()
        )
        return None if row is None else str(row[0])

    def restored(self) -> None:
        """See `MemoryStore`."""
        self._do(lambda connection: connection.execute("DELETE FROM notes WHERE name = ?", (LOST,)))

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Runs the work on the file, or on a new one if it is found damaged."""
        for surely in (False, True):
            try:
                return self._attempt(work)
            except DamagedMemoryFile as damage:
                set_aside(self._path, str(damage), surely=surely)
        try:
            return self._attempt(work)
        except DamagedMemoryFile as damage:
            raise MemoryUnusable(f"the memory in {self._path} is damaged: {damage}") from damage

    def _attempt(self, work: Callable[[sqlite3.Connection], T]) -> T:
        # Every page is checked once in a process; after that, only those that are read.
        with opened(self._path, thoroughly=not self._checked) as connection:
            self._checked = True
            return work(connection)

    def _with_vectors(
        self, meaning: EmbeddingModel, found: Sequence["_StoredEntry"]
    ) -> list["_Placed"]:
        """The vectors of the entries. Of entries without one, stored before there was a model, the
        newest get one now; the others have none until they are stored again."""
        placed, without = [], []
        for one in found:
            vector = _vector(one, meaning)
            if vector is None:
                without.append(one.entry)
            else:
                placed.append((one.entry.memory_id, vector))
        rows = _rows(without[-MOST_BACKFILLED:], meaning)
        if rows:
            # The search uses them, whether or not they can be stored.
            with suppress(MemoryUnusable):
                self._do(
                    lambda connection: _write(connection, _BACKFILL, map(_backfill_values, rows))
                )
        placed += ((row.memory_id, _read_vector(row.vector)) for row in rows)
        return placed


_Placed = tuple[str, Vector]
"""An entry's id and its vector."""


class _StoredEntry(NamedTuple):
    """A stored entry, with its vector and the model that made it."""

    entry: MemoryEntry
    model: str | None
    vector: bytes | None


class _MemoryRow(NamedTuple):
    """A row of the file. `as_of` is in microseconds since 1970."""

    memory_id: str
    kind: str
    as_of: int
    workflow_id: str
    entry: bytes
    model: str | None
    vector: bytes | None


def _unchanged(
    connection: sqlite3.Connection, entries: Iterable[MemoryEntry], meaning: EmbeddingModel | None
) -> set[str]:
    """The ids of the entries that are stored unchanged already, with a vector if there can be
    one."""
    same: set[str] = set()
    for entry in entries:
        row = connection.execute(
            "SELECT entry, model FROM entries WHERE memory_id = ?", (entry.memory_id,)
        ).fetchone()
        if row and row[0] == _packed(entry) and (meaning is None or row[1] == meaning.model):
            same.add(entry.memory_id)
    return same


def _rows(entries: Sequence[MemoryEntry], meaning: EmbeddingModel | None) -> list[_MemoryRow]:
    vectors: Sequence[Vector | None] = [None] * len(entries)
    if meaning is not None:
        vectors = meaning.passages([embedded_text(entry) for entry in entries])
    return [
        _MemoryRow(
            memory_id=entry.memory_id,
            kind=entry.kind,
            as_of=microseconds(entry.as_of),
            workflow_id=entry.workflow_id,
            entry=_packed(entry),
            model=meaning.model if meaning else None,
            vector=None if vector is None else vector.astype(np.float32).tobytes(),
        )
        for entry, vector in zip(entries, vectors, strict=True)
    ]


def _backfill_values(row: _MemoryRow) -> tuple[str | None, bytes | None, str, bytes]:
    return row.model, row.vector, row.memory_id, row.entry


def _write(
    connection: sqlite3.Connection, statement: str, rows: Iterable[Sequence[object]]
) -> None:
    """Writes all rows or none."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.executemany(statement, rows)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _found(connection: sqlite3.Connection, query: MemoryQuery | None) -> list[_StoredEntry]:
    """The entries visible to the query, or all, in the order in which they became known."""
    until = _LAST if query is None else microseconds(query.as_of)
    rows = connection.execute(
        "SELECT memory_id, entry, model, vector FROM entries WHERE as_of <= ?"
        " ORDER BY as_of, memory_id",
        (until,),
    )
    found: list[_StoredEntry] = []
    for memory_id, packed, model, vector in rows:
        try:
            entry = MemoryEntry.model_validate_json(packed)
        except ValidationError as error:
            LOG.warning("the memory %s cannot be read and is left out: %s", memory_id, error)
            continue
        if query is None or is_visible(query, entry):
            found.append(_StoredEntry(entry, model, vector))
    return found


def _vector(found: _StoredEntry, meaning: EmbeddingModel) -> Vector | None:
    """The vector that this model made. None if it is absent or not usable."""
    if found.model != meaning.model or len(found.vector or b"") != 4 * DIMENSIONS:
        return None
    vector = _read_vector(found.vector)
    return vector if bool(np.isfinite(vector).all()) else None


def _read_vector(stored: bytes | None) -> Vector:
    return np.frombuffer(stored or b"", np.float32)


def _packed(entry: MemoryEntry) -> bytes:
    return entry.model_dump_json().encode()
