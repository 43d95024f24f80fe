"""Who may read what the desk writes: its owner alone, and what it publishes whoever may read the
owner's other files."""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

PRIVATE_UMASK: Final = stat.S_IRWXG | stat.S_IRWXO

_usual: list[int] = []
"""The umask that the process was started with, once another holds."""


def make_private() -> None:
    """From now on, what this process and those that it starts write can be read by their owner
    alone, until it is `published`."""
    mask = os.umask(PRIVATE_UMASK)
    if not _usual:
        _usual.append(mask)


def published(path: Path) -> None:
    """Give a file or folder the permissions that the user's own commands would have given it. In a
    folder that is its owner's alone it stays so."""
    if not _usual or not path.parent.stat().st_mode & PRIVATE_UMASK:
        return
    most = 0o777 if path.is_dir() else 0o666
    # Some file systems have no permissions to give.
    with suppress(PermissionError):
        path.chmod(most & ~_usual[0])


def publish_folder(folder: Path) -> None:
    """Make a folder, and those above it, for what is published, where they are missing.

    Raises:
        OSError: one cannot be made.
    """
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(exist_ok=True)
        published(place)
    folder.mkdir(exist_ok=True)
