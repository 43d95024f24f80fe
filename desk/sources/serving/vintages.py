"""Values of a source as they were known: first values, late ones, revisions and withdrawals.

A provider's file has each datum in its current version. The desk answers for an instant, so it
records the differences whenever it replaces a file by a newer one. A first value counts as known
from the provider's publication rule, whenever the desk saw it. A revision counts as known from the
instant at which the desk saw it, and so does a value that was missing when the desk looked after it
was due. The differences are recorded beside the cached file.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Final, Generic, Protocol, Self, TypeAlias, TypeVar

from pydantic import ValidationError

from desk.contracts.base import Contract, Instant

Publication = Callable[[str], datetime]
"""The instant from which a datum counts as known, by its name, by its provider's rule."""


class RevisedDatum(Contract):
    """One datum that differs in a newer file, first seen at `seen`. None: it was absent."""

    name: str
    seen: Instant
    before: str | None
    after: str | None


def revisions_between(
    before: Mapping[str, str],
    after: Mapping[str, str],
    *,
    seen: datetime,
    looked: datetime | None,
    published: Publication | None,
) -> tuple[RevisedDatum, ...]:
    """The differences to record when a file replaces another.

    Args:
        before: The data of the existing file, by their names.
        after: Those of the newer one.
        seen: The instant at which the newer one was fetched.
        looked: When the desk last found that the provider had nothing newer than `before`; None if
            unknown, and then no value counts as late.
        published: The provider's rule; None if it has none, and then no value counts as late.
    """
    revised = (name for name in before if after.get(name) != before[name])
    late = (
        name
        for name in after.keys() - before.keys()
        if looked is not None and published is not None and published(name) <= looked
    )
    return tuple(
        RevisedDatum(name=name, seen=seen, before=before.get(name), after=after.get(name))
        for name in sorted({*revised, *late})
    )


class Vintages:
    """The data of a source at any instant: the current ones, with later changes undone."""

    def __init__(
        self,
        current: Mapping[str, str],
        revisions: Iterable[RevisedDatum] = (),
        published: Publication | None = None,
    ) -> None:
        """Without a publication rule every first value counts as always known."""
        self._current = current
        self._published = published
        self._revisions: dict[str, list[RevisedDatum]] = {}
        for revision in sorted(revisions, key=lambda each: each.seen):
            self._revisions.setdefault(revision.name, []).append(revision)

    def value(self, name: str, as_of: datetime) -> str | None:
        """A datum as it was known at an instant. None if it was not."""
        if self._published is not None and as_of < self._published(name):
            return None
        revisions = self._revisions.get(name, [])
        seen = bisect_right(revisions, as_of, key=lambda each: each.seen)
        return revisions[seen].before if seen < len(revisions) else self._current.get(name)

    def as_of(self, as_of: datetime) -> dict[str, str]:
        """All data known at an instant, in the order of the file, in their version of then. Those
        withdrawn since come last."""
        names = dict.fromkeys((*self._current, *self._revisions))
        found = ((name, self.value(name, as_of)) for name in names)
        return {name: value for name, value in found if value is not None}

    def corrections(self, as_of: datetime) -> dict[str, str | None]:
        """The data that differed at an instant from the current ones, publication rule aside: the
        earlier value by name, None if it was absent. Empty for most instants, and cheap."""
        found: dict[str, str | None] = {}
        for name, revisions in self._revisions.items():
            seen = bisect_right(revisions, as_of, key=lambda each: each.seen)
            if seen < len(revisions) and revisions[seen].before != self._current.get(name):
                found[name] = revisions[seen].before
        return found


def revisions_path(name: str, cache_dir: Path) -> Path:
    """The file that records the differences of newer versions, one line of JSON each."""
    return cache_dir / f"{name}.revisions"


def revisions_of(name: str, cache_dir: Path) -> tuple[RevisedDatum, ...]:
    """The recorded differences of newer versions of a file, in the order in which they were seen.
    Skips an unreadable line, which a killed process left behind."""
    try:
        lines = revisions_path(name, cache_dir).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return ()
    return tuple(_readable(lines))


def _readable(lines: Iterable[str]) -> Iterator[RevisedDatum]:
    for line in lines:
        try:
            yield RevisedDatum.model_validate_json(line)
        except ValidationError:
            continue


class Correctable(Protocol):
    """The content of a file by the names of its data, which can be corrected."""

    def by_datum(self) -> Mapping[str, str]:
        """Every datum by its name."""

    def corrected(self, corrections: Mapping[str, str | None]) -> Self:
        """A copy with other data, by their names. None removes one."""


_Content = TypeVar("_Content", bound=Correctable)
FileSignature: TypeAlias = tuple[int, int, int]
"""Distinguishes the versions of a file: inode, size and modification time."""


def signature_of(file: Path | None) -> FileSignature | None:
    """The signature of a file. None if it is absent."""
    try:
        found = file.stat() if file else None
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns) if found else None


CACHED_CORRECTIONS: Final = 8
"""Earlier states of a file that are cached: a whole file each. Concurrent runs ask for few."""


class FileAsOf(Generic[_Content]):
    """The content of a cached file as of an instant. Not thread-safe: its user locks."""

    def __init__(self, name: str, cache_dir: Path) -> None:
        self._name = name
        self._cache_dir = cache_dir
        self._now: _Content | None = None
        self._read_with: FileSignature | None = None
        self._vintages: Vintages | None = None
        self._corrected: dict[frozenset[tuple[str, str | None]], _Content] = {}

    def known_at(self, now: _Content, as_of: datetime) -> _Content:
        """The current content `now`, with changes since `as_of` undone. The revisions are read
        again only when the file, or their record, has changed."""
        signature = signature_of(revisions_path(self._name, self._cache_dir))
        if now is not self._now or signature != self._read_with:
            revisions = revisions_of(self._name, self._cache_dir)
            self._vintages = Vintages(now.by_datum(), revisions) if revisions else None
            self._corrected.clear()
            self._now, self._read_with = now, signature
        corrections = self._vintages.corrections(as_of) if self._vintages else {}
        if not corrections:
            return now
        key = frozenset(corrections.items())
        if key not in self._corrected:
            while len(self._corrected) >= CACHED_CORRECTIONS:
                del self._corrected[next(iter(self._corrected))]
            self._corrected[key] = now.corrected(corrections)
        return self._corrected[key]
