"""A model that spends: scripted turns with a price, and a budget to pay them from."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from temporalio.client import Client

from desk.contracts.agents.budget import Allowance, BudgetConfig
from desk.contracts.agents.config import AgentConfig, RunConfig
from desk.contracts.agents.tasks import AgentLimits, TaskType
from desk.contracts.agents.usage import BUILTIN, Usage
from desk.contracts.findings.results import Commentary
from desk.contracts.markets import MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Turn, TurnRequest
from tests.support.runs.desk import desk_config, desk_workers
from tests.support.runs.scripted import Script, ScriptedTools, both_on_every_market, ordinary_turn
from workflows.week.market import MarketResearchWorkflow

MODEL = "claude-sonnet-5-5"
CHEAPER = "claude-haiku-5-5"
SOURCES = ("ecb", "central_banks", "official_statistics")
TOKENS = 1_000
"""What every call reads and writes, together."""

PAUSE_SECONDS = 0.01
"""How long a call takes, so that others are under way at the same time."""


def budgeted(
    *markets: MarketSpec,
    usd: str | None = None,
    tokens: int | None = None,
    planner: str = BUILTIN,
    limits: AgentLimits | None = None,
    open_for: timedelta = timedelta(days=2),
) -> RunConfig:
    """A desk whose agents are models, but for the product manager, with so much to spend."""
    config = desk_config(*markets, open_for_seconds=open_for.total_seconds())
    agents = tuple(
        AgentConfig(
            agent=agent,
            model=planner if agent is AgentId.PRODUCT_MANAGER else MODEL,
            limits=limits,
        )
        for agent in AgentId
    )
    budget = BudgetConfig(usd=usd, tokens=tokens, cheaper_model=CHEAPER)
    policy = {"agents": agents, "budget": budget, "sources": SOURCES}
    return config.model_copy(update={"policy": config.policy.model_copy(update=policy)})


def model_desk(
    client: Client,
    directory: Path,
    analyst: "Spender",
    market_research: type = MarketResearchWorkflow,
) -> AbstractAsyncContextManager[None]:
    """Every role's worker, with the model in place of the analysts; no source names a tool."""
    tools = ScriptedTools(offered=dict.fromkeys(SOURCES, ()))
    return desk_workers(
        client, directory, analyst=analyst, tools=tools, market_research=market_research
    )


def priced(turn: Turn, usd: Decimal | str, model: str = MODEL) -> Turn:
    """The turn as a model's, at a price."""
    usage = Usage(input_tokens=TOKENS - 100, output_tokens=100, cost_usd=usd, model=model)
    return turn.model_copy(update={"usage": usage})


def task_of(request: TurnRequest) -> str:
    """The task that a turn is taken on."""
    return request.assignment.task_id


@dataclass(frozen=True)
class Call:
    """One call of a model, as its bill says."""

    task: str
    model: str
    usd: Decimal
    allowed: Allowance
    last: bool


@dataclass
class Spender:
    """The desk's own questions for nothing, then calls of a model at a price.

    A call that could cost more than it may is not made. `says` is what a model answers; without
    an answer of it, it delivers. `dearer` calls cost so many times what they are allowed.
    """

    price: Callable[[TurnRequest], Decimal] = lambda _: Decimal("0.03")
    says: Script = lambda _: None
    dearer: int = 0
    built_in: Script = lambda _: None
    calls: list[Call] = field(default_factory=list)
    under_way: Decimal = Decimal(0)
    most_at_stake: Decimal = Decimal(0)

    @property
    def usd(self) -> Decimal:
        """All bills together."""
        return sum((call.usd for call in self.calls), Decimal(0))

    def of(self, task: str) -> list[Call]:
        """The calls on a task, oldest first."""
        return [call for call in self.calls if call.task == task]

    async def __call__(self, request: TurnRequest) -> Turn:
        """The next turn."""
        kind = request.assignment.task_type
        asks_first = kind in (TaskType.RESEARCH_FX, TaskType.RESEARCH_RATES)
        if request.model == BUILTIN or (asks_first and not request.exchanges):
            return self.built_in(request) or _of_the_desk(request)
        usd, most = self.price(request), request.allowance.usd
        if self.dearer and most is not None:
            usd = most * self.dearer
        elif most is not None and usd > most:
            return Turn(over_budget=f"a call of {request.model} could cost more than is left")
        elif request.allowance.tokens is not None and request.allowance.tokens < TOKENS:
            return Turn(over_budget=f"a call of {request.model} reads more than is left")
        return await self._billed(request, usd)

    async def _billed(self, request: TurnRequest, usd: Decimal) -> Turn:
        said, reserved = self.says(request), request.allowance.usd or Decimal(0)
        self.under_way += reserved
        self.most_at_stake = max(self.most_at_stake, self.usd + self.under_way)
        await asyncio.sleep(PAUSE_SECONDS)
        self.under_way -= reserved
        bill = Call(task_of(request), request.model, usd, request.allowance, request.last)
        self.calls.append(bill)
        return priced(said or _of_the_desk(request), usd, request.model)


def _of_the_desk(request: TurnRequest) -> Turn:
    kind = request.assignment.task_type
    if kind is TaskType.PLAN_WEEK:
        return Turn(result=both_on_every_market(request))
    if kind is TaskType.COMMENT_WEEK:
        return Turn(result=Commentary(task_id=task_of(request), sentences=("A quiet week.",)))
    return ordinary_turn(request)
