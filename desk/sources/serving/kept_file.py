"""A provider's file that a server caches: downloaded, validated as a whole, replaced.

A server declares its files as `KeptFile`. `refresh` downloads one with limits of size and time,
reads all of it, and replaces the cached copy only by one that is not worse. Changed data are
recorded beside it, so that an earlier instant is answered with what was known then (`vintages`).
"""

import os
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from urllib.parse import urlsplit

from desk.contracts.findings.sources import KeptFileState, RefreshOutcome, RefreshStatus
from desk.sources.serving.downloads import NotDownloaded, download, require_success
from desk.sources.serving.vintages import (
    Publication,
    RevisedDatum,
    revisions_between,
    revisions_path,
)

TIMEOUT_SECONDS = 5.0
"""The longest time of a download."""

LARGEST_DOWNLOAD = 16 * 1024 * 1024
"""Bytes of a file, unless its server says otherwise."""

FAILURE_CACHE_SECONDS = 60.0
"""How long a failure is recorded in the cache folder, so that no process tries again meanwhile."""

_LONGEST_REASON = 4_000


class DamagedFile(Exception):
    """The content is not the provider's file. The message says why, without naming the file."""


@dataclass(frozen=True, slots=True)
class FileContent:
    """The content of a whole file.

    `newest` is the day of its newest datum, None if its data have no days. `count` is the number of
    its data. `values` returns the data by a name that is stable across versions of the file, such
    as "2026-10-30 USD", each in the provider's form.
    """

    newest: date | None
    count: int
    values: Callable[[], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class KeptFile:
    """One file that a server caches.

    `source` is its name for people, such as "ECB reference rates"; `name` its name in the cache
    folder; `url` its address. `read` validates a whole file and returns its content, or raises
    `DamagedFile`. `packaged` returns the copy that ships with the project or a package; raises
    `OSError` if there is none. A download of a file that `grows` is refused if it has fewer data or
    an older newest one than the existing copy; others, such as a feed, are not. One that `rolls`
    has only its newest data and may have fewer. `published` is the provider's rule: the instant
    from which a datum, by its name, counts as known.
    """

    source: str
    name: str
    url: str
    read: Callable[[bytes], FileContent]
    packaged: Callable[[], bytes] | None = None
    published: Publication | None = None
    grows: bool = True
    rolls: bool = False
    largest: int = LARGEST_DOWNLOAD
    timeout_seconds: float = TIMEOUT_SECONDS
    headers: Mapping[str, str] = field(default_factory=dict)

    def path(self, cache_dir: Path) -> Path:
        """The path of the cached copy."""
        return cache_dir / self.name

    def refresh(self, cache_dir: Path) -> RefreshOutcome:
        """Downloads the file, see the function `refresh`."""
        return refresh(self, cache_dir)

    def state(self, cache_dir: Path) -> KeptFileState:
        """How current the copy in use is."""
        content, failed = held(self, cache_dir), recent_failure(self, cache_dir)
        return KeptFileState(
            source=self.source,
            last_day=content.newest if content else None,
            looked=_looked(self.path(cache_dir)),
            failure=failed[1] if failed else None,
        )


def refresh(
    kept: KeptFile, cache_dir: Path, *, in_time: Callable[[], bool] = lambda: True
) -> RefreshOutcome:
    """Downloads the file, validates all of it and only then replaces the cached copy.

    Never raises for errors of the network, a file or a folder: they are in the outcome.
    `timeout_seconds` of the file limits each wait and, between waits, the whole download. A failure
    is recorded beside the copy, see `recent_failure`.

    `in_time` is called once the download is complete. If it returns False, the cached copy remains,
    and the download is set aside for `use_late_download`.
    """
    outcome = _refreshed(kept, cache_dir, in_time)
    _note(kept, cache_dir, None if outcome.succeeded else outcome.reason)
    return outcome


def use_late_download(kept: KeptFile, cache_dir: Path) -> None:
    """Replaces the cached copy by a download that was set aside since the copy was last confirmed,
    like `refresh`. Its age remains that of the download."""
    late = _late_path(kept, cache_dir)
    try:
        fetched, came = late.read_bytes(), late.stat().st_mtime
        late.unlink()
        looked = _looked(kept.path(cache_dir))
        if looked is None or came > looked.timestamp():
            _taken_over(kept, cache_dir, fetched, kept.read(fetched))
            os.utime(kept.path(cache_dir), (came, came))
    except (DamagedFile, OSError):
        # There is none, or another process has just taken it: the cached copy remains in use.
        return


def recent_failure(kept: KeptFile, cache_dir: Path) -> tuple[float, str] | None:
    """How many seconds ago a refresh of any process failed, and why, if that is less than
    `FAILURE_CACHE_SECONDS` ago and no refresh has succeeded since."""
    note = _failure_note(kept, cache_dir)
    try:
        ago = time.time() - note.stat().st_mtime
        reason = note.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return (ago, reason) if 0 <= ago < FAILURE_CACHE_SECONDS else None


def held(kept: KeptFile, cache_dir: Path | None) -> FileContent | None:
    """The content of the best usable copy, cached or packaged: the one with the newest datum."""
    usable = [content for _, content in _usable(kept, cache_dir)]
    return max(usable, key=lambda content: content.newest or date.min, default=None)


def has_copy(kept: KeptFile, cache_dir: Path) -> bool:
    """Whether there is a copy, cached or packaged, usable or not."""
    if kept.path(cache_dir).exists():
        return True
    try:
        return kept.packaged is not None and bool(kept.packaged())
    except OSError:
        return False


def _refreshed(kept: KeptFile, cache_dir: Path, in_time: Callable[[], bool]) -> RefreshOutcome:
    target = kept.path(cache_dir)
    try:
        fetched = download(
            kept.url,
            require_success,
            timeout_seconds=kept.timeout_seconds,
            largest=kept.largest,
            headers=kept.headers,
        )
        content = kept.read(fetched)
        if in_time():
            status, changed = _taken_over(kept, cache_dir, fetched, content)
        else:
            _replace(_late_path(kept, cache_dir), fetched)
            status, changed = RefreshStatus.UNCHANGED, "set aside, it came late"
    except NotDownloaded as error:
        return _failure(RefreshStatus.UNREACHABLE, kept, target, f"{_host(kept)}: {error}")
    except DamagedFile as error:
        return _failure(RefreshStatus.REJECTED, kept, target, f"{_host(kept)}: {error}")
    except OSError as error:
        return _failure(RefreshStatus.NOT_WRITTEN, kept, target, f"{target}: {error}")
    return RefreshOutcome(
        status=status,
        file=str(target),
        source=kept.source,
        last_day=content.newest,
        changed=changed,
    )


def _taken_over(
    kept: KeptFile, cache_dir: Path, fetched: bytes, content: FileContent
) -> tuple[RefreshStatus, str]:
    """Replaces the cached copy by the download. Returns how they differ."""
    target = kept.path(cache_dir)
    if target.exists() and target.read_bytes() == fetched:
        # Its modification time tells other processes that it has been confirmed.
        os.utime(target)
        return RefreshStatus.UNCHANGED, "nothing"
    known = _usable(kept, cache_dir)
    if kept.grows:
        _require_as_much_as(content, known, rolls=kept.rolls)
    before, now = known[0][1].values() if known else {}, content.values()
    revisions = revisions_between(
        before,
        now,
        seen=datetime.now(UTC),
        looked=_looked(target),
        published=kept.published,
    )
    # Before the file itself: a superfluous record is harmless, a lost one is not.
    _note_revisions(kept, cache_dir, revisions)
    _replace(target, fetched)
    return RefreshStatus.REPLACED, _changes(before, now)


def _host(kept: KeptFile) -> str:
    """The part of the address by which people know a provider."""
    return urlsplit(kept.url).netloc or kept.url


def _failure(status: RefreshStatus, kept: KeptFile, target: Path, reason: str) -> RefreshOutcome:
    return RefreshOutcome(
        status=status, file=str(target), source=kept.source, reason=reason[:_LONGEST_REASON]
    )


def _usable(kept: KeptFile, cache_dir: Path | None) -> list[tuple[str, FileContent]]:
    """The existing usable copies, with their locations, the cached one first."""
    copies: list[tuple[str, Callable[[], bytes]]] = []
    if cache_dir is not None:
        copies.append((str(kept.path(cache_dir)), kept.path(cache_dir).read_bytes))
    if kept.packaged is not None:
        copies.append(("the copy that comes with the desk", kept.packaged))
    usable = []
    for place, copy in copies:
        try:
            usable.append((place, kept.read(copy())))
        except (DamagedFile, OSError):
            continue
    return usable


def _require_as_much_as(
    content: FileContent, known: list[tuple[str, FileContent]], *, rolls: bool
) -> None:
    for place, other in known:
        fewer = content.count < other.count and not rolls
        if fewer or (content.newest or date.min) < (other.newest or date.min):
            raise DamagedFile(
                f"it has {content.count} data up to {content.newest}, fewer than the "
                f"{other.count} up to {other.newest} in {place}"
            )


def _changes(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """How a file differs from the one before, such as "82 added, 1 revised"."""
    counts = {
        "added": len(now.keys() - before.keys()),
        "revised": sum(1 for name in now.keys() & before.keys() if now[name] != before[name]),
        "withdrawn": len(before.keys() - now.keys()),
    }
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count) or "nothing"


def _looked(target: Path) -> datetime | None:
    """When the provider was last found to have nothing newer than the cached copy."""
    try:
        return datetime.fromtimestamp(target.stat().st_mtime, UTC)
    except OSError:
        return None


def _note_revisions(kept: KeptFile, cache_dir: Path, revisions: tuple[RevisedDatum, ...]) -> None:
    if not revisions:
        return
    cache_dir.mkdir(parents=True, exist_ok=True)
    with revisions_path(kept.name, cache_dir).open("a", encoding="utf-8") as file:
        file.writelines(f"{revision.model_dump_json()}\n" for revision in revisions)
        file.flush()
        os.fsync(file.fileno())


def _replace(target: Path, content: bytes) -> None:
    """Writes a file atomically."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with unfinished.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def _late_path(kept: KeptFile, cache_dir: Path) -> Path:
    """The path of a download that arrived after calls had been answered without it."""
    return cache_dir / f".{kept.name}.late"


def _failure_note(kept: KeptFile, cache_dir: Path) -> Path:
    return cache_dir / f".{kept.name}.failed"


def _note(kept: KeptFile, cache_dir: Path, failure: str | None) -> None:
    note = _failure_note(kept, cache_dir)
    try:
        if failure is None:
            note.unlink(missing_ok=True)
        else:
            cache_dir.mkdir(parents=True, exist_ok=True)
            note.write_text(failure, encoding="utf-8")
    except OSError:
        # An unwritable folder is reported when the file itself is written.
        return
