"""Temporal's events as those that messages are told from; only what they need is decoded."""

from collections.abc import Sequence
from typing import Final, TypeVar

from pydantic import ValidationError
from temporalio.api.enums.v1 import TimeoutType
from temporalio.api.failure.v1 import Failure
from temporalio.converter import DataConverter

from desk.contracts.agents.search_attributes import Outcome, Phase, SearchAttribute
from desk.contracts.findings.escalations import WaitingNotice
from desk.contracts.findings.results import DeadLetter
from desk.contracts.names import FailureType, Message, WorkflowType, workflow_id_parts
from desk.contracts.week.run import RerunRequest
from desk.platform.temporal.history import (
    ActivityEnded,
    ActivityScheduled,
    ActivityStarted,
    ChildEnded,
    ChildInitiated,
    Ending,
    History,
    SearchAttributesUpserted,
    Signalled,
    UpdateAccepted,
    WorkflowEnded,
)
from desk.platform.temporal.history import Event as WrittenEvent
from desk.runs.messages import (
    Answered,
    Asked,
    Entered,
    Event,
    Failed,
    Fault,
    HandedOn,
    Lost,
    Pending,
    Reassigned,
    RerunAsked,
    Taken,
    ToldWorkflow,
    TurnAnswer,
    TurnAsked,
    WaitingNoted,
    WeekAsked,
    turn_of,
)
from workflows.options import fault_told

T = TypeVar("T")

TURN: Final = "take_turn"

_WITHOUT_RESULT: Final = {
    Ending.TIMED_OUT: "it timed out",
    Ending.TERMINATED: "it was terminated",
    Ending.CANCELED: "it was cancelled",
}


async def told_workflow(
    history: History, *, root: bool, pending: Sequence[Pending] = ()
) -> ToldWorkflow:
    """The workflow of a history as messages are told from it. The ends of children are told by
    their parent; `root` has none."""
    handed: HandedOn | None = None
    if history.started.workflow_type == WorkflowType.REASSIGNMENT:
        handed = await history.decode(history.started.input, HandedOn)
    reader = _Reader(history, root=root)
    read = [await reader.read(event) for event in history.events]
    return ToldWorkflow(
        workflow_id=history.workflow_id,
        run_id=history.run_id,
        events=tuple(event for event in read if event is not None),
        started_by=history.started.identity,
        handed=handed,
        pending=tuple(pending),
    )


class _Reader:
    def __init__(self, history: History, *, root: bool) -> None:
        self._history = history
        self._root = root
        # Where a delivery or a case stands is not where the week stands.
        self._speaks = root or workflow_id_parts(history.workflow_id).market is not None
        self._turns: set[int] = set()

    async def read(self, event: WrittenEvent) -> Event | None:
        """The event that messages are told from; None where they say nothing of it."""
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
                request = await self._history.decode(event.input, HandedOn)
                return Reassigned(event.event_id, event.at, request)
            case ChildEnded():
                return await self._child_ended(event)
            case WorkflowEnded() if self._root:
                return await self._lost(event, "the run")
        return None

    async def _asked(self, event: ActivityScheduled) -> Event:
        turn = turn_of(event.activity_id) if event.name == TURN else None
        task: TurnAsked | None = None
        if turn is not None:
            self._turns.add(event.event_id)
            if turn.number == 1:
                task = await self._history.decode(event.input, TurnAsked)
        return Asked(
            event.event_id,
            event.at,
            activity_id=event.activity_id,
            queue=event.queue,
            timeout=event.timeout,
            task=task,
        )

    async def _taken(self, event: ActivityStarted) -> Event:
        return Taken(
            event.event_id,
            event.at,
            asked=event.scheduled,
            worker=event.worker,
            attempt=event.attempt,
            before=await self._fault(event.failure) if event.failure is not None else None,
        )

    async def _activity_ended(self, event: ActivityEnded) -> Event | None:
        if event.failure is not None:
            fault = await self._fault(event.failure)
            taken = event.taken or event.ending is Ending.FAILED
            return Failed(event.event_id, event.at, event.scheduled, fault, taken)
        if event.ending is not Ending.COMPLETED or event.scheduled not in self._turns:
            return None
        turn = await self._history.decode(event.result, TurnAnswer)
        return Answered(event.event_id, event.at, asked=event.scheduled, turn=turn)

    async def _signalled(self, event: Signalled) -> Event | None:
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
        """The markets that the run takes reruns of; none where it is not a week's."""
        started = self._history.started
        if started.workflow_type != WorkflowType.WEEKLY_RESEARCH:
            return frozenset()
        asked = await self._history.decode(started.input, WeekAsked)
        return frozenset(spec.market for spec in asked.config.markets)

    async def _if_readable(self, event: Signalled, kind: type[T]) -> T | None:
        """What anybody could send: what the run has dropped is no message."""
        try:
            return await self._history.decode(event.input, kind)
        except (ValidationError, ValueError, RuntimeError):
            return None

    async def _child_ended(self, event: ChildEnded) -> Event | None:
        if event.failure is None and event.workflow_type == WorkflowType.ESCALATION:
            return None
        return await self._lost(event, event.workflow_id, event.workflow_id)

    async def _lost(
        self, event: ChildEnded | WorkflowEnded, name: str, workflow_id: str | None = None
    ) -> Event | None:
        """A workflow that ended without a result, with its dead letter where it left one."""
        if event.failure is None:
            words = _WITHOUT_RESULT.get(event.ending)
            fault = Fault("ended", f"{name}: {words}")
            return Lost(event.event_id, event.at, fault, workflow_id) if words else None
        letter: DeadLetter | None = None
        told = event.failure.application_failure_info
        if told.type == FailureType.DEAD_LETTERED and told.details.payloads:
            letter = await self._history.decode(told.details.payloads, DeadLetter)
        fault = await self._fault(event.failure)
        return Lost(event.event_id, event.at, fault, workflow_id, letter)

    async def _fault(self, failure: Failure) -> Fault:
        return await fault_of(failure, self._history.converter)


def _entered(event: SearchAttributesUpserted) -> Event | None:
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
