"""Hypotheses, a source of prices to hold them against, and workers that wait for them."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import JsonValue
from temporalio import activity
from temporalio.client import Client, WorkflowHandle
from temporalio.worker import Worker

from activities.effects import heartbeating
from activities.judging import JudgeActivities
from activities.learning import LearningActivities
from activities.tool_calls import ToolActivities
from desk.contracts.findings.results import Leaning
from desk.contracts.learning.memory import MemoryEntries, MemoryEntry, Remembered
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.names import AgentId, Queue, hypothesis_run_id, source_queue
from desk.contracts.runs.swarm import HypothesisRequest
from desk.contracts.swarm.hypotheses import (
    Hypothesis,
    HypothesisKind,
    HypothesisState,
    ScoredHypothesis,
)
from desk.learning.hypotheses.prices import expected_day
from desk.learning.hypotheses.scoring import brier_score
from desk.platform.effects.journal import EffectJournal
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer, ToolUnreachable
from tests.support.runs.desk import pair
from tests.support.runs.scripted import ScriptedTools
from workers.tuning import TUNING
from workflows.learning import LearningSystemWorkflow
from workflows.swarm.hypothesis import HypothesisWorkflow

Handle = WorkflowHandle[HypothesisWorkflow, ScoredHypothesis]

MADE = datetime(2026, 1, 5, 7, tzinfo=UTC)
SWARM = "swarm-0a1b2c"


def stock(market: str = "NVDA") -> MarketSpec:
    """A stock."""
    return MarketSpec(market=market, kind=MarketKind.STOCK, group=MarketGroup.STOCKS, digits=2)


def hypothesis(**fields: Any) -> Hypothesis:
    """USD/JPY is above 150.00 twelve weeks after it was made: 70 % likely."""
    given = {
        "hypothesis_id": "h1",
        "market": pair("USD/JPY"),
        "kind": HypothesisKind.DIRECTION,
        "leaning": Leaning.UP,
        "level": Decimal("150.00"),
        "level_on": (MADE - timedelta(days=3)).date(),
        "weeks": 12,
        "due": MADE + timedelta(weeks=12),
        "probability": 0.7,
        "statement": "[[USD/JPY:last]] is left behind",
        "refuted_by": "a close at or below [[USD/JPY:last]]",
        "claims": ("USD/JPY:last",),
        **fields,
    }
    return Hypothesis.model_validate(given)


def hypothesis_request(about: Hypothesis | None = None, **fields: Any) -> HypothesisRequest:
    """What a swarm starts the wait with."""
    given = {
        "hypothesis": about or hypothesis(),
        "swarm": SWARM,
        "objective": "is the yen carry trade unwinding?",
        "made_as_of": MADE,
        "by": (AgentId.TECHNICAL_SPECIALIST,),
        **fields,
    }
    return HypothesisRequest.model_validate(given)


def scored_hypothesis(number: int = 0, *, held: bool = True, **fields: Any) -> ScoredHypothesis:
    """One whose horizon has passed, each a week after the one before."""
    about = hypothesis(weeks=12 + number, due=MADE + timedelta(weeks=12 + number))
    state = HypothesisState.HELD if held else HypothesisState.REFUTED
    given = {
        "workflow_id": hypothesis_run_id(SWARM, f"h{number}"),
        "hypothesis": about,
        "state": state,
        "value": Decimal("151.00") if held else Decimal("149.00"),
        "value_on": about.due.date(),
        "score": brier_score(about.probability, state),
        "scored_at": about.due + timedelta(minutes=1),
        "made_as_of": MADE,
        **fields,
    }
    return ScoredHypothesis.model_validate(given)


@dataclass
class Prices(ScriptedTools):
    """Answers with `value` for the last day that was to be known at the instant that is asked for.

    So many times it is `away` first. It has nothing after `ends`, nothing of the day on which it is
    `closed`, and no price of a pair without `value`. A stock had `before` on every day but the
    last. `asked_at` are the instants it was asked for.
    """

    value: str | None = "151.00"
    away: int = 0
    ends: datetime | None = None
    closed: date | None = None
    before: str = "100.00"
    asked_at: list[datetime] = field(default_factory=list)

    async def call(self, call: ServerCall) -> ToolAnswer:
        """See `desk.platform.mcp.tool_calling.ToolCaller`."""
        arguments = call.arguments
        self.calls[call.name] += 1
        at = datetime.fromisoformat(str(arguments["as_of"]))
        self.asked_at.append(at)
        if self.away:
            self.away -= 1
            raise ToolUnreachable(f"{call.server}: it is away")
        known = min(at, self.ends) if self.ends else at
        if call.tool == "get_quote":
            return ToolAnswer(content=self._quote(str(arguments["symbol"]), known))
        return ToolAnswer(content=self._history(str(arguments["start"]), known))

    def _quote(self, symbol: str, known: datetime) -> JsonValue:
        if self.value is None:
            return {"symbol": symbol, "missing": "no fixing of it"}
        day = self._last_day(MarketKind.PAIR, known)
        return {"symbol": symbol, "value": self.value, "fixed_on": day}

    def _history(self, start: str, known: datetime) -> JsonValue:
        last = self._last_day(MarketKind.STOCK, known)
        return {"days": [start, last], "closes": [self.before, self.value]}

    def _last_day(self, kind: MarketKind, known: datetime) -> str:
        last = expected_day(kind, known)
        if last == self.closed:
            last = expected_day(kind, known - timedelta(days=1))
        return last.isoformat()


@dataclass
class Memory:
    """Keeps what it is given, or says why not."""

    missing: str | None = None
    entries: list[MemoryEntry] = field(default_factory=list)

    @activity.defn
    async def remember(self, given: MemoryEntries) -> Remembered:
        """See `activities.memory`."""
        async with heartbeating():
            if self.missing:
                return Remembered(missing=self.missing)
            self.entries.extend(given.entries)
            return Remembered(stored=len(self.entries))


@asynccontextmanager
async def hypothesis_workers(
    client: Client,
    directory: Path,
    *,
    prices: Prices | None = None,
    memory: Memory | None = None,
    learning: LearningActivities | None = None,
    cached: int = 100,
) -> AsyncIterator[None]:
    """Workers for hypotheses, their sources, and the learning system. `cached` is how many
    workflows they keep between two tasks; with 0 each is replayed at every task."""
    journal = EffectJournal(directory / "effects.db")
    calls = ToolActivities(prices or Prices(), journal)
    telling = learning or LearningActivities()
    desk = Worker(
        client,
        task_queue=Queue.DESK,
        workflows=[HypothesisWorkflow, LearningSystemWorkflow],
        activities=[telling.tell_hypothesis, (memory or Memory()).remember, *JudgeActivities().all],
        max_cached_workflows=cached,
        **TUNING,
    )
    async with AsyncExitStack() as stack:
        stack.callback(journal.close)
        await stack.enter_async_context(desk)
        for server in ("ecb", "analysis"):
            queue = source_queue(server)
            worker = Worker(client, task_queue=queue, activities=[calls.call_tool], **TUNING)
            await stack.enter_async_context(worker)
        yield


async def begun(client: Client, request: HypothesisRequest) -> Handle:
    """A hypothesis that waits."""
    return await client.start_workflow(
        HypothesisWorkflow.run,
        request,
        id=hypothesis_run_id(request.swarm, request.hypothesis.hypothesis_id),
        task_queue=Queue.DESK,
    )
