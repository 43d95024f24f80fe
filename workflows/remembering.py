"""The desk's memory as workflows use it: a run goes on without what it cannot be told."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from activities.memory import MemoryActivities
from desk.contracts.config import RunPolicy
from desk.contracts.learning.memory import (
    MemoryAnswer,
    MemoryEntries,
    MemoryEntry,
    MemoryQuery,
    Remembered,
)
from workflows.options import HEARTBEAT_TIMEOUT, cause, priority, retry_policy

ONE_TRY: Final = timedelta(seconds=60)
"""A model of meaning is loaded by the first question; the rest takes milliseconds."""

AT_MOST: Final = timedelta(minutes=3)


async def recall(query: MemoryQuery, policy: RunPolicy, activity_id: str) -> MemoryAnswer:
    """What is remembered, or why nothing can be asked."""
    try:
        return await workflow.execute_activity_method(
            MemoryActivities.recall_memory,
            query,
            activity_id=activity_id,
            summary="What earlier research has to say",
            start_to_close_timeout=ONE_TRY,
            schedule_to_close_timeout=AT_MOST,
            heartbeat_timeout=HEARTBEAT_TIMEOUT,
            retry_policy=retry_policy(policy.retries),
            priority=priority(1),
        )
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        return MemoryAnswer(missing=f"the memory could not be asked: {cause(error)}")


async def remember(
    entries: Sequence[MemoryEntry], policy: RunPolicy, activity_id: str
) -> Remembered:
    """Have entries stored; what cannot be is in the history still, and can be put there later."""
    try:
        return await workflow.execute_activity_method(
            MemoryActivities.remember,
            MemoryEntries(entries=tuple(entries)),
            activity_id=activity_id,
            summary=f"Remember {len(entries)} of this run",
            start_to_close_timeout=ONE_TRY,
            schedule_to_close_timeout=AT_MOST,
            heartbeat_timeout=HEARTBEAT_TIMEOUT,
            retry_policy=retry_policy(policy.retries),
            priority=priority(1),
        )
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        return Remembered(missing=f"the memory could not be told: {cause(error)}")
