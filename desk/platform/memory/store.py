"""The interface of the stores of the desk's memory."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

from desk.contracts.learning.memory import MemoryEntry, MemoryQuery, Recalled

_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)


class MemoryUnusable(Exception):
    """The memory cannot be read or written. The message says which store and why."""


class MemoryAway(MemoryUnusable):
    """The same as `MemoryUnusable`, but another attempt may succeed: a server is down, or other
    processes hold the file."""


class MemoryStore(Protocol):
    """Stores entries and retrieves them by meaning. Its methods block, and may be called
    concurrently from threads and processes.

    Each raises `MemoryUnusable` if the store cannot be used, and `MemoryAway` if another attempt
    may succeed. A damaged store is set aside under another name, and a new one is created.
    """

    def put(self, entries: Sequence[MemoryEntry]) -> int:
        """Stores entries, all of them or none. An entry replaces an earlier one of the same id.
        Returns how many were stored."""
        ...

    def search(self, query: MemoryQuery) -> tuple[Recalled, ...]:
        """The nearest entries, at most `query.most`, nearest first. Entries later than
        `query.as_of` are not returned and change neither the order nor the scores."""
        ...

    def entries(self) -> tuple[MemoryEntry, ...]:
        """All entries, in the order in which they became known."""
        ...

    def clear(self) -> None:
        """Deletes all entries."""
        ...

    def lost(self) -> str | None:
        """What was lost with a damaged store and has not been restored. None if nothing was."""
        ...

    def restored(self) -> None:
        """Records that what was lost was restored as far as possible."""
        ...


def microseconds(instant: datetime) -> int:
    """An instant in the form that stores compare: whole microseconds since 1970, exact."""
    return (instant - _BEGINNING) // timedelta(microseconds=1)


def instant_of(microseconds: int) -> datetime:
    """The reverse of `microseconds`, in UTC."""
    return _BEGINNING + timedelta(microseconds=microseconds)
