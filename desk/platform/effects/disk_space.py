"""Disks that are full: found out, and told with the folder that has no room."""

import errno
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class NoSpace(OSError):
    """A disk is full. The message names the folder, and what to do."""

    def __init__(self, folder: Path) -> None:
        super().__init__(errno.ENOSPC, no_space(folder))

    def __str__(self) -> str:
        return str(self.strerror)


class NoSpaceForDatabase(sqlite3.OperationalError):
    """As `NoSpace`, for an SQLite file."""


class NamingConnection(sqlite3.Connection):
    """A connection whose errors name the folder where there is no space left for its file.

    Raises:
        NoSpaceForDatabase: there is none for what was to be executed.
    """

    def __init__(self, database: Path, *arguments: Any, **named: Any) -> None:
        super().__init__(database, *arguments, **named)
        self._folder = Path(database).parent

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        """As of any connection."""
        try:
            return super().execute(*arguments)
        except sqlite3.OperationalError as error:
            # A full disk shows itself in several ways, such as a shared memory that cannot grow.
            if error.sqlite_errorcode == sqlite3.SQLITE_FULL or not free_bytes(self._folder):
                raise NoSpaceForDatabase(no_space(self._folder)) from error
            raise


def no_space(folder: Path) -> str:
    """The sentence about a folder whose disk is full."""
    return f"there is no space left in {folder}; free some and try again"


def is_full(error: OSError) -> bool:
    """Whether an error says that a disk is full, or a quota used up."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def free_bytes(folder: Path) -> int:
    """How many bytes can still be written to a folder, or to where it would be made."""
    there = next(f for f in (folder, *folder.parents) if f.exists())
    return shutil.disk_usage(there).free


@contextmanager
def naming_space(folder: Path) -> Iterator[None]:
    """Have a full disk name the folder in which the block writes.

    Raises:
        NoSpace: there is none.
    """
    try:
        yield
    except OSError as error:
        if is_full(error):
            raise NoSpace(folder) from error
        raise
