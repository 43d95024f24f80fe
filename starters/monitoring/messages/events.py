"""Temporal's events as the small form that messages are told from; only what they need is read."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from google.protobuf.timestamp_pb2 import Timestamp
from pydantic import ValidationError
from temporalio.api.common.v1 import Payload
from temporalio.api.enums.v1 import EventType, TimeoutType
from temporalio.api.failure.v1 import Failure
from temporalio.api.history.v1 import HistoryEvent, WorkflowExecutionStartedEventAttributes
from temporalio.converter import DataConverter

from desk.contracts.agents.search_attributes import Outcome, Phase, SearchAttribute
from desk.contracts.findings.escalations import WaitingNotice
from desk.contracts.findings.results import DeadLetter
from desk.contracts.names import FailureType, Message, WorkflowType, workflow_id_parts
from desk.contracts.week.run import RerunRequest
from desk.runs.messages import (
    Answered,
    Asked,
    Entered,
    Event,
    Failed,
    Fault,
    HandedOn,
    Lost,
    Pending,
    Reassigned,
    RerunAsked,
    Taken,
    ToldWorkflow,
    TurnAnswer,
    TurnAsked,
    WaitingNoted,
    WeekAsked,
    turn_of,
)
from workflows.options import fault_told

TURN: Final = "take_turn"

_T = TypeVar("_T")

_WITHOUT_RESULT: Final[Mapping[int, str]] = {
    EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT: "it timed out",
    EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED: "it was terminated",
    EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED: "it was cancelled",
    EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_TIMED_OUT: "it timed out",
    EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_TERMINATED: "it was terminated",
    EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_CANCELED: "it was cancelled",
}
_ENDS: Final = frozenset(
    {
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW,
    }
)


def has_ended(events: Sequence[HistoryEvent]) -> bool:
    """Whether a history ends with the end of its workflow."""
    return bool(events) and events[-1].event_type in _ENDS


class EventReader:
    """Reads one history. The ends of children are told by their parent; `root` has none."""

    def __init__(self, converter: DataConverter, *, root: bool) -> None:
        self._converter = converter
        self._root = root
        self._speaks = root
        self._turns: set[int] = set()
        self._started = WorkflowExecutionStartedEventAttributes()
        self._readers: dict[int, Callable[[HistoryEvent], Awaitable[Event | None]]] = {
            EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED: self._asked,
            EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED: self._taken,
            EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED: self._answered,
            EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED: self._failed,
            EventType.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT: self._timed_out,
            EventType.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES: self._entered,
            EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED: self._signalled,
            EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED: self._updated,
            EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED: self._child_asked,
            EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_FAILED: self._child_failed,
            EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_TIMED_OUT: self._child_ended,
            EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_TERMINATED: self._child_ended,
            EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_CANCELED: self._child_ended,
            EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED: self._run_failed,
            EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT: self._run_ended,
            EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED: self._run_ended,
            EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED: self._run_ended,
        }

    async def told(
        self,
        workflow_id: str,
        run_id: str,
        events: Sequence[HistoryEvent],
        pending: Sequence[Pending] = (),
    ) -> ToldWorkflow:
        """The workflow in the small form."""
        # Where a delivery or a case stands is not where the week stands.
        self._speaks = self._root or workflow_id_parts(workflow_id).market is not None
        started = self._started = events[0].workflow_execution_started_event_attributes
        handed: HandedOn | None = None
        if started.workflow_type.name == WorkflowType.REASSIGNMENT:
            handed = await self._one(started.input.payloads, HandedOn)
        found = []
        for event in events:
            reader = self._readers.get(event.event_type)
            read = await reader(event) if reader is not None else None
            if read is not None:
                found.append(read)
        return ToldWorkflow(
            workflow_id=workflow_id,
            run_id=run_id,
            events=tuple(found),
            started_by=started.identity,
            handed=handed,
            pending=tuple(pending),
        )

    async def _asked(self, event: HistoryEvent) -> Event:
        asked = event.activity_task_scheduled_event_attributes
        turn = turn_of(asked.activity_id) if asked.activity_type.name == TURN else None
        task: TurnAsked | None = None
        if turn is not None:
            self._turns.add(event.event_id)
            if turn.number == 1:
                task = await self._one(asked.input.payloads, TurnAsked)
        return Asked(
            event.event_id,
            instant(event.event_time),
            activity_id=asked.activity_id,
            queue=asked.task_queue.name,
            timeout=asked.schedule_to_close_timeout.ToTimedelta().total_seconds() or None,
            task=task,
        )

    async def _taken(self, event: HistoryEvent) -> Event:
        taken = event.activity_task_started_event_attributes
        again = taken.HasField("last_failure")
        return Taken(
            event.event_id,
            instant(event.event_time),
            asked=taken.scheduled_event_id,
            worker=taken.identity,
            attempt=taken.attempt,
            before=await self._fault(taken.last_failure) if again else None,
        )

    async def _answered(self, event: HistoryEvent) -> Event | None:
        done = event.activity_task_completed_event_attributes
        if done.scheduled_event_id not in self._turns:
            return None
        turn = await self._one(done.result.payloads, TurnAnswer)
        return Answered(
            event.event_id, instant(event.event_time), asked=done.scheduled_event_id, turn=turn
        )

    async def _failed(self, event: HistoryEvent) -> Event:
        return await self._failure(event, event.activity_task_failed_event_attributes)

    async def _timed_out(self, event: HistoryEvent) -> Event:
        failed = event.activity_task_timed_out_event_attributes
        return await self._failure(event, failed, taken=failed.started_event_id != 0)

    async def _entered(self, event: HistoryEvent) -> Event | None:
        upserted = event.upsert_workflow_search_attributes_event_attributes
        fields = upserted.search_attributes.indexed_fields
        said = {name: json.loads(field.data) for name, field in fields.items()}
        phase = said.get(SearchAttribute.PHASE)
        outcome = said.get(SearchAttribute.OUTCOME)
        revision = said.get(SearchAttribute.REVISION)
        if not self._speaks or (phase is None and outcome is None and revision is None):
            return None
        return Entered(
            event.event_id,
            instant(event.event_time),
            phase=Phase(phase) if phase is not None else None,
            outcome=Outcome(outcome) if outcome is not None else None,
            revision=revision,
        )

    async def _signalled(self, event: HistoryEvent) -> Event | None:
        signal = event.workflow_execution_signaled_event_attributes
        at = instant(event.event_time)
        if signal.signal_name == Message.RERUN_MARKET:
            rerun = await self._if_readable(signal.input.payloads, RerunRequest)
            if rerun is None or rerun.market not in await self._markets():
                return None
            return RerunAsked(event.event_id, at, signal.identity, rerun)
        if signal.signal_name == Message.NOTE_WAITING:
            notice = await self._if_readable(signal.input.payloads, WaitingNotice)
            return WaitingNoted(event.event_id, at, notice) if notice else None
        return None

    async def _markets(self) -> frozenset[str]:
        """The markets that the run takes reruns of; none where it is not a week's."""
        if self._started.workflow_type.name != WorkflowType.WEEKLY_RESEARCH:
            return frozenset()
        asked = await self._one(self._started.input.payloads, WeekAsked)
        return frozenset(spec.market for spec in asked.config.markets)

    async def _updated(self, event: HistoryEvent) -> Event | None:
        update = event.workflow_execution_update_accepted_event_attributes.accepted_request
        if update.input.name != Message.REQUEST_RERUN:
            return None
        rerun = await self._one(update.input.args.payloads, RerunRequest)
        return RerunAsked(event.event_id, instant(event.event_time), update.meta.identity, rerun)

    async def _child_asked(self, event: HistoryEvent) -> Event | None:
        child = event.start_child_workflow_execution_initiated_event_attributes
        if child.workflow_type.name != WorkflowType.REASSIGNMENT:
            return None
        request = await self._one(child.input.payloads, HandedOn)
        return Reassigned(event.event_id, instant(event.event_time), request)

    async def _child_failed(self, event: HistoryEvent) -> Event | None:
        child = event.child_workflow_execution_failed_event_attributes
        return await self._lost(event, child.failure, child.workflow_execution.workflow_id)

    async def _child_ended(self, event: HistoryEvent) -> Event | None:
        child: Any = attributes_of(event)
        if child.workflow_type.name == WorkflowType.ESCALATION:
            return None
        workflow_id = child.workflow_execution.workflow_id
        fault = Fault("ended", f"{workflow_id}: {_WITHOUT_RESULT[event.event_type]}")
        return Lost(event.event_id, instant(event.event_time), fault, workflow_id)

    async def _run_failed(self, event: HistoryEvent) -> Event | None:
        if not self._root:
            return None
        return await self._lost(event, event.workflow_execution_failed_event_attributes.failure)

    async def _run_ended(self, event: HistoryEvent) -> Event | None:
        if not self._root:
            return None
        fault = Fault("ended", f"the run: {_WITHOUT_RESULT[event.event_type]}")
        return Lost(event.event_id, instant(event.event_time), fault)

    async def _lost(
        self, event: HistoryEvent, failure: Failure, workflow_id: str | None = None
    ) -> Lost:
        letter: DeadLetter | None = None
        told = failure.application_failure_info
        if told.type == FailureType.DEAD_LETTERED and told.details.payloads:
            letter = await self._one(told.details.payloads, DeadLetter)
        at = instant(event.event_time)
        return Lost(event.event_id, at, await self._fault(failure), workflow_id, letter)

    async def _failure(self, event: HistoryEvent, attributes: Any, *, taken: bool = True) -> Failed:
        """An activity that failed or ran out of time; both kinds of event say it alike."""
        return Failed(
            event.event_id,
            instant(event.event_time),
            asked=attributes.scheduled_event_id,
            fault=await self._fault(attributes.failure),
            taken=taken,
        )

    async def _fault(self, failure: Failure) -> Fault:
        return await fault_of(failure, self._converter)

    async def _one(self, payloads: Sequence[Payload], hint: type[_T]) -> _T:
        (read,) = await self._converter.decode(payloads, [hint])
        found: _T = read
        return found

    async def _if_readable(self, payloads: Sequence[Payload], hint: type[_T]) -> _T | None:
        """What anybody could send: what the run has dropped is no message."""
        try:
            return await self._one(payloads, hint)
        except (ValidationError, ValueError, RuntimeError):
            return None


async def fault_of(failure: Failure, converter: DataConverter) -> Fault:
    """Why an attempt failed, as Temporal kept it."""
    kind = failure.application_failure_info.type
    if failure.HasField("timeout_failure_info"):
        name = TimeoutType.Name(failure.timeout_failure_info.timeout_type)
        kind = f"timeout ({name.removeprefix('TIMEOUT_TYPE_').replace('_', ' ').lower()})"
    words = failure.message
    if failure.HasField("cause") and failure.cause.message not in words:
        words = f"{words}: {failure.cause.message}"
    call = fault_told(await converter.decode_failure(failure)).fault
    return Fault(kind or "unknown", words, failure.stack_trace or None, call)


def attributes_of(event: HistoryEvent) -> Any:
    """The part of an event that its type has for its own."""
    return getattr(event, event.WhichOneof("attributes") or "")


def instant(stamp: Timestamp) -> datetime:
    """A time of the server's, in UTC."""
    return stamp.ToDatetime(tzinfo=UTC)
