"""The tasks that an episode gives: to its controller, and to those who carry out its actions.

Light: the workflow uses it.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, TypedDict, Unpack

from desk.agents.task_kinds import STOCK_TASKS
from desk.analytics.evaluation import position_name
from desk.contracts.agents.tasks import AgentLimits, Query, TaskAssignment, TaskType, ToolName
from desk.contracts.episode.run import StockRequest
from desk.contracts.episode.stock import Recommended, StockAction
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.weeks import TimeWindow
from desk.programs.episode.horizon import due_of
from desk.programs.episode.run.graph import CONTROLLER
from desk.runs.assignments.graph_assignments import place_of, week_before

CHOOSES: Final = 1
ACTS: Final = 2
"""Priorities: everybody waits for the controller."""

CHOICE: Final = (AgentId.CONTROLLER_AGENT, TaskType.CHOOSE_ACTION)

DIGITS: Final = 2


def market_of(symbol: str) -> MarketSpec:
    """The stock that an episode is about."""
    return MarketSpec(market=symbol, kind=MarketKind.STOCK, group=MarketGroup.STOCKS, digits=DIGITS)


def query_of(request: StockRequest, as_of: datetime) -> Query:
    """What an episode asks, with all that it was asked with."""
    told = {
        "symbol": request.symbol,
        "weeks": str(request.weeks),
        "cost": str(request.cost),
        "due": due_of(as_of, request.weeks).isoformat(),
        "as_of": as_of.isoformat(),
    }
    if request.steps:
        told["steps"] = ",".join(request.steps)
    horizon = f"{request.weeks} weeks" if request.weeks > 1 else "week"
    question = f"{request.symbol}: buy, hold or sell for the next {horizon}?"
    return Query(question=question, parameters=told)


def outcome_parameters(as_of: datetime, recommended: Recommended) -> Mapping[str, str]:
    """What an evaluator is told besides: when the position was taken, and which it was."""
    return {"made_at": as_of.isoformat(), "position": position_name(recommended)}


class Given(TypedDict):
    """What an agent has for a task: until when, and from its profile its tools and its limits."""

    deadline: datetime
    tools: tuple[ToolName, ...]
    limits: AgentLimits


def episode_task(
    node: str,
    round_: int,
    request: StockRequest,
    query: Query,
    window: TimeWindow,
    **given: Unpack[Given],
) -> TaskAssignment:
    """The choice of the next action at the controller's node, and at that of an action what is to
    be done for it. Tools are asked as of the end of the window."""
    chooses = node == CONTROLLER
    agent, kind = CHOICE if chooses else STOCK_TASKS[StockAction(node)]
    return TaskAssignment(
        task_id=place_of(node, round_),
        task_type=kind,
        agent=agent,
        week=week_before(window.end),
        market=market_of(request.symbol),
        window=window,
        priority=CHOOSES if chooses else ACTS,
        base_area=request.policy.base_area,
        query=query,
        **given,
    )
