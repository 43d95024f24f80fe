"""Telling the learning system what came of something that was taken to be likely."""

from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from activities.learning import LearningActivities
from desk.contracts.config import RunPolicy
from desk.contracts.swarm.swarm import ScoredHypothesis
from workflows.options import HEARTBEAT_TIMEOUT, cause, patient_retry_policy, priority

TELLING: Final = timedelta(seconds=10)
TELLING_AT_MOST: Final = timedelta(hours=1)


async def untold(scored: ScoredHypothesis, policy: RunPolicy) -> str | None:
    """Tell what became of it. Why that could not be done, in words; None where it was."""
    try:
        await workflow.execute_activity_method(
            LearningActivities.tell_hypothesis,
            scored,
            activity_id="tell_hypothesis",
            summary="What became of it, for the learning system",
            start_to_close_timeout=TELLING,
            schedule_to_close_timeout=TELLING_AT_MOST,
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
