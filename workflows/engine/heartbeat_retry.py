"""Retries an activity that missed its heartbeats, with a longer heartbeat timeout."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError, TimeoutType
from temporalio.exceptions import TimeoutError as TimedOut

from workflows.engine.options import HEARTBEAT_TIMEOUT, PATIENT_HEARTBEAT_TIMEOUT

Result = TypeVar("Result")

HEARTBEAT_RETRY = "unhurried"
"""The patch for runs that failed when an activity missed its heartbeats."""


async def with_heartbeat_retry(start: Callable[[timedelta], Awaitable[Result]]) -> Result:
    """Returns the result of an activity. `start` starts it with the heartbeat timeout that it is
    given.

    With the usual timeout a killed worker is noticed soon. On a machine with more work than
    processors every attempt can miss it although the activity works. It is then started once more,
    with the longer timeout.

    Raises:
        ActivityError: the activity failed.
    """
    try:
        return await start(HEARTBEAT_TIMEOUT)
    except ActivityError as error:
        if not _missed_heartbeats(error) or not workflow.patched(HEARTBEAT_RETRY):
            raise
    return await start(PATIENT_HEARTBEAT_TIMEOUT)


def _missed_heartbeats(error: ActivityError) -> bool:
    cause = error.cause
    return isinstance(cause, TimedOut) and cause.type is TimeoutType.HEARTBEAT
