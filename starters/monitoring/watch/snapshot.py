"""A snapshot of a run: its board, and which agent is working on what."""

import asyncio
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple

from pydantic import Field
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import PendingActivityState, WorkflowExecutionStatus
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.api.workflowservice.v1 import (
    DescribeWorkflowExecutionRequest,
    DescribeWorkflowExecutionResponse,
)
from temporalio.client import Client, WorkflowQueryFailedError
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.usage import Usage
from desk.contracts.base import Contract, Instant, ShortText, Text, is_empty
from desk.contracts.names import (
    ActivityIdParts,
    Message,
    WorkflowType,
    activity_id_parts,
    workflow_id_parts,
)
from desk.contracts.runs.week import WeekResult, WeekStatus
from desk.runs.assignments import as_usage
from starters.monitoring.watch.pending_calls import PendingCalls
from starters.runs.watching import week_status_or_none

ANSWER: Final = timedelta(seconds=2)
SPENDING_SECONDS: Final = 3.0
SIDE_BY_SIDE: Final = 8
"""How many workflows are queried concurrently: few enough not to disturb the run."""

_OPEN = frozenset(
    {
        WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING,
        WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_PAUSED,
    }
)


class AgentAtWork(Contract):
    """An agent that is working on a task.

    `attempt` is the number of attempts at its turn, or at its tool call with the most, including
    this one. `calls` are the pending tool calls; in turn 0 they are the opening. `unclaimed` means
    that no worker has taken up its activities, `due` is when they expire. `stands_in` means that it
    does another agent's task. `asks` describes long calls.
    """

    agent: ShortText
    task: ShortText
    turn: int
    attempt: int
    calls: int = 0
    unclaimed: bool = False
    stands_in: bool = False
    due: Instant | None = None
    last_failure: Text | None = None
    asks: Annotated[tuple[ShortText, ...], Field(max_length=100, exclude_if=is_empty)] = ()

    @property
    def has_come_to(self) -> str:
        """`turn 2`, or that it has not had a turn yet."""
        return f"turn {self.turn}" if self.turn else "before its first turn"


Agents = Annotated[tuple[AgentAtWork, ...], Field(max_length=20)]


class WorkflowRun(NamedTuple):
    """A workflow that is part of the snapshot."""

    workflow_id: str
    run_id: str


class RunSnapshot(NamedTuple):
    """A run at one moment.

    `status` is None if no worker answers, or the run is closed. `planner` works for the whole week;
    `markets` has the agents of each market, in the workflows of `runs`. `spending` is what current
    work has cost so far, if it was queried.
    """

    run_id: str
    open: bool
    status: WeekStatus | None
    planner: Agents
    markets: Mapping[str, Agents]
    runs: Mapping[str, WorkflowRun] = MappingProxyType({})
    spending: Mapping[str, Usage] = MappingProxyType({})


async def take_snapshot(
    client: Client, workflow_id: str, calls: PendingCalls | None = None
) -> RunSnapshot:
    """Takes a snapshot of the latest run with an id. With `calls`, it includes what its markets'
    tool calls ask.

    Raises:
        RPCError: the server is away, or does not know the run.
    """
    run = await _described(client, workflow_id)
    info = run.workflow_execution_info
    if info.status not in _OPEN:
        return RunSnapshot(info.execution.run_id, False, None, (), {})
    handle = client.get_workflow_handle(
        workflow_id, run_id=info.execution.run_id, result_type=WeekResult
    )
    runs = {
        parts.market: WorkflowRun(child.workflow_id, child.run_id)
        for child in run.pending_children
        if (parts := workflow_id_parts(child.workflow_id)).market and parts.researches
    }
    status, markets = await asyncio.gather(
        week_status_or_none(handle), _markets(client, runs, calls)
    )
    planner = agents_in(run.pending_activities)
    return RunSnapshot(info.execution.run_id, True, status, planner, markets, runs)


async def spending_of(client: Client, runs: Mapping[str, WorkflowRun]) -> Mapping[str, Usage]:
    """Returns what the agents of these markets have spent so far, for the workflows that answer in
    time.

    Raises:
        RPCError: the server is away.
    """
    turns = asyncio.Semaphore(SIDE_BY_SIDE)

    async def ask(run: WorkflowRun) -> Usage | None:
        handle = client.get_workflow_handle(run.workflow_id, run_id=run.run_id)
        try:
            async with turns, asyncio.timeout(ANSWER.total_seconds()):
                return as_usage(await handle.query(Message.SPENT, result_type=Allowance))
        except (TimeoutError, WorkflowQueryFailedError):
            return None
        except RPCError as error:
            if error.status is RPCStatusCode.UNAVAILABLE:
                raise
            return None

    found = await asyncio.gather(*map(ask, runs.values()))
    return {m: usage for m, usage in zip(runs, found, strict=True) if usage is not None}


class SpendingSoFar:
    """What current work of a run has spent, queried at intervals."""

    def __init__(self) -> None:
        self._asked = 0.0
        self._spent: Mapping[str, Usage] = {}

    async def with_spent(self, client: Client, look: RunSnapshot) -> RunSnapshot:
        """Returns the snapshot with what was spent. Queries only one market as long as no model is
        known to be in use.

        Raises:
            RPCError: the server is away.
        """
        now = time.monotonic()
        if look.status is not None and now - self._asked > SPENDING_SECONDS:
            self._asked = now
            known = any(usage.asked for usage in (look.status.usage, *self._spent.values()))
            asked = look.runs if known else dict(islice(look.runs.items(), 1))
            self._spent = {**self._spent, **await spending_of(client, asked)}
        spent = {market: spent for market, spent in self._spent.items() if market in look.runs}
        return look._replace(spending=spent)


def is_settled(status: WeekStatus) -> bool:
    """Returns whether a report is published and no work in progress will change it."""
    return status.phase is Phase.OPEN_FOR_RERUNS and not status.pending_reruns


def agents_in(
    activities: Iterable[PendingActivityInfo],
    *,
    stand_in: bool = False,
    asked: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> Agents:
    """Returns the agents at work, from a workflow's pending activities. Omits activities without an
    agent. `asked` describes calls, by activity id."""
    found: dict[str, list[tuple[PendingActivityInfo, ActivityIdParts]]] = {}
    for activity in activities:
        parts = activity_id_parts(activity.activity_id)
        if parts is not None:
            found.setdefault(parts.task, []).append((activity, parts))
    return tuple(_agent(waits_for, stand_in, asked) for _, waits_for in sorted(found.items()))


def _agent(
    waits_for: list[tuple[PendingActivityInfo, ActivityIdParts]],
    stand_in: bool,
    asked: Mapping[str, tuple[str, ...]],
) -> AgentAtWork:
    parts, activities = waits_for[0][1], [activity for activity, _ in waits_for]
    worst = max(activities, key=lambda activity: activity.attempt)
    ends = [a.expiration_time.ToDatetime(UTC) for a in activities if a.HasField("expiration_time")]
    started = PendingActivityState.PENDING_ACTIVITY_STATE_STARTED
    return AgentAtWork(
        agent=parts.agent[:200],
        task=parts.task_type[:200],
        turn=max(each.turn for _, each in waits_for),
        attempt=max(worst.attempt, 1),
        calls=sum(each.calls for _, each in waits_for),
        unclaimed=all(activity.state != started for activity in activities),
        stands_in=stand_in,
        due=min(ends, default=None),
        last_failure=worst.last_failure.message[:4_000] or None,
        asks=tuple(words for each in activities for words in asked.get(each.activity_id, ())),
    )


async def _markets(
    client: Client, runs: Mapping[str, WorkflowRun], calls: PendingCalls | None
) -> Mapping[str, Agents]:
    """Returns the agents at work on each market, including those in reassigned tasks."""
    turns = asyncio.Semaphore(SIDE_BY_SIDE)

    async def agents(workflow_id: str, run_id: str, *, stand_in: bool = False) -> Agents:
        try:
            async with turns:
                run = await _described(client, workflow_id, run_id)
                waits_for = run.pending_activities
                asked = await calls.of(client, workflow_id, run_id, waits_for) if calls else {}
        except RPCError as error:
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise
            return ()
        others = [
            child
            for child in run.pending_children
            if child.workflow_type_name == WorkflowType.REASSIGNMENT
        ]
        more = await asyncio.gather(
            *(agents(child.workflow_id, child.run_id, stand_in=True) for child in others)
        )
        return (*agents_in(waits_for, stand_in=stand_in, asked=asked), *sum(more, ()))

    found = await asyncio.gather(*(agents(run.workflow_id, run.run_id) for run in runs.values()))
    return dict(zip(runs, found, strict=True))


async def _described(
    client: Client, workflow_id: str, run_id: str = ""
) -> DescribeWorkflowExecutionResponse:
    return await client.workflow_service.describe_workflow_execution(
        DescribeWorkflowExecutionRequest(
            namespace=client.namespace,
            execution=WorkflowExecution(workflow_id=workflow_id, run_id=run_id),
        ),
        timeout=ANSWER,
    )


def seconds_left(due: datetime, now: datetime) -> float:
    """Returns the seconds until an instant; 0 once it has passed."""
    return max((due - now).total_seconds(), 0.0)
