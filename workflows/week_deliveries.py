"""Sending what a week has published, beside everything else that its run does."""

import asyncio

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError

from activities.deliveries import DeliveryActivities
from contracts.delivery import (
    Channel,
    Deliveries,
    DeliveryReceipt,
    DeliveryState,
    DeliveryStatus,
    Parcel,
)
from contracts.report import Revision
from contracts.week_run import WeekRequest
from domain.deliveries import channels_due
from domain.week_board import WeekBoard
from workflows.options import HEARTBEAT_TIMEOUT, cause, priority, retry_policy

_LATER = 5
"""Priority: whatever the desk researches goes before."""


class WeekDeliveries:
    """Each revision goes out on all channels side by side. A channel that fails is noted on the
    board and in the log; it changes nothing else, and nobody waits for it but the run's end."""

    def __init__(self, request: WeekRequest, board: WeekBoard) -> None:
        self._request = request
        self._board = board
        self._under_way: set[asyncio.Task[None]] = set()

    def begin(self, revision: Revision) -> None:
        """Start to send a revision that is on disk. Without channels, nothing at all is done."""
        wanted = self._request.deliveries
        if wanted is None or self._request.subset is not None:
            return
        for channel in channels_due(wanted, self._board.window.end, workflow.now()):
            self._note(revision, channel, DeliveryState.UNDER_WAY)
            task = asyncio.create_task(self._deliver(wanted, channel, revision))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def finish(self) -> None:
        """Wait until every delivery has come to an end; each has a deadline."""
        await workflow.wait_condition(lambda: not self._under_way)

    async def _deliver(self, wanted: Deliveries, channel: Channel, revision: Revision) -> None:
        try:
            receipt = await self._sent(wanted, channel, revision)
        except ActivityError as error:
            reason = _reason(error)
            self._note(revision, channel, DeliveryState.FAILED, reason)
            workflow.logger.warning(
                "revision %s of %s was not delivered by %s: %s",
                revision.revision,
                self._board.week,
                channel,
                reason,
            )
        else:
            self._note(revision, channel, DeliveryState.DELIVERED, receipt.note)

    async def _sent(
        self, wanted: Deliveries, channel: Channel, revision: Revision
    ) -> DeliveryReceipt:
        parcel = self._parcel(wanted, revision)
        return await workflow.execute_activity_method(
            DeliveryActivities.deliver_report,
            wanted.by(channel, parcel),
            activity_id=f"deliver.{channel}.r{parcel.revision}",
            summary=f"Deliver {parcel.week}, revision {parcel.revision}, by {channel}",
            start_to_close_timeout=wanted.attempt,
            schedule_to_close_timeout=wanted.deadline,
            heartbeat_timeout=HEARTBEAT_TIMEOUT,
            retry_policy=retry_policy(wanted.retries),
            priority=priority(_LATER),
        )

    def _parcel(self, wanted: Deliveries, revision: Revision) -> Parcel:
        info = workflow.info()
        return Parcel(
            week=self._board.week,
            revision=revision.revision,
            workflow_id=info.workflow_id,
            run_id=info.first_execution_run_id,
            report_url=wanted.report_url,
        )

    def _note(
        self, revision: Revision, channel: Channel, state: DeliveryState, note: str = ""
    ) -> None:
        number = revision.revision
        self._board.note_delivery(
            DeliveryStatus(revision=number, channel=channel, state=state, note=note)
        )


def _reason(error: ActivityError) -> str:
    """What the channel said; an attempt that ran out of time says no more than that."""
    said = error.cause
    return said.message if isinstance(said, ApplicationError) else cause(error)
