"""What the server knows of what is under way: activities that wait, and the workers."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp
from temporalio.api.enums.v1 import PendingActivityState, TimeoutType, WorkerStatus
from temporalio.api.failure.v1 import Failure
from temporalio.api.worker.v1 import WorkerHeartbeat
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import Client
from temporalio.converter import DataConverter
from temporalio.service import RPCError, RPCStatusCode

from desk.platform.temporal.history import instant
from desk.runs.messages import Fault, Pending, WorkerSeen, WorkerState
from starters.monitoring.worker_heartbeats import last_heartbeats
from workflows.options import fault_told

LONGEST_SILENCE: Final = timedelta(seconds=60)
"""Workers tell of themselves every ten seconds."""

_STATES: Final = {
    WorkerStatus.WORKER_STATUS_SHUTTING_DOWN: WorkerState.STOPPING,
    WorkerStatus.WORKER_STATUS_SHUTDOWN: WorkerState.STOPPED,
}


async def pending_in(client: Client, workflow_id: str, run_id: str) -> tuple[Pending, ...]:
    """The activities of a workflow that are not at their end; none where it has ended since."""
    handle = client.get_workflow_handle(workflow_id, run_id=run_id)
    try:
        description = await handle.describe()
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return ()
        raise
    waiting = description.raw_description.pending_activities
    return tuple([await _pending(found, client.data_converter) for found in waiting])


async def _pending(found: PendingActivityInfo, converter: DataConverter) -> Pending:
    waits = found.state == PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED
    failed = found.HasField("last_failure")
    return Pending(
        activity_id=found.activity_id,
        attempt=max(found.attempt, 1),
        worker=found.last_worker_identity,
        started_at=None if waits else _if_set(found.last_started_time),
        beaten_at=None if waits else _if_set(found.last_heartbeat_time),
        failed_at=_if_set(found.last_attempt_complete_time) if failed else None,
        fault=await fault_of(found.last_failure, converter) if failed else None,
    )


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


def _if_set(stamp: Timestamp) -> datetime | None:
    return instant(stamp) if stamp.seconds else None


async def workers_seen(client: Client, now: datetime) -> tuple[WorkerSeen, ...]:
    """The processes whose workers have told the server of themselves; none where it keeps none."""
    return processes_in(await last_heartbeats(client) or (), now)


def processes_in(beats: Iterable[WorkerHeartbeat], now: datetime) -> tuple[WorkerSeen, ...]:
    """The processes that tell of themselves. One that is over is left out where another lives under
    its identity; of those that are all over the last is told."""
    told: defaultdict[tuple[str, str], list[WorkerHeartbeat]] = defaultdict(list)
    for beat in beats:
        told[beat.worker_identity, _process(beat)].append(beat)
    seen: defaultdict[str, list[WorkerSeen]] = defaultdict(list)
    for identity, process in sorted(told):
        seen[identity].append(_seen(identity, process, told[identity, process], now))
    return tuple(worker for processes in seen.values() for worker in _told(processes))


def _process(beat: WorkerHeartbeat) -> str:
    """What tells a process from others of its identity: in a container all have one number."""
    return beat.host_info.worker_grouping_key or beat.host_info.process_id


def _told(processes: Sequence[WorkerSeen]) -> Sequence[WorkerSeen]:
    alive = [worker for worker in processes if not worker.over]
    return alive or [max(processes, key=lambda worker: worker.seen_at)]


def _seen(
    identity: str, process: str, beats: Sequence[WorkerHeartbeat], now: datetime
) -> WorkerSeen:
    """One process, of which each queue's worker tells for itself."""
    latest = max(beats, key=lambda beat: beat.heartbeat_time.ToDatetime(tzinfo=UTC))
    slots = [
        slot
        for beat in beats
        for slot in (beat.workflow_task_slots_info, beat.activity_task_slots_info)
    ]
    for_activities = [beat.activity_task_slots_info for beat in beats]
    used = sum(slot.current_used_slots for slot in for_activities)
    room = used + sum(slot.current_available_slots for slot in for_activities)
    seen_at = instant(latest.heartbeat_time)
    host = latest.host_info
    return WorkerSeen(
        identity=identity,
        process=process,
        state=_STATES.get(latest.status, WorkerState.RUNNING),
        seen_at=seen_at,
        silent=now - seen_at > LONGEST_SILENCE,
        queues=tuple(sorted({beat.task_queue for beat in beats})),
        cpu=100 * host.current_host_cpu_usage,
        memory=100 * host.current_host_mem_usage,
        active=sum(slot.current_used_slots for slot in slots),
        completed=sum(slot.total_processed_tasks for slot in slots),
        failed=sum(slot.total_failed_tasks for slot in slots),
        in_use=used / room if room else None,
        metrics={
            "workflows in cache": float(sum(beat.current_sticky_cache_size for beat in beats)),
            "free slots": float(sum(slot.current_available_slots for slot in slots)),
        },
    )
