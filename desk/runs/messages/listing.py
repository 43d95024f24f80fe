"""Lists the messages of a run, from its histories and from the server's description of pending
work.

Nothing is sent or stored. The same histories give the same messages, with the same ids, in the same
order. Pending work is only known while it is pending.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from desk.contracts.findings.results import ResearchResult
from desk.contracts.names import AgentId, agent_of
from desk.contracts.runs.messages import (
    AcceptanceStatus,
    AgentMessage,
    AgentStatus,
    HeartbeatContent,
    MessageType,
    ResearchResultContent,
    SystemStatusContent,
    TaskAcceptanceContent,
    ValidationRequestContent,
)
from desk.runs.messages.building import MessageBuilder, SortedMessage, Task
from desk.runs.messages.contents import is_identity
from desk.runs.messages.events import ActivityAsked, MessageEvent, Pending, WorkflowEvents

PM: Final = AgentId.PRODUCT_MANAGER

MOST_QUEUES: Final = 40


class WorkerState(StrEnum):
    """The state that a worker's process reports."""

    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"


@dataclass(frozen=True)
class WorkerSeen:
    """A worker's process by its last heartbeat, with all the queues that it polls.

    CPU and memory are percentages of its host. Counts begin when the process started. `in_use` is
    the share of its activity slots in use. `silent` means that a heartbeat is overdue. `process`
    distinguishes workers with the same identity.
    """

    identity: str
    state: WorkerState
    seen_at: datetime
    silent: bool = False
    queues: tuple[str, ...] = ()
    cpu: float | None = None
    memory: float | None = None
    active: int = 0
    completed: int = 0
    failed: int = 0
    metrics: dict[str, float] = field(default_factory=dict)
    process: str = ""
    in_use: float | None = None

    @property
    def over(self) -> bool:
        """Whether the process is gone: it has stopped, or its heartbeats have."""
        return self.silent or self.state is WorkerState.STOPPED


def messages_of(
    workflows: Iterable[WorkflowEvents], workers: Iterable[WorkerSeen] = ()
) -> list[SortedMessage]:
    """Returns the messages of a run, by time and then by workflow and event.

    `workers` are those that the server knows while the run is open.
    """
    known = tuple(workers)
    in_use = {one.identity: one.in_use for one in known if not one.over and one.in_use is not None}
    entries = [entry for workflow in workflows for entry in _of(workflow, in_use)]
    entries += _statuses(known)
    return _linked(sorted(entries, key=lambda entry: entry[:4]))


def chosen(
    entries: Iterable[SortedMessage], *, market: str | None = None, kind: MessageType | None = None
) -> Sequence[AgentMessage]:
    """Returns the messages about one market, or of one type; all messages if neither is given."""
    return [
        entry.message
        for entry in entries
        if market in (None, entry.market) and kind in (None, entry.message.type)
    ]


def _pending(builder: MessageBuilder, in_use: Mapping[str, float]) -> Iterator[SortedMessage]:
    """Yields the messages about pending activities, after all events were read. `in_use` maps a
    worker's identity to its share of slots in use."""
    asked = {event.activity_id: event for event in builder.asked.values()}
    for activity in builder.workflow.pending:
        if (event := asked.get(activity.activity_id)) is not None:
            yield from _of_activity(builder, event, activity, in_use)


def _of_activity(
    builder: MessageBuilder, asked: ActivityAsked, activity: Pending, in_use: Mapping[str, float]
) -> Iterator[SortedMessage]:
    turn = builder.turn(asked)
    task = builder.task_at(asked.activity_id)
    if turn is not None and task is not None and asked.task is not None:
        at = activity.started_at or asked.at
        content = _acceptance(task, activity, in_use)
        yield builder.entry(
            MessageEvent(asked.event_id, at), turn.agent, PM, content, task=task, part="acceptance"
        )
    if activity.fault is not None and activity.failed_at is not None:
        failed = MessageEvent(asked.event_id, activity.failed_at)
        tried = activity.attempt if activity.started_at is None else activity.attempt - 1
        yield builder.fault(failed, asked, activity.fault, attempt=max(tried, 1))
    if activity.beaten_at is not None:
        beat = HeartbeatContent(
            activity_id=asked.activity_id,
            attempt=activity.attempt,
            task_id=task.assignment.task_id if task else None,
        )
        event = MessageEvent(asked.event_id, activity.beaten_at)
        agent = agent_of(asked.activity_id)
        yield builder.entry(event, agent, PM, beat, task=task, part="heartbeat")


def _acceptance(
    task: Task, activity: Pending, in_use: Mapping[str, float]
) -> TaskAcceptanceContent:
    """Returns the message that a worker has the activity, or that it is still queued."""
    taken = activity.started_at is not None
    return TaskAcceptanceContent(
        task_id=task.assignment.task_id,
        status=AcceptanceStatus.ACCEPTED if taken else AcceptanceStatus.QUEUED,
        worker=activity.worker if taken and is_identity(activity.worker) else None,
        estimated_completion=task.assignment.deadline,
        agent_capacity=in_use.get(activity.worker) if taken else None,
    )


def _statuses(workers: Iterable[WorkerSeen]) -> Iterator[SortedMessage]:
    """Yields a message with the state of each worker. Workers without a proper identity are left
    out."""
    for worker in workers:
        if is_identity(worker.identity):
            yield _status(worker)


def _status(worker: WorkerSeen) -> SortedMessage:
    message = AgentMessage(
        message_id=f"worker/{worker.identity}/{worker.process}",
        from_agent=worker.identity,
        to_agent=PM,
        type=MessageType.SYSTEM_STATUS,
        timestamp=worker.seen_at,
        content=SystemStatusContent(
            worker=worker.identity,
            agent_status=_health(worker),
            queues=worker.queues[:MOST_QUEUES],
            cpu_usage_percent=_share(worker.cpu),
            memory_usage_percent=_share(worker.memory),
            active_tasks=worker.active,
            completed_tasks=worker.completed,
            failed_tasks=worker.failed,
            last_seen=worker.seen_at,
            performance_metrics=worker.metrics,
        ),
    )
    return SortedMessage(worker.seen_at, message.message_id, 0, "", "", None, message)


def _health(worker: WorkerSeen) -> AgentStatus:
    if worker.over:
        return AgentStatus.OFFLINE
    return AgentStatus.HEALTHY if worker.state is WorkerState.RUNNING else AgentStatus.DEGRADED


def _share(figure: float | None) -> float | None:
    return None if figure is None else min(max(figure, 0.0), 100.0)


def _of(workflow: WorkflowEvents, in_use: Mapping[str, float]) -> Iterator[SortedMessage]:
    builder = MessageBuilder(workflow)
    yield from builder.entries()
    yield from _pending(builder, in_use)


def _linked(entries: list[SortedMessage]) -> list[SortedMessage]:
    """Returns the messages, in which each request to validate names the messages with its
    results."""
    delivered: dict[tuple[str, str], str] = {}
    done = []
    for entry in entries:
        content = entry.message.content
        if isinstance(content, ResearchResultContent) and isinstance(
            content.result, ResearchResult
        ):
            delivered[entry.family, content.result.result_id] = entry.message.message_id
        elif isinstance(content, ValidationRequestContent):
            entry = _naming(entry, content, delivered)
        done.append(entry)
    return done


def _naming(
    entry: SortedMessage,
    content: ValidationRequestContent,
    delivered: Mapping[tuple[str, str], str],
) -> SortedMessage:
    keys = ((entry.family, result) for result in content.research_results_to_validate)
    named = tuple(delivered[key] for key in keys if key in delivered)
    content = content.model_copy(update={"delivered_by": named})
    return entry._replace(message=entry.message.model_copy(update={"content": content}))
