"""What keeps the desk's memory: what every store can do, and which one the settings choose."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Protocol

from desk.contracts.learning.memory import MemoryEntry, MemoryQuery, Recalled
from desk.platform.settings import Settings

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


EMBEDDED = "embedded"
CHROMA_FOLDER = "chroma:"
CHROMA_SERVER = "chroma+"


def memory_store(settings: Settings) -> MemoryStore:
    """The store that is set. Nothing is opened before it is used, and what is wrong with it is
    said then."""
    chosen = settings.memory.store
    if chosen.startswith(CHROMA_SERVER):
        from desk.platform.memory.chroma import ChromaMemory, ChromaServer

        return ChromaMemory(ChromaServer(chosen.removeprefix(CHROMA_SERVER)))
    if chosen.startswith(CHROMA_FOLDER):
        from desk.platform.memory.chroma import ChromaFolder, ChromaMemory

        folder = Path(chosen.removeprefix(CHROMA_FOLDER)).expanduser()
        return ChromaMemory(ChromaFolder(settings.project_dir / folder))
    from desk.platform.memory.embedded import EmbeddedMemory

    return EmbeddedMemory(settings.memory_path)
