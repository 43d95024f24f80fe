"""Analysts and tools that do as the test says, and remember what was asked of them."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from pydantic import JsonValue

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import DataSource, SourceTier, ToolCall, ToolSpec
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.findings.results import AgentError, ResearchResult, ValidationResult
from desk.contracts.markets import MarketKind
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.week.plan import MarketPlan, PlannedTask, WeekPlan
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer, ToolUnreachable

Script = Callable[[TurnRequest], Turn | None]
"""The turn a test wants taken, or None for the ordinary one."""

LISTING = "tools/list"
"""What a script of tools sees as the tool when it is the list of them that is asked for."""


@dataclass
class ScriptedAnalyst:
    """Takes ordinary turns, one tool call and then a result, unless the script says otherwise."""

    script: Script = lambda _: None
    taken: Counter[str] = field(default_factory=Counter)

    async def __call__(self, request: TurnRequest) -> Turn:
        """The next turn; counted by agent and task."""
        task = request.assignment
        self.taken[f"{task.agent}:{task.task_id}"] += 1
        return self.script(request) or ordinary_turn(request)


@dataclass
class ScriptedTools:
    """Answers every call with the same level, unless the script says otherwise.

    `offered` are the tools of each server; a server that is not in it cannot be asked for them.
    """

    script: Callable[[str, str, Mapping[str, JsonValue]], ToolAnswer | None] = (
        lambda server, tool, arguments: None
    )
    calls: Counter[str] = field(default_factory=Counter)
    keys: list[str] = field(default_factory=list)
    offered: Mapping[str, tuple[ToolSpec, ...]] = field(default_factory=dict)

    async def call(self, call: ServerCall) -> ToolAnswer:
        """See `desk.platform.mcp.tool_calling.ToolCaller`."""
        self.calls[call.name] += 1
        self.keys.append(call.key)
        return self.script(call.server, call.tool, call.arguments) or ToolAnswer(
            content={"level": "100.00"}
        )

    async def tools(self, server: str, *, timeout_seconds: float) -> tuple[ToolSpec, ...]:
        """See `tool_calling.ToolCaller`. A script that raises is heard here too."""
        self.script(server, LISTING, {})
        if server not in self.offered:
            raise ToolUnreachable(f"no MCP server is named '{server}'")
        return self.offered[server]


def ordinary_turn(request: TurnRequest) -> Turn:
    """Plan, research or validate as an agent with nothing to complain of would."""
    task = request.assignment
    if task.task_type is TaskType.PLAN_WEEK:
        return Turn(result=plan_of(request))
    if task.task_type is TaskType.VALIDATE:
        return Turn(result=approval(request))
    if not request.exchanges:
        return Turn(calls=(price_call(request),))
    return Turn(result=finding(request))


def price_call(request: TurnRequest) -> ToolCall:
    """A call of the price source on the market of the task."""
    task = request.assignment
    return ToolCall(
        call_id=f"{task.task_id}/get_quote",
        server="ecb",
        tool="get_quote",
        arguments={"symbol": task.market.market if task.market else ""},
    )


def gives_up(request: TurnRequest, reason: str = "the source is empty") -> Turn:
    """A turn in which the agent says that it cannot do the task."""
    return Turn(
        failure=AgentError(
            error_type="no data", error_message=reason, agent=request.assignment.agent
        )
    )


def plan_of(request: TurnRequest) -> WeekPlan:
    """Research agent 1 on pairs, research agent 2 on policy rates."""
    return WeekPlan(
        task_id=request.assignment.task_id,
        week=request.assignment.week,
        markets=tuple(
            MarketPlan(
                market=spec.market,
                priority=spec.priority,
                tasks=(
                    PlannedTask(task_type=TaskType.RESEARCH_FX, agent=AgentId.RESEARCH_AGENT_1)
                    if spec.kind is MarketKind.PAIR
                    else PlannedTask(
                        task_type=TaskType.RESEARCH_RATES, agent=AgentId.RESEARCH_AGENT_2
                    ),
                ),
            )
            for spec in request.markets
        ),
    )


def both_on_every_market(request: TurnRequest) -> WeekPlan:
    """The ordinary plan with both research agents on every market."""
    plan = plan_of(request)
    tasks = (
        PlannedTask(task_type=TaskType.RESEARCH_FX, agent=AgentId.RESEARCH_AGENT_1),
        PlannedTask(task_type=TaskType.RESEARCH_RATES, agent=AgentId.RESEARCH_AGENT_2),
    )
    markets = tuple(market.model_copy(update={"tasks": tasks}) for market in plan.markets)
    return plan.model_copy(update={"markets": markets})


@dataclass(frozen=True)
class Disagreement:
    """A script: on the markets, research agent 1 finds 100.00 and agent 2 something else.

    Agent 1 has an authoritative source and is sure. With the defaults agent 2 is so unsure that a
    person must decide, and what agent 1 found is the default. With `equal` they weigh the same,
    so that there is no default.
    """

    markets: tuple[str, ...] = ("USD/JPY",)
    other: str = "120.00"
    equal: bool = False

    def __call__(self, request: TurnRequest) -> Turn | None:
        """See `Script`."""
        task = request.assignment
        if task.task_type is TaskType.PLAN_WEEK:
            return Turn(result=both_on_every_market(request))
        researched = task.market is not None and task.market.market in self.markets
        if not researched or not request.exchanges or task.task_type is TaskType.VALIDATE:
            return None
        if task.agent is AgentId.RESEARCH_AGENT_1:
            return Turn(result=finding(request))
        confidence, tier = (
            (0.9, SourceTier.AUTHORITATIVE)
            if self.equal
            else (
                0.2,
                SourceTier.SECONDARY,
            )
        )
        return Turn(
            result=finding(
                request, self.other, confidence=confidence, tier=tier, origin="A newspaper"
            )
        )


def finding(
    request: TurnRequest,
    value: str = "100.00",
    *,
    confidence: float = 0.9,
    tier: SourceTier = SourceTier.AUTHORITATIVE,
    origin: str = "European Central Bank",
) -> ResearchResult:
    """A result with the one claim that makes its market worth a row."""
    task = request.assignment
    assert task.market is not None
    metric = Metric.LAST if task.market.kind is MarketKind.PAIR else Metric.POLICY_RATE
    return ResearchResult(
        result_id=f"{task.task_id}/result",
        task_id=task.task_id,
        agent=task.agent,
        market=task.market.market,
        claims=(
            Claim(
                claim_id=claim_id(task.market.market, metric),
                subject=task.market.market,
                metric=metric,
                value=Decimal(value),
                unit=Unit.LEVEL if metric is Metric.LAST else Unit.PERCENT_A_YEAR,
                as_of=date(2026, 10, 30),
                evidence=tuple(r.evidence_id for r in request.results),
            ),
        ),
        sources=tuple(
            DataSource(
                server=r.call.server,
                tool=r.call.tool,
                arguments=r.call.arguments,
                name=origin,
                origin=origin,
                tier=tier,
                retrieved_at=r.retrieved_at,
                evidence_id=r.evidence_id,
            )
            for r in request.results
        ),
        confidence=confidence,
    )


def approval(request: TurnRequest) -> ValidationResult:
    """A verdict without objections."""
    task = request.assignment
    assert task.market is not None
    return ValidationResult(
        validation_id=f"{task.task_id}/verdict",
        task_id=task.task_id,
        agent=task.agent,
        market=task.market.market,
        research_results=tuple(f.result_id for f in request.findings),
        recommendation="No objection.",
        confidence=0.9,
    )
