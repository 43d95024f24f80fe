"""The tasks of an episode: for its controller, and for the agents that carry out its actions."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from desk.agents.program import AgentProfile
from desk.analytics.evaluation import position_name
from desk.contracts.agents.tasks import Query, TaskAssignment, TaskType
from desk.contracts.episode.actions import Charges, StockAction
from desk.contracts.episode.stock import Recommended
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.runs.episode import StockRequest
from desk.contracts.weeks import TimeWindow
from desk.programs.episode.horizon import due_of
from desk.programs.episode.program import STOCK_TASKS
from desk.programs.episode.run.graph import CONTROLLER
from desk.runs.assignments import assignment_of, place_of

CHOOSES: Final = 1
ACTS: Final = 2
"""Priorities: everything waits for the controller."""

DIGITS: Final = 2

MOST_STEPS: Final = "most_steps"
"""The parameter with the most steps a controller may choose, if it differs from the default."""

_USUALLY: Final[int] = StockRequest.model_fields["most_steps"].default


def market_of(symbol: str) -> MarketSpec:
    """The stock that an episode is about."""
    return MarketSpec(market=symbol, kind=MarketKind.STOCK, group=MarketGroup.STOCKS, digits=DIGITS)


def query_of(request: StockRequest, as_of: datetime) -> Query:
    """The query of an episode, with all of its request's parameters."""
    told = {
        "symbol": request.symbol,
        "weeks": str(request.weeks),
        "cost": str(request.cost),
        "due": due_of(as_of, request.weeks).isoformat(),
        "as_of": as_of.isoformat(),
    }
    if request.steps:
        told["steps"] = ",".join(request.steps)
    elif request.most_steps != _USUALLY:
        told[MOST_STEPS] = str(request.most_steps)
    if request.charges:
        told["charges"] = charges_told(request.charges)
    return Query(question=question_on(request.symbol, request.weeks), parameters=told)


def question_on(symbol: str, weeks: int) -> str:
    """The question of an episode about a stock, over its horizon."""
    horizon = f"{weeks} weeks" if weeks > 1 else "week"
    return f"{symbol}: buy, hold or sell for the next {horizon}?"


def charges_told(charges: Charges) -> str:
    """`FETCH_NEWS 0.005, RUN_TA_BASIC 0.005`, in the order of the actions."""
    named = (f"{action} {charges[action]}" for action in StockAction if action in charges)
    return ", ".join(named)


def charges_in(query: Query | None) -> Mapping[str, str]:
    """The charge of each action, by its name, parsed from the form of `charges_told`."""
    told = query.parameters.get("charges", "") if query else ""
    return dict(line.split(" ", 1) for line in told.split(", ") if line)


def steps_left(query: Query | None, taken: int) -> int:
    """How many more steps a controller may choose, after `taken` steps."""
    told = query.parameters.get(MOST_STEPS) if query else None
    return int(told or _USUALLY) - taken


def outcome_parameters(as_of: datetime, recommended: Recommended) -> Mapping[str, str]:
    """Additional parameters of an evaluation: when the position was taken, and which it was."""
    return {"made_at": as_of.isoformat(), "position": position_name(recommended)}


def episode_task(
    profile: AgentProfile,
    node: str,
    round_: int,
    request: StockRequest,
    query: Query,
    window: TimeWindow,
    deadline: datetime,
) -> TaskAssignment:
    """Builds the task at a node: the choice of the next action at the controller's, otherwise the
    action's own task. Tools are called as of the end of the window."""
    chooses = node == CONTROLLER
    return assignment_of(
        profile,
        request.policy,
        TaskType.CHOOSE_ACTION if chooses else STOCK_TASKS[StockAction(node)][1],
        place_of(node, round_),
        window,
        deadline,
        market=market_of(request.symbol),
        priority=CHOOSES if chooses else ACTS,
        query=query,
    )
