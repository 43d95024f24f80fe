"""Reports what a command waits for."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

REPORTED_AFTER_SECONDS: Final = 5.0
"""A shorter wait is not reported. A desk starts in two seconds, on a busy machine in ten."""


@contextmanager
def reported_wait(
    what: str, tell: Callable[[str], None], after: float = REPORTED_AFTER_SECONDS
) -> Iterator[None]:
    """Tells what the block waits for, once it has taken `after` seconds. A thread tells it, because
    a block may keep the event loop busy with imports."""
    timer = threading.Timer(after, tell, (f"waiting for {what}",))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
