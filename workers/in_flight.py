"""The activities that the workers of a process are running, and how they end when it leaves."""

# ruff: noqa: A002 - Temporal's base classes name these arguments.

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from desk.platform.models.asking import is_asking_model
from workers.tuning import GRACE_PERIOD

REPORTED_AFTER_SECONDS: Final = 1.0
"""A shorter wait is not reported."""


class InFlight(Interceptor):
    """The activities that this process's workers are running.

    A stopping worker cancels them after its grace period. If the process waits for model calls
    (`finish`), the activities that make these run on until their own deadline.
    """

    def __init__(self) -> None:
        self._running: dict[asyncio.Future[Any], activity.Info] = {}
        self._outlasting: set[asyncio.Future[Any]] = set()
        self._waiting = False

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """See base class."""
        return _Recorded(next, self)

    @property
    def model_calls(self) -> list[activity.Info]:
        """The activities that wait for a model's answer."""
        return [info for info in self._running.values() if is_asking_model(info)]

    @property
    def seconds_left(self) -> float:
        """How long the last of the model calls may still take."""
        return max(map(_seconds_left, self.model_calls), default=0.0)

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
        the process waits for its model call."""
        details = activity.cancellation_details()
        stops = self._waiting and details is not None and details.worker_shutdown
        if stops and is_asking_model(activity.info()):
            self._outlasting.add(work)
            return True
        return False

    async def finish(self, workers: Iterable[Worker], tell: Callable[[str], None]) -> None:
        """Stops the workers from taking new tasks, and waits until their model calls are answered,
        at most until the deadlines of these. Other activities have the workers' grace period.
        Reports a wait in one sentence.

        If this is cancelled, what still runs is cancelled too.
        """
        self._waiting = True
        stopped = asyncio.gather(*(worker.shutdown() for worker in workers))
        try:
            # Within the grace period an activity may still begin to ask a model.
            for patience in (REPORTED_AFTER_SECONDS, GRACE_PERIOD.total_seconds()):
                await asyncio.wait({stopped}, timeout=patience)
                if calls := self.model_calls:
                    tell(_wait_words(calls, self.seconds_left))
                    await asyncio.wait({stopped}, timeout=self.seconds_left)
                    break
        finally:
            self._waiting = False
            for work in self._outlasting:
                work.cancel()


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


def _wait_words(calls: Sequence[activity.Info], seconds: float) -> str:
    what = "a model call" if len(calls) == 1 else f"{len(calls)} model calls"
    runs = ", ".join(sorted({_run_of(info) for info in calls}))
    again = "it is" if len(calls) == 1 else "they are"
    return (
        f"finishing {what} of {runs}, for at most {seconds:.0f} s; Ctrl-C leaves now, and {again} "
        "then made and billed again"
    )


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
