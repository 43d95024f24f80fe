"""Reads a run's histories, and what the server knows of pending activities and workers, into the
form that messages are built from. Decodes only the needed payloads."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

from google.protobuf.timestamp_pb2 import Timestamp
from pydantic import ValidationError
from temporalio.api.enums.v1 import PendingActivityState, TimeoutType, WorkerStatus
from temporalio.api.failure.v1 import Failure
from temporalio.api.worker.v1 import WorkerHeartbeat
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import Client
from temporalio.converter import DataConverter
from temporalio.service import RPCError, RPCStatusCode

from desk.analytics.names.nearest import nearest
from desk.contracts.agents.search_attributes import Outcome, Phase, SearchAttribute
from desk.contracts.findings.escalations import WaitingNotice
from desk.contracts.findings.results import DeadLetter
from desk.contracts.names import ActivityName, FailureType, Message, WorkflowType, workflow_id_parts
from desk.contracts.runs.week import RerunRequest
from desk.platform.temporal.history import (
    ActivityEnded,
    ActivityScheduled,
    ActivityStarted,
    ChildEnded,
    ChildInitiated,
    ChildStarted,
    Ending,
    HistoryGone,
    RunHistory,
    SearchAttributesUpserted,
    Signalled,
    UpdateAccepted,
    WorkflowEnded,
    fetch_chain,
    instant,
)
from desk.platform.temporal.history import Event as WrittenEvent
from desk.runs.messages import (
    ActivityAsked,
    ActivityTaken,
    AttemptFailure,
    Entered,
    Failed,
    Lost,
    MessageEvent,
    Pending,
    Reassigned,
    ReassignedTask,
    RerunAsked,
    SortedMessage,
    TurnAnswer,
    TurnAnswered,
    TurnAsked,
    WaitingNoted,
    WeekAsked,
    WorkerSeen,
    WorkerState,
    WorkflowEvents,
    messages_of,
    turn_of,
)
from starters.monitoring.worker_heartbeats import last_heartbeats
from starters.runs.server_runs import history_of
from starters.runs.week_runs import FoundRun
from starters.terminal.exit_status import CommandError, UsageError
from workflows.engine.options import parse_fault

LONGEST_SILENCE: Final = timedelta(seconds=60)
"""Workers send a heartbeat every ten seconds."""

_STATES: Final = {
    WorkerStatus.WORKER_STATUS_SHUTTING_DOWN: WorkerState.STOPPING,
    WorkerStatus.WORKER_STATUS_SHUTDOWN: WorkerState.STOPPED,
}


async def pending_in(client: Client, workflow_id: str, run_id: str) -> tuple[Pending, ...]:
    """Returns the pending activities of a workflow; empty if it has ended."""
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


async def fault_of(failure: Failure, converter: DataConverter) -> AttemptFailure:
    """Returns why an attempt failed, as Temporal recorded it."""
    kind = failure.application_failure_info.type
    if failure.HasField("timeout_failure_info"):
        name = TimeoutType.Name(failure.timeout_failure_info.timeout_type)
        kind = f"timeout ({name.removeprefix('TIMEOUT_TYPE_').replace('_', ' ').lower()})"
    words = failure.message
    if failure.HasField("cause") and failure.cause.message not in words:
        words = f"{words}: {failure.cause.message}"
    call = parse_fault(await converter.decode_failure(failure)).fault
    return AttemptFailure(kind or "unknown", words, failure.stack_trace or None, call)


def _if_set(stamp: Timestamp) -> datetime | None:
    return instant(stamp) if stamp.seconds else None


async def workers_seen(client: Client, now: datetime) -> tuple[WorkerSeen, ...]:
    """Returns the processes whose workers sent heartbeats; empty if the server has none."""
    return processes_in(await last_heartbeats(client) or (), now)


def processes_in(beats: Iterable[WorkerHeartbeat], now: datetime) -> tuple[WorkerSeen, ...]:
    """Returns the processes that sent heartbeats. Of those with the same identity, lists the
    running ones or, if none runs, the one that stopped last."""
    told: defaultdict[tuple[str, str], list[WorkerHeartbeat]] = defaultdict(list)
    for beat in beats:
        told[beat.worker_identity, _process(beat)].append(beat)
    seen: defaultdict[str, list[WorkerSeen]] = defaultdict(list)
    for identity, process in sorted(told):
        seen[identity].append(_seen(identity, process, told[identity, process], now))
    return tuple(worker for processes in seen.values() for worker in _alive_or_latest(processes))


def _process(beat: WorkerHeartbeat) -> str:
    """What distinguishes processes with the same identity: containers all have the same process
    id."""
    return beat.host_info.worker_grouping_key or beat.host_info.process_id


def _alive_or_latest(processes: Sequence[WorkerSeen]) -> Sequence[WorkerSeen]:
    alive = [worker for worker in processes if not worker.over]
    return alive or [max(processes, key=lambda worker: worker.seen_at)]


def _seen(
    identity: str, process: str, beats: Sequence[WorkerHeartbeat], now: datetime
) -> WorkerSeen:
    """Describes one process. The worker of each of its queues sends its own heartbeats."""
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


T = TypeVar("T")


_WITHOUT_RESULT: Final = {
    Ending.TIMED_OUT: "it timed out",
    Ending.TERMINATED: "it was terminated",
    Ending.CANCELED: "it was cancelled",
}

SIDE_BY_SIDE: Final = 8


async def entries_of(found: FoundRun, written: str | None, now: datetime) -> list[SortedMessage]:
    """Returns the messages of a run, or only those of one market.

    While the run is open, they include pending work and the state of the workers.

    Raises:
        UsageError: the run has no such market.
        CommandError: a history is gone, or cannot be read here.
    """
    reader = RunReader(found.client)
    try:
        chain = [run async for run in fetch_chain(found.client, found.workflow_id, found.run_id)]
    except HistoryGone as gone:
        raise CommandError(str(gone)) from None
    market = _market_of(found, chain, written) if written is not None else None
    for run in chain:
        await reader.read(run, market, root=True)
    workers: Iterable[WorkerSeen] = ()
    if chain[0].ended is None:
        workers = await workers_seen(found.client, now)
    entries = messages_of(reader.workflows, workers)
    return [entry for entry in entries if market in (None, entry.market)]


class RunReader:
    """Reads the workflows of a run, several at a time, in no particular order."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._turns = asyncio.Semaphore(SIDE_BY_SIDE)
        self.workflows: list[WorkflowEvents] = []

    async def read(
        self, history: RunHistory, market: str | None = None, *, root: bool = False
    ) -> None:
        """Reads a workflow and its children. With `market`, only that market's workflow is read.

        Raises:
            CommandError: a history is gone, or cannot be read here.
        """
        pending: Sequence[Pending] = ()
        if history.ended is None:
            pending = await pending_in(self._client, history.workflow_id, history.run_id)
        try:
            self.workflows.append(await told_workflow(history, root=root, pending=pending))
        except (OSError, ValueError, RuntimeError) as error:
            raise CommandError(
                f"the history of {history.workflow_id} cannot be read here ({error}); large "
                "payloads are in the home of the desk that did the work"
            ) from error
        await asyncio.gather(
            *(
                self._read_child(child, market)
                for child in working_children(history)
                if market is None or workflow_id_parts(child.workflow_id).market in (None, market)
            )
        )

    async def _read_child(self, child: ChildStarted, market: str | None) -> None:
        async with self._turns:
            history = await history_of(self._client, child.workflow_id, child.run_id)
        await self.read(history, market)


def working_children(history: RunHistory) -> Iterator[ChildStarted]:
    """The started children that do work. An escalation only waits, and is omitted."""
    for child in history.children:
        if child.started and child.started.workflow_type != WorkflowType.ESCALATION:
            yield child.started


async def told_workflow(
    history: RunHistory, *, root: bool, pending: Sequence[Pending] = ()
) -> WorkflowEvents:
    """Converts a history into the form that messages are built from. The end of a child is in its
    parent's history. `root` has no parent."""
    handed: ReassignedTask | None = None
    if history.started.workflow_type == WorkflowType.REASSIGNMENT:
        handed = await history.decode(history.started.input, ReassignedTask)
    reader = _HistoryReader(history, root=root)
    read = [await reader.read(event) for event in history.events]
    return WorkflowEvents(
        workflow_id=history.workflow_id,
        run_id=history.run_id,
        events=tuple(event for event in read if event is not None),
        started_by=history.started.identity,
        handed=handed,
        pending=tuple(pending),
    )


class _HistoryReader:
    def __init__(self, history: RunHistory, *, root: bool) -> None:
        self._history = history
        self._root = root
        # The phase of a delivery or an escalation is not that of the week.
        self._speaks = root or workflow_id_parts(history.workflow_id).market is not None
        self._turns: set[int] = set()

    async def read(self, event: WrittenEvent) -> MessageEvent | None:
        """Converts an event into the form that messages are built from. Returns None for events
        without a message."""
        match event:
            case ActivityScheduled():
                return await self._asked(event)
            case ActivityStarted():
                return await self._taken(event)
            case ActivityEnded():
                return await self._activity_ended(event)
            case SearchAttributesUpserted() if self._speaks:
                return _entered(event)
            case Signalled():
                return await self._signalled(event)
            case UpdateAccepted() if event.name == Message.REQUEST_RERUN:
                rerun = await self._history.decode(event.input, RerunRequest)
                return RerunAsked(event.event_id, event.at, event.identity, rerun)
            case ChildInitiated() if event.workflow_type == WorkflowType.REASSIGNMENT:
                request = await self._history.decode(event.input, ReassignedTask)
                return Reassigned(event.event_id, event.at, request)
            case ChildEnded():
                return await self._child_ended(event)
            case WorkflowEnded() if self._root:
                return await self._lost(event, "the run")
        return None

    async def _asked(self, event: ActivityScheduled) -> MessageEvent:
        turn = turn_of(event.activity_id) if event.name == ActivityName.TAKE_TURN else None
        task: TurnAsked | None = None
        if turn is not None:
            self._turns.add(event.event_id)
            if turn.number == 1:
                task = await self._history.decode(event.input, TurnAsked)
        return ActivityAsked(
            event.event_id,
            event.at,
            activity_id=event.activity_id,
            queue=event.queue,
            timeout=event.timeout,
            task=task,
        )

    async def _taken(self, event: ActivityStarted) -> MessageEvent:
        return ActivityTaken(
            event.event_id,
            event.at,
            asked=event.scheduled,
            worker=event.worker,
            attempt=event.attempt,
            before=await self._fault(event.failure) if event.failure is not None else None,
        )

    async def _activity_ended(self, event: ActivityEnded) -> MessageEvent | None:
        if event.failure is not None:
            fault = await self._fault(event.failure)
            taken = event.taken or event.ending is Ending.FAILED
            return Failed(event.event_id, event.at, event.scheduled, fault, taken)
        if event.ending is not Ending.COMPLETED or event.scheduled not in self._turns:
            return None
        turn = await self._history.decode(event.result, TurnAnswer)
        return TurnAnswered(event.event_id, event.at, asked=event.scheduled, turn=turn)

    async def _signalled(self, event: Signalled) -> MessageEvent | None:
        if event.name == Message.RERUN_MARKET:
            rerun = await self._if_readable(event, RerunRequest)
            if rerun is None or rerun.market not in await self._markets():
                return None
            return RerunAsked(event.event_id, event.at, event.identity, rerun)
        if event.name == Message.NOTE_WAITING:
            notice = await self._if_readable(event, WaitingNotice)
            return WaitingNoted(event.event_id, event.at, notice) if notice else None
        return None

    async def _markets(self) -> frozenset[str]:
        """The markets whose reruns the run accepts; empty if it is not a week's run."""
        started = self._history.started
        if started.workflow_type != WorkflowType.WEEKLY_RESEARCH:
            return frozenset()
        asked = await self._history.decode(started.input, WeekAsked)
        return frozenset(spec.market for spec in asked.config.markets)

    async def _if_readable(self, event: Signalled, kind: type[T]) -> T | None:
        """Decodes a signal that anybody could send. Returns None for what the run has dropped."""
        try:
            return await self._history.decode(event.input, kind)
        except (ValidationError, ValueError, RuntimeError):
            return None

    async def _child_ended(self, event: ChildEnded) -> MessageEvent | None:
        if event.failure is None and event.workflow_type == WorkflowType.ESCALATION:
            return None
        return await self._lost(event, event.workflow_id, event.workflow_id)

    async def _lost(
        self, event: ChildEnded | WorkflowEnded, name: str, workflow_id: str | None = None
    ) -> MessageEvent | None:
        """A workflow that ended without a result, with its dead letter if it left one."""
        if event.failure is None:
            words = _WITHOUT_RESULT.get(event.ending)
            fault = AttemptFailure("ended", f"{name}: {words}")
            return Lost(event.event_id, event.at, fault, workflow_id) if words else None
        letter: DeadLetter | None = None
        told = event.failure.application_failure_info
        if told.type == FailureType.DEAD_LETTERED and told.details.payloads:
            letter = await self._history.decode(told.details.payloads, DeadLetter)
        fault = await self._fault(event.failure)
        return Lost(event.event_id, event.at, fault, workflow_id, letter)

    async def _fault(self, failure: Failure) -> AttemptFailure:
        return await fault_of(failure, self._history.converter)


def _entered(event: SearchAttributesUpserted) -> MessageEvent | None:
    phase = event.values.get(SearchAttribute.PHASE)
    outcome = event.values.get(SearchAttribute.OUTCOME)
    revision = event.values.get(SearchAttribute.REVISION)
    if phase is None and outcome is None and revision is None:
        return None
    return Entered(
        event.event_id,
        event.at,
        phase=Phase(phase) if phase is not None else None,
        outcome=Outcome(outcome) if outcome is not None else None,
        revision=revision,
    )


def _market_of(found: FoundRun, chain: Iterable[RunHistory], written: str) -> str:
    """Returns the run's market for what was typed: `usdjpy` is `USD/JPY`.

    Raises:
        UsageError: the run has no such market; the message lists the nearest names.
    """
    children = (child.workflow_id for run in chain for child in working_children(run))
    ids = (found.workflow_id, *children)
    named = (workflow_id_parts(workflow_id).market for workflow_id in ids)
    markets = sorted({name for name in named if name is not None})
    known = {_key(name): name for name in markets}
    if _key(written) in known:
        return known[_key(written)]
    if not markets:
        raise UsageError(f"{found.workflow_id} has no market yet")
    near = ", ".join(nearest(written.strip(), markets))
    raise UsageError(f"no market '{written.strip()}' in {found.workflow_id}; nearest: {near}")


def _key(name: str) -> str:
    return name.strip().lower().replace("/", "").replace("-", "")
