"""What the bench of the messages asks of Temporal: one small workflow for each promise."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from temporalio import activity, workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError

WORK = "promises.work"
"""The queue that the bench's activities are asked on."""

NOBODY = "promises.nobody"
"""A queue that nobody polls."""

LONG = timedelta(minutes=5)
EXPIRY = timedelta(seconds=1)
ATTEMPTS = 3


@activity.defn
async def nothing(number: int) -> int:
    """The number that it was given."""
    return number


@activity.defn
async def measure(parcel: str) -> int:
    """The length of a text."""
    return len(parcel)


@activity.defn
async def fail() -> None:
    """Nothing but a failure."""
    raise ValueError("as asked for")


@workflow.defn
class OneByOne:
    """Messages one after another, each answered before the next."""

    @workflow.run
    async def run(self, count: int) -> None:
        """Nothing comes of it but its history."""
        for number in range(count):
            await workflow.execute_activity(
                nothing, number, task_queue=WORK, start_to_close_timeout=LONG
            )


@workflow.defn
class SideBySide:
    """Messages that all wait at once."""

    @workflow.run
    async def run(self, count: int) -> int:
        """How many were answered."""
        answers = await asyncio.gather(
            *(
                workflow.execute_activity(
                    nothing, number, task_queue=WORK, start_to_close_timeout=LONG
                )
                for number in range(count)
            )
        )
        return len(set(answers))


@workflow.defn
class Inbox:
    """Takes signals until all are there."""

    def __init__(self) -> None:
        self._taken: list[int] = []

    @workflow.run
    async def run(self, count: int) -> list[int]:
        """The numbers in the order of their arrival."""
        await workflow.wait_condition(lambda: len(self._taken) >= count)
        return self._taken

    @workflow.signal
    def put(self, number: int) -> None:
        """One message."""
        self._taken.append(number)


@workflow.defn
class Parcel:
    """Sends a large message on."""

    @workflow.run
    async def run(self, parcel: str) -> int:
        """What its receiver made of it."""
        return await workflow.execute_activity(
            measure, parcel, task_queue=WORK, start_to_close_timeout=LONG
        )


@workflow.defn
class Unanswered:
    """Asks where nobody is."""

    @workflow.run
    async def run(self) -> float:
        """Seconds until the message expired."""
        began = workflow.now()
        try:
            await workflow.execute_activity(
                nothing, 0, task_queue=NOBODY, schedule_to_close_timeout=EXPIRY
            )
        except ActivityError:
            return (workflow.now() - began).total_seconds()
        raise RuntimeError("somebody answered")


@workflow.defn
class Failing:
    """Asks for what always fails."""

    @workflow.run
    async def run(self) -> bool:
        """True once nobody tries any more."""
        try:
            await workflow.execute_activity(
                fail,
                task_queue=WORK,
                start_to_close_timeout=LONG,
                retry_policy=RetryPolicy(
                    initial_interval=timedelta(milliseconds=10), maximum_attempts=ATTEMPTS
                ),
            )
        except ActivityError:
            return True
        raise RuntimeError("it did not fail")


WORKFLOWS: list[type] = [OneByOne, SideBySide, Inbox, Parcel, Unanswered, Failing]
ACTIVITIES: list[Callable[..., Any]] = [nothing, measure, fail]
