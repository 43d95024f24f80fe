"""Gives a failed task to the next agents of the roster, and ends as a dead letter if all of them
fail."""

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from activities.metrics import count_dead_letter
from desk.agents.registry import taken_over_as
from desk.agents.roster import fallbacks, profile_in
from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tools import SourceOutage
from desk.contracts.agents.usage import Usage
from desk.contracts.findings.results import DeadLetter
from desk.contracts.names import AgentId, FailureType
from desk.contracts.runs.tasks import ReassignmentRequest, TaskOutcome
from desk.contracts.runs.turns import EpisodeContext
from desk.runs.assignments import Budget, merged_outages, next_agent
from workflows.engine.agent_work import AgentTask, TaskFailed, with_usage_before
from workflows.engine.options import note_outcome, note_phase
from workflows.engine.task_runner import AgentRun


@workflow.defn
class ReassignmentWorkflow:
    """Gives a failed task to the next agents of the roster, within the time left until its
    deadline.

    A run that ends Failed is a dead letter. Its error contains the assignment, the agents that
    tried, and why each failed. The search attribute `Outcome` finds it.
    """

    @workflow.run
    async def run(self, request: ReassignmentRequest) -> TaskOutcome:
        """Returns the outcome of the task by the first agent that delivers.

        Raises:
            ApplicationError: `DeadLettered`, with a `DeadLetter` as its detail.
        """
        note_phase(Phase.REASSIGNING)
        tried, errors, spent = list(request.tried), list(request.errors), Usage()
        outages: tuple[SourceOutage, ...] = ()
        budget = Budget(request.allowance)
        chain = fallbacks(request.policy.agents)
        while (agent := next_agent(tried, chain)) is not None:
            try:
                done = await self._with(agent, tuple(tried), request, budget)
                return with_usage_before(done, spent, outages)
            except TaskFailed as failed:
                tried.append(agent)
                errors.append(failed.error)
                spent = spent.plus(failed.usage)
                outages = merged_outages((*outages, *failed.outages))
        note_outcome(Outcome.DEAD_LETTERED)
        assignment = request.assignment
        count_dead_letter(tried[0], assignment.task_type)
        raise _given_up(
            DeadLetter(
                assignment=assignment,
                tried=tuple(tried),
                errors=tuple(errors),
                week=assignment.week,
                market=assignment.market.market if assignment.market else None,
                usage=spent,
                outages=outages,
            )
        )

    async def _with(
        self,
        agent: AgentId,
        tried: tuple[AgentId, ...],
        request: ReassignmentRequest,
        budget: Budget,
    ) -> TaskOutcome:
        profile = profile_in(request.policy, agent)
        failed = request.assignment
        assignment = failed.model_copy(
            update={
                "agent": agent,
                "task_type": taken_over_as(failed.task_type, agent),
                "tools": profile.tools,
                "limits": profile.limits.model_copy(update={"max_calls": failed.limits.max_calls}),
            }
        )
        workflow.set_current_details(f"{assignment.task_id} is with {profile.title}")
        context = EpisodeContext(
            findings=request.findings,
            evidence=request.evidence,
            state=request.state,
            board=request.board,
        )
        task = AgentTask(profile, assignment, context)
        run = AgentRun(task, request.policy, budget, request.tools, tried=tried)
        outcome = await run.work()
        contribution = outcome.contribution.model_copy(update={"reassigned_from": request.tried[0]})
        return outcome.model_copy(update={"contribution": contribution})


def _given_up(letter: DeadLetter) -> ApplicationError:
    task = letter.assignment
    subject = "the question" if task.query else f"{letter.market}, {letter.week},"
    message = (
        f"{task.task_type} for {subject} could not be done by "
        f"{', '.join(letter.tried)}: {letter.errors[-1].error_message}"
    )
    return ApplicationError(
        message[:1_000], letter, type=FailureType.DEAD_LETTERED, non_retryable=True
    )
