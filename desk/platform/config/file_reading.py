"""Files that a user names, read up to a limit: one without end is refused and not read."""

import errno
import os
import stat
from pathlib import Path
from typing import Final

MOST_OF_A_CONFIGURATION: Final = 8 * 2**20
"""Bytes of a file of settings."""


def read_file(path: Path, at_most: int) -> bytes:
    """The content of a regular file of at most that many bytes. It never waits for a writer, and
    holds no more than the limit in memory.

    Raises:
        OSError: the file cannot be read, is a device or a pipe, or is larger than allowed;
            `strerror` says which.
    """
    # Without blocking: to open a pipe that nobody writes to would wait for ever.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        found = os.fstat(handle)
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is a device or a pipe, and no file", str(path))
        if found.st_size > at_most:
            raise _too_large(path, at_most)
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(at_most + 1)
    finally:
        os.close(handle)
    # It may have grown, and some files of the system tell no size.
    if len(content) > at_most:
        raise _too_large(path, at_most)
    return content


def read_text_file(path: Path, at_most: int = MOST_OF_A_CONFIGURATION) -> str:
    """The same as text.

    Raises:
        OSError: as `read_file`.
        UnicodeDecodeError: it is no UTF-8.
    """
    return read_file(path, at_most).decode("utf-8")


def _too_large(path: Path, at_most: int) -> OSError:
    return OSError(errno.EFBIG, f"it holds more than {at_most // 2**20} MB", str(path))
