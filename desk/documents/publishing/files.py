"""Writes published files: with the right permissions, and all files of a document or none.

Other files of the desk can only be read by their owner. Published ones have the permissions of the
user's other files.
"""

import errno
import glob
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

PRIVATE_UMASK: Final = stat.S_IRWXG | stat.S_IRWXO

_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})
"""What a file system without hard links answers."""

_usual: list[int] = []
"""The umask that the process started with, once it was replaced."""


def make_private() -> None:
    """Makes all files that this process and its children write readable by their owner alone, until
    they are `published`."""
    mask = os.umask(PRIVATE_UMASK)
    if not _usual:
        _usual.append(mask)


def published(path: Path) -> None:
    """Gives a file or folder the permissions that the user's own commands would give it, unless it
    is in a folder that only its owner can read."""
    if not _usual or not path.parent.stat().st_mode & PRIVATE_UMASK:
        return
    most = 0o777 if path.is_dir() else 0o666
    # Some file systems have no permissions.
    with suppress(PermissionError):
        path.chmod(most & ~_usual[0])


def publish_folder(folder: Path) -> None:
    """Creates a folder for published files, with the folders above it, if they do not exist.

    Raises:
        OSError: one cannot be created.
    """
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(exist_ok=True)
        published(place)
    folder.mkdir(exist_ok=True)


class PublishingError(Exception):
    """A document could not be written to `path`. The earlier files are unchanged."""

    def __init__(self, path: Path, cause: OSError) -> None:
        self.path = path
        reason = cause.strerror or str(cause)
        super().__init__(
            f"the report could not be written to {path}: {reason}. Make room there or make it "
            "writable, or choose another directory, and publish again; nothing was changed."
        )


def write_all(contents: Mapping[Path, str | None], folder: Path) -> None:
    """Writes every file to a temporary file beside its place, then moves all of them into place, or
    none. A file whose text is None is removed.

    Raises:
        PublishingError: a file or the folder could not be written; all files are unchanged.
    """
    token = secrets.token_hex(4)
    texts = {path: text for path, text in contents.items() if text is not None}
    new = {path: path.with_name(f".{path.name}.{token}.new") for path in texts}
    old = {path: path.with_name(f".{path.name}.{token}.old") for path in contents}
    at = folder
    try:
        publish_folder(folder)
        for at, text in texts.items():
            _write(new[at], text)
        for at in contents:
            _keep(at, old[at])
        at = folder
        _replace_all(contents, new, old)
        _sync(folder)
    except OSError as error:
        raise PublishingError(at, error) from error
    finally:
        for leftover in (*new.values(), *old.values()):
            with suppress(OSError):
                leftover.unlink(missing_ok=True)


def create_whole(path: Path, text: str) -> None:
    """Creates a file with its content at once, so that a process that is killed meanwhile leaves
    none without it.

    Raises:
        FileExistsError: there is such a file.
        OSError: it cannot be written.
    """
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    try:
        new.write_text(text, encoding="utf-8")
        try:
            path.hardlink_to(new)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
    finally:
        new.unlink(missing_ok=True)


def is_being_written(path: Path) -> bool:
    """Returns whether `write_all` is writing a file, or was killed while writing it."""
    waiting = f".{glob.escape(path.name)}.{'[0-9a-f]' * 8}"
    return any(any(path.parent.glob(f"{waiting}.{end}")) for end in ("new", "old"))


def _write(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)
        published(path)
        file.flush()
        os.fsync(file.fileno())


def _keep(path: Path, copy: Path) -> None:
    """Copies a file that is about to be replaced, for restoring it."""
    with suppress(FileNotFoundError):
        shutil.copy2(path, copy)


def _replace_all(paths: Iterable[Path], new: Mapping[Path, Path], old: Mapping[Path, Path]) -> None:
    placed: list[Path] = []
    try:
        for path in paths:
            if path in new:
                new[path].replace(path)
            else:
                path.unlink(missing_ok=True)
            placed.append(path)
    except OSError:
        for path in placed:
            _put_back(path, old[path])
        raise


def _put_back(path: Path, copy: Path) -> None:
    with suppress(OSError):
        if copy.exists():
            copy.rename(path)
        else:
            path.unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    """Makes new file names survive a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
