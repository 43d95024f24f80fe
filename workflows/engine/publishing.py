"""Publishing what a run found. It is paid for: a full disk is waited out for days, not given up
on."""

from temporalio import workflow

from activities.publishing.publishing import PublishingActivities
from desk.contracts.question.graph import AnswerPublication, GraphRecord
from desk.contracts.week.report import Revision
from desk.contracts.week.run import Publication, PublishRequest, RevisionQuery, WeekRequest
from desk.runs.boards import WeekBoard
from workflows.options import (
    HEARTBEAT_TIMEOUT,
    OUTCOME,
    REVISION,
    patient_retry_policy,
    priority,
    retry_policy,
)


async def published(
    record: GraphRecord, *, activity_id: str = "publish", what: str = "report"
) -> AnswerPublication:
    """The report on disk. What was found is paid for: a full disk is waited out for days."""
    policy = record.request.policy
    return await workflow.execute_activity_method(
        PublishingActivities.publish_answer,
        record,
        activity_id=activity_id,
        summary=f"Publish the {what}",
        start_to_close_timeout=policy.deadlines.turn,
        schedule_to_close_timeout=max(policy.deadlines.week, policy.deadlines.open_for_reruns),
        heartbeat_timeout=HEARTBEAT_TIMEOUT,
        retry_policy=patient_retry_policy(policy.retries),
        priority=priority(1),
    )


async def revisions_so_far(request: WeekRequest, board: WeekBoard) -> tuple[Revision, ...]:
    """What earlier runs of the week have published: its numbers go on, and none is replaced."""
    policy = request.config.policy
    history = await workflow.execute_activity_method(
        PublishingActivities.read_revisions,
        RevisionQuery(week=board.week, subset=request.subset),
        activity_id="read_revisions",
        summary=f"What is published of {board.week}",
        start_to_close_timeout=policy.deadlines.tool_call,
        schedule_to_close_timeout=policy.deadlines.week,
        heartbeat_timeout=HEARTBEAT_TIMEOUT,
        retry_policy=retry_policy(policy.retries),
        priority=priority(1),
    )
    return history.revisions


async def publish(request: WeekRequest, board: WeekBoard, revision: Revision) -> Publication:
    """The revision on disk; then, and not before, the board and the run's attributes say so.

    What was researched is paid for: a full disk is waited out for days, not given up on.
    """
    deadlines, info = request.config.policy.deadlines, workflow.info()
    publication = await workflow.execute_activity_method(
        PublishingActivities.publish_report,
        PublishRequest(
            record=board.record_with(revision),
            config=request.config,
            subset=request.subset,
            workflow_id=info.workflow_id,
            run_id=info.run_id,
        ),
        activity_id=f"publish.r{revision.revision}",
        summary=f"Publish {board.week}, revision {revision.revision}",
        start_to_close_timeout=deadlines.turn,
        schedule_to_close_timeout=max(deadlines.week, deadlines.open_for_reruns),
        heartbeat_timeout=HEARTBEAT_TIMEOUT,
        retry_policy=patient_retry_policy(request.config.policy.retries),
        priority=priority(1),
    )
    board.note_published(revision, publication, at=workflow.now())
    workflow.upsert_search_attributes(
        [OUTCOME.value_set(publication.outcome), REVISION.value_set(revision.revision)]
    )
    return publication
