"""The revisions of a week. Each is written to disk, then delivered in the background."""

import asyncio
import contextlib
from datetime import datetime

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError

from activities.deliveries import DeliveryActivities
from activities.publishing.publishing import PublishingActivities
from desk.contracts.runs.week import Publication, PublishRequest, RevisionQuery, WeekRequest
from desk.contracts.week.delivery import (
    Channel,
    Deliveries,
    DeliveryReceipt,
    DeliveryState,
    DeliveryStatus,
    Parcel,
)
from desk.contracts.week.report import Revision
from desk.documents.publishing.deliveries import channels_due
from desk.runs.assignments import call_allowance
from desk.runs.boards import WeekBoard
from workflows.engine.options import (
    HEARTBEAT_TIMEOUT,
    OUTCOME,
    PUBLISHING_HEARTBEAT_TIMEOUT,
    REVISION,
    cause,
    patient_retry_policy,
    priority,
    retry_policy,
)

_LATER = 5
"""The priority of deliveries. Research goes first."""


async def revisions_so_far(request: WeekRequest, board: WeekBoard) -> tuple[Revision, ...]:
    """Returns the revisions that earlier runs of the week published. This run continues their
    numbers and replaces none."""
    policy = request.config.policy
    history = await workflow.execute_activity_method(
        PublishingActivities.read_revisions,
        RevisionQuery(week=board.week, subset=request.subset),
        activity_id="read_revisions",
        summary=f"What is published of {board.week}",
        start_to_close_timeout=policy.deadlines.tool_call,
        schedule_to_close_timeout=policy.deadlines.week,
        heartbeat_timeout=HEARTBEAT_TIMEOUT,
        retry_policy=patient_retry_policy(policy.retries),
        priority=priority(1),
    )
    return history.revisions


async def publish(request: WeekRequest, board: WeekBoard, revision: Revision) -> Publication:
    """Writes the revision to disk, and only then shows it on the board and in the search
    attributes. If another run has published under its number, it gets the next free one.

    Retries for some days while the disk is full, because the research is already paid for.
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
        heartbeat_timeout=PUBLISHING_HEARTBEAT_TIMEOUT,
        retry_policy=patient_retry_policy(request.config.policy.retries),
        priority=priority(1),
    )
    board.note_published(revision, publication, at=workflow.now())
    workflow.upsert_search_attributes(
        [OUTCOME.value_set(publication.outcome), REVISION.value_set(board.last_revision)]
    )
    return publication


class WeekDeliveries:
    """Delivers each revision by all channels, concurrently and in the background. A channel that
    fails is noted on the board and in the log, and changes nothing else. Only the end of the run
    waits for deliveries."""

    def __init__(self, request: WeekRequest, board: WeekBoard) -> None:
        self._request = request
        self._board = board
        self._in_flight: set[asyncio.Task[None]] = set()

    def begin(self, revision: Revision) -> None:
        """Starts the deliveries of a revision that is on disk. Does nothing if there are no
        channels."""
        wanted, now = self._request.deliveries, workflow.now()
        if wanted is None or self._request.subset is not None:
            return
        for channel in channels_due(wanted, self._board.window.end, now):
            self._begin(wanted, channel, revision.revision, now + wanted.deadline)

    def resume(self) -> None:
        """Restarts the deliveries that were in flight when the run continued as new, with the same
        deadlines. What has been delivered meanwhile is not delivered again."""
        wanted = self._request.deliveries
        if wanted is None:
            return
        for sent in self._board.deliveries:
            if sent.state is DeliveryState.UNDER_WAY and sent.due is not None:
                self._begin(wanted, sent.channel, sent.revision, sent.due)

    async def pause(self) -> None:
        """Waits for the deliveries in flight, at most as long as one attempt may take."""
        if self._in_flight and (wanted := self._request.deliveries) is not None:
            with contextlib.suppress(TimeoutError):
                await workflow.wait_condition(
                    lambda: not self._in_flight,
                    timeout=wanted.attempt,
                    timeout_summary="an attempt to deliver",
                )

    @property
    def are_finished(self) -> bool:
        """Whether every delivery has succeeded or failed. Each has a deadline."""
        return not self._in_flight

    def _begin(self, wanted: Deliveries, channel: Channel, revision: int, due: datetime) -> None:
        self._board.note_delivery(
            DeliveryStatus(
                revision=revision, channel=channel, state=DeliveryState.UNDER_WAY, due=due
            )
        )
        task = asyncio.create_task(self._deliver(wanted, channel, revision, due))
        self._in_flight.add(task)
        task.add_done_callback(self._in_flight.discard)

    async def _deliver(
        self, wanted: Deliveries, channel: Channel, revision: int, due: datetime
    ) -> None:
        try:
            receipt = await self._sent(wanted, channel, revision, due)
        except ActivityError as error:
            reason = _reason(error)
            self._note(revision, channel, DeliveryState.FAILED, reason)
            workflow.logger.warning(
                "revision %s of %s was not delivered by %s: %s",
                revision,
                self._board.week,
                channel,
                reason,
            )
        else:
            self._note(revision, channel, DeliveryState.DELIVERED, receipt.note)

    async def _sent(
        self, wanted: Deliveries, channel: Channel, revision: int, due: datetime
    ) -> DeliveryReceipt:
        parcel = self._parcel(wanted, revision)
        return await workflow.execute_activity_method(
            DeliveryActivities.deliver_report,
            wanted.by(channel, parcel),
            activity_id=f"deliver.{channel}.r{parcel.revision}",
            summary=f"Deliver {parcel.week}, revision {parcel.revision}, by {channel}",
            start_to_close_timeout=wanted.attempt,
            schedule_to_close_timeout=call_allowance(due, workflow.now()),
            heartbeat_timeout=HEARTBEAT_TIMEOUT,
            retry_policy=retry_policy(wanted.retries),
            priority=priority(_LATER),
        )

    def _parcel(self, wanted: Deliveries, revision: int) -> Parcel:
        info = workflow.info()
        return Parcel(
            week=self._board.week,
            revision=revision,
            workflow_id=info.workflow_id,
            run_id=info.first_execution_run_id,
            report_url=wanted.report_url,
        )

    def _note(self, revision: int, channel: Channel, state: DeliveryState, note: str) -> None:
        self._board.note_delivery(
            DeliveryStatus(revision=revision, channel=channel, state=state, note=note)
        )


def _reason(error: ActivityError) -> str:
    """Returns the channel's error, or that the attempt timed out."""
    reported = error.cause
    return reported.message if isinstance(reported, ApplicationError) else cause(error)
