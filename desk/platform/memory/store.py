"""The interface of the stores that hold the desk's memory."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

from desk.contracts.learning.memory import MemoryEntry, MemoryQuery, Recalled

_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)


class MemoryUnusable(Exception):
    """The memory cannot be read or written. The message says which store and why."""


class MemoryAway(MemoryUnusable):
    """As `MemoryUnusable`, but another attempt may succeed: a server is away, or others hold the
    file."""


class MemoryStore(Protocol):
    """Keeps entries and finds them by meaning. Its methods block, and may be called side by side
    from threads and from processes.

    Each raises `MemoryUnusable` where the store cannot be had, and `MemoryAway` where another try
    may do. A store that is found damaged is set aside under another name, and a new one begun.
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
        """What was lost with a damaged store and is not restored yet; None if nothing is."""
        ...

    def restored(self) -> None:
        """Records that what was lost was restored as far as possible."""
        ...


def microseconds(instant: datetime) -> int:
    """An instant as stores compare it: whole microseconds since 1970, exact."""
    return (instant - _BEGINNING) // timedelta(microseconds=1)


def instant_of(microseconds: int) -> datetime:
    """The instant again, in UTC."""
    return _BEGINNING + timedelta(microseconds=microseconds)
