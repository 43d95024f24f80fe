"""Asking the desk's learning system, and telling it: effects of its runs."""

import asyncio
from collections.abc import Sequence, Set
from datetime import UTC, timedelta
from typing import Any, Final, NamedTuple, TypedDict, TypeVar

from google.protobuf.message import DecodeError
from temporalio import activity
from temporalio.api.common.v1 import Payload
from temporalio.api.enums.v1 import EventType
from temporalio.api.failure.v1 import Failure
from temporalio.api.history.v1 import ActivityTaskScheduledEventAttributes, HistoryEvent
from temporalio.client import Client, WithStartWorkflowOperation
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.exceptions import FailureError
from temporalio.service import RPCError, RPCStatusCode

from activities.effects import beating, effect_key
from activities.errors import fault_told
from desk.contracts.agents.tools import ToolRequest, ToolResult, ToolStatus
from desk.contracts.learning.learning import Advice, Lesson, LessonSources
from desk.contracts.learning.record import LearningRequest, Question
from desk.contracts.names import LEARNING_SYSTEM_ID, Message, Queue, WorkflowType
from desk.contracts.swarm.swarm import ScoredHypothesis
from desk.learning.lessons import Fault, Tried, task_key, with_attempts

SIDE_BY_SIDE: Final = 8

TURN: Final = "take_turn"

CALL: Final = "call_tool"

_T = TypeVar("_T")

_ENDS: Final = frozenset(
    {
        EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED,
        EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED,
        EventType.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT,
    }
)

TASK_TIMEOUT: Final = timedelta(seconds=5)
"""How long a killed worker can hold a workflow task of the learning system. A worker that takes
over has to replay up to twenty weeks within it."""


async def attempts_of(
    client: Client, workflows: Sequence[str], counted: Set[str]
) -> tuple[Tried, ...]:
    """What was tried more than once in some workflows and in those that took over their tasks, and
    every call of tasks that are not `counted`. A history that the server no longer has is empty.

    Raises:
        RPCError: a history could not be read; another try may do.
    """
    turns = asyncio.Semaphore(SIDE_BY_SIDE)

    async def read(workflow_id: str, run_id: str | None) -> list[Tried]:
        async with turns:
            history = _History(client, workflow_id, await _events(client, workflow_id, run_id))
            tried = [one for asked in history.asked if (one := await history.tried(asked, counted))]
        children = (read(child.workflow_id, child.run_id) for child in history.took_over)
        return [*tried, *(one for found in await asyncio.gather(*children) for one in found)]

    found = await asyncio.gather(*(read(workflow_id, None) for workflow_id in workflows))
    return tuple(one for tried in found for one in tried)


class _Asked(NamedTuple):
    """A turn or a call, with what the server wrote of its last try and of its end."""

    scheduled: ActivityTaskScheduledEventAttributes
    last: HistoryEvent
    end: HistoryEvent | None


class _History:
    """One history, of which payloads are read where something went wrong."""

    def __init__(self, client: Client, workflow_id: str, events: Sequence[HistoryEvent]) -> None:
        self._converter = client.data_converter
        self._workflow_id = workflow_id
        self.took_over = [
            child.workflow_execution
            for event in events
            for child in [event.child_workflow_execution_started_event_attributes]
            if child.workflow_type.name == WorkflowType.REASSIGNMENT
        ]
        self.asked = _asked(events)

    async def tried(self, asked: _Asked, counted: Set[str]) -> Tried | None:
        """None of what was answered at once and is counted."""
        activity_id = asked.scheduled.activity_id
        started = asked.last.activity_task_started_event_attributes
        again, call = started.HasField("last_failure"), asked.scheduled.activity_type.name == CALL
        if not again and (not call or task_key(self._workflow_id, activity_id) in counted):
            return None
        found = Tried(
            workflow_id=self._workflow_id,
            activity_id=activity_id,
            at=(asked.end or asked.last).event_time.ToDatetime(tzinfo=UTC),
            tries=max(started.attempt, 1),
            before=await self._fault(started.last_failure) if again else None,
        )
        return await self._with_call(found, asked) if call else found

    async def _with_call(self, found: Tried, asked: _Asked) -> Tried:
        request = await self._one(asked.scheduled.input.payloads, ToolRequest)
        found = found._replace(server=request.call.server, tool=request.call.tool)
        if asked.end is None:
            return found
        failed = _failure(asked.end)
        if failed is not None:
            fault = await self._fault(failed)
            return found._replace(status=ToolStatus.UNAVAILABLE, last=fault)
        done = asked.end.activity_task_completed_event_attributes.result.payloads
        result = await self._one(done, ToolResult)
        last = Fault(result.fault, result.error) if result.error else None
        return found._replace(status=result.status, last=last, took=result.took)

    async def _fault(self, failure: Failure) -> Fault:
        """The innermost words are those that say what happened. A call that was not made is told
        with what its source failed by before."""
        error = await self._converter.decode_failure(failure)
        told = fault_told(error)
        fault = told.circuit.fault if told.circuit else told.fault
        while error.__cause__ is not None:
            error = error.__cause__
        return Fault(fault, error.message if isinstance(error, FailureError) else str(error))

    async def _one(self, payloads: Sequence[Payload], hint: type[_T]) -> _T:
        (read,) = await self._converter.decode(payloads, [hint])
        found: _T = read
        return found


class _Entity(TypedDict):
    """How the one workflow is named and started."""

    id: str
    task_queue: str
    id_conflict_policy: WorkflowIDConflictPolicy
    task_timeout: timedelta
    static_summary: str


_ENTITY: Final[_Entity] = {
    "id": LEARNING_SYSTEM_ID,
    "task_queue": Queue.DESK,
    "id_conflict_policy": WorkflowIDConflictPolicy.USE_EXISTING,
    "task_timeout": TASK_TIMEOUT,
    "static_summary": "What the desk has learned from its own runs",
}


class LearningActivities:
    """Each starts the learning system where it does not run yet."""

    @activity.defn
    async def ask_learning(self, question: Question) -> Advice:
        """What the record says to a run. Asked again, it gives the answer that it gave.

        Raises:
            RPCError, WorkflowUpdateFailedError: there is no answer; another try may do.
        """
        async with beating():
            advice: Advice = await activity.client().execute_update_with_start_workflow(
                Message.ADVISE,
                question,
                id=effect_key(),
                result_type=Advice,
                start_workflow_operation=WithStartWorkflowOperation(
                    WorkflowType.LEARNING_SYSTEM,
                    LearningRequest(),
                    **_ENTITY,
                ),
            )
            return advice

    @activity.defn
    async def tell_learning(self, lesson: Lesson, sources: LessonSources | None = None) -> None:
        """Tell what became of a run, with what its histories tell of every try. Told again, the
        same lesson changes nothing. `sources` is None of runs of an earlier version.

        Raises:
            RPCError: it could not be told, or a history could not be read; another try may do.
        """
        async with beating():
            if sources is not None:
                counted = frozenset(sources.counted)
                tried = await attempts_of(activity.client(), sources.workflows, counted)
                lesson = with_attempts(lesson, tried, counted)
            await _signal(Message.LEARN, lesson)

    @activity.defn
    async def tell_hypothesis(self, scored: ScoredHypothesis) -> None:
        """Tell what became of a hypothesis. Told again, the same changes nothing.

        Raises:
            RPCError: it could not be told; another try may do.
        """
        async with beating():
            await _signal(Message.LEARN_HYPOTHESIS, scored)


async def _events(client: Client, workflow_id: str, run_id: str | None) -> list[HistoryEvent]:
    handle = client.get_workflow_handle(workflow_id, run_id=run_id)
    try:
        return [event async for event in handle.fetch_history_events()]
    except DecodeError:
        return []
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise
        return []


def _asked(events: Sequence[HistoryEvent]) -> list[_Asked]:
    """The turns and calls of a history, as they were asked; one that was cancelled has no end."""
    found: dict[int, _Asked] = {}
    for event in events:
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
            scheduled = event.activity_task_scheduled_event_attributes
            if scheduled.activity_type.name in (TURN, CALL):
                found[event.event_id] = _Asked(scheduled, event, None)
        elif event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED:
            started = event.activity_task_started_event_attributes.scheduled_event_id
            if started in found:
                found[started] = found[started]._replace(last=event)
        elif event.event_type in _ENDS:
            told: Any = getattr(event, event.WhichOneof("attributes") or "")
            if told.scheduled_event_id in found:
                ended = found[told.scheduled_event_id]
                found[told.scheduled_event_id] = ended._replace(end=event)
    return list(found.values())


def _failure(end: HistoryEvent) -> Failure | None:
    """Why an activity failed for good; None where it was completed."""
    if end.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED:
        return end.activity_task_failed_event_attributes.failure
    if end.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT:
        return end.activity_task_timed_out_event_attributes.failure
    return None


async def _signal(message: Message, told: Lesson | ScoredHypothesis) -> None:
    await activity.client().start_workflow(
        WorkflowType.LEARNING_SYSTEM,
        LearningRequest(),
        **_ENTITY,
        start_signal=message,
        start_signal_args=[told],
    )
