"""Where Chroma keeps the memory: in a folder of this machine's, or behind a server's address.

`make install-chroma` installs the library; it is imported by whoever opens a place. Its telemetry
is off, and it fetches no model: the desk hands it its own.
"""

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from filelock import FileLock, Timeout

from desk.platform.memory.store import MemoryAway, MemoryUnusable

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

INSTALL: Final = "make install-chroma"
PATIENCE_SECONDS: Final = 10.0

LOG = logging.getLogger(__name__)

_DAMAGE: Final = (
    "(code: 11)",
    "(code: 26)",
    "malformed",
    "not a database",
    "no such table",
    "no such column",
    "hnsw",
    "panic",
)
"""How Chroma words what its files have come to."""

_AWAY: Final = ("could not connect", "timed out", "disconnected", "connection")
"""How it, and the client that it uses, word that there is no server."""


class Damaged(Exception):
    """What is kept cannot be read any more, and can be set aside."""


class ChromaPlace(Protocol):
    """Somewhere that Chroma keeps things."""

    def connected(self) -> AbstractContextManager["ClientAPI"]:
        """A client that is closed at the end; what it raises is Chroma's."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """The context in which something is written."""
        ...

    def explained(self, error: BaseException) -> Exception:
        """What an error of Chroma's comes to: `MemoryUnusable`, `MemoryAway` or `Damaged`."""
        ...

    def set_aside(self, reason: str) -> None:
        """Put what is damaged under another name, and note it."""
        ...

    def lost(self) -> str | None:
        """See `MemoryStore`."""
        ...

    def restored(self) -> None:
        """See `MemoryStore`."""
        ...


class ChromaFolder:
    """A folder of this machine's. One process writes at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._note = folder.with_name(f"{folder.name}.lost")

    @contextmanager
    def connected(self) -> Iterator["ClientAPI"]:
        """See `ChromaPlace`."""
        import chromadb

        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            client = chromadb.PersistentClient(self._folder, settings=_quiet())
        except BaseException:
            # It would keep what it could not start, and hand it to whoever comes next.
            _forget_clients()
            raise
        try:
            yield client
        finally:
            client.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """See `ChromaPlace`."""
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self._folder.with_name(f"{self._folder.name}.lock"), PATIENCE_SECONDS):
                yield
        except Timeout as error:
            raise MemoryAway(f"the memory in {self._folder} is held by another process") from error

    def explained(self, error: BaseException) -> Exception:
        """See `ChromaPlace`."""
        words = _words(error)
        if any(sign in words.casefold() for sign in _DAMAGE):
            return Damaged(words)
        return MemoryUnusable(f"the memory in {self._folder} cannot be used: {words}")

    def set_aside(self, reason: str) -> None:
        """See `ChromaPlace`."""
        names = (self._folder.with_name(f"{self._folder.name}.damaged-{n}") for n in count(1))
        aside = next(name for name in names if not name.exists())
        try:
            self._folder.rename(aside)
            LOG.warning(
                "the memory in %s is damaged (%s): moved to %s", self._folder, reason, aside
            )
            lost = f"the memory was damaged ({reason}) and was set aside as {aside}"
            self._note.write_text(f"{lost}; `desk memory rebuild` brings back what histories hold")
        except OSError as problem:
            words = f"the memory in {self._folder} is damaged and cannot be set aside: {problem}"
            raise MemoryUnusable(words) from problem
        _forget_clients()

    def lost(self) -> str | None:
        """See `ChromaPlace`."""
        try:
            return self._note.read_text()
        except OSError:
            return None

    def restored(self) -> None:
        """See `ChromaPlace`."""
        self._note.unlink(missing_ok=True)


class ChromaServer:
    """A server's address, such as `http://127.0.0.1:8000`. Its data are its own affair."""

    def __init__(self, address: str) -> None:
        self._address = address.rstrip("/")

    @contextmanager
    def connected(self) -> Iterator["ClientAPI"]:
        """See `ChromaPlace`."""
        import chromadb

        scheme, _, rest = self._address.partition("://")
        host, _, port = rest.rpartition(":")
        client = chromadb.HttpClient(host, int(port), ssl=scheme == "https", settings=_quiet())
        session = getattr(getattr(client, "_server", None), "_session", None)
        try:
            # Chroma waits for ever by itself; a run does not.
            if session is not None:
                session.timeout = PATIENCE_SECONDS
            yield client
        finally:
            client.close()
            # Which leaves its connections open.
            if session is not None:
                session.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """See `ChromaPlace`; the server takes what comes side by side."""
        yield

    def explained(self, error: BaseException) -> Exception:
        """See `ChromaPlace`."""
        words = _words(error)
        if any(sign in words.casefold() for sign in _AWAY):
            return MemoryAway(f"the Chroma server at {self._address} is away: {words}")
        return MemoryUnusable(f"the Chroma server at {self._address} refuses: {words}")

    def set_aside(self, reason: str) -> None:
        """See `ChromaPlace`; never asked for."""
        raise MemoryUnusable(f"the Chroma server at {self._address}: {reason}")

    def lost(self) -> str | None:
        """See `ChromaPlace`."""
        return None

    def restored(self) -> None:
        """See `ChromaPlace`."""


def _quiet() -> Any:
    from chromadb.config import Settings

    return Settings(anonymized_telemetry=False)


def _forget_clients() -> None:
    """Chroma keeps one system for each path in a process, and the files of this one have gone."""
    from chromadb.api.shared_system_client import SharedSystemClient

    SharedSystemClient.clear_system_cache()


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:600]
