"""What has been done, by key, so that a repeated activity returns the first result.

Temporal runs an activity again when worker and server die together after the effect and before
its completion was stored. A call that is paid for must not be paid for twice: its result is kept
here, under the activity's key, before the activity completes.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

KEPT_FOR = "-14 days"
"""Far longer than a completion can be outstanding."""

T = TypeVar("T", bound=BaseModel)


class EffectJournal:
    """Results by key in an SQLite file that processes on one machine share."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}
        self._connection = sqlite3.connect(path, timeout=10, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=NORMAL")
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS effects (key TEXT PRIMARY KEY, result TEXT NOT NULL,"
            " at TEXT NOT NULL DEFAULT (datetime('now')))"
        )
        self._connection.execute("DELETE FROM effects WHERE at < datetime('now', ?)", (KEPT_FOR,))

    async def once(self, key: str, effect: Callable[[], Awaitable[T]], kind: type[T]) -> T:
        """The result kept under the key, or else the effect's, which is then kept.

        An effect that raises leaves nothing and may be tried again.
        """
        async with self._alone(key):
            kept = self._read(key)
            if kept is not None:
                return kind.model_validate_json(kept)
            result = await effect()
            self._connection.execute(
                "INSERT OR IGNORE INTO effects (key, result) VALUES (?, ?)",
                (key, result.model_dump_json()),
            )
            return result

    def close(self) -> None:
        """Release the file."""
        self._connection.close()

    @asynccontextmanager
    async def _alone(self, key: str) -> AsyncIterator[None]:
        """One attempt at a time: a late heartbeat can bring the next while the last still runs."""
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

    def _read(self, key: str) -> str | None:
        with closing(
            self._connection.execute("SELECT result FROM effects WHERE key = ?", (key,))
        ) as rows:
            row = rows.fetchone()
        return None if row is None else str(row[0])
