"""Values of a source as they were known: first ones, late ones, revisions and withdrawals.

A provider's file has each datum as the provider tells it now. The desk answers for an instant, so
it notes what differs whenever it takes over a newer file. A first value counts as known from the
provider's publication rule, whenever the desk saw it; a revision from the instant at which the desk
saw it; and so does a value that was not there yet when the desk looked after it was due. What
differs is noted beside the kept file.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Final, Generic, Protocol, Self, TypeAlias, TypeVar

from pydantic import ValidationError

from desk.contracts.base import Contract, Instant

Publication = Callable[[str], datetime]
"""From which instant a datum of a name counts as known, by its provider's rule."""


class RevisedDatum(Contract):
    """One datum that a newer file told otherwise, first seen at `seen`. None: it was not there."""

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
    """What is to be noted when a file takes the place of another.

    Args:
        before: The data of the file that there was, by their names.
        after: Those of the newer one.
        seen: The instant at which the newer one was fetched.
        looked: When the desk last found that the provider had nothing newer than `before`; None
            where that is not known, and nothing can be called late.
        published: The provider's rule; None where it has none, and nothing is called late.
    """
    told_otherwise = (name for name in before if after.get(name) != before[name])
    late = (
        name
        for name in after.keys() - before.keys()
        if looked is not None and published is not None and published(name) <= looked
    )
    return tuple(
        RevisedDatum(name=name, seen=seen, before=before.get(name), after=after.get(name))
        for name in sorted({*told_otherwise, *late})
    )


class Vintages:
    """The data of a source at any instant: those it tells now, undone as far as they came later."""

    def __init__(
        self,
        current: Mapping[str, str],
        revisions: Iterable[RevisedDatum] = (),
        published: Publication | None = None,
    ) -> None:
        """Without a publication rule every first value counts as known from the beginning."""
        self._current = current
        self._published = published
        self._revisions: dict[str, list[RevisedDatum]] = {}
        for revision in sorted(revisions, key=lambda each: each.seen):
            self._revisions.setdefault(revision.name, []).append(revision)

    def value(self, name: str, as_of: datetime) -> str | None:
        """A datum as it was known at an instant; None where none was."""
        if self._published is not None and as_of < self._published(name):
            return None
        revisions = self._revisions.get(name, [])
        seen = bisect_right(revisions, as_of, key=lambda each: each.seen)
        return revisions[seen].before if seen < len(revisions) else self._current.get(name)

    def as_of(self, as_of: datetime) -> dict[str, str]:
        """All data that were known at an instant, in the order of the file, as they were then;
        those that were withdrawn since come last."""
        names = dict.fromkeys((*self._current, *self._revisions))
        found = ((name, self.value(name, as_of)) for name in names)
        return {name: value for name, value in found if value is not None}

    def corrections(self, as_of: datetime) -> dict[str, str | None]:
        """What was told otherwise at an instant than it is now, publication rule aside: by name the
        value of then, None where it was not there. Empty for most instants, and cheap."""
        found: dict[str, str | None] = {}
        for name, revisions in self._revisions.items():
            seen = bisect_right(revisions, as_of, key=lambda each: each.seen)
            if seen < len(revisions) and revisions[seen].before != self._current.get(name):
                found[name] = revisions[seen].before
        return found


def revisions_path(name: str, cache_dir: Path) -> Path:
    """Where it is noted what newer versions of a file told otherwise, a line of JSON each."""
    return cache_dir / f"{name}.revisions"


def revisions_of(name: str, cache_dir: Path) -> tuple[RevisedDatum, ...]:
    """What newer versions of the file of a name told otherwise, in the order in which it was seen.
    A line that cannot be read is passed over: a process was killed while it wrote it."""
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
    """What a file tells, by the names of its data, and the same told otherwise."""

    def by_datum(self) -> Mapping[str, str]:
        """Every datum by its name."""

    def corrected(self, corrections: Mapping[str, str | None]) -> Self:
        """The same with other data, by their names; None takes one away."""


_Told = TypeVar("_Told", bound=Correctable)
FileSignature: TypeAlias = tuple[int, int, int]
"""What tells one version of a file from the next: inode, size and time of change."""


def signature_of(file: Path | None) -> FileSignature | None:
    """That of a file as it is now; None where there is none."""
    try:
        found = file.stat() if file else None
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns) if found else None


CORRECTED_KEPT: Final = 8
"""Earlier states of a file that are kept: a whole file each. Runs side by side ask about few."""


class AsSeen(Generic[_Told]):
    """What the kept file of a name told at an instant. Holds no lock: its user does."""

    def __init__(self, name: str, cache_dir: Path) -> None:
        self._name = name
        self._cache_dir = cache_dir
        self._now: _Told | None = None
        self._read_with: FileSignature | None = None
        self._vintages: Vintages | None = None
        self._corrected: dict[frozenset[tuple[str, str | None]], _Told] = {}

    def known_at(self, now: _Told, as_of: datetime) -> _Told:
        """What the file tells `now`, with what a newer version told otherwise since `as_of` undone.
        Its revisions are read again only when the file, or what is noted of it, has changed."""
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
            while len(self._corrected) >= CORRECTED_KEPT:
                del self._corrected[next(iter(self._corrected))]
            self._corrected[key] = now.corrected(corrections)
        return self._corrected[key]
