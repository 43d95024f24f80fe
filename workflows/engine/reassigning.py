"""Handing a failed task on to somebody else, in a child workflow, or to the dead letters."""

from temporalio import workflow
from temporalio.common import Priority, TypedSearchAttributes
from temporalio.exceptions import ApplicationError, ChildWorkflowError

from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.tools import SourceOutage
from desk.contracts.agents.usage import Usage
from desk.contracts.base import Contract
from desk.contracts.names import WorkflowType
from desk.contracts.week.report import Contribution
from desk.contracts.week.run import ReassignmentRequest, TaskOutcome
from desk.runs.assignments.budget import Purse, lost
from desk.runs.assignments.outages import together
from workflows.engine.agent_work import TaskFailed, with_usage_before
from workflows.engine.escalating import cancelled_here
from workflows.options import TASK_TIMEOUT


class NobodyCould(Exception):
    """No agent could do a task: the line that says so, and the id of the dead letter."""

    def __init__(self, contribution: Contribution, dead_letter: str) -> None:
        super().__init__(contribution.error)
        self.contribution = contribution
        self.dead_letter = dead_letter


class HandingOn:
    """Where a workflow hands on its tasks: what it spends from, and how its children are found."""

    def __init__(self, purse: Purse, attributes: TypedSearchAttributes, priority: Priority) -> None:
        self._purse = purse
        self._attributes = attributes
        self._priority = priority

    async def hand_on(
        self, request: ReassignmentRequest, failed: TaskFailed, child_id: str, *, sharing: int
    ) -> TaskOutcome:
        """The task's outcome, delivered by somebody else, with what the first one took.

        Raises:
            NobodyCould: all have failed.
        """
        # Others may still be at work, and want some too.
        reserved, spent = self._purse.reserve(sharing), Usage()
        try:
            outcome = await self._by_another(request, child_id, reserved)
            spent = outcome.contribution.usage
            return with_usage_before(outcome, failed.usage, failed.outages)
        except ChildWorkflowError as error:
            if cancelled_here():
                raise
            letter = _letter(error)
            spent = letter.usage if letter else lost(reserved)
            outages = together((*failed.outages, *(letter.outages if letter else ())))
            line = _in_vain(request, failed, spent, error)
            line = line.model_copy(update={"outages": outages})
            raise NobodyCould(line, child_id) from error
        finally:
            self._purse.settle(reserved, spent)

    async def _by_another(
        self, request: ReassignmentRequest, child_id: str, reserved: Allowance
    ) -> TaskOutcome:
        task = request.assignment
        # By name: what is seldom needed is not loaded into every workflow's sandbox.
        outcome: TaskOutcome = await workflow.execute_child_workflow(
            WorkflowType.REASSIGNMENT,
            request.model_copy(update={"allowance": reserved}),
            id=child_id,
            result_type=TaskOutcome,
            task_timeout=TASK_TIMEOUT,
            priority=self._priority,
            search_attributes=self._attributes,
            static_summary=f"{task.task_id}: somebody else for {task.agent}",
        )
        return outcome


def _in_vain(
    request: ReassignmentRequest, failed: TaskFailed, spent: Usage, error: ChildWorkflowError
) -> Contribution:
    return Contribution(
        agent=request.assignment.agent,
        task_type=request.assignment.task_type,
        delivered=False,
        error=_reason(error),
        usage=failed.usage.plus(spent),
    )


class _InVain(Contract):
    """What a dead letter says of those who tried: what they took, and what they could not ask."""

    usage: Usage
    outages: tuple[SourceOutage, ...] = ()


def _letter(error: ChildWorkflowError) -> _InVain | None:
    """None where the child did not get to say."""
    cause = error.cause
    letter = cause.details[0] if isinstance(cause, ApplicationError) and cause.details else None
    told = isinstance(letter, dict) and letter.get("usage")
    return _InVain.model_validate(letter) if told else None


def _reason(error: ChildWorkflowError) -> str:
    cause = error.cause
    return cause.message if isinstance(cause, ApplicationError) else str(cause or error)
