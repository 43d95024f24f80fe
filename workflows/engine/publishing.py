"""Publishes the answer of a run."""

from temporalio import workflow

from activities.publishing.publishing import PublishingActivities
from desk.contracts.runs.graph import AnswerPublication, GraphRecord
from workflows.engine.options import (
    PUBLISHING_HEARTBEAT_TIMEOUT,
    patient_retry_policy,
    priority,
)


async def published(
    record: GraphRecord, *, activity_id: str = "publish", what: str = "report"
) -> AnswerPublication:
    """Publishes the report and returns its files. Retries for some days while the disk is full,
    because the research is already paid for."""
    policy = record.request.policy
    return await workflow.execute_activity_method(
        PublishingActivities.publish_answer,
        record,
        activity_id=activity_id,
        summary=f"Publish the {what}",
        start_to_close_timeout=policy.deadlines.turn,
        schedule_to_close_timeout=max(policy.deadlines.week, policy.deadlines.open_for_reruns),
        heartbeat_timeout=PUBLISHING_HEARTBEAT_TIMEOUT,
        retry_policy=patient_retry_policy(policy.retries),
        priority=priority(1),
    )
