"""One specialist of a swarm at work: the agent loop, in a workflow of its own."""

from collections.abc import Collection

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from desk.agents.capabilities import tools_for
from desk.agents.roster import AgentProfile, profile_in, profile_of
from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.capabilities import USUAL_ROUTES, Capability
from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tasks import ToolName
from desk.contracts.names import FailureType
from desk.contracts.swarm.run import SpecialistFailure, SpecialistOutcome, SpecialistRequest
from desk.programs.swarm.findings import condensed
from desk.programs.swarm.parts.tokens import reads_of
from desk.runs.assignments.budget import Purse
from workflows.agent_loop import AgentRun
from workflows.agent_work import TaskFailed
from workflows.options import note_outcome, note_phase


@workflow.defn
class SpecialistWorkflow:
    """Finds out what a plan asks of it, and returns no more than its findings rest on."""

    @workflow.run
    async def run(self, request: SpecialistRequest) -> SpecialistOutcome:
        """The findings.

        Raises:
            ApplicationError: `AgentTaskFailed`, with a `SpecialistFailure` as its detail.
        """
        note_phase(Phase.RESEARCHING)
        workflow.set_current_details(request.assignment.instructions or "")
        purse = Purse(request.allowance)
        run = AgentRun(
            _profile(request),
            request.assignment,
            request.policy,
            tools=request.tools,
            purse=purse,
        )
        try:
            outcome = await run.work()
        except TaskFailed as failed:
            note_outcome(Outcome.MISSING)
            raise _failure(failed, purse.spent) from failed
        note_outcome(Outcome.RESEARCHED)
        return SpecialistOutcome(
            outcome=condensed(outcome), reads=reads_of(outcome.evidence), spent=purse.spent
        )


def _profile(request: SpecialistRequest) -> AgentProfile:
    """The agent with the tools that the plan leaves it. A plan names tools of the desk's own
    sources; where others have the same capability here, they are left as well, and what a plan
    could not have named it has not left out."""
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
