"""Finding somebody else for a task that failed, and the dead letter when nobody can do it."""

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from agents.roster import fallbacks, profile_of
from contracts.names import AgentId, FailureType
from contracts.results import AgentError, DeadLetter
from contracts.search_attributes import Outcome, Phase
from contracts.week_run import ReassignmentRequest, TaskOutcome
from domain.reassignment import next_agent
from workflows.agent_loop import AgentRun, TaskFailed
from workflows.options import note_outcome, note_phase


@workflow.defn
class ReassignmentWorkflow:
    """Gives a failed task to the next agents of the roster, within what is left of its deadline.

    A run that ends Failed is a dead letter: it carries the assignment, who tried, and why each
    failed, and is found by the search attribute `Outcome`.
    """

    @workflow.run
    async def run(self, request: ReassignmentRequest) -> TaskOutcome:
        """The task's outcome, delivered by somebody else.

        Raises:
            ApplicationError: `DeadLettered`, with a `DeadLetter` as its detail.
        """
        note_phase(Phase.REASSIGNING)
        tried, errors = list(request.tried), list(request.errors)
        chain = fallbacks(request.policy.agents)
        while (agent := next_agent(tried, chain)) is not None:
            try:
                return await self._with(agent, request)
            except TaskFailed as failed:
                tried.append(agent)
                errors.append(failed.error)
        note_outcome(Outcome.DEAD_LETTERED)
        raise _dead_letter(request, tried, errors)

    async def _with(self, agent: AgentId, request: ReassignmentRequest) -> TaskOutcome:
        profile = profile_of(agent, request.policy.agents)
        assignment = request.assignment.model_copy(
            update={"agent": agent, "tools": profile.tools, "limits": profile.limits}
        )
        workflow.set_current_details(f"{assignment.task_id} is with {profile.title}")
        outcome = await AgentRun(
            profile,
            assignment,
            request.policy,
            findings=request.findings,
            evidence=request.evidence,
        ).work()
        contribution = outcome.contribution.model_copy(update={"reassigned_from": request.tried[0]})
        return outcome.model_copy(update={"contribution": contribution})


def _dead_letter(
    request: ReassignmentRequest, tried: list[AgentId], errors: list[AgentError]
) -> ApplicationError:
    assignment = request.assignment
    market = assignment.market.market if assignment.market else "-"
    letter = DeadLetter(
        assignment=assignment,
        tried=tuple(tried),
        errors=tuple(errors),
        week=assignment.week,
        market=market,
    )
    message = (
        f"{assignment.task_type} for {market}, {assignment.week}, could not be done by "
        f"{', '.join(tried)}: {errors[-1].error_message}"
    )
    return ApplicationError(
        message[:1_000], letter, type=FailureType.DEAD_LETTERED, non_retryable=True
    )
