"""A timeout that does not count the time for which this process was stopped."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

TICK_SECONDS: Final = 1.0
"""How often is checked whether the process runs."""

STOPPED_SECONDS: Final = 2.0
"""A check that comes later than this shows that the process did not run in between: it was stopped
(Ctrl-Z, `kill -STOP`, a paused container), or its event loop was blocked."""


@asynccontextmanager
async def running_timeout(seconds: float) -> AsyncIterator[asyncio.Timeout]:
    """Like `asyncio.timeout`, for time in which this process runs.

    A request that is in flight when the process is stopped gets the rest of its time afterwards: a
    server cannot be blamed for a delay of its client.
    """
    # A timer of its own could expire before the tick that shows that the process was stopped.
    async with asyncio.timeout(None) as timeout:
        ticking = _Ticking(timeout, seconds)
        try:
            yield timeout
        finally:
            ticking.tick.cancel()


class _Ticking:
    """Ends a timeout when this process has run for its seconds. `tick` is the next check."""

    def __init__(self, timeout: asyncio.Timeout, seconds: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeout = timeout
        self._ends = self._loop.time() + seconds
        self.tick = self._next()

    def _next(self) -> asyncio.TimerHandle:
        self._began = self._loop.time()
        self._due = min(self._began + TICK_SECONDS, self._ends)
        return self._loop.call_at(self._due, self._check)

    def _check(self) -> None:
        now = self._loop.time()
        if now - self._due >= STOPPED_SECONDS:
            # How long it ran since the last tick is not known: none of that time counts.
            self._ends += now - self._began
        if now >= self._ends:
            self._timeout.reschedule(now)
        else:
            self.tick = self._next()
