"""Having the tasks of a run done: by the agent each is given to, or by whoever takes it over, in a
child workflow that ends as a dead letter where nobody can."""

from collections.abc import Callable

from temporalio import workflow
from temporalio.exceptions import ApplicationError, ChildWorkflowError

from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tools import SourceOutage
from desk.contracts.agents.usage import Usage
from desk.contracts.base import Contract
from desk.contracts.config import RunPolicy
from desk.contracts.names import WorkflowType, reassignment_run_id
from desk.contracts.week.report import Contribution
from desk.contracts.week.run import ReassignmentRequest, TaskOutcome, Tools
from desk.runs.assignments import Budget, Undelivered, lost, together
from workflows.engine.agent_loop import AgentRun
from workflows.engine.agent_work import AgentTask, TaskFailed, with_usage_before
from workflows.engine.escalating import cancelled_here
from workflows.options import TASK_TIMEOUT, priority, run_attributes


class TaskRunner:
    """The agents of one run, who spend from one budget. `tools` are described to models."""

    def __init__(self, policy: RunPolicy, budget: Budget, tools: Tools = ()) -> None:
        self._policy = policy
        self._budget = budget
        self._tools = tools

    async def run(
        self, task: AgentTask, *, tools: Tools | None = None, sharing: int = 1
    ) -> TaskOutcome:
        """The task done by its agent, who is told of all tools or of those given, and shares the
        budget with as many as `sharing` says.

        Raises:
            TaskFailed: it could not do it.
        """
        offered = self._tools if tools is None else tools
        run = AgentRun(task, self._policy, tools=offered, budget=self._budget, sharing=sharing)
        return await run.work()

    async def run_or_reassign(
        self,
        task: AgentTask,
        *,
        tools: Tools | None = None,
        sharing: int = 1,
        sharing_then: Callable[[], int] = lambda: 1,
    ) -> TaskOutcome | Undelivered:
        """The task done by its agent or, where that fails, by somebody else, who shares the budget
        with as many as `sharing_then` says by that time."""
        try:
            return await self.run(task, tools=tools, sharing=sharing)
        except TaskFailed as failed:
            return await self.reassign(task, failed, sharing=sharing_then())

    async def reassign(
        self, task: AgentTask, failed: TaskFailed, *, sharing: int = 1
    ) -> TaskOutcome | Undelivered:
        """The task done by somebody else, who is shown the same; the outcome counts what the first
        agent took as well."""
        # Others may still be at work, and want some too.
        reserved, spent = self._budget.reserve(sharing), Usage()
        child = reassignment_run_id(
            workflow.info().workflow_id, task.place or task.assignment.task_type
        )
        try:
            outcome = await self._by_another(task, failed, child, reserved)
            spent = outcome.contribution.usage
            return with_usage_before(outcome, failed.usage, failed.outages)
        except ChildWorkflowError as error:
            if cancelled_here():
                raise
            letter = _letter(error)
            spent = letter.usage if letter else lost(reserved)
            return _dead_lettered(task, failed, letter, spent, error, child)
        finally:
            self._budget.settle(reserved, spent)

    async def _by_another(
        self, task: AgentTask, failed: TaskFailed, child: str, reserved: Allowance
    ) -> TaskOutcome:
        assignment, context = task.assignment, task.context
        market = assignment.market.market if assignment.market else None
        # By name: what is seldom needed is not loaded into every workflow's sandbox.
        outcome: TaskOutcome = await workflow.execute_child_workflow(
            WorkflowType.REASSIGNMENT,
            ReassignmentRequest(
                assignment=assignment,
                tried=(assignment.agent,),
                errors=(failed.error,),
                findings=context.findings,
                evidence=context.evidence,
                state=context.state,
                board=context.board,
                policy=self._policy,
                tools=self._tools,
                allowance=reserved,
            ),
            id=child,
            result_type=TaskOutcome,
            task_timeout=TASK_TIMEOUT,
            priority=priority(assignment.priority, market),
            search_attributes=run_attributes(
                market,
                week=None if assignment.query else assignment.week,
                phase=Phase.REASSIGNING,
            ),
            static_summary=f"{assignment.task_id}: somebody else for {assignment.agent}",
        )
        return outcome


class _DeadLetter(Contract):
    """What a dead letter says of those who tried: what they took, and what they could not ask."""

    usage: Usage
    outages: tuple[SourceOutage, ...] = ()


def _letter(error: ChildWorkflowError) -> _DeadLetter | None:
    """None where the child did not get to say."""
    cause = error.cause
    letter = cause.details[0] if isinstance(cause, ApplicationError) and cause.details else None
    told = isinstance(letter, dict) and letter.get("usage")
    return _DeadLetter.model_validate(letter) if told else None


def _dead_lettered(
    task: AgentTask,
    failed: TaskFailed,
    letter: _DeadLetter | None,
    spent: Usage,
    error: ChildWorkflowError,
    child: str,
) -> Undelivered:
    cause, outages = error.cause, letter.outages if letter else ()
    return Undelivered(
        Contribution(
            agent=task.assignment.agent,
            task_type=task.assignment.task_type,
            delivered=False,
            error=cause.message if isinstance(cause, ApplicationError) else str(cause or error),
            usage=failed.usage.plus(spent),
            outages=together((*failed.outages, *outages)),
        ),
        dead_letter=child,
    )
