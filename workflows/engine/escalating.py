"""How conflicts are put to persons: a child workflow for each, all side by side."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from temporalio import workflow
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import ChildWorkflowError, FailureError, WorkflowAlreadyStartedError

from desk.contracts.agents.search_attributes import Phase
from desk.contracts.findings.escalations import EscalationDecision, EscalationRequest, WaitingNotice
from desk.contracts.findings.results import ConflictRecord, DecidedBy
from desk.contracts.names import Message, WorkflowType, escalation_run_id
from desk.contracts.week.report import MarketOutcome
from desk.runs.assignments import MARGIN, time_left
from desk.runs.escalations import CaseContext, case_of
from desk.trust.conflicts import decide, default_position
from workflows.engine.options import TASK_TIMEOUT, priority, run_attributes

GRACE = MARGIN / 2
"""How long after its deadline a case is ended by the server, if it is still open; whoever waits
for it still has as long until the report is due."""

THERE_BEFORE_TOLD = "case-there-before-told"
"""Runs that were at work before this change tell of a case and open it then."""

CANCELLED_WHILE_TELLING = "cancelled-while-telling"
"""Runs that were at work before this change go on when they are cancelled while they tell."""

Case = workflow.ChildWorkflowHandle[Any, EscalationDecision]
"""A case that is open, under its workflow id."""

Told = Callable[[Sequence[str]], Awaitable[None]]
"""Told of the workflow ids of the cases that are open: once when they open, once when none is."""


async def decided(
    asking: CaseContext,
    conflicts: Sequence[ConflictRecord],
    outcomes: Sequence[MarketOutcome],
    told: Told,
) -> tuple[ConflictRecord, ...]:
    """The conflicts as persons decide them, or as their defaults do; in the order given.

    `outcomes` are what the conflicts were found in. Whatever happens to a case, its conflict is
    decided; only a cancellation of the caller itself is raised.
    """
    now = workflow.now()
    cases = [case_of(conflict, outcomes, asking, now) for conflict in conflicts]
    opened = [_run_id(case.conflict) for case in cases if case is not None]
    # Whoever is told of a case can answer it: each is there before anybody is told.
    there_first = bool(opened) and workflow.patched(THERE_BEFORE_TOLD)
    if opened and not there_first:
        await told(opened)
    handles = await asyncio.gather(*(_opened(asking, case) for case in cases))
    if there_first:
        opened = [handle.id for handle in handles if handle is not None]
        if opened:
            await told(opened)
    records = await asyncio.gather(
        *(
            _by_default(conflict, "Nobody was asked, because the report was due.")
            if case is None
            else _asked(conflict, handle)
            for conflict, case, handle in zip(conflicts, cases, handles, strict=True)
        )
    )
    if opened:
        await told(())
    return tuple(records)


async def tell_week(market: str, escalations: Sequence[str]) -> None:
    """Tell the run of the week that a market waits for a person, or waits no more.

    It is told for those who look at it; a run that has ended is not waited for. A cancellation of
    the caller that comes meanwhile is raised.
    """
    parent = workflow.info().parent
    if parent is None:
        return
    week = workflow.get_external_workflow_handle(parent.workflow_id, run_id=parent.run_id)
    try:
        await week.signal(
            Message.NOTE_WAITING, WaitingNotice(market=market, escalations=tuple(escalations))
        )
    except FailureError as error:
        workflow.logger.warning("%s was not told: %s", parent.workflow_id, error)
    # A signal that is under way cannot be taken back, and the SDK drops a cancellation over it.
    if workflow.cancellation_reason() is not None and workflow.patched(CANCELLED_WHILE_TELLING):
        raise asyncio.CancelledError(workflow.cancellation_reason())


def cancelled_here() -> bool:
    """Whether it is the caller that was cancelled, and not only what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _opened(asking: CaseContext, case: EscalationRequest | None) -> Case | None:
    """The case once it waits for an answer; none where it could not be put."""
    if case is None:
        return None
    try:
        # By name: whoever asks need not load what answers into its own sandbox.
        return await workflow.start_child_workflow(
            WorkflowType.ESCALATION,
            case,
            result_type=EscalationDecision,
            id=_run_id(case.conflict),
            task_timeout=TASK_TIMEOUT,
            cancellation_type=workflow.ChildWorkflowCancellationType.TRY_CANCEL,
            parent_close_policy=workflow.ParentClosePolicy.REQUEST_CANCEL,
            # One that a run before this has left behind makes way.
            id_reuse_policy=WorkflowIDReusePolicy.TERMINATE_IF_RUNNING,
            execution_timeout=time_left(case.deadline, workflow.now()) + GRACE,
            priority=priority(asking.urgency, case.market),
            search_attributes=run_attributes(
                case.market, week=asking.week, phase=Phase.AWAITING_PERSON
            ),
            static_summary=_summary(case),
        )
    except (ChildWorkflowError, WorkflowAlreadyStartedError) as error:
        _note(case.conflict, error)
        return None


async def _asked(conflict: ConflictRecord, handle: Case | None) -> ConflictRecord:
    """The conflict as a person decides it; by default where the case ends without a decision."""
    if handle is not None:
        try:
            decision: EscalationDecision = await handle
            return decision.conflict
        except ChildWorkflowError as error:
            _note(conflict, error)
    return await _by_default(conflict, "The question to a person ended without an answer.")


def _note(conflict: ConflictRecord, error: Exception) -> None:
    """Log why a case has no decision; raised again where the caller itself was cancelled."""
    if cancelled_here():
        raise error
    workflow.logger.warning("%s ended without a decision: %s", _run_id(conflict), error)


async def _by_default(conflict: ConflictRecord, why: str) -> ConflictRecord:
    position = default_position(conflict)
    record = decide(conflict, position, by=DecidedBy.DEFAULT, whom=None)
    return record.model_copy(update={"resolution": f"{record.resolution} {why}"[:4_000]})


def _run_id(conflict: ConflictRecord) -> str:
    return escalation_run_id(workflow.info().workflow_id, conflict.conflict_id)


def _summary(case: EscalationRequest) -> str:
    return f"{case.market}, {case.week}: {case.conflict.kind} conflict {case.conflict.conflict_id}"
