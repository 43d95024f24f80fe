"""Records runs in which the judge has something to say.

Models' turns with figures that nothing backs, mended or not; conflicts that a vote decides, that a
person decides and that are left to their default; a validator's objections; a source whose answer
does not satisfy; and a price that is not there yet for a hypothesis, a forecast and an episode.
"""

import asyncio
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from pydantic import JsonValue
from temporalio.client import Client

from desk.contracts.agents.budget import BudgetConfig
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.config import AgentConfig, DeadlineConfig, RunConfig
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import SourceTier, ToolCall
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.episode.actions import StockAction
from desk.contracts.findings.escalations import EscalationAnswer
from desk.contracts.findings.results import (
    EventType,
    Impact,
    Leaning,
    MarketEvent,
    ResearchResult,
    Severity,
    ValidationIssue,
)
from desk.contracts.learning.record import LearningRequest
from desk.contracts.names import (
    LEARNING_SYSTEM_ID,
    AgentId,
    Message,
    Queue,
    escalation_run_id,
    market_run_id,
    specialist_run_id,
)
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.platform.mcp.tool_calling import ToolAnswer
from desk.programs.episode.actions import ORDER
from desk.programs.episode.horizon import SETTLING
from tests.replay.written import is_there, write
from tests.support.models.spending import MODEL, priced
from tests.support.runs.desk import desk_config, desk_workers, pair, start_week
from tests.support.runs.hypotheses import Prices, hypothesis, hypothesis_request, hypothesis_workers
from tests.support.runs.hypotheses import begun as begun_hypothesis
from tests.support.runs.learning import forecast, lesson, question
from tests.support.runs.scripted import (
    ScriptedAnalyst,
    ScriptedTools,
    approval,
    both_on_every_market,
    finding,
)
from tests.support.sources.fixings import Fixings
from tests.support.stocks.board import SERVERS as STOCK_SERVERS
from tests.support.stocks.board import Outcomes, episode, start_episode, stock_turn
from tests.support.swarms.runs import SERVERS as SWARM_SERVERS
from tests.support.swarms.runs import (
    concluded,
    lower_in_four_weeks,
    start_swarm,
    swarm,
    swarm_turn,
)
from tests.support.swarms.runs import found as swarm_found
from workflows.learning import LearningSystemWorkflow

MENDS, DROPS, VOTES, ASKS, NEEDS_ANOTHER = "USD/JPY", "EUR/USD", "GBP/USD", "USD/CHF", "AUD/USD"
MARKETS = (MENDS, DROPS, VOTES, ASKS, NEEDS_ANOTHER)
BY_A_MODEL = (
    AgentId.RESEARCH_AGENT_1,
    AgentId.RESEARCH_AGENT_2,
    AgentId.RESEARCH_LEADER,
    AgentId.TECHNICAL_SPECIALIST,
    AgentId.INSIGHT_AGENT,
)
INVENTED = "It traded at 163.41 on Thursday."


async def record_judged(client: Client, directory: Path) -> None:
    """Run them and save what they left."""
    await _record_week(client, directory)
    await _record_swarm(client, directory)
    await _record_hypothesis(client, directory)
    await _record_learning(client, directory)
    await _record_stock(client, directory)


async def _record_week(client: Client, directory: Path) -> None:
    """Run a week of five markets with models. Prose is mended in one and dropped in another; a vote
    decides one conflict and a person the next; and one market's first source has nothing."""
    case = escalation_run_id(
        market_run_id("judged", ASKS), f"{ASKS}/conflict/{ASKS}:last@2026-10-30"
    )
    tools = ScriptedTools(_has_nothing_of_one)
    servers = ("ecb", "central_banks", "official_statistics", "yahoo_finance")
    analyst = ScriptedAnalyst(_week_turn)
    async with desk_workers(client, directory, analyst=analyst, tools=tools, servers=servers):
        week = await start_week(client, _config(servers), run_id="judged")
        waiting = client.get_workflow_handle(case)
        while not await is_there(waiting):
            await asyncio.sleep(0.05)
        answer = EscalationAnswer(position=1, by="recorder", note="recorded")
        await waiting.execute_update(Message.RESOLVE_ESCALATION, answer)
        await week.result()
    for name, workflow_id in {
        "week_judged": week.id,
        "market_judged_mended": market_run_id(week.id, MENDS),
        "market_judged_dropped": market_run_id(week.id, DROPS),
        "market_judged_voted": market_run_id(week.id, VOTES),
        "market_judged_escalated": market_run_id(week.id, ASKS),
        "market_judged_another_source": market_run_id(week.id, NEEDS_ANOTHER),
        "escalation_judged": case,
    }.items():
        await write(name, client.get_workflow_handle(workflow_id))


def _config(servers: tuple[str, ...]) -> RunConfig:
    deadlines = DeadlineConfig(open_for_reruns=timedelta(seconds=1))
    config = desk_config(*map(pair, MARKETS), deadlines=deadlines)
    agents = tuple(AgentConfig(agent=agent, model=MODEL) for agent in BY_A_MODEL)
    changes = {"agents": agents, "sources": servers, "budget": BudgetConfig(usd=Decimal(20))}
    return config.model_copy(update={"policy": config.policy.model_copy(update=changes)})


def _has_nothing_of_one(
    server: str, tool: str, arguments: Mapping[str, JsonValue]
) -> ToolAnswer | None:
    nothing: dict[str, JsonValue] = {"value": None, "missing": "no such pair"}
    is_that = server == "ecb" and arguments.get("symbol") == NEEDS_ANOTHER
    return ToolAnswer(content=nothing) if is_that else None


def _week_turn(request: TurnRequest) -> Turn:
    task = request.assignment
    if task.task_type is TaskType.PLAN_WEEK:
        return Turn(result=both_on_every_market(request))
    if task.task_type is TaskType.VALIDATE:
        return Turn(result=approval(request).model_copy(update={"issues": (_issue(request),)}))
    turn = _researched(request) if request.exchanges else Turn(calls=(_call(request),))
    return turn if request.model == BUILTIN else priced(turn, "0.002")


def _call(request: TurnRequest) -> ToolCall:
    """The quote, of whoever has it."""
    task = request.assignment
    assert task.market is not None
    return ToolCall(
        call_id=f"{task.task_id}/quote",
        server="",
        tool="",
        arguments={"symbol": task.market.market},
        capability=Capability.QUOTE,
    )


def _researched(request: TurnRequest) -> Turn:
    """What the market's agents find: the second one contradicts where a vote or a person decides,
    and the first one writes what nothing backs."""
    task = request.assignment
    assert task.market is not None
    market, first = task.market.market, task.agent is AgentId.RESEARCH_AGENT_1
    if market == VOTES and not first:
        return Turn(result=finding(request, "104.00", confidence=0.7, origin="A bank"))
    if market == ASKS and not first:
        tier, origin = SourceTier.SECONDARY, "A newspaper"
        return Turn(result=finding(request, "120.00", confidence=0.2, tier=tier, origin=origin))
    if market in (MENDS, DROPS) and first:
        mends = market == MENDS and bool(request.rejected)
        return Turn(result=_told(request, "" if mends else INVENTED))
    return Turn(result=finding(request))


def _told(request: TurnRequest, invented: str) -> ResearchResult:
    """A finding with an event in two sentences, of which one names a claim."""
    result = finding(request)
    market = result.market
    backed = f"{market} ended the week at [[{market}:last]]."
    event = MarketEvent(
        event_id=f"{market}/fx_movement/2026-10-30",
        event_type=EventType.FX_MOVEMENT,
        market=market,
        currency_pair=market,
        event_date=date(2026, 10, 30),
        description=f"{backed} {invented}".strip(),
        impact=Impact.LOW,
        claims=(f"{market}:last",),
    )
    return result.model_copy(update={"events": (event,)})


def _issue(request: TurnRequest) -> ValidationIssue:
    """The validator objects to the first figure that it was shown."""
    claim = request.findings[0].claims[0].claim_id
    return ValidationIssue(
        issue_type="level",
        severity=Severity.HIGH,
        description=f"[[{claim}]] is not what the other agent found.",
        claims=(claim,),
        recommendation="Ask another source.",
        confidence=0.8,
    )


async def _record_swarm(client: Client, directory: Path) -> None:
    """Research an objective with models: a sentence is mended, a figure is voted on, a view is left
    to its default, and of two hypotheses the one that rests on nothing does not wait."""

    def script(request: TurnRequest) -> Turn:
        turn = _swarm_turn(request)
        return turn if request.model == BUILTIN else priced(turn, "0.002")

    request = swarm(answer_within=timedelta(seconds=3))
    agents = tuple(AgentConfig(agent=agent, model=MODEL) for agent in BY_A_MODEL)
    changes = {"agents": agents, "budget": BudgetConfig(usd=Decimal(20))}
    request = request.model_copy(update={"policy": request.policy.model_copy(update=changes)})
    analyst = ScriptedAnalyst(script)
    async with desk_workers(client, directory, analyst=analyst, servers=SWARM_SERVERS):
        run = await start_swarm(client, request, run_id="swarm-judged")
        await run.result()
    specialist = specialist_run_id(run.id, "technical")
    await write("swarm_judged", run)
    await write("specialist_judged", client.get_workflow_handle(specialist))


def _swarm_turn(request: TurnRequest) -> Turn:
    task = request.assignment
    if task.task_type is TaskType.CONCLUDE_SWARM:
        sound = lower_in_four_weeks()
        groundless = sound.model_copy(
            update={"hypothesis_id": "groundless", "claims": ("USD/JPY:high",)}
        )
        words = "" if request.rejected else f" {INVENTED}"
        said = concluded(request).summary + words
        return Turn(result=concluded(request, summary=said, hypotheses=(sound, groundless)))
    if not request.exchanges:
        return swarm_turn(request)
    if task.agent is AgentId.TECHNICAL_SPECIALIST:
        result = swarm_found(request, leaning=Leaning.UP, confidence=0.1)
        if not request.rejected:
            result = _worse(result)
        return Turn(result=result)
    if task.agent is AgentId.MARKET_SPECIALIST:
        return Turn(result=swarm_found(request, value="100.60", confidence=0.6))
    return swarm_turn(request)


def _worse(result: ResearchResult) -> ResearchResult:
    """The first finding with a figure that nothing backs."""
    said = result.findings[0]
    worse = said.model_copy(update={"statement": f"{said.statement} {INVENTED}"})
    return result.model_copy(update={"findings": (worse,)})


async def _record_hypothesis(client: Client, directory: Path) -> None:
    """Wait for a hypothesis that is due in a moment, and a minute later for a price."""
    prices, now = Prices(value=None), datetime.now(UTC)
    about = hypothesis(
        level_on=(now - timedelta(days=7)).date(), due=now + timedelta(seconds=2), weeks=1
    )
    request = hypothesis_request(about, made_as_of=now, swarm="swarm-judged-prices")
    async with hypothesis_workers(client, directory, prices=prices):
        waits = await begun_hypothesis(client, request)
        while not prices.asked_at:
            await asyncio.sleep(0.1)
        prices.value = "151.00"
        await waits.result()
        await write("hypothesis_judged", waits)


async def _record_learning(client: Client, directory: Path) -> None:
    """Score the forecasts of some weeks, with a source that is away first."""
    async with desk_workers(client, directory, tools=Fixings(away=2, open=True)):
        handle = await client.start_workflow(
            LearningSystemWorkflow.run,
            LearningRequest(),
            id=f"{LEARNING_SYSTEM_ID}-judged",
            task_queue=Queue.DESK,
        )
        for number in range(3):
            await handle.signal(Message.LEARN, lesson(number))
            await handle.execute_update(Message.ADVISE, question(number + 1))
        soon = datetime.now(UTC) + timedelta(seconds=2)
        await handle.signal(Message.LEARN, lesson(3, forecasts=(forecast(0, due=soon),)))
        await asyncio.sleep(3)
        await write("learning_system_judged", handle)
        await handle.terminate()


async def _record_stock(client: Client, directory: Path) -> None:
    """Research a stock with models, one sentence mended, and a price that comes late."""

    def script(request: TurnRequest) -> Turn:
        turn = stock_turn(request)
        if request.assignment.task_type is TaskType.GENERATE_INSIGHT and not request.rejected:
            assert isinstance(turn.result, ResearchResult)
            turn = Turn(result=_worse(turn.result))
        return turn if request.model == BUILTIN else priced(turn, "0.002")

    as_of = datetime.now(UTC) - timedelta(weeks=4) - SETTLING + timedelta(seconds=3)
    request = episode(steps=(StockAction.RUN_TA_BASIC, *ORDER[-3:]), as_of=as_of)
    agents = tuple(AgentConfig(agent=agent, model=MODEL) for agent in BY_A_MODEL)
    changes = {"agents": agents, "budget": BudgetConfig(usd=Decimal(20))}
    request = request.model_copy(update={"policy": request.policy.model_copy(update=changes)})
    analyst = ScriptedAnalyst(script)
    async with desk_workers(
        client, directory, analyst=analyst, tools=Outcomes(away=2), servers=STOCK_SERVERS
    ):
        waits = await start_episode(client, request, run_id="stock-judged")
        await waits.result()
        await write("stock_judged", waits)
