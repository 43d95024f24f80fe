"""What a run was answered, read from its own history and those of its children."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pydantic import JsonValue
from temporalio.api.common.v1 import Payloads
from temporalio.api.failure.v1 import Failure
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.exceptions import ApplicationError, FailureError
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.agents.tape import Effect, Take, TakeFailure
from desk.contracts.agents.tools import ToolRequest
from desk.contracts.agents.turns import TurnRequest
from desk.contracts.findings.escalations import EscalationRequest
from desk.contracts.findings.judgement import FindingsToJudge
from desk.contracts.learning.record import Question
from desk.contracts.names import WorkflowType, id_within
from desk.contracts.week.run import PublishRequest, RevisionQuery, WeekRequest
from desk.runs.tapes import Place, digests_of
from starters.runs.week_runs import FoundRun
from starters.terminal.exit_status import CommandError, UsageError
from starters.weeks.tape.events import Asked, Child, asked_in, children_in, first_publication

SIDE_BY_SIDE: Final = 8
MOST_NAMED: Final = 5

_REQUESTS: Final[dict[Effect, type]] = {
    Effect.TURN: TurnRequest,
    Effect.TOOL_CALL: ToolRequest,
    Effect.TOOL_LISTING: str,
    Effect.REVISIONS: RevisionQuery,
    Effect.DECISION: EscalationRequest,
    Effect.ADVICE: Question,
    Effect.JUDGEMENT: FindingsToJudge,
}


class Recording(NamedTuple):
    """A run up to its first publication: what that was made of, and every effect before it."""

    published: PublishRequest
    takes: tuple[Take, ...]


async def recording_of(found: FoundRun) -> Recording:
    """The recording of a run of a whole week. Reruns, which come later, are not in it.

    A run that only took a rerun is passed over for the one of the same id that it continued.

    Raises:
        UsageError: it is no run of a week.
        CommandError: it has not published yet, or never did, or was cut off while it worked.
    """
    client = found.client
    events = await _whole_run(found)
    cut, payloads = first_publication(events)
    if payloads is None:
        raise CommandError(_unpublished(found))
    (published,) = await client.data_converter.decode(payloads.payloads, [PublishRequest])
    reader = _Reader(client, found.workflow_id)
    await reader.read(events[:cut], found.workflow_id)
    if reader.cut_off:
        raise CommandError(
            f"{found.workflow_id} was cut off while it worked and cannot be played back: there is "
            f"no outcome of {_some(reader.cut_off)}"
        )
    return Recording(published, tuple(sorted(reader.takes, key=_order)))


def _unpublished(found: FoundRun) -> str:
    if found.open:
        return f"{found.workflow_id} is still under way; save it once it has published"
    return f"{found.workflow_id} ended without a report; there is nothing to play back"


async def _whole_run(found: FoundRun) -> list[HistoryEvent]:
    """The history of the newest run of an id that researched its week from the beginning."""
    async for run_id in _run_ids(found):
        events = await history_of(found.client, found.workflow_id, run_id)
        started = events[0].workflow_execution_started_event_attributes
        if started.workflow_type.name != WorkflowType.WEEKLY_RESEARCH:
            raise UsageError(
                f"{found.workflow_id} is a {started.workflow_type.name}; a tape holds the run of "
                "a week, such as weekly-2026-W44"
            )
        payloads = started.input.payloads
        (request,) = await found.client.data_converter.decode(payloads, [WeekRequest])
        if request.resume is None:
            return events
    raise CommandError(
        f"{found.workflow_id} only took reruns, and the history of the run before it is gone"
    )


async def _run_ids(found: FoundRun) -> AsyncIterator[str]:
    """The runs of an id, the one that was found first and then the closed ones before it."""
    yield found.run_id
    query = f"WorkflowId = '{found.workflow_id}' AND ExecutionStatus != 'Running'"
    runs = [run async for run in found.client.list_workflows(query)]
    runs.sort(key=lambda run: run.start_time, reverse=True)
    for run in runs:
        earlier = run.start_time <= found.started_at and run.run_id != found.run_id
        if earlier and run.status is not WorkflowExecutionStatus.RUNNING:
            yield run.run_id


async def history_of(client: Client, workflow_id: str, run_id: str) -> list[HistoryEvent]:
    """The events of a workflow's run.

    Raises:
        CommandError: the server does not keep them any more.
    """
    handle = client.get_workflow_handle(workflow_id, run_id=run_id)
    try:
        return [event async for event in handle.fetch_history_events()]
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise
        raise CommandError(f"the server keeps no history of {workflow_id} any more") from None


class _Reader:
    """Takes from the histories of a run's workflows, several of them at a time."""

    def __init__(self, client: Client, run_id: str) -> None:
        self._client = client
        self._run_id = run_id
        self._turns = asyncio.Semaphore(SIDE_BY_SIDE)
        self.takes: list[Take] = []
        self.cut_off: list[str] = []

    async def read(self, events: Sequence[HistoryEvent], workflow_id: str) -> None:
        """Every effect in the history of a workflow, and in those of its children."""
        for asked in asked_in(events, workflow_id):
            await self._keep(asked)
        await asyncio.gather(*(self._read_child(child) for child in children_in(events)))

    async def _read_child(self, child: Child) -> None:
        if not child.ended:
            self.cut_off.append(id_within(child.workflow_id, self._run_id))
            return
        async with self._turns:
            events = await history_of(self._client, child.workflow_id, child.run_id)
        await self.read(events, child.workflow_id)

    async def _keep(self, asked: Asked) -> None:
        effect, place = asked.effect, self._place(asked)
        if asked.outcome is None:
            self.cut_off.append(str(place))
            return
        hints = [_REQUESTS[effect]]
        (request,) = await self._client.data_converter.decode(asked.request.payloads, hints)
        result: JsonValue = None
        failure: TakeFailure | None = None
        if isinstance(asked.outcome, Payloads):
            (result,) = await self._client.data_converter.decode(asked.outcome.payloads)
        else:
            failure = await self._failure(asked.outcome)
        self.takes.append(
            Take(
                workflow=place.workflow,
                activity_id=place.activity_id,
                effect=effect,
                asked=digests_of(effect, request),
                result=result,
                failure=failure,
            )
        )

    def _place(self, asked: Asked) -> Place:
        return Place(id_within(asked.workflow_id, self._run_id), asked.activity_id, asked.effect)

    async def _failure(self, failure: Failure) -> TakeFailure:
        return _told(await self._client.data_converter.decode_failure(failure))


def _told(error: BaseException) -> TakeFailure:
    cause = _told(error.__cause__) if error.__cause__ is not None else None
    message = error.message if isinstance(error, FailureError) else str(error)
    if not isinstance(error, ApplicationError):
        return TakeFailure(message=message, cause=cause)
    return TakeFailure(
        message=message, error_type=error.type, details=tuple(error.details), cause=cause
    )


def _order(take: Take) -> tuple[str, str, str]:
    return take.workflow, take.activity_id, take.effect


def _some(names: Iterable[str]) -> str:
    return ", ".join(_first(sorted(names)))


def _first(names: Sequence[str]) -> Iterator[str]:
    yield from names[:MOST_NAMED]
    if len(names) > MOST_NAMED:
        yield f"{len(names) - MOST_NAMED} more"
