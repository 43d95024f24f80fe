"""Records the histories that later code must still replay: `python -m tests.replay.record`, and
with `judged` those of `record_judged` alone, with `opened`, `unreachable`, `charged`, `checked` and
`slow` those of the function of that name.

Run it only to add a history, or after a change that is meant to break replay and is gated by
`workflow.patched`. The recorded files are committed: keep those that the change is about, beside
what was recorded before it (`…_told_first`), and put back the others.
"""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from temporalio.client import Client, WorkflowFailureError

from desk.contracts.agents.config import DeadlineConfig
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolCall, ToolRequest
from desk.contracts.episode.actions import StockAction
from desk.contracts.findings.escalations import EscalationAnswer
from desk.contracts.findings.results import Leaning
from desk.contracts.learning.record import LearningRequest
from desk.contracts.names import (
    LEARNING_SYSTEM_ID,
    AgentId,
    Message,
    Queue,
    escalation_run_id,
    market_run_id,
    reassignment_run_id,
    specialist_run_id,
)
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.runs.week import RerunRequest
from desk.contracts.week.delivery import Deliveries, EmailTarget, MailSecurity
from desk.platform.temporal.plugin import desk_plugin
from desk.programs.episode.actions import ORDER
from desk.programs.episode.horizon import SETTLING
from tests.replay.record_judged import record_judged
from tests.replay.written import is_there, write, write_history
from tests.support.fact_checks import FALSE, Writer, objecting, written_by_model
from tests.support.processes.local_server import local_server
from tests.support.runs.chains import chain_of, continuing
from tests.support.runs.desk import (
    desk_config,
    desk_workers,
    pair,
    policy_rate,
    register_search_attributes,
    start_week,
)
from tests.support.runs.graphs import KNOWLEDGE, going_round, knowing_turn, start_graph
from tests.support.runs.graphs import question as question_of
from tests.support.runs.held import TELLS_OF_A_CASE, held
from tests.support.runs.hypotheses import Prices, hypothesis, hypothesis_request, hypothesis_workers
from tests.support.runs.hypotheses import begun as begun_hypothesis
from tests.support.runs.learning import forecast, lesson, question
from tests.support.runs.opened import FirstUnanswered, opening_turn, together
from tests.support.runs.reached import LIVE, SERVERS, only_google_is_out_of_reach, with_live_sources
from tests.support.runs.scripted import Disagreement, ScriptedAnalyst, ScriptedTools, gives_up
from tests.support.scenarios.slow import SlowToConclude, SlowTools, twice_tried, without_heartbeats
from tests.support.sources.fixings import Fixings
from tests.support.stocks.board import SERVERS as STOCK_SERVERS
from tests.support.stocks.board import Outcomes, episode, start_episode, stock_turn
from tests.support.swarms.runs import SERVERS as SWARM_SERVERS
from tests.support.swarms.runs import (
    concluded,
    lower_in_four_weeks,
    refined,
    start_swarm,
    swarm,
    swarm_turn,
)
from tests.support.swarms.runs import found as swarm_found
from tests.support.swarms.runs import plan as swarm_plan
from workflows.learning import LearningSystemWorkflow
from workflows.tool_call import ToolCallWorkflow


def failing(request: TurnRequest) -> Turn | None:
    """Research agent 1 fails everywhere, and nobody can do EUR/USD."""
    task = request.assignment
    nobody = task.task_id == "EUR/USD/research_fx"
    return gives_up(request) if nobody or task.agent is AgentId.RESEARCH_AGENT_1 else None


async def main(recorder: Callable[[Client, Path], Awaitable[None]]) -> None:
    """Write the histories that a recorder makes at a server of its own."""
    with tempfile.TemporaryDirectory() as directory:
        plugin = desk_plugin(Path(directory) / "payloads")
        async with local_server(plugins=[plugin]) as client:
            await register_search_attributes(client)
            await recorder(client, Path(directory))


async def record(client: Client, directory: Path) -> None:
    """Run weeks with a rerun, a reassignment, a dead letter and a conflict, and everything else
    that the desk does, and save what they left."""
    await record_judged(client, directory)
    deadlines = DeadlineConfig(open_for_reruns=timedelta(seconds=2))
    async with desk_workers(client, directory):
        config = desk_config(pair("USD/JPY"), policy_rate("JP"), deadlines=deadlines)
        week = await start_week(client, config, run_id="quiet")
        await week.signal(Message.RERUN_MARKET, RerunRequest(market="JP", reason="recorded"))
        record = (await week.result()).record
        resumed = await start_week(client, config, run_id="resumed", resume=record)
        await resumed.signal(Message.RERUN_MARKET, RerunRequest(market="JP", reason="again"))
        await resumed.result()
        await client.execute_workflow(
            ToolCallWorkflow.run,
            ToolRequest(
                call=ToolCall(call_id="look", server="ecb", tool="get_coverage"),
                as_of=record.window.end,
            ),
            id="look",
            task_queue=Queue.DESK,
        )
    async with desk_workers(client, directory, analyst=ScriptedAnalyst(failing)):
        config = desk_config(pair("USD/JPY"), pair("EUR/USD"), deadlines=deadlines)
        await (await start_week(client, config, run_id="failing")).result()
    await record_going_on(client, directory)
    await record_question(client, directory)
    disputed = await record_conflicts(client, directory, deadlines)
    await record_cancelled(client, directory)
    await record_unreachable(client, directory)
    await record_opened(client, directory)
    await record_learning(client, directory)
    await record_hypothesis(client, directory)
    await record_swarm(client, directory)
    await record_stock(client, directory)
    await record_charged(client, directory)
    await record_checked(client, directory)
    await record_slow(client, directory)
    await _save(client, disputed)


async def _save(client: Client, disputed: Mapping[str, str]) -> None:
    """Write what the weeks left, and what the disputed ones did."""
    market, lost = market_run_id("failing", "USD/JPY"), market_run_id("failing", "EUR/USD")
    task = TaskType.RESEARCH_FX
    for name, workflow_id in {
        "week_with_rerun": "quiet",
        "week_resumed": "resumed",
        "tool_call": "look",
        "market": market_run_id("quiet", "USD/JPY"),
        "week_with_dead_letter": "failing",
        "market_with_reassignment": market,
        "market_with_dead_letter": lost,
        "reassignment": reassignment_run_id(market, task),
        "dead_letter": reassignment_run_id(lost, task),
        **disputed,
    }.items():
        await write(name, client.get_workflow_handle(workflow_id))


async def record_going_on(client: Client, directory: Path) -> None:
    """Ask a week for three reruns, which it does in as many runs in a row, while its report cannot
    be delivered."""
    deliveries = Deliveries(
        email=EmailTarget(
            host="127.0.0.1",
            port=1,
            security=MailSecurity.NONE,
            sender="desk@example.com",
            recipients=("reader@example.com",),
        ),
        oldest=timedelta(days=36_500),
        attempt=timedelta(seconds=1),
        deadline=timedelta(seconds=10),
    )
    async with desk_workers(client, directory):
        config = continuing(desk_config(pair("USD/JPY"), policy_rate("JP"), open_for_seconds=1))
        week = await start_week(client, config, run_id="going-on", deliveries=deliveries)
        for market in ("JP", "USD/JPY", "JP"):
            await week.signal(Message.RERUN_MARKET, RerunRequest(market=market, reason="recorded"))
        await week.result()
        first, *_, last = await chain_of(client, week.id)
        for name, history in {"week_going_on": first, "week_gone_on": last}.items():
            write_history(name, history)


async def record_question(client: Client, directory: Path) -> None:
    """Ask a graph that forks, goes round once more, and of which one node nobody can do."""

    def docs_fail(request: TurnRequest) -> Turn | None:
        fails = request.assignment.agent is AgentId.DOC_AGENT
        return gives_up(request) if fails else knowing_turn(request)

    async with desk_workers(
        client, directory, analyst=ScriptedAnalyst(docs_fail), servers=(KNOWLEDGE,)
    ):
        run = await start_graph(client, question_of(going_round()), run_id="ask-recorded")
        await run.result()
        await write("question", run)


async def record_learning(client: Client, directory: Path) -> None:
    """Tell the learning system of some weeks and ask it, until it goes on anew, and a little on."""
    async with desk_workers(client, directory, tools=Fixings(away=2, open=True)):
        handle = await client.start_workflow(
            LearningSystemWorkflow.run,
            LearningRequest(longest_history=80),
            id=LEARNING_SYSTEM_ID,
            task_queue=Queue.DESK,
        )
        first = (await handle.describe()).run_id
        number = 0
        while (await handle.describe()).run_id == first:
            await handle.signal(Message.LEARN, lesson(number))
            await handle.execute_update(Message.ADVISE, question(number + 1))
            number += 1
        second = (await handle.describe()).run_id
        soon = datetime.now(UTC) + timedelta(seconds=2)
        await handle.signal(Message.LEARN, lesson(number, forecasts=(forecast(0, due=soon),)))
        week = await start_week(client, desk_config(open_for_seconds=1), run_id="wise", learn=True)
        await week.result()
        await asyncio.sleep(2)
        await write("week_that_learns", week)
        for name, run_id in {"learning_system_going_on": first, "learning_system": second}.items():
            await write(name, client.get_workflow_handle(LEARNING_SYSTEM_ID, run_id=run_id))


async def record_hypothesis(client: Client, directory: Path) -> None:
    """Wait for a hypothesis that is due in a moment, and a minute later for a price."""
    prices, now = Prices(value=None), datetime.now(UTC)
    about = hypothesis(
        level_on=(now - timedelta(days=7)).date(), due=now + timedelta(seconds=2), weeks=1
    )
    async with hypothesis_workers(client, directory, prices=prices):
        waits = await begun_hypothesis(client, hypothesis_request(about, made_as_of=now))
        while not prices.asked_at:
            await asyncio.sleep(0.1)
        prices.value = "151.00"
        await waits.result()
        await write("hypothesis", waits)


async def record_swarm(client: Client, directory: Path) -> None:
    """Research an objective in two rounds: three specialists fail and the reserve takes over, the
    vote is split and the default holds, and a hypothesis waits when it is over."""
    broken = (
        AgentId.FUNDAMENTAL_SPECIALIST,
        AgentId.SENTIMENT_SPECIALIST,
        AgentId.PATTERN_SPECIALIST,
    )

    def script(request: TurnRequest) -> Turn:
        task = request.assignment
        if task.agent in broken:
            return gives_up(request)
        if task.task_id == "plan_2":
            return Turn(result=swarm_plan(request, AgentId.MARKET_SPECIALIST))
        if task.task_id == "conclude_1":
            return Turn(result=concluded(request, further=refined()))
        if task.task_id == "conclude_2":
            return Turn(result=concluded(request, hypotheses=(lower_in_four_weeks(),)))
        if task.agent is AgentId.MARKET_SPECIALIST and request.exchanges:
            return Turn(result=swarm_found(request, leaning=Leaning.UP, confidence=0.1))
        return swarm_turn(request)

    request = swarm(answer_within=timedelta(seconds=3))
    async with desk_workers(
        client, directory, analyst=ScriptedAnalyst(script), servers=SWARM_SERVERS
    ):
        run = await start_swarm(client, request, run_id="swarm-recorded")
        await run.result()
    for name, workflow_id, run_id in (
        ("swarm_first_round", run.id, run.first_execution_run_id),
        ("swarm_second_round", run.id, None),
        ("specialist", specialist_run_id(run.id, "technical"), None),
        ("specialist_failed", specialist_run_id(run.id, "pattern"), None),
    ):
        await write(name, client.get_workflow_handle(workflow_id, run_id=run_id))


async def record_stock(client: Client, directory: Path) -> None:
    """Research a stock in the usual order, with one part by the reserve; and in given steps, of
    which one is refused, with a horizon that is over in a moment and a source that is away then."""

    def script(request: TurnRequest) -> Turn:
        fails = request.assignment.agent is AgentId.TA_AGENT
        return gives_up(request) if fails else stock_turn(request)

    async with desk_workers(
        client,
        directory,
        analyst=ScriptedAnalyst(script),
        tools=Outcomes(),
        servers=STOCK_SERVERS,
    ):
        run = await start_episode(client, episode(), run_id="stock-recorded")
        await run.result()
        await write("stock", run)
    steps = (StockAction.GENERATE_INSIGHT, StockAction.RUN_TA_BASIC, *ORDER[-3:])
    as_of = datetime.now(UTC) - timedelta(weeks=4) - SETTLING + timedelta(seconds=3)
    async with desk_workers(
        client,
        directory,
        analyst=ScriptedAnalyst(stock_turn),
        tools=Outcomes(away=2),
        servers=STOCK_SERVERS,
    ):
        request = episode(steps=steps, as_of=as_of)
        waits = await start_episode(client, request, run_id="stock-waiting")
        await waits.result()
        await write("stock_waiting", waits)


async def record_conflicts(
    client: Client, directory: Path, deadlines: DeadlineConfig
) -> dict[str, str]:
    """Run a week in which a person decides one conflict and the default another; the names of its
    histories and the ids of their workflows."""
    brief = deadlines.model_copy(update={"escalation": timedelta(seconds=4)})
    markets = ("USD/JPY", "EUR/USD")
    cases = {
        market: escalation_run_id(
            market_run_id("disputed", market), f"{market}/conflict/{market}:last@2026-10-30"
        )
        for market in markets
    }
    analyst = ScriptedAnalyst(Disagreement(markets))
    async with desk_workers(client, directory, analyst=analyst):
        config = desk_config(*(pair(market) for market in markets), deadlines=brief)
        week = await start_week(client, config, run_id="disputed")
        case = client.get_workflow_handle(cases["USD/JPY"])
        while not await is_there(case):
            await asyncio.sleep(0.05)
        answer = EscalationAnswer(position=0, by="recorder", note="recorded")
        await case.execute_update(Message.RESOLVE_ESCALATION, answer)
        await week.result()
    return {
        "week_with_conflicts": "disputed",
        "market_with_conflict": market_run_id("disputed", "USD/JPY"),
        "escalation_answered": cases["USD/JPY"],
        "escalation_defaulted": cases["EUR/USD"],
    }


async def record_unreachable(client: Client, directory: Path) -> None:
    """A week, a rerun included, one of whose live sources cannot be reached."""
    deadlines = DeadlineConfig(open_for_reruns=timedelta(seconds=2))
    config = with_live_sources(desk_config(pair("USD/JPY"), deadlines=deadlines))
    tools = ScriptedTools(only_google_is_out_of_reach)
    async with desk_workers(client, directory, tools=tools, servers=(*SERVERS, *LIVE)):
        week = await start_week(client, config, run_id="unreached")
        await week.signal(Message.RERUN_MARKET, RerunRequest(market="USD/JPY", reason="again"))
        await week.result()
    await write("week_with_unreachable_source", week)


async def record_opened(client: Client, directory: Path) -> None:
    """A week whose tasks ask first what was named for them. Two questions are put to a source
    together, and the one that has no answer is asked again."""
    deadlines = DeadlineConfig(open_for_reruns=timedelta(seconds=2))
    config = together(desk_config(pair("USD/JPY"), deadlines=deadlines), "ecb")
    analyst, tools = ScriptedAnalyst(opening_turn), ScriptedTools(FirstUnanswered("get_historical"))
    async with desk_workers(client, directory, analyst=analyst, tools=tools):
        week = await start_week(client, config, run_id="opened")
        await week.signal(Message.RERUN_MARKET, RerunRequest(market="USD/JPY", reason="again"))
        await week.result()
        await write("week_opened", week)
        market = market_run_id(week.id, "USD/JPY")
        await write("market_opened", client.get_workflow_handle(market))


async def record_charged(client: Client, directory: Path) -> None:
    """An episode whose actions are charged, one step of it refused."""
    steps = (StockAction.GENERATE_INSIGHT, StockAction.RUN_TA_BASIC, *ORDER[-3:])
    async with desk_workers(
        client,
        directory,
        analyst=ScriptedAnalyst(stock_turn),
        tools=Outcomes(),
        servers=STOCK_SERVERS,
    ):
        request = episode(steps=steps, charges={StockAction.RUN_TA_BASIC: Decimal("0.005")})
        run = await start_episode(client, request, run_id="stock-charged")
        await run.result()
        await write("stock_charged", run)


async def record_slow(client: Client, directory: Path) -> None:
    """A market on a machine that is too busy for heartbeats."""
    with pytest.MonkeyPatch.context() as patch:
        without_heartbeats(patch)
        async with desk_workers(client, directory, analyst=SlowToConclude(), tools=SlowTools()):
            week = await start_week(client, twice_tried(), run_id="slow")
            await week.result()
    await write("market_slow", client.get_workflow_handle(market_run_id(week.id, "USD/JPY")))


async def record_checked(client: Client, directory: Path) -> None:
    """A question whose answer a model writes, and whose fact check objects to one sentence."""
    analyst = ScriptedAnalyst(Writer(objecting(FALSE)))
    async with desk_workers(client, directory, analyst=analyst, servers=(KNOWLEDGE,)):
        run = await start_graph(client, written_by_model(), run_id="checked")
        await run.result()
        await write("question_fact_checked", run)


async def record_cancelled(client: Client, directory: Path) -> None:
    """Cancel a market while it tells its week of a case."""
    analyst = ScriptedAnalyst(Disagreement(("USD/JPY",)))
    async with desk_workers(client, directory, analyst=analyst):
        with held(TELLS_OF_A_CASE) as telling:
            week = await start_week(client, desk_config(pair("USD/JPY")), run_id="stopped")
            market = client.get_workflow_handle(market_run_id(week.id, "USD/JPY"))
            await telling.reached.wait()
            await market.cancel()
            telling.let_go.set()
            with suppress(WorkflowFailureError):
                await market.result()
        await write("market_cancelled_while_it_tells", market)
        await week.cancel()


if __name__ == "__main__":
    alone = {
        "charged": record_charged,
        "checked": record_checked,
        "judged": record_judged,
        "opened": record_opened,
        "slow": record_slow,
        "unreachable": record_unreachable,
    }
    asyncio.run(main(alone.get("".join(sys.argv[1:]), record)))
