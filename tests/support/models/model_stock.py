"""A stock's episode with models in it: requests as a model is asked them, and what a scripted
Claude says in a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from desk.contracts.agents.tasks import AgentLimits, Query, TaskAssignment, TaskType
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.analysis import Analysis, MeasuredFigure
from desk.contracts.episode.stock import Blackboard
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Leaning, ResearchResult
from desk.contracts.runs.turns import Exchange, StateEntry, TurnRequest
from desk.programs.episode.actions import DATA, Pointer, values_of
from desk.programs.episode.blackboard import StockBoard
from desk.programs.episode.program import STOCK_TASKS
from desk.programs.turns import builtin_turn
from tests.support.builders import answered, failed, window
from tests.support.models.model_questions import Part
from tests.support.models.model_week import NO_FAULT
from tests.support.swarms.asking import AS_OF, COMPUTED, DAY, MODEL, NVIDIA, WEEK, digest

SYMBOL: Final = NVIDIA.market
QUESTION: Final = "NVDA: buy, hold or sell for the next 4 weeks?"

FIGURES: Final[Mapping[str, Mapping[Metric, str]]] = MappingProxyType(
    {
        "market_data": {
            Metric.LAST: "120.89",
            Metric.MOVE: "0.50",
            Metric.QUARTER_MOVE: "41.20",
            Metric.YEAR_HIGH: "125.00",
            Metric.YEAR_LOW: "38.00",
            Metric.VOLATILITY: "50.10",
            Metric.EXPECTED_LOW: "104.00",
            Metric.EXPECTED_HIGH: "140.00",
        },
        "indicator_calculator": {
            Metric.RSI: "74.2",
            Metric.SMA_50: "98.10",
            Metric.MACD_HISTOGRAM: "0.61",
            Metric.ADX: "31.0",
        },
        "pattern_detector": {Metric.PATTERN_COUNT: "2"},
        "news_aggregator": {Metric.NEWS_COUNT: "1"},
        "sentiment_analyzer": {Metric.NEWS_TONE: "-12.0"},
        "ratio_calculator": {Metric.PRICE_TO_EARNINGS: "70.5"},
    }
)
"""What the tools of a small world measure on the stock."""

ROLES: Final = {
    "controller": "You are the Controller",
    "news": "Your step is FETCH_NEWS",
    "fundamentals": "Your step is FETCH_FUNDAMENTALS",
    "sentiment": "Your step is FETCH_SENTIMENT",
    "ta_basic": "Your step is RUN_TA_BASIC",
    "ta_advanced": "Your step is RUN_TA_ADVANCED",
    "insight": "You are the Insight agent",
    "recommendation": "You are the Recommendation agent",
}
"""A sentence of each one's prompt that no other has."""


@dataclass
class Episode:
    """The lines of the agents of an episode."""

    parts: list[Part] = field(default_factory=list)

    def role(self, name: str, round_: int = 1) -> Part:
        """The lines of one of them; of the controller those of one step."""
        where = f'"step": {round_},' if name == "controller" else '"board": {'
        part = Part("", {"systemMessage": ROLES[name], "userMessage": where})
        self.parts.append(part)
        return part

    def fixtures(self) -> list[dict[str, Any]]:
        """All that is said, as aimock takes it."""
        return [*(fixture for part in self.parts for fixture in part.fixtures), NO_FAULT]


def blank(action: StockAction | None = None, **fields: Any) -> TurnRequest:
    """The first request to an action's agent; without an action, to the controller."""
    agent, task = STOCK_TASKS[action] if action else ("controller_agent", TaskType.CHOOSE_ACTION)
    assignment = TaskAssignment.model_validate(
        {
            "task_id": f"{action or 'controller'}",
            "task_type": task,
            "agent": agent,
            "week": WEEK,
            "market": NVIDIA,
            "window": window(WEEK),
            "deadline": AS_OF.replace(hour=23),
            "query": Query(question=QUESTION, parameters={"symbol": SYMBOL, "weeks": "4"}),
            "limits": AgentLimits(max_calls=10),
        }
    )
    empty = Blackboard(symbol=SYMBOL, as_of=AS_OF)
    request = TurnRequest(assignment=assignment, board=empty, model=MODEL)
    return request.model_copy(update=fields)


def working(action: StockAction, *, news: str = "Chips sell well", **fields: Any) -> TurnRequest:
    """The request to an action's agent when the desk's own questions are answered."""
    request = blank(action)
    while calls := builtin_turn(request).calls:
        results = tuple(_answer(call, news) for call in calls)
        exchanges = (*request.exchanges, Exchange(results=results))
        request = request.model_copy(update={"exchanges": exchanges})
    return request.model_copy(update=fields)


def part(action: StockAction, *, news: str = "Chips sell well") -> ResearchResult:
    """What the built-in agent brings."""
    made = builtin_turn(working(action, news=news)).result
    assert isinstance(made, ResearchResult)
    return made


def board_after(*parts: StockAction, pointers: tuple[Pointer, ...] | None = None) -> StockBoard:
    """The blackboard after some parts were written, and where given, insights."""
    board = StockBoard(SYMBOL, AS_OF)
    for action in parts:
        board.write_part(action, *values_of(part(action).claims, action, SYMBOL))
    if pointers is not None:
        board.write_insights(pointers)
    return board


def shown(
    action: StockAction | None,
    *parts: StockAction,
    pointers: tuple[Pointer, ...] | None = None,
    **fields: Any,
) -> TurnRequest:
    """The request to an agent that is shown the blackboard and what the parts' agents brought."""
    state = tuple(StateEntry(key=each, node=each, result=part(each)) for each in parts)
    board = board_after(*parts, pointers=pointers).snapshot()
    return blank(action, **{"board": board, "state": state, **fields})


def pointer(topic: str, leaning: Leaning, metric: Metric, strength: float = 0.5) -> Pointer:
    """An insight on one figure."""
    words = f"It stands at [[{SYMBOL}:{metric}]]."
    return Pointer(topic, leaning, strength, (metric,), words)


BOTH_WAYS: Final = (
    pointer("trend", Leaning.UP, Metric.QUARTER_MOVE),
    pointer("stretch", Leaning.DOWN, Metric.RSI),
    pointer("patterns", Leaning.NEUTRAL, Metric.PATTERN_COUNT),
)
PRICES: Final = (StockAction.RUN_TA_BASIC, StockAction.RUN_TA_ADVANCED)
ALL: Final = DATA


def insight(topic: str = "trend", metric: str = "quarter_move", **changed: Any) -> dict[str, Any]:
    """An insight as a model gives it."""
    line = {
        "topic": topic,
        "statement": f"It is at [[{SYMBOL}:{metric}]].",
        "leaning": "up",
        "strength": 0.6,
        "claims": [f"{SYMBOL}:{metric}"],
    }
    return {**line, **changed}


def advice(summary: str | None = None, **changed: Any) -> dict[str, Any]:
    """A recommendation as a model gives it."""
    line = {
        "action": "buy",
        "confidence": 0.3,
        "probability": 0.56,
        "reasons_for": ["trend"],
        "reasons_against": ["stretch"],
    }
    usual = f"Buy: it has risen by [[{SYMBOL}:quarter_move]]."
    return {
        "summary": usual if summary is None else summary,
        "sections": [
            {"title": "Against", "content": f"Its strength index is [[{SYMBOL}:rsi]]."},
        ],
        "recommendation": {**line, **changed},
    }


def _answer(call: ToolCall, news: str) -> ToolResult:
    if call.tool not in FIGURES:
        return failed(call, ToolStatus.REFUSED, "there is no such thing")
    figures = tuple(
        MeasuredFigure(metric=metric, value=Decimal(value), as_of=DAY)
        for metric, value in FIGURES[call.tool].items()
    )
    if call.tool == "news_aggregator":
        return answered(call, digest(news, SYMBOL).model_copy(update={"figures": figures}))
    measured = Analysis(
        as_of=AS_OF,
        source=COMPUTED,
        symbol=SYMBOL,
        method=f"how {call.tool} computes",
        figures=figures,
    )
    return answered(call, measured)
