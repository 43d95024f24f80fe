"""How a command ends: exit statuses, errors for the user, and leaving the process."""

import os
import sys
import traceback
from contextlib import suppress
from enum import IntEnum
from pathlib import Path
from typing import NoReturn

from desk.platform.files import is_full, no_space

_WITHOUT_ATTRIBUTES = ("no mapping defined for search attribute", "invalid search attribute")
"""Temporal's error messages for missing search attributes."""


_UNANSWERED = frozenset({"CANCELLED", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "UNAVAILABLE"})
"""The gRPC statuses with which Temporal's client gives up on a server."""


class ExitStatus(IntEnum):
    """Exit statuses of `desk`. `NOT_SIGNED` to `CHANGED` are the results of checking a
    signature."""

    COMPLETE = 0
    FAILED = 1
    USAGE = 2
    INCOMPLETE = 3
    NOT_SIGNED = 4
    OTHER_KEY = 5
    CHANGED = 6
    INTERRUPTED = 130


class CommandError(Exception):
    """An error for the user, in a sentence that says what to do next.

    `listed` means that each line of the message is a separate fault.
    """

    status = ExitStatus.FAILED
    listed = False


class UsageError(CommandError):
    """The command was called with arguments that it cannot use."""

    status = ExitStatus.USAGE


def complain(error: BaseException) -> ExitStatus:
    """Prints an error in one line on standard error, and returns the exit status."""
    from desk.platform.settings import SettingsError, debugging

    if debugging():
        traceback.print_exception(error)
    sys.stderr.write(f"desk: {sentence(error)}\n")
    if isinstance(error, CommandError):
        return error.status
    return ExitStatus.USAGE if isinstance(error, SettingsError) else ExitStatus.FAILED


def sentence(error: BaseException) -> str:
    """Describes an error, without the command's name."""
    # The settings import the contracts, which `--help` does not need.
    from desk.platform.settings import SettingsError, debugging

    text = " ".join(str(error).split())
    if isinstance(error, CommandError) and error.listed:
        return "\n".join(" ".join(line.split()) for line in str(error).splitlines())
    if isinstance(error, CommandError | SettingsError) or _is_ours(error):
        return text
    if isinstance(error, OSError) and is_full(error) and error.filename:
        return no_space(Path(error.filename).parent)
    if any(sign in text for sign in _WITHOUT_ATTRIBUTES):
        return (
            "the namespace lacks the desk's search attributes; `desk doctor` says how to add them"
        )
    hint = "" if debugging() else "; DESK_DEBUG=1 shows where"
    if getattr(getattr(error, "status", None), "name", "") in _UNANSWERED:
        words = f"the Temporal server did not answer ({text or 'no reason given'})"
        return f"{words}: it is busy, starting or gone. Try again, or see `desk doctor`{hint}"
    return f"{type(error).__name__}: {text or 'no reason given'}{hint}"


def _is_ours(error: BaseException) -> bool:
    """Returns whether an error is from the project's own modules, whose messages are written for
    users."""
    return type(error).__module__.split(".")[0] in {"desk", "workers"}


def exit_now(status: int) -> NoReturn:
    """Leaves the process at once, after flushing the output.

    A process that used Temporal's client can abort while the interpreter shuts down, because the
    client's core still has threads. It would then lose its exit status.
    """
    for stream in (sys.stdout, sys.stderr):
        # A stream that the caller has closed is None.
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(status)
