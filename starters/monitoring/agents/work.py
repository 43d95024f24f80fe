"""The work of agents and sources, read from histories, and the workers that poll their queues."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, NamedTuple

from pydantic import Field, JsonValue
from temporalio.api.enums.v1 import TaskQueueType, WorkerStatus
from temporalio.api.failure.v1 import Failure
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.worker.v1 import WorkerHeartbeat
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest, DescribeTaskQueueResponse
from temporalio.client import Client, WorkflowExecution

from desk.contracts.agents.tools import Reachability, ToolStatus
from desk.contracts.base import Contract, Instant, ShortText
from desk.contracts.names import (
    ActivityName,
    Queue,
    WorkflowType,
    activity_id_parts,
    workflow_id_parts,
)
from desk.platform.temporal.client import WORKER_HEARTBEAT
from desk.platform.temporal.history import (
    Activity,
    ActivityEnded,
    ActivityScheduled,
    Ending,
    HistoryGone,
    RunHistory,
    fetch_history,
)
from starters.monitoring.worker_heartbeats import ANSWER, last_heartbeats
from starters.sources.open_circuits import circuit_in
from starters.sources.unanswered import failure_reason
from workers.health import LONGEST_SILENCE

SIDE_BY_SIDE: Final = 8
MOST_READ: Final = 160
"""The most histories that are read, of open runs and of those that ended last: about four weeks'
markets."""

_READ = (
    WorkflowType.WEEKLY_RESEARCH,
    WorkflowType.MARKET_RESEARCH,
    WorkflowType.REASSIGNMENT,
    WorkflowType.RESEARCH_GRAPH,
    WorkflowType.RESEARCH_SWARM,
    WorkflowType.SPECIALIST,
    WorkflowType.STOCK_RESEARCH,
)


@dataclass
class WorkCounts:
    """The work of an agent (its tasks) or of a source (its calls).

    `retried` counts failed attempts that were followed by another, `not_made` calls that were
    skipped because the source kept failing. `reached_at` is when the planning of a run last found
    the source reachable; this does not count as a call.
    """

    active: int = 0
    finished: int = 0
    failed: int = 0
    retried: int = 0
    not_made: int = 0
    last_success: datetime | None = None
    reached_at: datetime | None = None
    last_error: str | None = None
    last_error_at: datetime | None = None

    def succeeded(self, at: datetime) -> None:
        """Counts a success."""
        self.last_success = max(at, self.last_success or at)

    def reached(self, at: datetime) -> None:
        """Records that the source was reachable."""
        self.reached_at = max(at, self.reached_at or at)

    @property
    def is_well(self) -> bool:
        """Whether nothing has failed since it last succeeded or was reached."""
        if self.last_error_at is None:
            return True
        well = [at for at in (self.last_success, self.reached_at) if at is not None]
        return bool(well) and max(well) >= self.last_error_at

    def erred(self, at: datetime, reason: str) -> None:
        """Counts a failure, and saves the latest reason."""
        if self.last_error_at is None or at >= self.last_error_at:
            self.last_error_at = at
            self.last_error = " ".join(reason.split())[:4_000] or "no reason given"


@dataclass
class DeskWork:
    """The work of all agents and sources since an instant, by agent and by task queue. `read` of
    `known` histories were read; the others had ended by `since`."""

    agents: defaultdict[str, WorkCounts] = field(default_factory=lambda: defaultdict(WorkCounts))
    queues: defaultdict[str, WorkCounts] = field(default_factory=lambda: defaultdict(WorkCounts))
    since: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    read: int = 0
    known: int = 0


class _ToolAnswer(Contract):
    """The part of a tool's result that says whether it answered, and the results of other calls in
    the same activity. The content is needed too: a live source that could not be reached says so
    there.
    """

    status: ToolStatus
    error: str | None = None
    content: JsonValue = None
    together: tuple["_ToolAnswer", ...] = ()


async def record_since(client: Client, start: datetime) -> DeskWork:
    """Reads the work in workflows that started since an instant or are still open. If there are
    more than are read, counts since the earliest end of those read, because the server lists them
    by their end.

    Raises:
        RPCError: the server does not answer.
    """
    types = " OR ".join(f'WorkflowType = "{kind}"' for kind in _READ)
    recent = f'StartTime >= "{start.isoformat()}"'
    working = f'(ExecutionStatus = "Running" AND WorkflowType != "{WorkflowType.WEEKLY_RESEARCH}")'
    query = f"({types}) AND ({recent} OR {working})"
    newest = [run async for run in client.list_workflows(query, limit=MOST_READ)]
    record = DeskWork(since=start, read=len(newest), known=len(newest))
    if len(newest) == MOST_READ:
        record.known = (await client.count_workflows(query)).count
    if record.known > record.read:
        ends = (run.close_time for run in newest if run.close_time is not None)
        record.since = max(start, min(ends, default=datetime.now(UTC)))
    turns = asyncio.Semaphore(SIDE_BY_SIDE)

    async def look(run: WorkflowExecution) -> None:
        with suppress(HistoryGone):
            async with turns:
                history = await fetch_history(client, run.id, run.run_id)
            await count_work(history, record)

    await asyncio.gather(*map(look, newest))
    return record


async def count_work(history: RunHistory, record: DeskWork) -> None:
    """Adds the work of one workflow to the record."""
    last: dict[str, bool] = {}
    for activity in history.activities:
        _add_tries(activity, record)
        record.queues[activity.scheduled.queue].active += _goes_on(history, activity)
    for scheduled, end in history.ended_activities():
        went_well = await _add_end(history, scheduled, end, record)
        parts = activity_id_parts(scheduled.activity_id)
        if went_well is not None and parts is not None and scheduled.name == ActivityName.TAKE_TURN:
            last[parts.task] = went_well
    busy = {
        parts.task
        for activity in history.activities
        if activity.ended is None
        and (parts := activity_id_parts(activity.scheduled.activity_id)) is not None
    }
    if history.ended is None:
        for task in busy:
            record.agents[task.partition(".")[0]].active += 1
    _add_tasks(history, last, busy, record)


def _goes_on(history: RunHistory, activity: Activity) -> bool:
    return activity.ended is None and history.ended is None


def _add_tries(activity: Activity, record: DeskWork) -> None:
    scheduled, started, _ = activity
    if started is None or started.attempt <= 1:
        return
    for work in _whose(scheduled, record):
        work.retried += started.attempt - 1
        work.erred(started.at, started.failure.message if started.failure else "")


async def _add_end(
    history: RunHistory, scheduled: ActivityScheduled, end: ActivityEnded, record: DeskWork
) -> bool | None:
    """Counts the end of an activity. Returns whether it succeeded, or None if it counts as neither:
    a call without an answer counts only for its source, and a cancelled activity is not counted. A
    source's reachability at planning time is not a call, and is its newest state.

    Whether a source was reached when a run was planned is no call, and is its newest state."""
    queue = record.queues[scheduled.queue]
    if end.failure is not None:
        again = _repeated_calls(scheduled)
        queue.retried += again
        if not again:
            queue.failed += 1
            queue.not_made += await circuit_in(history.converter, end.failure) is not None
        for work in _whose(scheduled, record):
            work.erred(end.at, _innermost(end.failure))
        return False
    if end.ending is not Ending.COMPLETED:
        return None
    if scheduled.name == ActivityName.CALL_TOOL:
        answer = await history.decode(end.result, _ToolAnswer)
        for one in (answer, *answer.together):
            _add_answer(queue, one, end.at, among_others=bool(answer.together))
        return None
    if scheduled.name == ActivityName.REACH:
        _add_reach(queue, await history.decode(end.result, Reachability), end.at)
        return None
    queue.finished += 1
    for work in _whose(scheduled, record):
        work.succeeded(end.at)
    return True


def _add_reach(queue: WorkCounts, reach: Reachability, at: datetime) -> None:
    if reach.reachable:
        queue.reached(at)
    else:
        queue.erred(at, reach.reason or "it could not be reached and does not say why")


def _repeated_calls(scheduled: ActivityScheduled) -> int:
    """Returns how many calls are repeated alone after a shared activity failed. Each of them is
    counted where it ends. 0 for a single call or a turn."""
    parts = activity_id_parts(scheduled.activity_id)
    return parts.calls if parts is not None and parts.calls > 1 else 0


def _add_answer(
    queue: WorkCounts, answer: _ToolAnswer, at: datetime, *, among_others: bool
) -> None:
    """Counts an answer. A call that got no answer in a shared activity was repeated alone."""
    why = failure_reason(answer.status, answer.error, answer.content)
    if why is None:
        queue.finished += 1
        queue.succeeded(at)
        return
    again = among_others and answer.status is ToolStatus.UNAVAILABLE
    queue.retried += again
    queue.failed += not again
    queue.erred(at, why)


def _add_tasks(
    history: RunHistory, last: Mapping[str, bool], busy: Set[str], record: DeskWork
) -> None:
    """Counts tasks. A task is finished if its last turn succeeded and it was not reassigned to
    another agent."""
    for task, well in last.items():
        if task in busy:
            continue
        work = record.agents[task.partition(".")[0]]
        if well and not _was_reassigned(history, task, last):
            work.finished += 1
        else:
            work.failed += 1


def _was_reassigned(history: RunHistory, task: str, last: Mapping[str, bool]) -> bool:
    """Returns whether a task was reassigned to another agent although its last turn succeeded."""
    handed_on = {
        workflow_id_parts(child.initiated.workflow_id).reassigned
        for child in history.children
        if child.initiated.workflow_type == WorkflowType.REASSIGNMENT
    }
    if not handed_on.isdisjoint(task.split(".", 2)[1:]):
        return True
    if history.started.workflow_type != WorkflowType.REASSIGNMENT:
        return False
    ended_badly = history.ended is not None and history.ended.ending is not Ending.COMPLETED
    return task != list(last)[-1] or ended_badly


def _whose(scheduled: ActivityScheduled, record: DeskWork) -> tuple[WorkCounts, ...]:
    """Returns the counts that an activity belongs to: its queue's and, for a turn, also its
    agent's."""
    queue, parts = record.queues[scheduled.queue], activity_id_parts(scheduled.activity_id)
    if parts is None or scheduled.name != ActivityName.TAKE_TURN:
        return (queue,)
    return (queue, record.agents[parts.agent])


def _innermost(failure: Failure) -> str:
    while failure.cause.message:
        failure = failure.cause
    return failure.message


MISSED_BEATS: Final = 3
"""A worker that has missed this many heartbeats counts as gone."""

_KINDS = (TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW, TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY)

Share = Annotated[float, Field(ge=0, le=100)]


class WorkerLine(Contract):
    """A worker by its last heartbeat. Processor and memory are those of its machine; the counts
    begin when it started."""

    worker: ShortText
    host: ShortText
    process: ShortText
    queue: ShortText
    alive: bool
    last_heartbeat: Instant
    started_at: Instant
    cpu_percent: Share
    memory_percent: Share
    active: int
    processed: int
    failed: int


class QueueState(NamedTuple):
    """A task queue: how many tasks wait, how long the oldest has waited, and when it was last
    polled."""

    queue: str
    depth: int
    oldest: timedelta
    last_poll: datetime | None


class Fleet(NamedTuple):
    """The workers and queues that Temporal knows. `workers` is None if the server has no
    heartbeats."""

    workers: tuple[WorkerLine, ...] | None
    queues: Mapping[str, QueueState]

    def on(self, queue: str) -> tuple[WorkerLine, ...]:
        """The live workers of a queue."""
        return tuple(w for w in self.workers or () if w.queue == queue and w.alive)

    def polled(self, queue: str, now: datetime) -> bool:
        """Returns whether a worker polls a queue.

        Temporal lists a poller for minutes after its worker is gone. A worker that is known to have
        stopped therefore outweighs its poller, unless the queue was polled since.
        """
        if self.on(queue):
            return True
        polled_at = self.queues[queue].last_poll if queue in self.queues else None
        if polled_at is None or now - polled_at > LONGEST_SILENCE:
            return False
        gone = [worker.last_heartbeat for worker in self.workers or () if worker.queue == queue]
        # A worker may have polled between its last heartbeat and its end.
        return all(polled_at > at + WORKER_HEARTBEAT for at in gone)


async def fleet_of(client: Client, queues: Iterable[str]) -> Fleet:
    """Fetches the workers and the given queues.

    Raises:
        RPCError: the server does not answer.
    """
    workers, looks = await asyncio.gather(
        _workers(client), asyncio.gather(*(_queue(client, queue) for queue in queues))
    )
    return Fleet(workers, {look.queue: look for look in looks})


async def _workers(client: Client) -> tuple[WorkerLine, ...] | None:
    beats = await last_heartbeats(client)
    if beats is None:
        return None
    now = datetime.now(UTC)
    lines = (worker_line(beat, now) for beat in beats)
    return tuple(sorted(lines, key=lambda w: (w.queue, w.worker, w.started_at)))


def worker_line(beat: WorkerHeartbeat, now: datetime) -> WorkerLine:
    """Describes a worker by its last heartbeat. It is alive if the heartbeat is recent and does not
    announce that the worker stops."""
    host, slots = beat.host_info, beat.activity_task_slots_info
    beaten = beat.heartbeat_time.ToDatetime(UTC)
    return WorkerLine(
        worker=beat.worker_identity[:200],
        host=host.host_name[:200],
        process=host.process_id[:200],
        queue=beat.task_queue[:200],
        alive=beat.status == WorkerStatus.WORKER_STATUS_RUNNING
        and now - beaten <= WORKER_HEARTBEAT * MISSED_BEATS,
        last_heartbeat=beaten,
        started_at=beat.start_time.ToDatetime(UTC),
        cpu_percent=_percent(host.current_host_cpu_usage),
        memory_percent=_percent(host.current_host_mem_usage),
        active=slots.current_used_slots,
        processed=slots.total_processed_tasks,
        failed=slots.total_failed_tasks,
    )


def _percent(share: float) -> float:
    return round(min(max(share, 0.0), 1.0) * 100, 1)


async def _queue(client: Client, queue: str) -> QueueState:
    """Describes a task queue. All of the desk's queues have activities, and one also has
    workflows."""
    kinds = _KINDS if queue == Queue.DESK else _KINDS[1:]
    answers = await asyncio.gather(*(_described(client, queue, kind) for kind in kinds))
    polls = [
        poller.last_access_time.ToDatetime(UTC) for answer in answers for poller in answer.pollers
    ]
    return QueueState(
        queue,
        sum(answer.stats.approximate_backlog_count for answer in answers),
        max(answer.stats.approximate_backlog_age.ToTimedelta() for answer in answers),
        max(polls, default=None),
    )


async def _described(
    client: Client, queue: str, kind: TaskQueueType.ValueType
) -> DescribeTaskQueueResponse:
    return await client.workflow_service.describe_task_queue(
        DescribeTaskQueueRequest(
            namespace=client.namespace,
            task_queue=TaskQueue(name=queue),
            task_queue_type=kind,
            report_stats=True,
        ),
        timeout=ANSWER,
    )
