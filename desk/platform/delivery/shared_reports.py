"""Synchronises folders of reports on several machines through a bucket."""

import asyncio
import json
import logging
import os
import re
import tempfile
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from desk.platform.delivery.deliveries import store_words
from desk.platform.settings.store import StoreSettings

if TYPE_CHECKING:
    from obstore.store import S3Store

T = TypeVar("T")

FOLDERS: Final = ("weekly", "answers")
_PUBLISHED: Final = re.compile(rf"(?:{'|'.join(FOLDERS)})/\w[\w.-]*")
"""The files that are shared. Pages of the archive are generated from them, and drafts begin with a
dot."""

_REVISION: Final = re.compile(r"(.+)\.r\d+")
"""The stem of a revision, which is stored beside the newest document under its own name and never
changes."""

PREFIX: Final = "reports"
INDEX: Final = ".store.json"

UNSUPPORTED: Final = "<Code>NotImplemented</Code>"
"""In the answer of a store that does not know a header. The client has no class for it."""

LOG = logging.getLogger(__name__)


class StoreUnreachable(Exception):
    """The store does not answer, or refuses. The message says what was requested."""


class _SyncedFile(NamedTuple):
    """A file's state when it and its object in the store last had the same content."""

    etag: str
    size: int
    changed: int


class SharedReports:
    """A folder of reports that is the same on all machines that name the same store. Without a
    store it is only the folder.

    Revisions are uploaded and downloaded before the newest document, and the JSON form of each
    comes last, so that a reader who finds it also finds the others. If the newest document also
    exists as a revision, only its JSON form is downloaded and the other forms are copied from that
    revision: no reader gets the page of one revision beside the figures of another, even if one is
    uploaded during the download.
    """

    def __init__(self, store: StoreSettings | None, folder: Path) -> None:
        self._settings = store
        self._folder = folder
        self._one_at_a_time = asyncio.Lock()

    @property
    def is_shared(self) -> bool:
        """Whether there is a store."""
        return self._settings is not None

    async def fetch(self) -> None:
        """Downloads what the store has and the folder lacks.

        Raises:
            StoreUnreachable: the store does not answer, or refuses.
        """
        if self._settings is None:
            return
        async with self._one_at_a_time:
            store, index = _opened(self._settings), self._index()
            listed = dict(await self._listed(store))
            revised = {found[1] for name in listed if (found := _REVISION.fullmatch(_stem(name)))}
            for name, etag in listed.items():
                is_led = _stem(name) in revised and f"{_stem(name)}.json" in listed
                if (is_led and not name.endswith(".json")) or self._is_here(name, etag, index):
                    continue
                content = await _asked(f"fetch {name}", _content(store, self._key(name)))
                if is_led:
                    await self._follow(store, name, content, listed, index)
                _write(self._folder / name, content)
                self._note(index, name, etag)

    def _is_here(self, name: str, etag: str, index: dict[str, _SyncedFile]) -> bool:
        known = index.get(name)
        return known is not None and known.etag == etag and (self._folder / name).exists()

    async def _follow(
        self,
        store: "S3Store",
        name: str,
        content: bytes,
        listed: dict[str, str],
        index: dict[str, _SyncedFile],
    ) -> None:
        """Writes the other forms of the newest document, from the revision that its JSON form
        names. Downloads them if that revision is absent."""
        stem = _stem(name)
        for other in (each for each in listed if _stem(each) == stem and each != name):
            form = other.removeprefix(f"{stem}.")
            revision = self._folder / f"{stem}.r{_revision_of(content)}.{form}"
            if revision.is_file():
                _write(self._folder / other, revision.read_bytes())
            else:
                fetched = await _asked(f"fetch {other}", _content(store, self._key(other)))
                _write(self._folder / other, fetched)
            self._note(index, other, listed[other])

    async def claim(self, revision: str, run_id: str) -> bool:
        """Claims a revision's number for a run on all machines: `weekly/2026-W44-asia-g10-fx.r2`.
        Returns whether it is the run's, from now on or since before. True without a store.

        The store creates a claim only if there is none (`If-None-Match: *`). Claims stay, because
        another machine may have listed the revisions before this one was uploaded. A store that
        does not support this is used without claims.

        Raises:
            StoreUnreachable: the store does not answer, or refuses.
        """
        if self._settings is None:
            return True
        import obstore
        from obstore.exceptions import AlreadyExistsError, BaseError

        folder, _, stem = revision.rpartition("/")
        key = self._key(f"{folder}/.{stem}.claim")
        store = _opened(self._settings)

        async def created() -> bool:
            content = run_id.encode()
            try:
                await obstore.put_async(store, key, content, mode="create", use_multipart=False)
            except AlreadyExistsError:
                return await _content(store, key) == content
            except BaseError as error:
                if UNSUPPORTED not in str(error):
                    raise
                LOG.warning("the store has no conditional writes: %s is not claimed", revision)
            return True

        return await _asked(f"claim {revision}", created())

    async def put(self) -> None:
        """Uploads what was published in the folder since the last upload.

        Raises:
            StoreUnreachable: the store does not answer, or refuses.
        """
        if self._settings is None:
            return
        import obstore

        async with self._one_at_a_time:
            store, index = _opened(self._settings), self._index()
            for name in self._changed(index):
                content = (self._folder / name).read_bytes()
                putting = obstore.put_async(store, self._key(name), content, use_multipart=False)
                done = await _asked(f"put {name}", putting)
                self._note(index, name, done["e_tag"] or "")

    async def _listed(self, store: "S3Store") -> list[tuple[str, str]]:
        """The names and versions of the objects in the store."""
        import obstore

        under = f"{self._key()}/"
        pages = obstore.list(store, prefix=under)

        async def collected() -> list[tuple[str, str]]:
            return [
                (thing["path"].removeprefix(under), thing["e_tag"] or "")
                async for page in pages
                for thing in page
            ]

        found = await _asked("list its reports", collected())
        # The names are untrusted: nothing is written outside of the two folders.
        known = [pair for pair in found if _PUBLISHED.fullmatch(pair[0])]
        return sorted(known, key=lambda pair: _in_order(pair[0]))

    def _changed(self, index: dict[str, _SyncedFile]) -> Iterator[str]:
        """The files that differ from their last known state in the store."""
        found = (f"{folder}/{p.name}" for folder in FOLDERS for p in self._files(folder))
        for name in sorted(filter(_PUBLISHED.fullmatch, found), key=_in_order):
            known, now = index.get(name), (self._folder / name).stat()
            if known is None or (known.size, known.changed) != (now.st_size, now.st_mtime_ns):
                yield name

    def _files(self, folder: str) -> Iterator[Path]:
        place = self._folder / folder
        return (path for path in place.iterdir() if path.is_file()) if place.is_dir() else iter(())

    def _key(self, name: str = "") -> str:
        prefix = self._settings.prefix if self._settings else ""
        return "/".join(part for part in (prefix, PREFIX, name) if part)

    def _index(self) -> dict[str, _SyncedFile]:
        try:
            stored = json.loads((self._folder / INDEX).read_text())
            return {name: _SyncedFile(*known) for name, known in stored.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def _note(self, index: dict[str, _SyncedFile], name: str, etag: str) -> None:
        """Records an upload at once, so that it is not repeated after a crash."""
        now = (self._folder / name).stat()
        index[name] = _SyncedFile(etag, now.st_size, now.st_mtime_ns)
        _write(self._folder / INDEX, json.dumps(index).encode())


def _opened(settings: StoreSettings) -> "S3Store":
    from desk.platform.payloads.bucket import opened

    return opened(settings)


def _stem(name: str) -> str:
    return name.rpartition(".")[0]


def _in_order(name: str) -> tuple[bool, bool, str]:
    """Sorts revisions first, and within each kind the JSON forms last."""
    return _REVISION.fullmatch(_stem(name)) is None, name.endswith(".json"), name


def _revision_of(content: bytes) -> int | None:
    """The revision that a JSON form names. None if it names none."""
    try:
        revision = json.loads(content)["revision"]
    except (ValueError, TypeError, KeyError):
        return None
    return revision if isinstance(revision, int) else None


async def _content(store: "S3Store", key: str) -> bytes:
    import obstore

    return bytes(await (await obstore.get_async(store, key)).bytes_async())


async def _asked(what: str, asking: Awaitable[T]) -> T:
    from obstore.exceptions import BaseError

    try:
        return await asking
    except (BaseError, OSError) as error:
        words = f"the store could not be asked to {what}: {store_words(error)}"
        raise StoreUnreachable(words) from None


def _write(path: Path, content: bytes) -> None:
    """Writes a file atomically, so that a reader sees all of it or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".incoming-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
