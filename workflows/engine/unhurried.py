"""Activities whose worker could not keep up, tried again with more time between heartbeats."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError, TimeoutType
from temporalio.exceptions import TimeoutError as TimedOut

from workflows.engine.options import HEARTBEAT_TIMEOUT, PATIENT_HEARTBEAT_TIMEOUT

Result = TypeVar("Result")

UNHURRIED = "unhurried"
"""The patch for runs that gave up an activity whose heartbeats did not come in time."""


async def unhurried(start: Callable[[timedelta], Awaitable[Result]]) -> Result:
    """The result of an activity, which `start` starts with the heartbeat timeout that it is given.

    With the usual one a killed worker is noticed soon. On a machine that has more work than
    processors every attempt can miss it, though nothing is wrong with the work: then the activity
    is started once more, with the patient one.

    Raises:
        ActivityError: the activity failed.
    """
    try:
        return await start(HEARTBEAT_TIMEOUT)
    except ActivityError as error:
        if not _was_too_slow(error) or not workflow.patched(UNHURRIED):
            raise
    return await start(PATIENT_HEARTBEAT_TIMEOUT)


def _was_too_slow(error: ActivityError) -> bool:
    cause = error.cause
    return isinstance(cause, TimedOut) and cause.type is TimeoutType.HEARTBEAT
