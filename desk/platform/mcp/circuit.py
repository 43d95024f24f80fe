"""The circuit breaker of a source: when it keeps failing, its calls fail at once until one
succeeds.

Each worker process has its own circuits, as it has its own connections. They are not shared: a week
makes so many calls that every process learns within seconds which sources fail, and a process whose
own connection to a source is broken does not affect the others.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Final

from desk.analytics.names.shortening import on_one_line
from desk.contracts.agents.config import RetryConfig
from desk.contracts.agents.tools import OpenCircuit
from desk.contracts.names import CallFault
from desk.platform.mcp.tool_calling import ToolUnreachable

FAILURES: Final = 3
"""Consecutive failures that open a circuit. Any answer, even a refusal, resets the count."""

FIRST_PAUSE: Final = timedelta(seconds=5)
LONGEST_PAUSE: Final = timedelta(minutes=1)
"""Between two calls that test whether the source is back. Each pause is twice the last."""

WAIT_SECONDS: Final = 1.0
"""How long a call waits for another that is testing the source."""

LONGEST_REASON: Final = 160
"""Characters of a call's failure that are repeated in the errors of calls that are not made."""

LOG = logging.getLogger(__name__)


def outlasting(retries: RetryConfig, tries: timedelta) -> timedelta:
    """How long a source must have failed before its circuit opens: longer than the pauses between
    the attempts of one call, which bridge a restart; at most what all attempts may take."""
    pauses = (
        min(retries.first_pause * 2**number, retries.longest_pause)
        for number in range(retries.max_attempts - 1)
    )
    return min(sum(pauses, timedelta(0)), tries)


class Circuit:
    """Decides whether a source is called.

    The circuit opens after `FAILURES` consecutive calls have failed over at least `opens_after`.
    Calls then fail at once. After each pause one call is let through; if it succeeds, the circuit
    closes.
    """

    def __init__(
        self, server: str, opens_after: timedelta, clock: Callable[[], float] = monotonic
    ) -> None:
        self._server = server
        self._opens_after = opens_after.total_seconds()
        self._clock = clock
        self._failures = 0
        self._failing_from = 0.0
        self._not_made = 0
        self._last_failure = ""
        self._open: OpenCircuit | None = None
        self._pause = FIRST_PAUSE
        self._next_try = 0.0
        self._trying: asyncio.Event | None = None

    @asynccontextmanager
    async def call(self) -> AsyncIterator[None]:
        """Wraps a call, and counts whether it was answered.

        Raises:
            ToolUnreachable: the circuit is open.
        """
        tries = await self._admitted()
        began = self._clock()
        try:
            yield
        except ToolUnreachable as error:
            if error.fault is CallFault.MISCONFIGURED:
                # No source was asked, and a pause would not help.
                raise
            if error.after is None:
                self._last_failure = on_one_line(
                    str(error).removeprefix(f"{self._server}: "), LONGEST_REASON
                )
                self._failed(error.fault, began, tried=tries)
            else:
                # The source is up, and says itself when to ask again.
                self._answered()
            raise
        else:
            self._answered()
        finally:
            if tries and self._trying is not None:
                self._trying.set()
                self._trying = None

    async def _admitted(self) -> bool:
        """Whether this call is the one that is let through to test the source."""
        if self._trying is not None:
            # Many calls may arrive while the testing call is in flight.
            with suppress(TimeoutError):
                async with asyncio.timeout(WAIT_SECONDS):
                    await self._trying.wait()
        if self._open is None:
            return False
        if self._trying is None and self._clock() >= self._next_try:
            self._trying = asyncio.Event()
            return True
        self._not_made += 1
        words = (
            f"{self._server}: not asked after {self._open.failures} failures in a row, the last:"
            f" {self._last_failure}; circuit open since {_moment(self._open.since)}, next try at"
            f" {_moment(self._open.next_try)}"
        )
        raise ToolUnreachable(words, fault=CallFault.CIRCUIT_OPEN, circuit=self._open)

    def _answered(self) -> None:
        if self._open is not None:
            LOG.warning(
                "source %s answers again; %d calls were not made", self._server, self._not_made
            )
        self._failures, self._not_made, self._open, self._pause = 0, 0, None, FIRST_PAUSE

    def _failed(self, fault: CallFault, began: float, *, tried: bool) -> None:
        self._failing_from = min(self._failing_from, began) if self._failures else began
        self._failures += 1
        if self._open is None and self._is_enough():
            self._wait_for_it(fault, datetime.now(UTC))
            LOG.warning(
                "source %s: circuit open after %d failures in a row, the last: %s",
                *(self._server, self._failures, self._last_failure),
            )
        elif self._open is not None and tried:
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
            self._wait_for_it(fault, self._open.since)

    def _is_enough(self) -> bool:
        lasted = self._clock() - self._failing_from
        return self._failures >= FAILURES and lasted >= self._opens_after

    def _wait_for_it(self, fault: CallFault, since: datetime) -> None:
        self._next_try = self._clock() + self._pause.total_seconds()
        self._open = OpenCircuit(
            server=self._server,
            since=since,
            next_try=datetime.now(UTC) + self._pause,
            fault=fault,
            failures=self._failures,
        )


def _moment(instant: datetime) -> str:
    return f"{instant:%Y-%m-%d %H:%M:%S} UTC"
