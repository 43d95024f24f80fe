"""Fetches a history and assembles its activities, tool calls and child workflows from its
events."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeVar

from temporalio.api.common.v1 import Payload, WorkflowExecution
from temporalio.api.failure.v1 import Failure
from temporalio.api.history.v1 import HistoryEvent
from temporalio.api.workflowservice.v1 import GetWorkflowExecutionHistoryReverseRequest
from temporalio.client import Client, WorkflowHandle
from temporalio.converter import DataConverter
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.agents.tools import ToolCall, ToolRequest, ToolResult, ToolStatus
from desk.platform.temporal.history._events import (
    ActivityEnded,
    ActivityScheduled,
    ActivityStarted,
    ChildEnded,
    ChildInitiated,
    ChildStarted,
    Ending,
    Event,
    Payloads,
    WorkflowEnded,
    WorkflowStarted,
    instant,
    typed_event,
)

T = TypeVar("T")

_ACTIVITY_ENDS: Final = frozenset(
    f"activity_task_{end}_event_attributes"
    for end in ("completed", "failed", "timed_out", "canceled")
)

_UNTREATED: Final = frozenset(
    f"workflow_{event}_event_attributes"
    # The server schedules a task together with whatever a workflow must treat, except a child's
    # start, which its parent may have to learn of first.
    for event in ("execution_started", "execution_signaled", "task_scheduled")
)


class Activity(NamedTuple):
    """An activity of a history, and how it ended. Temporal records that a worker started it only
    when that attempt has ended. `ended` is None while it is running, and if it was abandoned."""

    scheduled: ActivityScheduled
    started: ActivityStarted | None = None
    ended: ActivityEnded | None = None

    @property
    def completed(self) -> bool:
        """Whether it returned a result."""
        return self.ended is not None and self.ended.ending is Ending.COMPLETED


class Child(NamedTuple):
    """A child workflow of a history, and how it ended. `started` is None if it could not be
    started."""

    initiated: ChildInitiated
    started: ChildStarted | None = None
    ended: ChildEnded | None = None


class RunHistory:
    """The events of one workflow run, in their order.

    Raises:
        ValueError: the first event is not the start of a workflow.
    """

    def __init__(
        self,
        workflow_id: str,
        run_id: str,
        events: Iterable[HistoryEvent | Event],
        converter: DataConverter,
    ) -> None:
        typed = (each if isinstance(each, Event) else typed_event(each) for each in events)
        self.workflow_id = workflow_id
        self.run_id = run_id
        self.events = tuple(event for event in typed if event is not None)
        self.converter = converter
        first = self.events[0] if self.events else None
        if not isinstance(first, WorkflowStarted):
            raise ValueError(f"the history of {workflow_id} does not begin with its start")
        self.started = first

    @property
    def ended(self) -> WorkflowEnded | None:
        """The end of the run. None while it is open."""
        last = self.events[-1]
        return last if isinstance(last, WorkflowEnded) else None

    def before(self, event_id: int) -> "RunHistory":
        """The history up to an event, without it."""
        events = (event for event in self.events if event.event_id < event_id)
        return RunHistory(self.workflow_id, self.run_id, events, self.converter)

    @cached_property
    def activities(self) -> tuple[Activity, ...]:
        """The activities, in the order in which they were scheduled."""
        found: dict[int, Activity] = {}
        for event in self.events:
            match event:
                case ActivityScheduled():
                    found[event.event_id] = Activity(event)
                case ActivityStarted() if event.scheduled in found:
                    found[event.scheduled] = found[event.scheduled]._replace(started=event)
                case ActivityEnded() if event.scheduled in found:
                    found[event.scheduled] = found[event.scheduled]._replace(ended=event)
        return tuple(found.values())

    def ended_activities(self) -> list[tuple[ActivityScheduled, ActivityEnded]]:
        """The activities that ended, each with its end, in the order in which they ended."""
        ended = ((each.scheduled, each.ended) for each in self.activities)
        both = [(scheduled, end) for scheduled, end in ended if end is not None]
        return sorted(both, key=lambda each: each[1].event_id)

    @cached_property
    def children(self) -> tuple[Child, ...]:
        """The child workflows, in the order in which they were scheduled."""
        found: dict[int, Child] = {}
        for event in self.events:
            match event:
                case ChildInitiated():
                    found[event.event_id] = Child(event)
                case ChildStarted() if event.initiated in found:
                    found[event.initiated] = found[event.initiated]._replace(started=event)
                case ChildEnded() if event.initiated in found:
                    found[event.initiated] = found[event.initiated]._replace(ended=event)
        return tuple(found.values())

    async def decode(self, payloads: Payloads, kind: type[T]) -> T:
        """Decodes the one value of an input or a result.

        Raises:
            ValueError: there is not exactly one value, or it is of another type.
            OSError, RuntimeError: its payload is not available here, or cannot be decoded here.
        """
        return await decoded(self.converter, payloads, kind)

    async def error(self, failure: Failure) -> BaseException:
        """Converts a failure back to its exception. Raises as `decode`."""
        return await self.converter.decode_failure(failure)


async def decoded(converter: DataConverter, payloads: Iterable[Payload], kind: type[T]) -> T:
    """Decodes the one value of some payloads. See `RunHistory.decode`."""
    (value,) = await converter.decode(list(payloads), [kind])
    found: T = value
    return found


class HistoryGone(Exception):
    """The server has no history of a workflow, or no longer has it."""

    def __init__(self, workflow_id: str) -> None:
        super().__init__(f"the server keeps no history of {workflow_id} any more")


async def fetch_history(client: Client, workflow_id: str, run_id: str | None = None) -> RunHistory:
    """Fetches the history of a run, by default the latest one of the workflow id.

    Raises:
        HistoryGone: the server has none.
        RPCError: it could not be fetched.
    """
    events = [event async for event in fetch_raw_events(client, workflow_id, run_id)]
    return RunHistory(workflow_id, run_id or "", events, client.data_converter)


async def fetch_chain(client: Client, workflow_id: str, run_id: str) -> AsyncIterator[RunHistory]:
    """Yields a run and the runs that it continues as new, latest first, as far back as the server
    retains them. Raises as `fetch_history` if the run itself is not retained."""
    history = await fetch_history(client, workflow_id, run_id)
    yield history
    while history.started.continued_from is not None:
        try:
            history = await fetch_history(client, workflow_id, history.started.continued_from)
        except HistoryGone:
            return
        yield history


async def fetch_start(
    client: Client, workflow_id: str, run_id: str | None = None
) -> WorkflowStarted | None:
    """Fetches only the start of a run. None if the first event is not a start. Raises as
    `fetch_history`."""
    async for event in fetch_raw_events(client, workflow_id, run_id, page_size=1):
        typed = typed_event(event)
        return typed if isinstance(typed, WorkflowStarted) else None
    return None


async def fetch_events(
    client: Client, workflow_id: str, run_id: str | None = None
) -> AsyncIterator[Event]:
    """Yields the events one by one, for callers that do not need them all. Raises as
    `fetch_history`."""
    async for event in fetch_raw_events(client, workflow_id, run_id):
        typed = typed_event(event)
        if typed is not None:
            yield typed


LAST_EVENTS: Final = 200
PATIENCE: Final = timedelta(seconds=2)


async def fetch_last_scheduled(
    client: Client, workflow_id: str, run_id: str
) -> Mapping[str, ActivityScheduled]:
    """Fetches the activities that a run scheduled among its last `LAST_EVENTS` events, by their
    ids.

    Raises:
        RPCError: it could not be fetched.
    """
    answer = await client.workflow_service.get_workflow_execution_history_reverse(
        GetWorkflowExecutionHistoryReverseRequest(
            namespace=client.namespace,
            execution=WorkflowExecution(workflow_id=workflow_id, run_id=run_id),
            maximum_page_size=LAST_EVENTS,
        ),
        timeout=PATIENCE,
    )
    events = map(typed_event, answer.history.events)
    return {each.activity_id: each for each in events if isinstance(each, ActivityScheduled)}


async def failing_task(handle: WorkflowHandle[Any, Any]) -> str | None:
    """Why a run's workflow task is failing: the last failure since a task was completed. None if no
    task failed, also when one was only too slow or stopped and is retried.

    Raises:
        RPCError: it could not be fetched.
    """
    reason: str | None = None
    async for event in handle.fetch_history_events():
        if event.HasField("workflow_task_completed_event_attributes"):
            reason = None
        elif event.HasField("workflow_task_failed_event_attributes"):
            failed = event.workflow_task_failed_event_attributes
            # Without a failure the server itself retried it, as when a signal arrived meanwhile.
            reason = failed.failure.message if failed.HasField("failure") else reason
    return reason


async def fetch_raw_events(
    client: Client, workflow_id: str, run_id: str | None = None, *, page_size: int | None = None
) -> AsyncIterator[HistoryEvent]:
    """Yields the events in the server's form. Raises as `fetch_history`."""
    handle = client.get_workflow_handle(workflow_id, run_id=run_id)
    try:
        async for event in handle.fetch_history_events(page_size=page_size):
            yield event
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise
        raise HistoryGone(workflow_id) from None


async def has_due_work(client: Client, workflow_id: str, now: datetime) -> bool:
    """Returns whether a workflow has work to do now: an activity that has not ended, a timer that
    is due, or a start, a signal or a result that no workflow task has treated. Returns False for a
    workflow that does not exist.

    Raises:
        RPCError: the server went away.
    """
    activities: set[int] = set()
    timers: dict[int, datetime] = {}
    untreated = False
    with suppress(HistoryGone):
        async for event in fetch_raw_events(client, workflow_id):
            kind = event.WhichOneof("attributes")
            told: Any = getattr(event, kind) if kind else None
            match kind:
                case "activity_task_scheduled_event_attributes":
                    activities.add(event.event_id)
                case "timer_started_event_attributes":
                    pause = told.start_to_fire_timeout.ToTimedelta()
                    timers[event.event_id] = instant(event.event_time) + pause
                case "timer_fired_event_attributes" | "timer_canceled_event_attributes":
                    timers.pop(told.started_event_id, None)
                case str() if kind in _UNTREATED:
                    untreated = True
                case "workflow_task_completed_event_attributes":
                    untreated = False
                case str() if kind in _ACTIVITY_ENDS:
                    activities.discard(told.scheduled_event_id)
    return untreated or bool(activities) or any(due <= now for due in timers.values())


class CallMade(NamedTuple):
    """A tool call and its result. `result` is None if there is none yet, or never will be. `again`
    marks one of several calls that got no answer and is repeated by an activity of its own."""

    call: ToolCall
    result: ToolResult | None = None
    again: bool = False


async def calls_of(
    history: RunHistory, asked: ActivityScheduled, ended: ActivityEnded | None
) -> tuple[CallMade, ...]:
    """The tool calls of a `call_tool` activity, in their order."""
    calls = (await history.decode(asked.input, ToolRequest)).calls
    if ended is None:
        return tuple(map(CallMade, calls))
    if ended.ending is not Ending.COMPLETED:
        again = len(calls) > 1 and ended.ending is not Ending.CANCELED
        return tuple(CallMade(call, None, again) for call in calls)
    results = (await history.decode(ended.result, ToolResult)).each
    made = [
        CallMade(call, result, again=len(calls) > 1 and result.status is ToolStatus.UNAVAILABLE)
        for call, result in zip(calls, results, strict=False)
    ]
    # A worker of an earlier version makes only the first call.
    return (*made, *(CallMade(call, again=True) for call in calls[len(made) :]))
