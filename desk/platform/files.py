"""Files and folders: read up to a limit, private to their owner, and named where a disk is full."""

import errno
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

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


class NoSpace(OSError):
    """A disk is full. The message names the folder, and what to do."""

    def __init__(self, folder: Path) -> None:
        super().__init__(errno.ENOSPC, no_space(folder))

    def __str__(self) -> str:
        return str(self.strerror)


class NoSpaceForDatabase(sqlite3.OperationalError):
    """As `NoSpace`, for an SQLite file."""


class NamingConnection(sqlite3.Connection):
    """An SQLite connection whose errors name the folder if the disk is full.

    Raises:
        NoSpaceForDatabase: there is no space for what was to be executed.
    """

    def __init__(self, database: Path, *arguments: Any, **named: Any) -> None:
        super().__init__(database, *arguments, **named)
        self._folder = Path(database).parent

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        """As `sqlite3.Connection.execute`."""
        try:
            return super().execute(*arguments)
        except sqlite3.OperationalError as error:
            # A full disk shows itself in several ways, such as a shared memory that cannot grow.
            if error.sqlite_errorcode == sqlite3.SQLITE_FULL or not free_bytes(self._folder):
                raise NoSpaceForDatabase(no_space(self._folder)) from error
            raise


def no_space(folder: Path) -> str:
    """The message that a folder's disk is full."""
    return f"there is no space left in {folder}; free some and try again"


def is_full(error: OSError) -> bool:
    """Whether an error means that a disk is full or a quota is used up."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def free_bytes(folder: Path) -> int:
    """The bytes that can still be written to a folder, which need not exist yet."""
    there = next(f for f in (folder, *folder.parents) if f.exists())
    return shutil.disk_usage(there).free


@contextmanager
def naming_space(folder: Path) -> Iterator[None]:
    """Turns the error of a full disk in the block into one that names the folder.

    Raises:
        NoSpace: the disk is full.
    """
    try:
        yield
    except OSError as error:
        if is_full(error):
            raise NoSpace(folder) from error
        raise


OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def tighten(home: Path) -> None:
    """Removes other users' permissions on a home and its files.

    A home that is private already is not looked through. One that belongs to somebody else, or that
    everybody may write to (such as /tmp), is left as it is.
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
