"""Episodes for tests: what starts one, agents that do as they are told, a source that knows what
came of it, and a desk with the real servers and the built-in agents."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import JsonValue
from temporalio.client import Client, WorkflowHandle

from desk.analytics.evaluation import EVALUATION_METRICS
from desk.analytics.units import UNITS
from desk.contracts.agents.config import DeadlineConfig, RetryConfig, RunPolicy
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import DataSource, SourceTier, ToolCall
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import ActionChoice, Recommended, StockRecommendation
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import Finding, Leaning, ResearchResult
from desk.contracts.markets import MarketKind
from desk.contracts.names import Queue
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.episode import StockRequest, StockResult
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.learning.hypotheses.prices import expected_day
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer, ToolUnreachable
from desk.programs.episode.actions import ORDER, PART_METRICS
from desk.programs.episode.program import STOCK_TASKS
from tests.support.processes.namespaces import Namespace
from tests.support.processes.real_desk import real_desk
from tests.support.runs.scripted import ScriptedTools, gives_up
from workflows.episode.episode import StockResearchWorkflow

Handle = WorkflowHandle[StockResearchWorkflow, StockResult]

SYMBOL = "NVDA"
AS_OF = datetime(2024, 6, 10, 22, tzinfo=UTC)
SERVERS = ("analysis", "sentiment")

ACTIONS = {task: action for action, (_, task) in STOCK_TASKS.items()}
"""The action that a task carries out."""

_TOOLS: Mapping[StockAction, tuple[str, str]] = {
    StockAction.FETCH_NEWS: ("sentiment", "news_aggregator"),
    StockAction.FETCH_FUNDAMENTALS: ("analysis", "ratio_calculator"),
    StockAction.FETCH_SENTIMENT: ("sentiment", "sentiment_analyzer"),
    StockAction.RUN_TA_BASIC: ("analysis", "market_data"),
    StockAction.RUN_TA_ADVANCED: ("analysis", "indicator_calculator"),
    StockAction.EVALUATE_PERFORMANCE: ("analysis", "performance"),
}


def episode(**fields: Any) -> StockRequest:
    """What starts an episode in history, in the usual order."""
    quick = RetryConfig(max_attempts=2, first_pause=timedelta(milliseconds=10))
    given = {
        "symbol": SYMBOL,
        "policy": RunPolicy(retries=quick, deadlines=DeadlineConfig()),
        "as_of": AS_OF,
    }
    return StockRequest.model_validate({**given, **fields})


async def start_episode(
    client: Client, request: StockRequest, *, run_id: str = "stock-test"
) -> Handle:
    """A started run."""
    return await client.start_workflow(
        StockResearchWorkflow.run, request, id=run_id, task_queue=Queue.DESK
    )


def stock_turn(request: TurnRequest) -> Turn:
    """Everybody does as they should: one call for figures, and a result of what is on the board."""
    task = request.assignment
    if task.task_type is TaskType.CHOOSE_ACTION:
        return Turn(result=choice(request, next_action(request)))
    action = ACTIONS[task.task_type]
    if action is StockAction.GENERATE_INSIGHT:
        return Turn(result=insight(request))
    if action is StockAction.GENERATE_RECOMMENDATION:
        return Turn(result=recommendation(request))
    if not request.exchanges:
        return Turn(calls=(call_of(request, action),))
    if action is not StockAction.EVALUATE_PERFORMANCE:
        return Turn(result=part(request))
    if request.results[-1].content is None:
        return gives_up(request, request.results[-1].error or "it is away")
    return Turn(result=evaluated(request))


def next_action(request: TurnRequest) -> StockAction | None:
    """The next of the steps given, or of the usual order the first that was not chosen yet."""
    made = [e.result.action for e in request.state if isinstance(e.result, ActionChoice)]
    query = request.assignment.query
    given = query.parameters.get("steps") if query else None
    if given is not None:
        return StockAction(given.split(",")[len(made)])
    return next((action for action in ORDER if action not in made), None)


def choice(request: TurnRequest, action: StockAction | None) -> ActionChoice:
    """The controller's choice."""
    market = request.assignment.market
    assert market is not None
    return ActionChoice(
        task_id=request.assignment.task_id, market=market, action=action, reason="It is next."
    )


def call_of(request: TurnRequest, action: StockAction) -> ToolCall:
    """The one call of an agent that brings figures; the evaluator's with all that it is told."""
    server, tool = _TOOLS[action]
    query = request.assignment.query
    told: dict[str, JsonValue] = {}
    if query and action is StockAction.EVALUATE_PERFORMANCE:
        told = {name: query.parameters[name] for name in ("made_at", "position", "cost")}
    return ToolCall(
        call_id=f"{request.assignment.task_id}/{tool}",
        server=server,
        tool=tool,
        arguments={"symbol": SYMBOL, **told},
    )


def part(request: TurnRequest, value: str = "100.00", **others: str) -> ResearchResult:
    """All the figures of an action's part: one value for all, or `others` by their metrics."""
    metrics = PART_METRICS[ACTIONS[request.assignment.task_type]]
    day = request.assignment.window.end.date()
    figures = {metric: others.get(metric, value) for metric in metrics}
    return _research(request, _claims(request, figures, day))


def insight(request: TurnRequest, leaning: Leaning = Leaning.UP) -> ResearchResult:
    """What the first figure on the blackboard says."""
    known = [
        claim
        for entry in request.state
        if isinstance(entry.result, ResearchResult)
        for claim in entry.result.claims
    ]
    said = tuple(
        Finding(
            topic="trend",
            statement=f"It stands at [[{claim.claim_id}]].",
            confidence=0.6,
            claims=(claim.claim_id,),
            leaning=leaning,
        )
        for claim in known[:1]
    )
    return _research(request, known[:1]).model_copy(update={"findings": said})


def recommendation(
    request: TurnRequest, action: Recommended = Recommended.BUY, probability: float = 0.6
) -> Synthesis:
    """What to do, with one reason."""
    return Synthesis(
        task_id=request.assignment.task_id,
        agent=request.assignment.agent,
        summary="The trend is up.",
        recommendation=StockRecommendation(
            action=action, confidence=0.5, probability=probability, reasons_for=("trend",)
        ),
    )


def evaluated(request: TurnRequest) -> ResearchResult:
    """What the source says of what came, or that it has nothing."""
    content = request.results[-1].content
    assert isinstance(content, dict)
    if "day" not in content:
        lacking = str(content.get("missing", "it could not be asked"))
        return _research(request, ()).model_copy(update={"missing": (lacking,)})
    day = date.fromisoformat(str(content["day"]))
    figures = {metric: str(content[metric]) for metric in EVALUATION_METRICS if metric in content}
    return _research(request, _claims(request, figures, day))


def _claims(request: TurnRequest, figures: Mapping[Metric, str], day: date) -> tuple[Claim, ...]:
    return tuple(
        Claim(
            claim_id=claim_id(SYMBOL, metric),
            subject=SYMBOL,
            metric=metric,
            value=Decimal(value),
            unit=UNITS[metric],
            as_of=day,
            evidence=tuple(result.evidence_id for result in request.results),
        )
        for metric, value in figures.items()
    )


def _research(request: TurnRequest, claims: Iterable[Claim]) -> ResearchResult:
    task = request.assignment
    return ResearchResult(
        result_id=f"{task.task_id}/result",
        task_id=task.task_id,
        agent=task.agent,
        market=SYMBOL,
        claims=tuple(claims),
        sources=tuple(
            DataSource(
                server=result.call.server,
                tool=result.call.tool,
                arguments=result.call.arguments,
                name="A source",
                origin="A source",
                tier=SourceTier.PRIMARY,
                retrieved_at=result.retrieved_at,
                evidence_id=result.evidence_id,
            )
            for result in request.results
        ),
        confidence=0.6,
    )


CAME: Mapping[str, str] = {
    Metric.ENTRY: "101.00",
    Metric.EXIT: "111.10",
    Metric.FORWARD_MOVE: "10.00",
    Metric.CASH_MOVE: "0.40",
    Metric.RISK: "8.00",
    Metric.OVER_CASH: "9.40",
    Metric.OVER_HOLDING: "0.00",
    Metric.REWARD: "1.18",
}
"""What became of a position, with its costs."""


@dataclass
class Outcomes(ScriptedTools):
    """Answers what is asked, and `performance` with what came of it, on the last day that is to be
    known at the instant that it is asked for.

    So many times it is `away` first; it has no price without `came`, and none after `ends`.
    `asked_at` are the instants `performance` was asked for, and `positions` which ones.
    """

    came: Mapping[str, str] | None = field(default_factory=lambda: CAME)
    away: int = 0
    ends: datetime | None = None
    asked_at: list[datetime] = field(default_factory=list)
    positions: list[str] = field(default_factory=list)

    async def call(self, call: ServerCall) -> ToolAnswer:
        """See `desk.platform.mcp.tool_calling.ToolCaller`."""
        if call.tool != "performance":
            return await super().call(call)
        arguments = call.arguments
        self.calls[call.name] += 1
        if self.away:
            self.away -= 1
            raise ToolUnreachable(f"{call.server}: it is away")
        at = datetime.fromisoformat(str(arguments["as_of"]))
        self.asked_at.append(at)
        self.positions.append(str(arguments["position"]))
        if self.came is None:
            return ToolAnswer(content={"missing": f"it has no price of {SYMBOL} then"})
        known = min(at, self.ends) if self.ends else at
        day = expected_day(MarketKind.STOCK, known).isoformat()
        return ToolAnswer(content={**self.came, "day": day})


@dataclass
class StockDesk:
    """A desk at work with the project's own servers and the built-in agents, without a network."""

    client: Client
    _numbers: Iterator[int] = field(default_factory=count)

    async def run_episode(
        self,
        symbol: str,
        as_of: datetime,
        steps: Sequence[StockAction] = (),
        weeks: int = 4,
        **fields: Any,
    ) -> StockResult:
        """An episode to its end, in the usual order where no steps are given. Nothing is remembered
        or learned unless it is asked for."""
        told = {"memory": False, "learn": False, **fields}
        request = episode(symbol=symbol, as_of=as_of, steps=tuple(steps), weeks=weeks, **told)
        name = f"stock-{symbol}-{next(self._numbers)}"
        return await (await start_episode(self.client, request, run_id=name)).result()


@asynccontextmanager
async def stock_desk(
    directory: Path, at: Namespace | None = None, **environment: str
) -> AsyncIterator[StockDesk]:
    """One desk for many episodes of the past, side by side, none of which waits."""
    async with real_desk(directory, (), at=at, **environment) as desk:
        yield StockDesk(desk.client)
