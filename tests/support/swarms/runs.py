"""Swarms for tests: what starts a run, and a leader and specialists that do as they are told."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from temporalio.client import Client, WorkflowHandle

from desk.contracts.agents.config import DeadlineConfig, RetryConfig, RunPolicy
from desk.contracts.agents.tasks import Query, TaskType, ToolName
from desk.contracts.agents.tools import ToolCall
from desk.contracts.agents.usage import BUILTIN_VERSION
from desk.contracts.findings.results import Finding, Leaning, ResearchResult, View, ViewKind
from desk.contracts.names import AgentId, Queue
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.swarm import SwarmRequest, SwarmResult
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.swarm.hypotheses import Hypothesis, HypothesisKind
from desk.contracts.swarm.plan import Complexity, Refinement, SubagentSpec, SwarmPlan
from desk.programs.swarm.tasks import SPECIALIST_TASKS
from tests.support.runs.desk import pair
from tests.support.runs.scripted import finding, gives_up
from workflows.swarm.swarm import ResearchSwarmWorkflow

AS_OF = datetime(2026, 10, 30, 20, tzinfo=UTC)
ANALYSIS = "analysis"
SERVERS = (ANALYSIS, "sentiment", "central_banks", "knowledge", "ecb")
ALL_FIVE = tuple(SPECIALIST_TASKS)
YEN = pair("USD/JPY")


def swarm(objective: str = "Is the yen carry trade unwinding?", **fields: Any) -> SwarmRequest:
    """What starts a swarm, as of a Friday evening."""
    quick = RetryConfig(max_attempts=2, first_pause=timedelta(milliseconds=10))
    given = {
        "query": Query(question=objective),
        "policy": RunPolicy(retries=quick, deadlines=DeadlineConfig()),
        "markets": (YEN,),
        "as_of": AS_OF,
    }
    return SwarmRequest.model_validate({**given, **fields})


async def start_swarm(
    client: Client, request: SwarmRequest, *, run_id: str = "swarm-test"
) -> WorkflowHandle[ResearchSwarmWorkflow, SwarmResult]:
    """A started run."""
    return await client.start_workflow(
        ResearchSwarmWorkflow.run, request, id=run_id, task_queue=Queue.DESK
    )


def plan(request: TurnRequest, *agents: AgentId) -> SwarmPlan:
    """One task for each of the agents, on the yen."""
    return SwarmPlan(
        task_id=request.assignment.task_id,
        complexity=Complexity.COMPLEX if len(agents) > 4 else Complexity.SIMPLE,
        strategy="Look at it from all sides.",
        subagents=tuple(subagent(agent) for agent in agents),
    )


def subagent(agent: AgentId, **fields: Any) -> SubagentSpec:
    """What one specialist is to find out about the yen."""
    given = {
        "name": agent.removesuffix("_specialist"),
        "agent": agent,
        "task": SPECIALIST_TASKS[agent],
        "market": YEN,
        "objective": f"What {agent} can tell of the yen.",
        "output_format": "Findings with their confidence.",
        "boundaries": "What others are asked.",
        "tools": (ToolName(server=ANALYSIS, tool="market_data"),),
    }
    return SubagentSpec.model_validate({**given, **fields})


def level_call(request: TurnRequest, name: str = "market_data") -> ToolCall:
    """A call that every one of these specialists makes."""
    return ToolCall(
        call_id=f"{request.assignment.task_id}/{name}",
        server=ANALYSIS,
        tool="market_data",
        arguments={"symbol": YEN.market},
    )


def found(
    request: TurnRequest,
    *,
    leaning: Leaning = Leaning.DOWN,
    confidence: float = 0.7,
    value: str = "100.00",
) -> ResearchResult:
    """One level of the first answers, a view on the direction, and a sentence about both."""
    first = request.model_copy(update={"exchanges": request.exchanges[:1]})
    level = finding(first, value, confidence=confidence, origin="A source")
    named = (level.claims[0].claim_id,)
    view = View(
        subject=YEN.market,
        kind=ViewKind.DIRECTION,
        leaning=leaning,
        confidence=confidence,
        claims=named,
    )
    said = Finding(
        topic="level",
        statement=f"It stands at [[{named[0]}]].",
        confidence=confidence,
        claims=named,
    )
    return level.model_copy(
        update={"views": (view,), "findings": (said,), "version": BUILTIN_VERSION}
    )


def concluded(request: TurnRequest, **fields: Any) -> Synthesis:
    """A conclusion that refers to the level."""
    given = {
        "task_id": request.assignment.task_id,
        "agent": AgentId.RESEARCH_LEADER,
        "summary": f"The yen stands at [[{YEN.market}:last]].",
    }
    return Synthesis.model_validate({**given, **fields})


def refined(objective: str = "What moved the yen in October?") -> Refinement:
    """Something that the leader wants to know still."""
    return Refinement(objective=objective, reason="The views balance.")


def lower_in_four_weeks() -> Hypothesis:
    """The yen is stronger in four weeks."""
    return Hypothesis(
        hypothesis_id="USD-JPY-lower-4w",
        market=YEN,
        kind=HypothesisKind.DIRECTION,
        leaning=Leaning.DOWN,
        level=Decimal("100.00"),
        level_on=date(2026, 10, 30),
        weeks=4,
        due=AS_OF + timedelta(weeks=4),
        probability=0.6,
        statement=f"USD/JPY is below [[{YEN.market}:last]].",
        refuted_by="It is not.",
        claims=(f"{YEN.market}:last",),
    )


def swarm_turn(request: TurnRequest) -> Turn:
    """Everybody does as they should: a plan of all five, one call each, a conclusion."""
    task = request.assignment
    if task.task_type is TaskType.PLAN_SWARM:
        return Turn(result=plan(request, *ALL_FIVE))
    if task.task_type is TaskType.CONCLUDE_SWARM:
        return Turn(result=concluded(request))
    if not request.exchanges:
        return Turn(calls=(level_call(request),))
    return Turn(result=found(request))


def failing(request: TurnRequest, *agents: AgentId) -> Turn | None:
    """Some of the specialists give up, and whoever takes over for them does not."""
    return gives_up(request) if request.assignment.agent in agents else None
