"""Puts conflicts to people: one child workflow for each conflict, concurrently."""

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
"""The server ends a case that is still open this long after its deadline. The caller then has as
long again until the report is due."""

OPENED_BEFORE_NOTIFIED = "case-there-before-told"
"""The patch for runs that notified the week of a case before they opened it."""

CANCELLED_WHILE_NOTIFYING = "cancelled-while-telling"
"""The patch for runs that dropped a cancellation during the notification."""

Case = workflow.ChildWorkflowHandle[Any, EscalationDecision]
"""The handle of an open case."""

Notify = Callable[[Sequence[str]], Awaitable[None]]
"""Called with the workflow ids of the open cases, and with none once all are decided."""


async def decided(
    asking: CaseContext,
    conflicts: Sequence[ConflictRecord],
    outcomes: Sequence[MarketOutcome],
    notify: Notify,
) -> tuple[ConflictRecord, ...]:
    """Returns the conflicts in the order given, decided by people or by their defaults.

    `outcomes` are the findings that the conflicts were found in. Every conflict comes back decided,
    whatever happens to its case. Only a cancellation of the calling workflow is raised.
    """
    now = workflow.now()
    cases = [case_of(conflict, outcomes, asking, now) for conflict in conflicts]
    opened = [_run_id(case.conflict) for case in cases if case is not None]
    # A case is opened before anyone is notified of it, so that it can be answered at once.
    there_first = bool(opened) and workflow.patched(OPENED_BEFORE_NOTIFIED)
    if opened and not there_first:
        await notify(opened)
    handles = await asyncio.gather(*(_opened(asking, case) for case in cases))
    if there_first:
        opened = [handle.id for handle in handles if handle is not None]
        if opened:
            await notify(opened)
    records = await asyncio.gather(
        *(
            _by_default(conflict, "Nobody was asked, because the report was due.")
            if case is None
            else _asked(conflict, handle)
            for conflict, case, handle in zip(conflicts, cases, handles, strict=True)
        )
    )
    if opened:
        await notify(())
    return tuple(records)


async def notify_week(market: str, escalations: Sequence[str]) -> None:
    """Signals the week's run that a market waits for a person, or that it no longer waits.

    The signal only updates the status board, so a run that has ended is ignored. Raises a
    cancellation of the caller that arrives during the signal.
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
    # A signal in flight cannot be cancelled, and the SDK drops a cancellation that arrives during
    # it.
    if workflow.cancellation_reason() is not None and workflow.patched(CANCELLED_WHILE_NOTIFYING):
        raise asyncio.CancelledError(workflow.cancellation_reason())


def cancelled_here() -> bool:
    """Returns whether the calling workflow itself was cancelled, rather than only the child that it
    waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _opened(asking: CaseContext, case: EscalationRequest | None) -> Case | None:
    """Starts a case and returns its handle. Returns None if it could not be started or there is no
    case."""
    if case is None:
        return None
    try:
        # Started by name, so that the caller's sandbox does not load the escalation workflow.
        return await workflow.start_child_workflow(
            WorkflowType.ESCALATION,
            case,
            result_type=EscalationDecision,
            id=_run_id(case.conflict),
            task_timeout=TASK_TIMEOUT,
            cancellation_type=workflow.ChildWorkflowCancellationType.TRY_CANCEL,
            parent_close_policy=workflow.ParentClosePolicy.REQUEST_CANCEL,
            # Replaces a case that an earlier run left open.
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
    """Returns the conflict as a person decided it, or with its default if the case ended without a
    decision."""
    if handle is not None:
        try:
            decision: EscalationDecision = await handle
            return decision.conflict
        except ChildWorkflowError as error:
            _note(conflict, error)
    return await _by_default(conflict, "The question to a person ended without an answer.")


def _note(conflict: ConflictRecord, error: Exception) -> None:
    """Logs why a case has no decision. Raises the error again if the caller itself was
    cancelled."""
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
