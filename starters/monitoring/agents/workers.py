"""The workers and task queues as Temporal knows them at this moment."""

import asyncio
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, NamedTuple

from pydantic import Field
from temporalio.api.enums.v1 import TaskQueueType, WorkerStatus
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.worker.v1 import WorkerHeartbeat
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest, DescribeTaskQueueResponse
from temporalio.client import Client

from desk.contracts.base import Contract, Instant, ShortText
from desk.contracts.names import Queue
from desk.platform.temporal.client import WORKER_HEARTBEAT
from starters.monitoring.worker_heartbeats import ANSWER, last_heartbeats
from workers.health import LONGEST_SILENCE

MISSED_BEATS: Final = 3
"""A worker that has missed as many heartbeats is taken to be gone."""

_KINDS = (TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW, TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY)

Share = Annotated[float, Field(ge=0, le=100)]


class WorkerLine(Contract):
    """A worker as it told Temporal last. The shares of processor and memory are those of its
    machine; counts are since it started."""

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


class QueueLook(NamedTuple):
    """A task queue: how many tasks wait, how long the oldest has, and when it was last polled."""

    queue: str
    depth: int
    oldest: timedelta
    last_poll: datetime | None


class Fleet(NamedTuple):
    """What Temporal knows of workers and queues. `workers` is None where it keeps no heartbeats."""

    workers: tuple[WorkerLine, ...] | None
    queues: Mapping[str, QueueLook]

    def on(self, queue: str) -> tuple[WorkerLine, ...]:
        """The workers of a queue that are alive."""
        return tuple(w for w in self.workers or () if w.queue == queue and w.alive)

    def polled(self, queue: str, now: datetime) -> bool:
        """Whether a worker asks a queue for work.

        Temporal goes on naming a poller for minutes after its worker is gone, so a worker that is
        known to have stopped goes before it, unless there has been a poll since.
        """
        if self.on(queue):
            return True
        polled_at = self.queues[queue].last_poll if queue in self.queues else None
        if polled_at is None or now - polled_at > LONGEST_SILENCE:
            return False
        gone = [worker.last_heartbeat for worker in self.workers or () if worker.queue == queue]
        # Between two heartbeats a worker may have polled before it was killed.
        return all(polled_at > at + WORKER_HEARTBEAT for at in gone)


async def fleet_of(client: Client, queues: Iterable[str]) -> Fleet:
    """The workers, and the given queues.

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
    """A worker's last heartbeat; it is alive where that is recent and was not its last word."""
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


async def _queue(client: Client, queue: str) -> QueueLook:
    """Activities are on every queue of the desk, workflows on one."""
    kinds = _KINDS if queue == Queue.DESK else _KINDS[1:]
    answers = await asyncio.gather(*(_described(client, queue, kind) for kind in kinds))
    polls = [
        poller.last_access_time.ToDatetime(UTC) for answer in answers for poller in answer.pollers
    ]
    return QueueLook(
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
