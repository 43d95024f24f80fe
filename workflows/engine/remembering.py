"""Reads and writes the desk's memory, and reports to the learning system.

A run continues if either of them cannot be reached.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from activities.learning import LearningActivities
from activities.memory import MemoryActivities
from desk.contracts.agents.config import RunPolicy
from desk.contracts.learning.memory import (
    MemoryAnswer,
    MemoryEntries,
    MemoryEntry,
    MemoryQuery,
    Remembered,
)
from desk.contracts.swarm.hypotheses import ScoredHypothesis
from workflows.engine.heartbeat_retry import with_heartbeat_retry
from workflows.engine.options import (
    HEARTBEAT_TIMEOUT,
    ActivityBounds,
    cause,
    patient_retry_policy,
    priority,
    retry_policy,
)

MEMORY_ATTEMPT: Final = timedelta(seconds=60)
"""The first query of a process loads the embedding model, which takes seconds. Later ones take
milliseconds."""

MEMORY_DEADLINE: Final = timedelta(minutes=3)

LEARNING_ATTEMPT: Final = timedelta(seconds=10)

LEARNING_DEADLINE: Final = timedelta(hours=1)


async def recall(query: MemoryQuery, policy: RunPolicy, activity_id: str) -> MemoryAnswer:
    """Returns the entries of the memory that are nearest to a question, or why the memory could not
    be queried."""
    try:
        return await with_heartbeat_retry(
            lambda heartbeat: workflow.execute_activity_method(
                MemoryActivities.recall_memory,
                query,
                activity_id=activity_id,
                summary="What earlier research has to say",
                **_memory_bounds(policy, heartbeat),
            )
        )
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        return MemoryAnswer(missing=f"the memory could not be asked: {cause(error)}")


async def remember(
    entries: Sequence[MemoryEntry], policy: RunPolicy, activity_id: str
) -> Remembered:
    """Stores entries in the memory. `missing` of the result says why it failed. The entries are in
    the history in any case, and `desk memory rebuild` can store them from there."""
    try:
        return await with_heartbeat_retry(
            lambda heartbeat: workflow.execute_activity_method(
                MemoryActivities.remember,
                MemoryEntries(entries=tuple(entries)),
                activity_id=activity_id,
                summary=f"Remember {len(entries)} of this run",
                **_memory_bounds(policy, heartbeat),
            )
        )
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        return Remembered(missing=f"the memory could not be told: {cause(error)}")


def _memory_bounds(policy: RunPolicy, heartbeat: timedelta) -> ActivityBounds:
    return {
        "start_to_close_timeout": MEMORY_ATTEMPT,
        "schedule_to_close_timeout": MEMORY_DEADLINE,
        "heartbeat_timeout": heartbeat,
        "retry_policy": retry_policy(policy.retries),
        "priority": priority(1),
    }


async def report_to_learning(scored: ScoredHypothesis, policy: RunPolicy) -> str | None:
    """Sends the outcome of a hypothesis to the learning system. Returns None, or why it could not
    be sent."""
    try:
        await workflow.execute_activity_method(
            LearningActivities.tell_hypothesis,
            scored,
            activity_id="tell_hypothesis",
            summary="What became of it, for the learning system",
            start_to_close_timeout=LEARNING_ATTEMPT,
            schedule_to_close_timeout=LEARNING_DEADLINE,
            heartbeat_timeout=HEARTBEAT_TIMEOUT,
            retry_policy=patient_retry_policy(policy.retries),
            priority=priority(1),
        )
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        words = f"the learning system was not told: {cause(error)}"
        workflow.logger.warning("%s", words)
        return words
    return None
