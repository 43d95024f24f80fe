"""One history: fetched, and with its events, activities, calls of tools and children put
together."""

from collections.abc import AsyncIterator, Iterable, Mapping
from datetime import timedelta
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
    typed_event,
)

T = TypeVar("T")


class Activity(NamedTuple):
    """An activity of a history, and how it ended. Temporal records that a worker started it only
    when that attempt is over; `ended` is None while it is running, and where it was given up."""

    scheduled: ActivityScheduled
    started: ActivityStarted | None = None
    ended: ActivityEnded | None = None

    @property
    def completed(self) -> bool:
        """Whether it returned a result."""
        return self.ended is not None and self.ended.ending is Ending.COMPLETED


class Child(NamedTuple):
    """A child workflow of a history, and how it ended. `started` is None where it could not be
    started."""

    initiated: ChildInitiated
    started: ChildStarted | None = None
    ended: ChildEnded | None = None


class RunHistory:
    """A run of a workflow: what happened in it, in the order of its events.

    Raises:
        ValueError: there is no event by which a workflow starts.
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
        """The end of the run; None while it goes on."""
        last = self.events[-1]
        return last if isinstance(last, WorkflowEnded) else None

    def before(self, event_id: int) -> "RunHistory":
        """The history as it was before an event."""
        events = (event for event in self.events if event.event_id < event_id)
        return RunHistory(self.workflow_id, self.run_id, events, self.converter)

    @cached_property
    def activities(self) -> tuple[Activity, ...]:
        """The activities in the order in which they were asked for."""
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
        """The activities that ended, each with how it ended, in the order in which they did."""
        ended = ((each.scheduled, each.ended) for each in self.activities)
        both = [(scheduled, end) for scheduled, end in ended if end is not None]
        return sorted(both, key=lambda each: each[1].event_id)

    @cached_property
    def children(self) -> tuple[Child, ...]:
        """The child workflows in the order in which they were asked for."""
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
        """The one value that was given or returned.

        Raises:
            ValueError: it is not one value, or none of that kind.
            OSError, RuntimeError: its payload is not here, or cannot be decoded here.
        """
        return await decoded(self.converter, payloads, kind)

    async def error(self, failure: Failure) -> BaseException:
        """A failure as the exception that it was. Raises as `decode`."""
        return await self.converter.decode_failure(failure)


async def decoded(converter: DataConverter, payloads: Iterable[Payload], kind: type[T]) -> T:
    """The one value of some payloads: see `RunHistory.decode`."""
    (value,) = await converter.decode(list(payloads), [kind])
    found: T = value
    return found


class HistoryGone(Exception):
    """The server keeps no history of a workflow, or none any more."""

    def __init__(self, workflow_id: str) -> None:
        super().__init__(f"the server keeps no history of {workflow_id} any more")


async def fetch_history(client: Client, workflow_id: str, run_id: str | None = None) -> RunHistory:
    """The history of a run, or of the latest of an id.

    Raises:
        HistoryGone: the server keeps none.
        RPCError: it could not be fetched.
    """
    events = [event async for event in fetch_raw_events(client, workflow_id, run_id)]
    return RunHistory(workflow_id, run_id or "", events, client.data_converter)


async def fetch_chain(client: Client, workflow_id: str, run_id: str) -> AsyncIterator[RunHistory]:
    """A run and those that it continues as new, the nearest first, as far as the server keeps
    them. Raises as `fetch_history` where it does not keep the run itself."""
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
    """How a run began, without the rest of its history; None where that does not say. Raises as
    `fetch_history`."""
    async for event in fetch_raw_events(client, workflow_id, run_id, page_size=1):
        typed = typed_event(event)
        return typed if isinstance(typed, WorkflowStarted) else None
    return None


async def fetch_events(
    client: Client, workflow_id: str, run_id: str | None = None
) -> AsyncIterator[Event]:
    """The events one after the other, for whoever does not need them all. Raises as
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
    """What a run asked for among its last `LAST_EVENTS` events, by the activity's id.

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
    """Why a run's workflow task fails: the last that one failed by and none was completed since.
    None where it did not fail, as where a worker was too slow or was stopped and it is tried again.

    Raises:
        RPCError: it could not be fetched.
    """
    reason: str | None = None
    async for event in handle.fetch_history_events():
        if event.HasField("workflow_task_completed_event_attributes"):
            reason = None
        elif event.HasField("workflow_task_failed_event_attributes"):
            failed = event.workflow_task_failed_event_attributes
            # Without a failure the server itself gave it back, as when a signal came meanwhile.
            reason = failed.failure.message if failed.HasField("failure") else reason
    return reason


async def fetch_raw_events(
    client: Client, workflow_id: str, run_id: str | None = None, *, page_size: int | None = None
) -> AsyncIterator[HistoryEvent]:
    """The events as the server writes them. Raises as `fetch_history`."""
    handle = client.get_workflow_handle(workflow_id, run_id=run_id)
    try:
        async for event in handle.fetch_history_events(page_size=page_size):
            yield event
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise
        raise HistoryGone(workflow_id) from None


class CallMade(NamedTuple):
    """A call and its result: None where it has none yet, or never will. One that had no answer
    among several is made `again` by an activity of its own."""

    call: ToolCall
    result: ToolResult | None = None
    again: bool = False


async def calls_of(
    history: RunHistory, asked: ActivityScheduled, ended: ActivityEnded | None
) -> tuple[CallMade, ...]:
    """The calls of a `call_tool` activity, in their order."""
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
    # A worker of an earlier version makes the first call alone.
    return (*made, *(CallMade(call, again=True) for call in calls[len(made) :]))
