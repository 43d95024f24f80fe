"""A market says what it has spent while it is at work, which is what a watcher shows."""

import asyncio
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from temporalio.client import Client

from desk.contracts.agents.tasks import TaskType
from desk.contracts.names import market_run_id, week_run_id
from desk.contracts.runs.turns import Turn, TurnRequest
from starters.monitoring.watch.snapshot import WorkflowRun, spending_of
from tests.support.models.spending import TOKENS, Spender, budgeted, model_desk
from tests.support.runs.desk import WEEK, pair, start_week

MARKET = "USD/JPY"


@dataclass
class HeldAtTheValidator(Spender):
    """A model whose last call on a market waits until it is let go."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, request: TurnRequest) -> Turn:
        """The next turn."""
        if request.assignment.task_type is TaskType.VALIDATE:
            self.reached.set()
            await self.go_on.wait()
        return await super().__call__(request)


async def test_a_market_tells_what_its_turns_have_cost_before_it_is_back(
    client: Client, tmp_path: Path
) -> None:
    spender = HeldAtTheValidator(price=lambda _: Decimal("0.02"))
    runs = {MARKET: WorkflowRun(market_run_id(week_run_id(WEEK), MARKET), "")}
    async with model_desk(client, tmp_path, spender):
        week = await start_week(client, budgeted(pair(MARKET), usd="20"))
        await spender.reached.wait()
        researched = spender.usd
        found = await spending_of(client, runs)
        assert found[MARKET].cost_usd == researched > 0
        assert found[MARKET].tokens == len(spender.calls) * TOKENS
        spender.go_on.set()
        await week.result()
        after = await spending_of(client, runs)
    assert after[MARKET].cost_usd > researched
