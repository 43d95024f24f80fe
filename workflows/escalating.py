"""Putting conflicts to persons: one child workflow a conflict, all side by side."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from temporalio import workflow
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import ChildWorkflowError, FailureError, WorkflowAlreadyStartedError

from contracts.escalations import EscalationDecision, EscalationRequest, WaitingNotice
from contracts.names import Message, WorkflowType, escalation_run_id
from contracts.report import MarketOutcome
from contracts.results import ConflictRecord, DecidedBy
from contracts.search_attributes import Phase
from domain.conflicts import decide, default_position
from domain.deadlines import MARGIN, time_left
from domain.escalation_case import Asking, case_of
from workflows.options import TASK_TIMEOUT, market_attributes, priority

GRACE = MARGIN / 2
"""How long after its deadline a case is ended by the server, if it is still open; whoever waits
for it still has as long until the report is due."""

Told = Callable[[Sequence[str]], Awaitable[None]]
"""Told of the workflow ids of the cases that are open: once when they open, once when none is."""


async def decided(
    asking: Asking,
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
    if opened:
        await told(opened)
    records = await asyncio.gather(
        *(
            _by_default(conflict, "Nobody was asked, because the report was due.")
            if case is None
            else _asked(asking, case)
            for conflict, case in zip(conflicts, cases, strict=True)
        )
    )
    if opened:
        await told(())
    return tuple(records)


async def tell_week(market: str, escalations: Sequence[str]) -> None:
    """Tell the run of the week that a market waits for a person, or waits no more.

    It is told for those who look at it; a run that has ended is not waited for.
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
        if cancelled_here():
            raise
        workflow.logger.warning("%s was not told: %s", parent.workflow_id, error)


def cancelled_here() -> bool:
    """Whether it is the caller that was cancelled, and not only what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _asked(asking: Asking, case: EscalationRequest) -> ConflictRecord:
    conflict = case.conflict
    try:
        # By name: whoever asks need not load what answers into its own sandbox.
        decision: EscalationDecision = await workflow.execute_child_workflow(
            WorkflowType.ESCALATION,
            case,
            result_type=EscalationDecision,
            id=_run_id(conflict),
            task_timeout=TASK_TIMEOUT,
            cancellation_type=workflow.ChildWorkflowCancellationType.TRY_CANCEL,
            parent_close_policy=workflow.ParentClosePolicy.REQUEST_CANCEL,
            # One that a run before this has left behind makes way.
            id_reuse_policy=WorkflowIDReusePolicy.TERMINATE_IF_RUNNING,
            execution_timeout=time_left(case.deadline, workflow.now()) + GRACE,
            priority=priority(asking.urgency, case.market),
            search_attributes=market_attributes(
                asking.week, case.market, phase=Phase.AWAITING_PERSON
            ),
            static_summary=_summary(case),
        )
    except (ChildWorkflowError, WorkflowAlreadyStartedError) as error:
        if cancelled_here():
            raise
        workflow.logger.warning("%s ended without a decision: %s", _run_id(conflict), error)
        return await _by_default(conflict, "The question to a person ended without an answer.")
    return decision.conflict


async def _by_default(conflict: ConflictRecord, why: str) -> ConflictRecord:
    position = default_position(conflict)
    record = decide(conflict, position, by=DecidedBy.DEFAULT, whom=None)
    return record.model_copy(update={"resolution": f"{record.resolution} {why}"[:4_000]})


def _run_id(conflict: ConflictRecord) -> str:
    return escalation_run_id(workflow.info().workflow_id, conflict.conflict_id)


def _summary(case: EscalationRequest) -> str:
    return f"{case.market}, {case.week}: {case.conflict.kind} conflict {case.conflict.conflict_id}"
