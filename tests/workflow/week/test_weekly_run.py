"""A week from plan to close, on a clock that skips."""

import asyncio
import contextlib
import re
import time
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client, WorkflowExecutionStatus, WorkflowFailureError
from temporalio.service import RPCError

from desk.contracts.agents.config import DeadlineConfig, RetryConfig
from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolCall, ToolStatus
from desk.contracts.names import AgentId, Message, market_run_id, week_run_id
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.runs.week import RerunRequest, WeekStatus
from desk.contracts.week.report import RevisionKind
from desk.platform.mcp.tool_calling import ToolAnswer, ToolUnreachable
from tests.support.runs.desk import WEEK, desk_config, desk_workers, pair, policy_rate, start_week
from tests.support.runs.scripted import ScriptedAnalyst, ScriptedTools, gives_up, price_call
from tests.support.sleepy import SleepyMarketResearch


async def test_a_quiet_week_is_published_once_and_closes(client: Client, tmp_path: Path) -> None:
    async with desk_workers(client, tmp_path):
        result = await (await start_week(client, desk_config())).result()
    assert result.outcome is Outcome.COMPLETE
    assert [r.kind for r in result.record.revisions] == [RevisionKind.FIRST]
    assert Path(result.files.html).exists()


async def test_the_timers_of_a_week_say_what_they_wait_for(client: Client, tmp_path: Path) -> None:
    async with desk_workers(client, tmp_path):
        handle = await start_week(client, desk_config())
        await handle.result()
    told = [
        (await client.data_converter.decode([event.user_metadata.summary], [str]))[0]
        async for event in handle.fetch_history_events()
        if event.event_type == EventType.EVENT_TYPE_TIMER_STARTED
    ]
    assert told[0] == "what the markets have by then is what the report has"
    assert re.fullmatch(r"open for reruns, until \w{3} \d{4}-\d\d-\d\d \d\d:\d\d UTC", told[-1])


async def test_every_market_is_researched_and_validated(client: Client, tmp_path: Path) -> None:
    analyst = ScriptedAnalyst()
    async with desk_workers(client, tmp_path, analyst=analyst):
        await (await start_week(client, desk_config(pair("USD/JPY"), policy_rate("JP")))).result()
    assert analyst.taken == {
        f"product_manager:{WEEK}/plan": 1,
        "research_agent_1:USD/JPY/research_fx": 2,
        "validator_agent:USD/JPY/validate": 1,
        "research_agent_2:JP/research_rates": 2,
        "validator_agent:JP/validate": 1,
    }


async def test_a_source_that_comes_back_costs_only_its_retries(
    client: Client, tmp_path: Path
) -> None:
    failures = iter(range(2))

    def flaky(server: str, tool: str, arguments: object) -> ToolAnswer | None:
        if next(failures, None) is not None:
            raise ToolUnreachable("the source is resting")
        return None

    tools = ScriptedTools(flaky)
    config = desk_config(
        pair("USD/JPY"),
        retries=RetryConfig(
            max_attempts=3, first_pause=timedelta(minutes=1), longest_pause=timedelta(hours=1)
        ),
    )
    async with desk_workers(client, tmp_path, tools=tools):
        result = await (await start_week(client, config)).result()
    assert result.outcome is Outcome.COMPLETE
    assert tools.calls["ecb.get_quote"] == 3


async def test_a_source_that_stays_away_is_told_to_the_agent(
    client: Client, tmp_path: Path
) -> None:
    seen: list[ToolStatus] = []

    def watch(request: TurnRequest) -> Turn | None:
        seen.extend(result.status for result in request.results)
        return None

    def down(server: str, tool: str, arguments: object) -> ToolAnswer | None:
        raise ToolUnreachable("the source is gone")

    async with desk_workers(
        client, tmp_path, analyst=ScriptedAnalyst(watch), tools=ScriptedTools(down)
    ):
        await (await start_week(client, desk_config(pair("USD/JPY")))).result()
    assert seen == [ToolStatus.UNAVAILABLE]


async def test_a_failed_task_goes_to_the_next_agent(client: Client, tmp_path: Path) -> None:
    def first_agent_fails(request: TurnRequest) -> Turn | None:
        failed = request.assignment.agent is AgentId.RESEARCH_AGENT_1
        return gives_up(request) if failed else None

    analyst = ScriptedAnalyst(first_agent_fails)
    async with desk_workers(client, tmp_path, analyst=analyst):
        result = await (await start_week(client, desk_config(pair("USD/JPY")))).result()
    (outcome,) = result.record.outcomes
    research = next(c for c in outcome.agents if c.task_type is TaskType.RESEARCH_FX)
    assert outcome.outcome is Outcome.RESEARCHED
    assert (research.agent, research.reassigned_from) == (
        AgentId.RESEARCH_AGENT_2,
        AgentId.RESEARCH_AGENT_1,
    )


async def test_a_task_nobody_can_do_is_a_dead_letter_and_the_week_goes_on(
    client: Client, tmp_path: Path
) -> None:
    def nobody_can(request: TurnRequest) -> Turn | None:
        return gives_up(request) if request.assignment.task_id == "USD/JPY/research_fx" else None

    config = desk_config(pair("USD/JPY"), pair("EUR/USD"))
    async with desk_workers(client, tmp_path, analyst=ScriptedAnalyst(nobody_can)):
        result = await (await start_week(client, config)).result()
    lost, kept = result.record.outcomes
    assert (lost.outcome, kept.outcome) == (Outcome.DEAD_LETTERED, Outcome.RESEARCHED)
    assert lost.dead_letters == (
        f"{market_run_id(week_run_id(WEEK), 'USD/JPY')}/reassign/research_fx",
    )
    assert result.outcome is Outcome.INCOMPLETE
    assert "the source is empty" in lost.missing[0]


async def test_a_tool_that_is_not_on_the_agents_list_is_never_called(
    client: Client, tmp_path: Path
) -> None:
    refusals: list[str] = []

    def reaches_out(request: TurnRequest) -> Turn | None:
        refusals.extend(result.error or "" for result in request.results)
        if request.assignment.task_type is TaskType.RESEARCH_FX and not request.exchanges:
            return Turn(calls=(ToolCall(call_id="x", server="shell", tool="run"),))
        return None

    tools = ScriptedTools()
    async with desk_workers(client, tmp_path, analyst=ScriptedAnalyst(reaches_out), tools=tools):
        await (await start_week(client, desk_config(pair("USD/JPY")))).result()
    assert refusals == ["shell.run is not on the list of research_agent_1"]
    assert not tools.calls


async def test_an_agent_that_never_delivers_meets_its_turn_limit(
    client: Client, tmp_path: Path
) -> None:
    def never(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is not TaskType.RESEARCH_FX:
            return None
        number = len(request.exchanges)
        call = price_call(request)
        return Turn(calls=(call.model_copy(update={"call_id": f"{call.call_id}-{number}"}),))

    async with desk_workers(client, tmp_path, analyst=ScriptedAnalyst(never)):
        result = await (await start_week(client, desk_config(pair("USD/JPY")))).result()
    (outcome,) = result.record.outcomes
    assert outcome.outcome is Outcome.DEAD_LETTERED
    assert "no result after 8 turns" in (outcome.agents[0].error or "")


async def test_the_report_goes_out_at_the_weeks_deadline_with_what_is_there(
    client: Client, tmp_path: Path
) -> None:
    config = desk_config(deadlines=DeadlineConfig(week=timedelta(hours=1), task=timedelta(hours=2)))
    async with desk_workers(client, tmp_path, market_research=SleepyMarketResearch):
        result = await (await start_week(client, config)).result()
    late, done = result.record.outcomes
    assert (late.outcome, done.outcome) == (Outcome.MISSING, Outcome.RESEARCHED)
    assert late.missing == ("not finished by the week's deadline",)
    published = result.record.revisions[0].published_at - result.record.started_at
    assert timedelta(hours=1) <= published < timedelta(hours=1, minutes=1)
    child = client.get_workflow_handle(market_run_id(week_run_id(WEEK), late.market))
    assert (await child.describe()).status is WorkflowExecutionStatus.CANCELED


async def test_a_market_that_hangs_is_ended_soon_after_its_deadline(
    client: Client, tmp_path: Path
) -> None:
    began = time.monotonic()
    async with desk_workers(client, tmp_path, market_research=SleepyMarketResearch):
        result = await (await start_week(client, desk_config())).result()
    late = result.record.outcomes[0]
    assert late.missing == ("not finished by its deadline",)
    published = result.record.revisions[0].published_at - result.record.started_at
    # The clock that skips goes on as usual while anybody is at work.
    at_work = timedelta(seconds=time.monotonic() - began)
    assert published <= timedelta(minutes=11) + at_work


async def test_a_rerun_that_finds_nothing_takes_nothing_away(
    client: Client, tmp_path: Path
) -> None:
    taken: list[str] = []

    def fails_later(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is not TaskType.RESEARCH_FX:
            return None
        taken.append(request.assignment.agent)
        return gives_up(request) if len(taken) > 2 else None

    async with desk_workers(client, tmp_path, analyst=ScriptedAnalyst(fails_later)):
        handle = await start_week(client, desk_config(pair("USD/JPY")))
        await handle.signal(Message.RERUN_MARKET, RerunRequest(market="USD/JPY", reason="again"))
        result = await handle.result()
    (outcome,) = result.record.outcomes
    assert outcome.outcome is Outcome.RESEARCHED
    assert outcome.results[0].claims
    assert "a rerun found nothing" in outcome.missing[-1]
    assert len(outcome.dead_letters) == 1


async def test_a_second_run_of_a_week_goes_on_counting(client: Client, tmp_path: Path) -> None:
    async with desk_workers(client, tmp_path):
        first = await (await start_week(client, desk_config(), run_id="first")).result()
        second = await (await start_week(client, desk_config(), run_id="second")).result()
    assert [r.revision for r in first.record.revisions] == [1]
    assert [(r.revision, r.kind) for r in second.record.revisions] == [
        (1, RevisionKind.FIRST),
        (2, RevisionKind.AGAIN),
    ]
    folder = Path(second.files.html).parent
    assert {p.name for p in folder.glob("*.r*.html")} == {
        f"{WEEK}-asia-g10-fx.r1.html",
        f"{WEEK}-asia-g10-fx.r2.html",
    }


async def test_a_week_that_is_not_over_is_refused(client: Client, tmp_path: Path) -> None:
    async with desk_workers(client, tmp_path):
        handle = await start_week(client, desk_config(), week="2099-W01")
        with pytest.raises(WorkflowFailureError) as failure:
            await handle.result()
    assert "is not over" in str(failure.value.cause)


async def test_a_task_ends_at_its_deadline_across_retries_and_reassignment(
    client: Client, tmp_path: Path
) -> None:
    def price_source_down(server: str, tool: str, arguments: object) -> ToolAnswer | None:
        raise ToolUnreachable("down")

    def insists(request: TurnRequest) -> Turn | None:
        unanswered = any(result.status is not ToolStatus.OK for result in request.results)
        return gives_up(request, "no prices") if unanswered else None

    config = desk_config(
        pair("USD/JPY"),
        deadlines=DeadlineConfig(week=timedelta(hours=9), task=timedelta(hours=2)),
        retries=RetryConfig(
            max_attempts=20, first_pause=timedelta(minutes=25), longest_pause=timedelta(hours=1)
        ),
    )
    tools = ScriptedTools(price_source_down)
    async with desk_workers(client, tmp_path, analyst=ScriptedAnalyst(insists), tools=tools):
        result = await (await start_week(client, config)).result()
    (outcome,) = result.record.outcomes
    assert outcome.outcome is Outcome.DEAD_LETTERED
    published = result.record.revisions[0].published_at - result.record.started_at
    assert published <= timedelta(hours=2)
    # The first agent retries after 25 and 75 minutes; the second has what is left of two hours.
    assert tools.calls["ecb.get_quote"] == 5


async def test_a_cancelled_week_cancels_its_markets(client: Client, tmp_path: Path) -> None:
    async with desk_workers(client, tmp_path, market_research=SleepyMarketResearch):
        handle = await start_week(client, desk_config())
        child = client.get_workflow_handle(market_run_id(handle.id, "USD/JPY"))
        while True:
            with contextlib.suppress(RPCError):
                await child.describe()
                break
            await asyncio.sleep(0.02)
        await handle.cancel()
        # Who waits for a result lets time go by in leaps, and the child's could run out.
        for run in (child, handle):
            while (found := await run.describe()).status is WorkflowExecutionStatus.RUNNING:
                await asyncio.sleep(0.02)
            assert found.status is WorkflowExecutionStatus.CANCELED


async def test_a_rerun_before_the_close_makes_a_new_revision(
    client: Client, tmp_path: Path
) -> None:
    analyst = ScriptedAnalyst()
    async with desk_workers(client, tmp_path, analyst=analyst):
        handle = await start_week(client, desk_config())
        rerun = RerunRequest(market="USD/JPY", reason="the fixing was revised")
        await handle.signal(Message.RERUN_MARKET, rerun)
        result = await handle.result()
    second = result.record.revisions[1]
    assert (second.revision, second.market, second.reason) == (2, "USD/JPY", rerun.reason)
    assert analyst.taken["research_agent_1:USD/JPY/research_fx"] == 4
    assert analyst.taken["research_agent_2:JP/research_rates"] == 2


async def test_a_rerun_after_the_close_starts_from_the_published_week(
    client: Client, tmp_path: Path
) -> None:
    analyst = ScriptedAnalyst()
    config = desk_config()
    async with desk_workers(client, tmp_path, analyst=analyst):
        closed = await (await start_week(client, config)).result()
        handle = await start_week(client, config, resume=closed.record)
        await handle.signal(Message.RERUN_MARKET, RerunRequest(market="USD/JPY", reason="late"))
        result = await handle.result()
    assert [r.revision for r in result.record.revisions] == [1, 2]
    assert analyst.taken["research_agent_2:JP/research_rates"] == 2
    assert analyst.taken[f"product_manager:{WEEK}/plan"] == 1


async def test_a_rerun_of_a_market_that_the_run_does_not_have_is_ignored(
    client: Client, tmp_path: Path
) -> None:
    async with desk_workers(client, tmp_path):
        handle = await start_week(client, desk_config())
        await handle.signal(Message.RERUN_MARKET, RerunRequest(market="EUR/CHF"))
        result = await handle.result()
    assert len(result.record.revisions) == 1


async def test_the_status_names_every_market_and_the_cut_off(
    client: Client, tmp_path: Path
) -> None:
    async with desk_workers(client, tmp_path):
        handle = await start_week(client, desk_config())
        await handle.result()
        status = await handle.query(Message.STATUS, result_type=WeekStatus)
    assert status.phase is Phase.CLOSED
    assert [line.outcome for line in status.markets] == [Outcome.RESEARCHED, Outcome.RESEARCHED]
    assert status.closes_at == status.revisions[0].published_at + timedelta(days=2)
