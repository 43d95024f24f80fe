"""Reads the files of a document in a consistent state."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from desk.documents.publishing.files import is_being_written

WAIT_SECONDS: Final = 2.0
"""Far longer than it takes to replace the files. After a publisher was killed, waiting is
pointless."""

PAUSE_SECONDS: Final = 0.02


def read_together(paths: Sequence[Path], read: Callable[[Path], str]) -> dict[Path, str]:
    """Reads those files that exist, all of one publication. `write_all` replaces them one after
    another, so they are read again until none was replaced meanwhile. After `WAIT_SECONDS` they are
    returned as they are.

    Args:
        paths: Files that are published together.
        read: Reads a file's text.
    """
    until = time.monotonic() + WAIT_SECONDS
    while True:
        before = _versions(paths)
        texts = {path: read(path) for path in paths if path.is_file()}
        # The order matters: a file that is written after the folder was checked changes the
        # versions.
        whole = not any(map(is_being_written, paths)) and _versions(paths) == before
        if whole or time.monotonic() > until:
            return texts
        time.sleep(PAUSE_SECONDS)


def _versions(paths: Sequence[Path]) -> list[tuple[int, int] | None]:
    """Changes with each replacement of a file; None if the file does not exist."""
    versions: list[tuple[int, int] | None] = []
    for path in paths:
        try:
            found = path.stat()
        except OSError:
            versions.append(None)
        else:
            versions.append((found.st_ino, found.st_mtime_ns))
    return versions
