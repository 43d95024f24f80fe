"""Ctrl-C: the first ends a command in order, the second ends it at once."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

T = TypeVar("T")

_left: Final[list[asyncio.Runner]] = []
"""Event loops that were left running. Closing them would run their tasks again."""


def interruptible(work: Coroutine[Any, Any, T]) -> T:
    """Runs the work like `asyncio.run`, except for a second Ctrl-C.

    The first Ctrl-C cancels the work, which stops its workers and its server in order. The second
    stops waiting, because a Temporal worker that is cancelled while it stops never ends. The caller
    must then leave the process, as `exit_now` does; this also ends everything that it started, as a
    kill does.

    Raises:
        KeyboardInterrupt: after the first, once the work has ended; after the second, at once.
    """
    runner = asyncio.Runner()
    try:
        return runner.run(work)
    except KeyboardInterrupt:
        _left.append(runner)
        raise
    finally:
        if runner not in _left:
            runner.close()
