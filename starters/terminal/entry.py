"""The console entry point. It imports the rest of the desk once Ctrl-C has a handler: an import
that is interrupted would print a traceback."""

import os
import signal
from importlib import import_module
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130
"""As `ExitStatus.INTERRUPTED`, which is not imported yet."""


def main() -> NoReturn:
    """Runs the command line of this process. Ctrl-C during the imports ends it at once."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    command_line = import_module("starters.main")
    signal.signal(signal.SIGINT, usual)
    command_line.main()
    raise AssertionError("a command line leaves the process")


def _leave(_number: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)
