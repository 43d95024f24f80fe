"""Finding cases on the server, and reading what became of them."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Final, NamedTuple, TypeVar

from temporalio.api.common.v1 import Payload
from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowExecutionStatus,
    WorkflowHandle,
    WorkflowQueryFailedError,
)
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.findings.escalations import (
    EscalationDecision,
    EscalationListing,
    EscalationRequest,
    EscalationState,
    EscalationStatus,
)
from desk.contracts.names import Message, WorkflowType
from starters.endings import CommandError, UsageError

T = TypeVar("T")

ANSWER_SECONDS: Final = 10.0
"""How long a worker may take to answer for a case."""

AT_ONCE: Final = 16
"""As many cases are read side by side."""

NOBODY_ANSWERS: Final = (
    "no worker answers for the run; start one with `desk worker orchestrator` or `desk up`, "
    "and see `desk doctor`"
)


class CaseRun(NamedTuple):
    """A case as the server lists it: its newest run, and how that stands."""

    workflow_id: str
    run_id: str
    status: WorkflowExecutionStatus | None

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self.status is WorkflowExecutionStatus.RUNNING


class Listings(NamedTuple):
    """The cases that could be read, and of each other its id and why it could not."""

    read: list[EscalationListing]
    silent: list[str]


async def all_cases(client: Client, *, every: bool) -> Listings:
    """The open cases or every one, those with the nearest deadline first."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def look(run: CaseRun) -> EscalationListing | str:
        async with turns:
            try:
                return await read_case(client, run)
            except CommandError as silent:
                return str(silent)

    found = await asyncio.gather(*map(look, await _runs(client, running=not every)))
    read = [each for each in found if isinstance(each, EscalationListing)]
    read.sort(key=lambda listed: (_is_closed(listed), listed.status.request.deadline))
    return Listings(read, [each for each in found if isinstance(each, str)])


async def one_case(client: Client, written: str) -> EscalationListing:
    """The case whose id is, or alone begins with, what the user wrote. No other one is read.

    Raises:
        UsageError: there is none, or more than one.
        CommandError: it is open, and no worker answers for it.
    """
    run = await _named(client, written)
    if run is None:
        running = await _runs(client, running=True)
        begin_so = any(each.workflow_id.startswith(written) for each in running)
        run = chosen_case(running if begin_so else await _runs(client, running=False), written)
    return await read_case(client, run)


def chosen_case(cases: Iterable[CaseRun], written: str) -> CaseRun:
    """The case whose id is, or alone starts with, what the user wrote; open ones go before.

    Raises:
        UsageError: there is none, or more than one.
    """
    matching = [case for case in cases if case.workflow_id.startswith(written)]
    exact = [case for case in matching if case.workflow_id == written]
    matching = exact or [case for case in matching if case.is_running] or matching
    if len(matching) > 1:
        ids = ", ".join(case.workflow_id for case in matching[:4])
        raise UsageError(f"{len(matching)} cases start with '{written}': {ids}; write more of it")
    if not matching:
        raise UsageError(f"no case '{written}'; `desk escalations list --all` lists them")
    return matching[0]


async def read_case(client: Client, run: CaseRun) -> EscalationListing:
    """A case: one that was decided from its history, any other from what its run answers.

    Raises:
        CommandError: no worker answers for it.
    """
    handle = client.get_workflow_handle(run.workflow_id, run_id=run.run_id)
    status = None
    if run.status is WorkflowExecutionStatus.COMPLETED:
        status = await _as_it_ended(client, handle)
    status = status or await asked(handle)
    if status.decision is None and not run.is_running:
        status = status.model_copy(update={"state": EscalationState.ENDED})
    return EscalationListing(workflow_id=run.workflow_id, status=status)


async def asked(handle: WorkflowHandle[object, object]) -> EscalationStatus:
    """What the run of a case answers.

    Raises:
        CommandError: no worker does.
    """
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            status: EscalationStatus = await handle.query(
                Message.ESCALATION, result_type=EscalationStatus
            )
    except (TimeoutError, WorkflowQueryFailedError):
        raise CommandError(f"{handle.id}: {NOBODY_ANSWERS}") from None
    except RPCError as error:
        if error.status is RPCStatusCode.UNAVAILABLE:
            raise
        raise CommandError(f"{handle.id}: {NOBODY_ANSWERS}") from None
    return status


async def _as_it_ended(
    client: Client, handle: WorkflowHandle[object, object]
) -> EscalationStatus | None:
    """A case by the first and the last event of its history, which no worker is needed for; None
    where they do not hold what was asked and decided."""
    events = (await handle.fetch_history()).events
    asked_with = events[0].workflow_execution_started_event_attributes.input.payloads
    ended_with = events[-1].workflow_execution_completed_event_attributes.result.payloads
    if not asked_with or not ended_with:
        return None
    request = await _decoded(client, asked_with, EscalationRequest)
    decision = await _decoded(client, ended_with, EscalationDecision)
    return EscalationStatus(
        request=request,
        state=decision.state,
        reminded=decision.decided_at >= request.remind_at,
        decision=decision,
    )


async def _decoded(client: Client, payloads: Sequence[Payload], kind: type[T]) -> T:
    (value,) = await client.data_converter.decode(payloads[:1], [kind])
    decoded: T = value
    return decoded


async def _named(client: Client, written: str) -> CaseRun | None:
    """The case of exactly that id."""
    try:
        found = await client.get_workflow_handle(written).describe()
    except RPCError as error:
        if error.status in (RPCStatusCode.NOT_FOUND, RPCStatusCode.INVALID_ARGUMENT):
            return None
        raise
    return _run(found) if found.workflow_type == WorkflowType.ESCALATION else None


async def _runs(client: Client, *, running: bool) -> list[CaseRun]:
    """The newest run of each case that the server keeps, or of each that is running."""
    newest: dict[str, WorkflowExecution] = {}
    async for run in _listed(client, running=running):
        if run.id not in newest or run.start_time > newest[run.id].start_time:
            newest[run.id] = run
    return [_run(run) for run in newest.values()]


def _listed(client: Client, *, running: bool) -> AsyncIterator[WorkflowExecution]:
    query = f'WorkflowType = "{WorkflowType.ESCALATION}"'
    return client.list_workflows(query + ' AND ExecutionStatus = "Running"' * running)


def _run(run: WorkflowExecution) -> CaseRun:
    return CaseRun(run.id, run.run_id, run.status)


def _is_closed(listed: EscalationListing) -> bool:
    return listed.status.state is not EscalationState.OPEN
