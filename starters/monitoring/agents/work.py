"""What the agents and sources did lately, from the histories of the workflows they worked in."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, NamedTuple

from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import ActivityTaskScheduledEventAttributes, HistoryEvent
from temporalio.client import Client, WorkflowExecution
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.agents.tools import ToolStatus
from desk.contracts.base import Contract
from desk.contracts.names import WorkflowType, activity_id_parts, workflow_id_parts
from starters.monitoring.open_circuits import circuit_in

CALLING: Final = "call_tool"
TURN: Final = "take_turn"
SIDE_BY_SIDE: Final = 8
MOST_READ: Final = 160
"""Histories that are read, the newest first: about four weeks' markets."""

_READ = (
    WorkflowType.WEEKLY_RESEARCH,
    WorkflowType.MARKET_RESEARCH,
    WorkflowType.REASSIGNMENT,
    WorkflowType.RESEARCH_GRAPH,
    WorkflowType.RESEARCH_SWARM,
    WorkflowType.SPECIALIST,
    WorkflowType.STOCK_RESEARCH,
)
_ENDED_BADLY = frozenset(
    {
        EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED,
        EventType.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT,
        EventType.EVENT_TYPE_ACTIVITY_TASK_CANCELED,
    }
)


@dataclass
class Work:
    """What somebody does and did: an agent's tasks, or the calls of a source.

    `retried` counts the tries that failed and were followed by another, `not_made` the calls for
    which a source that kept failing was not asked.
    """

    active: int = 0
    finished: int = 0
    failed: int = 0
    retried: int = 0
    not_made: int = 0
    last_success: datetime | None = None
    last_error: str | None = None
    last_error_at: datetime | None = None

    def succeeded(self, at: datetime) -> None:
        """Something went well."""
        self.last_success = max(at, self.last_success or at)

    def erred(self, at: datetime, reason: str) -> None:
        """Something went wrong; the latest reason is kept."""
        if self.last_error_at is None or at >= self.last_error_at:
            self.last_error_at = at
            self.last_error = " ".join(reason.split())[:4_000] or "no reason given"


@dataclass
class Record:
    """The work of everybody, by agent and by task queue; `read` of `known` histories were read."""

    agents: defaultdict[str, Work] = field(default_factory=lambda: defaultdict(Work))
    queues: defaultdict[str, Work] = field(default_factory=lambda: defaultdict(Work))
    read: int = 0
    known: int = 0


class _Answer(Contract):
    """As much of a tool's result as says whether it answered."""

    status: ToolStatus
    error: str | None = None


class _Asked(NamedTuple):
    """An activity: what it is, whose, and in which turn's task."""

    kind: str
    queue: str
    agent: str | None
    task: str


async def record_since(client: Client, start: datetime) -> Record:
    """What was done in the workflows that started since then, or run still.

    Raises:
        RPCError: the server does not answer.
    """
    types = " OR ".join(f'WorkflowType = "{kind}"' for kind in _READ)
    recent = f'StartTime >= "{start.isoformat()}"'
    working = f'(ExecutionStatus = "Running" AND WorkflowType != "{WorkflowType.WEEKLY_RESEARCH}")'
    query = f"({types}) AND ({recent} OR {working})"
    newest = [run async for run in client.list_workflows(query, limit=MOST_READ)]
    record = Record(read=len(newest), known=len(newest))
    if len(newest) == MOST_READ:
        record.known = (await client.count_workflows(query)).count
    turns = asyncio.Semaphore(SIDE_BY_SIDE)

    async def look(run: WorkflowExecution) -> None:
        async with turns:
            events = await _history(client, run)
        reader = Reader(events)
        await reader.count(client, record)

    await asyncio.gather(*map(look, newest))
    return record


async def _history(client: Client, run: WorkflowExecution) -> list[HistoryEvent]:
    handle = client.get_workflow_handle(run.id, run_id=run.run_id)
    try:
        return [event async for event in handle.fetch_history_events()]
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise
        return []


class Reader:
    """One workflow's history, activity by activity."""

    def __init__(self, events: Iterable[HistoryEvent]) -> None:
        self._events = tuple(events)
        self._asked: dict[int, _Asked] = {}
        self._given_up = {task for task in map(_reassigned, self._events) if task}

    async def count(self, client: Client, record: Record) -> None:
        """Add what was done here to the record."""
        last: dict[tuple[str, str], bool] = {}
        for event in self._events:
            if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
                asked = _asked(event.activity_task_scheduled_event_attributes)
                self._asked[event.event_id] = asked
                record.queues[asked.queue].active += 1
            elif event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED:
                self._retried(event, record)
            elif event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
                await self._completed(client, event, record, last)
            elif event.event_type in _ENDED_BADLY:
                await self._ended_badly(client, event, record, last)
        self._count_tasks(record, last)

    def _retried(self, event: HistoryEvent, record: Record) -> None:
        started = event.activity_task_started_event_attributes
        asked = self._asked.get(started.scheduled_event_id)
        if asked is None or started.attempt <= 1:
            return
        for work in _whose(asked, record):
            work.retried += started.attempt - 1
            work.erred(_at(event), started.last_failure.message)

    async def _completed(
        self, client: Client, event: HistoryEvent, record: Record, last: dict[tuple[str, str], bool]
    ) -> None:
        done = event.activity_task_completed_event_attributes
        asked = self._asked.pop(done.scheduled_event_id, None)
        if asked is None:
            return
        queue = record.queues[asked.queue]
        queue.active -= 1
        if asked.kind == CALLING:
            (answer,) = await client.data_converter.decode(done.result.payloads, [_Answer])
            if answer.status is not ToolStatus.OK:
                queue.failed += 1
                queue.erred(_at(event), answer.error or str(answer.status))
                return
        queue.finished += 1
        queue.succeeded(_at(event))
        if asked.agent is not None and asked.kind == TURN:
            record.agents[asked.agent].succeeded(_at(event))
            last[asked.agent, asked.task] = True

    async def _ended_badly(
        self, client: Client, event: HistoryEvent, record: Record, last: dict[tuple[str, str], bool]
    ) -> None:
        ended = getattr(event, event.WhichOneof("attributes") or "")
        asked = self._asked.pop(int(ended.scheduled_event_id), None)
        if asked is None:
            return
        queue = record.queues[asked.queue]
        queue.active -= 1
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_CANCELED:
            return
        queue.failed += 1
        queue.not_made += await circuit_in(client, ended.failure) is not None
        for work in _whose(asked, record):
            work.erred(_at(event), _innermost(ended.failure))
        if asked.agent is not None and asked.kind == TURN:
            last[asked.agent, asked.task] = False

    def _count_tasks(self, record: Record, last: Mapping[tuple[str, str], bool]) -> None:
        """A task is finished where its last turn went well and nobody else was asked to do it."""
        busy = {(a.agent, a.task) for a in self._asked.values() if a.agent is not None}
        closed = bool(self._events) and self._events[-1].event_type in _CLOSED
        if not closed:
            for agent, _ in busy:
                record.agents[agent].active += 1
        for (agent, task), well in last.items():
            if (agent, task) in busy:
                continue
            if well and not self._came_to_nothing(agent, task, last):
                record.agents[agent].finished += 1
            else:
                record.agents[agent].failed += 1
        if closed:
            for asked in self._asked.values():
                record.queues[asked.queue].active -= 1

    def _came_to_nothing(self, agent: str, task: str, last: Mapping[tuple[str, str], bool]) -> bool:
        """Whether a task went to somebody else, although its last turn went well."""
        if self._given_up.intersection(task.split(".", 1)):
            return True
        first, end = self._events[0], self._events[-1]
        kind = first.workflow_execution_started_event_attributes.workflow_type.name
        if kind != WorkflowType.REASSIGNMENT:
            return False
        completed = end.event_type == EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED
        return (agent, task) != list(last)[-1] or (end.event_type in _CLOSED and not completed)


_CLOSED = frozenset(
    {
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW,
    }
)


def _asked(scheduled: ActivityTaskScheduledEventAttributes) -> _Asked:
    place = activity_id_parts(scheduled.activity_id)
    return _Asked(
        scheduled.activity_type.name,
        scheduled.task_queue.name,
        place.agent if place else None,
        place.task.removeprefix(f"{place.agent}.") if place else scheduled.activity_id,
    )


def _whose(asked: _Asked, record: Record) -> tuple[Work, ...]:
    """Whoever an activity is told of: the queue's, and for a turn the agent's too."""
    queue = record.queues[asked.queue]
    if asked.agent is None or asked.kind != TURN:
        return (queue,)
    return (queue, record.agents[asked.agent])


def _reassigned(event: HistoryEvent) -> str | None:
    """The task for which somebody else is looked for from this event on."""
    if event.event_type != EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED:
        return None
    child = event.start_child_workflow_execution_initiated_event_attributes
    if child.workflow_type.name != WorkflowType.REASSIGNMENT:
        return None
    return workflow_id_parts(child.workflow_id).reassigned


def _innermost(failure: object) -> str:
    while (cause := getattr(failure, "cause", None)) is not None and cause.message:
        failure = cause
    return str(getattr(failure, "message", ""))


def _at(event: HistoryEvent) -> datetime:
    return event.event_time.ToDatetime(UTC)
