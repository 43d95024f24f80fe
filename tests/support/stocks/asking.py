"""Requests to the agents of a stock's episode, and an episode of the built-in ones without
Temporal: the real servers in this process, and the blackboard that is written onto."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from mcp import Client
from mcp.types import TextContent

from desk.analytics.evaluation import position_name
from desk.contracts.agents.tasks import Query, TaskAssignment, TaskType
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import USUAL_WEEKS, ActionChoice, Blackboard
from desk.contracts.findings.results import ResearchResult
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import AgentResult, Exchange, StateEntry, Turn, TurnRequest
from desk.contracts.weeks import TimeWindow
from desk.programs.episode.actions import DATA, pointers_of, values_of
from desk.programs.episode.blackboard import StockBoard
from desk.programs.episode.program import STOCK_TASKS
from desk.programs.turns import builtin_turn
from desk.runs.assignments.tasks import place_of, week_before
from desk.sources.analysis import server as analysis
from desk.sources.sentiment import server as sentiment
from desk.trust.prose.prose_review import review

CONTROLLER: Final = "controller"
AS_OF: Final = datetime(2024, 6, 10, 23, tzinfo=UTC)
NVIDIA: Final = MarketSpec(market="NVDA", kind=MarketKind.STOCK, group=MarketGroup.STOCKS, digits=2)


def stock(symbol: str) -> MarketSpec:
    """A stock as an episode describes it."""
    return NVIDIA.model_copy(update={"market": symbol})


def assigned(
    task: TaskType,
    agent: AgentId,
    name: str,
    *,
    market: MarketSpec = NVIDIA,
    as_of: datetime = AS_OF,
    **parameters: str,
) -> TaskAssignment:
    """A task of an episode, with what its query says."""
    return TaskAssignment(
        task_id=name,
        task_type=task,
        agent=agent,
        week=week_before(as_of),
        market=market,
        window=TimeWindow(start=as_of - timedelta(days=8), end=as_of, time_zone="UTC"),
        deadline=as_of + timedelta(hours=1),
        query=Query(
            question=f"{market.market}: buy, hold or sell?",
            parameters={"symbol": market.market, **parameters},
        ),
    )


def acting(action: StockAction, round_: int = 1, **given: Any) -> TaskAssignment:
    """The task that carries out an action."""
    agent, task = STOCK_TASKS[action]
    return assigned(task, agent, place_of(action, round_), **given)


def choosing(number: int = 1, **given: Any) -> TaskAssignment:
    """The choice of a step."""
    name = place_of(CONTROLLER, number)
    return assigned(TaskType.CHOOSE_ACTION, AgentId.CONTROLLER_AGENT, name, **given)


def unrejected(result: AgentResult, state: Sequence[StateEntry] = ()) -> AgentResult:
    """A result, of which the figure gate rejects nothing."""
    rejected = review(result, state=state)
    assert not rejected, rejected
    return result


@dataclass
class Played:
    """An episode as it was played, and how."""

    clients: Mapping[str, Client]
    symbol: str = "NVDA"
    as_of: datetime = AS_OF
    weeks: int = USUAL_WEEKS
    cost: str = "0.10"
    board: StockBoard = field(init=False)
    state: dict[str, StateEntry] = field(default_factory=dict)
    chosen: list[StockAction] = field(default_factory=list)
    refused: str | None = None

    def __post_init__(self) -> None:
        self.board = StockBoard(self.symbol, self.as_of, self.weeks)

    @property
    def told(self) -> Blackboard:
        """The blackboard as it stands."""
        return self.board.snapshot()

    def research(self, action: StockAction) -> ResearchResult:
        """What an action brought."""
        result = self.state[action].result
        assert isinstance(result, ResearchResult)
        return result

    @property
    def synthesis(self) -> Synthesis:
        """What was recommended."""
        result = self.state[StockAction.GENERATE_RECOMMENDATION].result
        assert isinstance(result, Synthesis)
        return result

    async def play(self, *steps: StockAction) -> "Played":
        """Carry out the steps, or what the controller chooses, until it chooses nothing."""
        asked = {"steps": ",".join(steps)} if steps else {}
        while True:
            step = len(self.chosen) + 1
            turn = await self._work(
                choosing(step, market=stock(self.symbol), as_of=self.as_of, **asked)
            )
            if turn.failure is not None:
                self.refused = turn.failure.error_message
                return self
            assert isinstance(turn.result, ActionChoice)
            if turn.result.action is None:
                return self
            self.chosen.append(turn.result.action)
            await self.act(turn.result.action)

    async def act(self, action: StockAction) -> AgentResult:
        """What an action's agent delivers, written onto the blackboard."""
        round_ = self.chosen.count(action) or 1
        turn = await self._work(self._task(action, round_))
        assert turn.result is not None, turn.failure
        result = unrejected(turn.result, tuple(self.state.values()))
        self.state[action] = StateEntry(key=action, node=action, round=round_, result=result)
        self._write(action, result)
        return result

    def _task(self, action: StockAction, round_: int) -> TaskAssignment:
        given: dict[str, Any] = {"market": stock(self.symbol), "as_of": self.as_of}
        if action is StockAction.EVALUATE_PERFORMANCE:
            advised = self.board.recommendation
            assert advised is not None
            given |= {
                "as_of": self.as_of + timedelta(weeks=self.weeks),
                "made_at": self.as_of.isoformat(),
                "position": position_name(advised.action),
                "cost": self.cost,
            }
        return acting(action, round_, **given)

    def _write(self, action: StockAction, result: AgentResult) -> None:
        if isinstance(result, Synthesis):
            assert result.recommendation is not None
            self.board.write_recommendation(result.recommendation)
            return
        assert isinstance(result, ResearchResult)
        if action is StockAction.GENERATE_INSIGHT:
            self.board.write_insights(pointers_of(result))
        elif action in DATA:
            self.board.write_part(action, *values_of(result.claims, action, self.symbol))
        else:
            self.board.write_evaluation(*values_of(result.claims, action, self.symbol))

    async def _work(self, task: TaskAssignment) -> Turn:
        request = TurnRequest(
            assignment=task, state=tuple(self.state.values()), board=self.board.snapshot()
        )
        turn = builtin_turn(request)
        while turn.calls:
            results = tuple([await self._ask(call, task.window.end) for call in turn.calls])
            exchanges = (*request.exchanges, Exchange(results=results))
            request = request.model_copy(update={"exchanges": exchanges})
            turn = builtin_turn(request)
        return turn

    async def _ask(self, call: ToolCall, as_of: datetime) -> ToolResult:
        given = {**call.arguments, "as_of": as_of.isoformat()}
        answer = await self.clients[call.server].call_tool(call.tool, given)
        if not answer.is_error:
            return ToolResult(
                call=call,
                status=ToolStatus.OK,
                content=answer.structured_content,
                retrieved_at=as_of,
            )
        (words,) = answer.content
        assert isinstance(words, TextContent)
        return ToolResult(call=call, status=ToolStatus.REFUSED, error=words.text)


@asynccontextmanager
async def offline_servers() -> AsyncIterator[Mapping[str, Client]]:
    """The servers that the agents of an episode ask, in this process and without a network."""
    async with (
        Client(analysis.build_server()) as prices,
        Client(sentiment.build_server()) as news,
    ):
        yield {"analysis": prices, "sentiment": news}
