"""Tapes on disk: read whole, and written whole or not at all."""

import os
import secrets
from pathlib import Path

from desk.contracts.runs.tape import Tape
from desk.documents.publishing.files import published
from desk.platform.files import read_file
from desk.runs.tapes import LARGEST, TapeUnusable, from_bytes
from starters.terminal.exit_status import CommandError, UsageError


def read_tape(path: Path) -> Tape:
    """Reads a tape from a file.

    Raises:
        CommandError: it is missing, damaged or not a tape; the message names the file.
    """
    try:
        return from_bytes(read_file(path, LARGEST))
    except FileNotFoundError:
        raise CommandError(f"{path} is missing; `desk tape save RUN {path}` saves one") from None
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from None
    except TapeUnusable as error:
        raise CommandError(f"{path} cannot be played: {error}") from None


def check_place(path: Path, *, force: bool) -> None:
    """Checks that a tape can be written to a path, before the history is read.

    Raises:
        UsageError: the file exists, or the folder is not writable.
    """
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file in it")
    if path.exists() and not force:
        raise UsageError(f"{path} is there already; --force replaces it")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise UsageError(f"{path.parent} is no folder that can be written to")


def write_tape(path: Path, content: bytes) -> None:
    """Writes a tape to its path. A reader sees either the old file or all of the new one.

    Raises:
        CommandError: it could not be written; an existing file is unchanged.
    """
    try:
        waiting = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            with waiting.open("xb") as file:
                published(waiting)
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            waiting.replace(path)
        except BaseException:
            waiting.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CommandError(f"{path} could not be written: {error.strerror}") from None
