"""The activities that the workers of a process are running, and how they end when it leaves."""

# ruff: noqa: A002 - Temporal's base classes name these arguments.

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from temporalio import activity
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    Interceptor,
    Worker,
)

from desk.contracts.names import workflow_id_parts

REPORTED_AFTER_SECONDS: Final = 1.0
"""A shorter wait is not reported."""


class InFlight(Interceptor):
    """The activities that this process's workers are running.

    A stopping worker cancels them after its grace period. If the process waits for them
    (`finish`), they run on until their own deadline.
    """

    def __init__(self) -> None:
        self._running: dict[asyncio.Future[Any], activity.Info] = {}
        self._outlasting: set[asyncio.Future[Any]] = set()
        self._waiting = False

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """See base class."""
        return _Recorded(next, self)

    @property
    def runs(self) -> list[str]:
        """The ids of the runs whose activities are running, without their children."""
        return sorted({_run_of(info) for info in self._running.values()})

    @property
    def seconds_left(self) -> float:
        """How long the last of the activities may still run."""
        return max((_seconds_left(info) for info in self._running.values()), default=0.0)

    @contextmanager
    def recorded(self, work: asyncio.Future[Any]) -> Iterator[None]:
        """Counts the current activity as running until the block ends."""
        self._running[work] = activity.info()
        try:
            yield
        finally:
            del self._running[work]
            self._outlasting.discard(work)

    def outlasts(self, work: asyncio.Future[Any]) -> bool:
        """Returns whether the current activity, which was cancelled, runs on: its worker stops, and
        the process waits for it."""
        details = activity.cancellation_details()
        if self._waiting and details is not None and details.worker_shutdown:
            self._outlasting.add(work)
            return True
        return False

    async def finish(self, workers: Iterable[Worker], tell: Callable[[str], None]) -> None:
        """Stops the workers from taking new tasks, and waits until they have finished their
        activities, at most until the deadlines of these. Reports a wait in one sentence.

        If this is cancelled, what still runs is cancelled too.
        """
        self._waiting = True
        stopped = asyncio.gather(*(worker.shutdown() for worker in workers))
        try:
            await asyncio.wait({stopped}, timeout=REPORTED_AFTER_SECONDS)
            if self._running:
                tell(self._wait_words())
                await asyncio.wait({stopped}, timeout=self.seconds_left)
        finally:
            self._waiting = False
            for work in self._outlasting:
                work.cancel()

    def _wait_words(self) -> str:
        count = len(self._running)
        activities = "1 activity" if count == 1 else f"{count} activities"
        return (
            f"finishing {activities} of {', '.join(self.runs)}, for at most "
            f"{self.seconds_left:.0f} s; Ctrl-C leaves now, and a model's call may then be made "
            "and billed again"
        )


class _Recorded(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, in_flight: InFlight) -> None:
        super().__init__(next)
        self._in_flight = in_flight

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        work = asyncio.ensure_future(super().execute_activity(input))
        with self._in_flight.recorded(work):
            while not work.done():
                try:
                    await asyncio.wait({work})
                except asyncio.CancelledError:
                    if not self._in_flight.outlasts(work):
                        work.cancel()
                        break
            return await work


def _run_of(info: activity.Info) -> str:
    return workflow_id_parts(info.workflow_id or info.activity_id).run


def _seconds_left(info: activity.Info) -> float:
    """Seconds until an activity's attempt, or all attempts together, reach their timeout."""
    ends = [
        begun + allowed
        for begun, allowed in (
            (info.started_time, info.start_to_close_timeout),
            (info.scheduled_time, info.schedule_to_close_timeout),
        )
        if allowed is not None
    ]
    left = min(ends) - datetime.now(UTC) if ends else timedelta()
    return max(left.total_seconds(), 0.0)
