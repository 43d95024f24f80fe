"""The specialists of a round, each in a child workflow of its own, concurrently.

If fewer than half of them deliver, other agents take over the tasks of those that failed.
"""

import asyncio
from collections.abc import Collection
from typing import NamedTuple

from temporalio import workflow
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError, ChildWorkflowError

from desk.agents.capabilities import tools_for
from desk.agents.program import AgentProfile
from desk.agents.roster import profile_in, profile_of
from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.capabilities import USUAL_ROUTES, Capability
from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tasks import Effort, ToolName
from desk.contracts.findings.results import AgentError
from desk.contracts.names import (
    FailureType,
    WorkflowType,
    specialist_run_id,
)
from desk.contracts.runs.swarm import (
    SpecialistFailure,
    SpecialistOutcome,
    SpecialistRequest,
)
from desk.contracts.runs.tasks import TaskOutcome
from desk.contracts.swarm.plan import SubagentSpec, SwarmPlan
from desk.programs.swarm.findings import condensed
from desk.programs.swarm.run.assignments import specialists_task
from desk.programs.swarm.run.board import SwarmBoard
from desk.programs.swarm.run.graph import node_name
from desk.programs.swarm.run.tokens import reads_of
from desk.runs.assignments import NOTHING, Budget, as_usage, lost_usage
from workflows.engine.agent_work import AgentTask, TaskFailed, undelivered
from workflows.engine.escalating import cancelled_here
from workflows.engine.options import (
    TASK_TIMEOUT,
    note_outcome,
    note_phase,
    priority,
    run_attributes,
)
from workflows.engine.run import NodeRun
from workflows.engine.task_runner import TaskRunner

ENOUGH = 0.5
"""If at least this share of the specialists delivers, failed tasks are not reassigned (seed
003)."""


class _Failed(NamedTuple):
    """A specialist's task that failed, its error, and what the specialist spent or is assumed to
    have spent."""

    task: AgentTask
    failed: TaskFailed
    taken: Allowance


class Specialists:
    """The specialists of one round."""

    def __init__(self, run: NodeRun[SwarmBoard]) -> None:
        self._run = run

    async def work(self, plan: SwarmPlan) -> None:
        """Runs the plan's specialists and records each one's findings, or its failure, as the
        outcome of a node."""
        tasks = [self._task(subagent) for subagent in plan.subagents]
        parts = self._run.board.budget.reserve_shares({task.place: Effort.MEDIUM for task in tasks})
        done = await asyncio.gather(*(self._delegate(task, parts[task.place]) for task in tasks))
        failed = [each for each in done if isinstance(each, _Failed)]
        if len(done) - len(failed) < ENOUGH * len(done):
            await asyncio.gather(*(self._reassign(each, len(failed)) for each in failed))
            return
        for each in failed:
            task = each.task.assignment
            left = undelivered(each.failed, task.agent, task.task_type)
            self._run.end(task.task_id, left)

    async def _delegate(self, task: AgentTask, reserved: Allowance) -> _Failed | None:
        """Runs a specialist and records its findings. Returns its failure, or None."""
        self._run.begin(task.place)
        taken = NOTHING
        try:
            found = await self._child(
                SpecialistRequest(
                    assignment=task.assignment,
                    policy=self._run.board.request.policy,
                    tools=self._run.tools,
                    allowance=reserved,
                )
            )
        except ChildWorkflowError as error:
            if cancelled_here():
                raise
            failure = _reported_failure(task, error, reserved)
            taken = failure.taken
            return failure
        else:
            taken = found.spent
            self._run.board.reads[task.place] = found.reads
            self._run.end(task.place, found.outcome)
            return None
        finally:
            self._run.board.budget.settle(reserved, as_usage(taken))

    async def _child(self, request: SpecialistRequest) -> SpecialistOutcome:
        task = request.assignment
        market = task.market.market if task.market else None
        # Started by name, so that the swarm's sandbox does not load the specialists' workflow.
        found: SpecialistOutcome = await workflow.execute_child_workflow(
            WorkflowType.SPECIALIST,
            request,
            id=specialist_run_id(workflow.info().workflow_id, task.task_id),
            result_type=SpecialistOutcome,
            task_timeout=TASK_TIMEOUT,
            priority=priority(task.priority, market),
            search_attributes=run_attributes(market, phase=Phase.RESEARCHING),
            # Replaces a child that an earlier run left behind.
            id_reuse_policy=WorkflowIDReusePolicy.TERMINATE_IF_RUNNING,
            static_summary=f"{task.task_id}: {task.agent} on {market}",
        )
        return found

    async def _reassign(self, each: _Failed, sharing: int) -> None:
        """Gives a failed task to another agent, and records its findings or the dead letter."""
        node = each.task.place
        done = await self._run.tasks.reassign(each.task, each.failed, sharing=sharing)
        if isinstance(done, TaskOutcome):
            self._run.board.reads[node] = reads_of(done.evidence)
            done = condensed(done)
        self._run.end(node, done)

    def _task(self, subagent: SubagentSpec) -> AgentTask:
        board, request = self._run.board, self._run.board.request
        profile, node = (
            profile_in(request.policy, subagent.agent),
            node_name(subagent.name, board.number),
        )
        assignment = specialists_task(
            profile,
            subagent,
            node,
            request,
            board.objective,
            board.window,
            workflow.now() + request.policy.deadlines.task,
        )
        return AgentTask(profile, assignment, place=node)


@workflow.defn
class SpecialistWorkflow:
    """Does one specialist's task and returns only the evidence that its findings rest on."""

    @workflow.run
    async def run(self, request: SpecialistRequest) -> SpecialistOutcome:
        """Returns the findings of the specialist.

        Raises:
            ApplicationError: `AgentTaskFailed`, with a `SpecialistFailure` as its detail.
        """
        note_phase(Phase.RESEARCHING)
        workflow.set_current_details(request.assignment.instructions or "")
        budget = Budget(request.allowance)
        profile, named = _profile(request), request.assignment.tools
        besides = tuple(tool for tool in profile.tools if tool not in named)
        assignment = request.assignment.model_copy(update={"tools": (*named, *besides)})
        task = AgentTask(profile, assignment)
        try:
            outcome = await TaskRunner(request.policy, budget, request.tools).run(task)
        except TaskFailed as failed:
            note_outcome(Outcome.MISSING)
            raise _failure(failed, budget.spent) from failed
        note_outcome(Outcome.RESEARCHED)
        return SpecialistOutcome(
            outcome=condensed(outcome), reads=reads_of(outcome.evidence), spent=budget.spent
        )


def _reported_failure(task: AgentTask, error: ChildWorkflowError, reserved: Allowance) -> _Failed:
    """Returns the failure that a specialist's workflow reported, or a general one if it ended
    without."""
    cause = error.cause
    details = cause.details if isinstance(cause, ApplicationError) else ()
    if details and isinstance(details[0], dict):
        reported = SpecialistFailure.model_validate(details[0])
        failed = TaskFailed(reported.error)
        failed.usage = reported.usage
        return _Failed(task, failed, reported.spent)
    words = f"{task.place}: its workflow ended without a result: {cause or error}"
    failed = TaskFailed(
        AgentError(
            error_type=FailureType.TASK_FAILED,
            error_message=words[:4_000],
            agent=task.assignment.agent,
        )
    )
    failed.usage = lost_usage(reserved)
    return _Failed(task, failed, reserved)


def _profile(request: SpecialistRequest) -> AgentProfile:
    """Returns the agent's profile with only those of its tools that the plan allows.

    A plan names tools of the desk's own sources. Other tools with the same capabilities are allowed
    too, and so are tools that the plan could not have named.
    """
    agent, named = request.assignment.agent, request.assignment.tools
    profile, nameable = profile_in(request.policy, agent), profile_of(agent).tools
    wanted = [c for c in profile.capabilities if not _is_left_out(c, named, nameable)]
    left = {*named, *tools_for(wanted, request.policy)}
    kept = tuple(tool for tool in profile.tools if tool in left)
    return profile.model_copy(update={"tools": kept})


def _is_left_out(
    capability: Capability, named: Collection[ToolName], nameable: Collection[ToolName]
) -> bool:
    usual = (ToolName(server=r.server, tool=r.tool) for r in USUAL_ROUTES[capability])
    known = [tool for tool in usual if tool in nameable]
    return bool(known) and not any(tool in named for tool in known)


def _failure(failed: TaskFailed, spent: Allowance) -> ApplicationError:
    return ApplicationError(
        str(failed)[:1_000],
        SpecialistFailure(error=failed.error, usage=failed.usage, spent=spent),
        type=FailureType.TASK_FAILED,
        non_retryable=True,
    )
