"""Reads files up to a size limit, makes folders private to their owner, and reports full disks."""

import errno
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

LARGEST_CONFIGURATION: Final = 8 * 2**20
"""The largest configuration file that is read, in bytes."""


def read_file(path: Path, at_most: int) -> bytes:
    """Returns the content of a regular file of at most `at_most` bytes. Never blocks on a pipe, and
    never holds more than the limit in memory.

    Raises:
        OSError: the file cannot be read, is a device or a pipe, or is larger than allowed;
            `strerror` says which.
    """
    # Non-blocking: opening a pipe without a writer would otherwise wait for ever.
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
    # The file may have grown, and some system files report no size.
    if len(content) > at_most:
        raise _too_large(path, at_most)
    return content


def read_text_file(path: Path, at_most: int = LARGEST_CONFIGURATION) -> str:
    """Returns the content of a file as text. See `read_file`.

    Raises:
        OSError: as `read_file`.
        UnicodeDecodeError: the file is not UTF-8.
    """
    return read_file(path, at_most).decode("utf-8")


def _too_large(path: Path, at_most: int) -> OSError:
    return OSError(errno.EFBIG, f"it holds more than {at_most // 2**20} MB", str(path))


class NoSpace(OSError):
    """The disk is full. The message names the folder and what to do."""

    def __init__(self, folder: Path) -> None:
        super().__init__(errno.ENOSPC, no_space(folder))

    def __str__(self) -> str:
        return str(self.strerror)


class NoSpaceForDatabase(sqlite3.OperationalError):
    """The same as `NoSpace`, for an SQLite file."""


class DiskAwareConnection(sqlite3.Connection):
    """An SQLite connection whose errors name the folder if the disk is full.

    Raises:
        NoSpaceForDatabase: there is no space for the statement.
    """

    def __init__(self, database: Path, *arguments: Any, **named: Any) -> None:
        super().__init__(database, *arguments, **named)
        self._folder = Path(database).parent

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        """As `sqlite3.Connection.execute`."""
        try:
            return super().execute(*arguments)
        except sqlite3.OperationalError as error:
            # A full disk causes several errors, such as shared memory that cannot grow.
            if error.sqlite_errorcode == sqlite3.SQLITE_FULL or not free_bytes(self._folder):
                raise NoSpaceForDatabase(no_space(self._folder)) from error
            raise


def no_space(folder: Path) -> str:
    """The message that the disk of a folder is full."""
    return f"there is no space left in {folder}; free some and try again"


def is_full(error: OSError) -> bool:
    """Whether an error means that a disk is full or a quota is used up."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def free_bytes(folder: Path) -> int:
    """The bytes that can still be written to a folder. The folder need not exist yet."""
    there = next(f for f in (folder, *folder.parents) if f.exists())
    return shutil.disk_usage(there).free


@contextmanager
def explaining_full_disk(folder: Path) -> Iterator[None]:
    """Turns a full-disk error raised in the block into one that names the folder.

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


def make_private(home: Path) -> None:
    """Removes other users' permissions on a home and its files.

    Does nothing if the home is private already, belongs to another user, or is writable by
    everybody (such as /tmp).
    """
    found = home.stat()
    if found.st_uid != os.geteuid() or found.st_mode & stat.S_ISVTX or not found.st_mode & OTHERS:
        return
    for folder, names, files in os.walk(home):
        for name in (*names, *files):
            _remove_other_users_access(Path(folder, name))
    # Last, so that an interrupted run is repeated by the next command.
    _remove_other_users_access(home)


def _remove_other_users_access(path: Path) -> None:
    # A file may be deleted meanwhile, or belong to another user.
    with suppress(FileNotFoundError, PermissionError):
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode) and mode & OTHERS:
            path.chmod(stat.S_IMODE(mode) & ~OTHERS)
