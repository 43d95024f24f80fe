"""A desk's home that nobody but its owner reads: it holds histories, payloads and logs."""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def tighten(home: Path) -> None:
    """Take from others what permissions they have in a home that was made without care for them.

    A home that is private already is not looked through. One that belongs to somebody else, or to
    everybody as /tmp does, is left as it is.
    """
    found = home.stat()
    if found.st_uid != os.geteuid() or found.st_mode & stat.S_ISVTX or not found.st_mode & OTHERS:
        return
    for folder, names, files in os.walk(home):
        for name in (*names, *files):
            _take_from_others(Path(folder, name))
    # The last of all: where this is cut short, the next command does it again.
    _take_from_others(home)


def _take_from_others(path: Path) -> None:
    # A file may be gone by now, or somebody else's.
    with suppress(FileNotFoundError, PermissionError):
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode) and mode & OTHERS:
            path.chmod(stat.S_IMODE(mode) & ~OTHERS)
