"""Whatever is asked of a run, and whenever: each market ends once, revisions count up by one."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from temporalio.client import Client, WorkflowUpdateFailedError

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.names import AgentId, Message
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.runs.week import RerunReceipt, RerunRequest
from tests.support.runs.desk import desk_config, desk_workers, pair, policy_rate, start_week
from tests.support.runs.scripted import ScriptedAnalyst, gives_up

MARKETS = ("USD/JPY", "EUR/USD", "JP")
numbers = iter(range(1_000_000))


class Asked(NamedTuple):
    """A message to the run, and how long after the one before."""

    market: str
    by_update: bool
    pause: float


messages = st.lists(
    st.builds(
        Asked,
        market=st.sampled_from((*MARKETS, "USD/XXX")),
        by_update=st.booleans(),
        pause=st.sampled_from((0.0, 0.0, 0.02, 0.1)),
    ),
    max_size=6,
)
failures = st.sets(st.tuples(st.sampled_from(MARKETS), st.sampled_from(AgentId)), max_size=4)


def hopeless(market: str, failing: set[tuple[str, AgentId]]) -> bool:
    """Whether neither research agent can do a market."""
    researchers = (AgentId.RESEARCH_AGENT_1, AgentId.RESEARCH_AGENT_2)
    return all((market, agent) in failing for agent in researchers)


async def ask(client: Client, run_id: str, asked: Asked) -> RerunReceipt | None:
    handle = client.get_workflow_handle(run_id)
    request = RerunRequest(market=asked.market, reason="fuzz")
    if not asked.by_update:
        await handle.signal(Message.RERUN_MARKET, request)
        return None
    try:
        receipt: RerunReceipt = await handle.execute_update(
            Message.REQUEST_RERUN, request, result_type=RerunReceipt
        )
    except WorkflowUpdateFailedError:
        assert asked.market not in MARKETS
        return None
    return receipt


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(messages, failures)
async def test_any_messages_leave_a_whole_week(
    client: Client, tmp_path: Path, asked: list[Asked], failing: set[tuple[str, AgentId]]
) -> None:
    def sometimes(request: TurnRequest) -> Turn | None:
        task = request.assignment
        market = task.market.market if task.market else ""
        return gives_up(request) if (market, task.agent) in failing else None

    config = desk_config(pair("USD/JPY"), pair("EUR/USD"), policy_rate("JP"))
    run_id = f"fuzz-{next(numbers)}"
    async with desk_workers(client, tmp_path / run_id, analyst=ScriptedAnalyst(sometimes)):
        handle = await start_week(client, config, run_id=run_id)
        receipts = []
        for message in asked:
            await asyncio.sleep(message.pause)
            receipts.append((message, await ask(client, run_id, message)))
        result = await handle.result()

    known = [message.market for message in asked if message.market in MARKETS]
    revisions = result.record.revisions
    assert [r.revision for r in revisions] == list(range(1, len(known) + 2))
    assert Counter(r.market for r in revisions[1:]) == Counter(known)
    assert [o.market for o in result.record.outcomes] == list(MARKETS)
    lost = {market for market in MARKETS if hopeless(market, failing)}
    ended = {o.market for o in result.record.outcomes if o.outcome is Outcome.DEAD_LETTERED}
    assert ended == lost
    for message, receipt in receipts:
        if receipt is not None:
            assert revisions[receipt.revision - 1].market == message.market
