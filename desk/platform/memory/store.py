"""What keeps the desk's memory: what every store can do."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

from desk.contracts.learning.memory import MemoryEntry, MemoryQuery, Recalled

_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)


class MemoryUnusable(Exception):
    """The memory cannot be asked or told. The message says which store and why."""


class MemoryAway(MemoryUnusable):
    """The same, and another try may do: a server is away, or a file is held by others."""


class MemoryStore(Protocol):
    """Keeps entries and finds them by meaning. Its methods block, and may be called side by side
    from threads and from processes.

    Each raises `MemoryUnusable` where the store cannot be had, and `MemoryAway` where another try
    may do. A store that is found damaged is set aside under another name, and a new one begun.
    """

    def put(self, entries: Sequence[MemoryEntry]) -> int:
        """Keep entries, each in the place of an earlier one of its id; how many are kept by this.
        All of them are, or none."""
        ...

    def search(self, query: MemoryQuery) -> tuple[Recalled, ...]:
        """What comes nearest, at most `query.most`, nearest first. Entries of after `query.as_of`
        are not in it, and change neither its order nor its scores."""
        ...

    def entries(self) -> tuple[MemoryEntry, ...]:
        """Everything that is kept, in the order in which it was known."""
        ...

    def clear(self) -> None:
        """Forget everything."""
        ...

    def lost(self) -> str | None:
        """What was lost with a damaged store and was not brought back since; None of a whole
        one."""
        ...

    def restored(self) -> None:
        """Note that what was lost was brought back, as far as it could be."""
        ...


def microseconds(instant: datetime) -> int:
    """An instant as stores compare it: microseconds since 1970, none of them rounded away."""
    return (instant - _BEGINNING) // timedelta(microseconds=1)


def instant_of(microseconds: int) -> datetime:
    """The instant again, in UTC."""
    return _BEGINNING + timedelta(microseconds=microseconds)
