"""A vote that stays split goes to a person, who answers days later."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tasks import TaskType
from desk.contracts.findings.escalations import EscalationAnswer, EscalationDecision
from desk.contracts.findings.results import DecidedBy, Leaning
from desk.contracts.names import AgentId, Message, escalation_run_id
from desk.contracts.runs.graph import GraphStatus
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.documents.answer.publishing import read_answer_file
from desk.platform.temporal.plugin import desk_plugin
from tests.scenarios.scenario import Scenario, Sight, Stage
from tests.support.processes.command import BINARIES
from tests.support.processes.local_server import started
from tests.support.runs.desk import desk_workers, register_search_attributes
from tests.support.runs.scripted import ScriptedAnalyst
from tests.support.swarms.runs import SERVERS, YEN, found, plan, start_swarm, swarm, swarm_turn

DAYS = 2
WITHIN = 5
SURE, UNSURE = 0.9, 0.2
"""Two confidences that lie further apart than a vote may decide."""

BY = "anna"


async def split_vote(stage: Stage) -> Sight:
    """Two specialists contradict each other; the clock of the server skips the days."""
    directory = stage.place("split-vote")
    async with (
        _skipping(directory) as server,
        desk_workers(server.client, directory, analyst=ScriptedAnalyst(_split), servers=SERVERS),
    ):
        request = swarm(answer_within=timedelta(days=WITHIN), memory=False)
        run = await start_swarm(server.client, request)
        began = await server.get_current_time()
        await server.sleep(timedelta(days=DAYS))
        status = await run.query(Message.STATUS, result_type=GraphStatus)
        decision = await _decide(server.client, run.id)
        result = await run.result()
    # Whoever awaits a result lets this server's clock skip on, so that it tells nothing after it.
    waited = (decision.decided_at - began).total_seconds() / 86_400
    report = read_answer_file(Path(result.files.json_file))
    conflicts = report.swarm.conflicts if report and report.swarm else ()
    told = [each for each in conflicts if each.decided_by is DecidedBy.PERSON]
    faults = []
    if status.phase is not Phase.AWAITING_PERSON:
        faults.append(f"after {DAYS} days it was {status.phase}")
    if [(each.decided_by_whom, each.chosen) for each in told] != [(BY, decision.conflict.chosen)]:
        faults.append("the report does not tell who decided")
    dissent = sum(len(each.positions) - 1 for each in told)
    words = (
        f"waited {waited:.1f} days; {BY} chose {decision.conflict.chosen}, {dissent} dissent is in"
        " the report"
    )
    return Sight(words, tuple(faults), {"days": waited, "dissent": dissent})


def _split(request: TurnRequest) -> Turn | None:
    task = request.assignment
    if task.task_type is TaskType.PLAN_SWARM:
        two = (AgentId.MARKET_SPECIALIST, AgentId.TECHNICAL_SPECIALIST)
        return Turn(result=plan(request, *two))
    if not request.exchanges or task.task_type is TaskType.CONCLUDE_SWARM:
        return swarm_turn(request)
    if task.agent is AgentId.MARKET_SPECIALIST:
        return Turn(result=found(request, leaning=Leaning.UP, confidence=SURE))
    return Turn(result=found(request, leaning=Leaning.DOWN, confidence=UNSURE))


async def _decide(client: Client, run: str) -> EscalationDecision:
    """A person's word on the one case there is."""
    case = escalation_run_id(run, f"{YEN.market}/conflict/{YEN.market}:direction")
    decision: EscalationDecision = await client.get_workflow_handle(case).execute_update(
        Message.RESOLVE_ESCALATION,
        EscalationAnswer(position=1, by=BY),
        result_type=EscalationDecision,
    )
    return decision


@asynccontextmanager
async def _skipping(directory: Path) -> AsyncIterator[WorkflowEnvironment]:
    """A server whose clock skips to the next timer: a development server's does not."""
    plugin = desk_plugin(directory / "payloads")
    environment = await started(
        lambda: WorkflowEnvironment.start_time_skipping(
            test_server_existing_path=str(BINARIES / "temporal-test-server"), plugins=[plugin]
        )
    )
    async with environment:
        await register_search_attributes(environment.client)
        yield environment


SCENARIOS = (
    Scenario(
        "split-vote",
        f"two specialists contradict each other, confidences {SURE} and {UNSURE}; a person answers"
        f" after {DAYS} days",
        "it waits, goes on with the person's word, and prints the dissent",
        split_vote,
    ),
)
