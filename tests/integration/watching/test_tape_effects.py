"""Whatever a run came upon, its tape has it: people, failures, dead letters, a model's words."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue
from temporalio.client import Client, WorkflowExecutionStatus, WorkflowFailureError, WorkflowHandle

from desk.contracts.agents.config import RetryConfig
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.usage import Usage
from desk.contracts.findings.escalations import EscalationAnswer, EscalationDecision
from desk.contracts.findings.results import DecidedBy
from desk.contracts.names import AgentId, Message, escalation_run_id
from desk.contracts.runs.tape import Effect, Tape
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.runs.week import WeekResult
from desk.contracts.week.report import ResearchReport
from desk.platform.mcp.tool_calling import ToolAnswer, ToolUnreachable
from desk.programs.week.document.json_form import apart_from_the_run
from starters.published.published_files import read_report
from starters.runs.week_runs import described
from starters.terminal.exit_status import CommandError, UsageError
from starters.weeks.tape.command import recording_of
from tests.support.runs.desk import desk_config, desk_workers, pair, policy_rate, start_week
from tests.support.runs.scripted import (
    Disagreement,
    ScriptedAnalyst,
    ScriptedTools,
    both_on_every_market,
    gives_up,
)
from tests.support.runs.tapes import MARKET_RUN, RUN, played, taped
from workers.tape import playing

Week = WorkflowHandle[Any, WeekResult]
CASE = escalation_run_id(MARKET_RUN, "USD/JPY/conflict/USD/JPY:last@2026-10-30")
SAID = [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}, {"type": "text", "text": "A"}]
SPENT = Usage(input_tokens=900, output_tokens=80, cost_usd=Decimal("0.00720"), model="claude-x")
CONFIG = desk_config(
    *map(pair, ("USD/JPY", "EUR/USD", "GBP/USD", "AUD/USD", "NZD/USD")),
    policy_rate("JP"),
    retries=RetryConfig(max_attempts=2, first_pause=timedelta(milliseconds=10)),
)


def eventful(request: TurnRequest) -> Turn | None:
    """A model plans; USD/JPY is contradictory, EUR/USD needs a second agent, GBP/USD has none, and
    of NZD/USD one makes no sense."""
    task = request.assignment
    if task.task_type is TaskType.PLAN_WEEK:
        plan = both_on_every_market(request)
        return Turn.model_validate({"result": plan, "said": SAID, "usage": SPENT})
    first = task.agent is AgentId.RESEARCH_AGENT_1
    if task.task_id == "GBP/USD/research_fx" or (task.task_id == "EUR/USD/research_fx" and first):
        return gives_up(request)
    if task.task_id == "NZD/USD/research_fx" and first:
        raise ValueError("there is no sense in it")
    return Disagreement(("USD/JPY",))(request)


def without_aud(server: str, tool: str, arguments: Mapping[str, JsonValue]) -> ToolAnswer | None:
    if arguments.get("symbol") == "AUD/USD":
        raise ToolUnreachable("the server of AUD/USD is away")
    return None


async def case_opened(handle: Week) -> None:
    while not (await handle.query(Message.STATUS))["escalations"]:
        await asyncio.sleep(0.02)


async def same_again(client: Client, handle: Week, directory: Path) -> tuple[Tape, ResearchReport]:
    """The tape of a published run, and the report that it gives: the run's own."""
    result = await handle.result()
    tape = await taped(client, handle)
    report = await played(client, tape, directory / "played")
    recorded = read_report(Path(result.files.json_file))
    assert apart_from_the_run(report) == apart_from_the_run(recorded)
    assert report.timings.run_id != recorded.timings.run_id
    return tape, report


async def test_an_eventful_week_is_played_as_it_was(client: Client, tmp_path: Path) -> None:
    analyst, tools = ScriptedAnalyst(eventful), ScriptedTools(without_aud)
    async with desk_workers(client, tmp_path, analyst=analyst, tools=tools):
        handle = await start_week(client, CONFIG)
        await case_opened(handle)
        await client.get_workflow_handle(CASE).execute_update(
            Message.RESOLVE_ESCALATION,
            EscalationAnswer(position=1, by="anna"),
            result_type=EscalationDecision,
        )
        await handle.result()
    turns = sum(analyst.taken.values())
    tape, report = await same_again(client, handle, tmp_path)
    assert sum(analyst.taken.values()) == turns, "the agents were asked again"

    assert report.dead_letters == (f"{RUN}/market/GBP/USD/reassign/research_fx",)
    (decided,) = (take for take in tape.takes if take.effect is Effect.DECISION)
    decision = EscalationDecision.model_validate(decided.result)
    assert (decision.conflict.chosen, decision.conflict.decided_by_whom) == ("120", "anna")
    assert (report.usage.input_tokens, report.usage.cost_usd) == (900, Decimal("0.00720"))
    (plan,) = (t for t in tape.takes if t.effect is Effect.TURN and t.workflow == "")
    turn = Turn.model_validate(plan.result)
    assert list(turn.said) == SAID
    assert turn.usage == SPENT
    failures = {take.failure.error_type: take.failure for take in tape.takes if take.failure}
    assert set(failures) == {"ToolUnavailable", "TurnFailed"}
    root = failures["TurnFailed"].cause
    assert root is not None
    assert (root.error_type, root.message) == ("ValueError", "there is no sense in it")
    assert {take.workflow for take in tape.takes} >= {
        "market/EUR/USD/reassign/research_fx",
        CASE.removeprefix(f"{RUN}/"),
    }


async def test_a_default_that_was_waited_for_is_not_waited_for_again(
    client: Client, tmp_path: Path
) -> None:
    async with desk_workers(client, tmp_path, analyst=ScriptedAnalyst(Disagreement())):
        handle = await start_week(client, desk_config(pair("USD/JPY")))
        first = await handle.result()
    tape, report = await same_again(client, handle, tmp_path)
    (decided,) = (take for take in tape.takes if take.effect is Effect.DECISION)
    assert (
        EscalationDecision.model_validate(decided.result).conflict.decided_by is DecidedBy.DEFAULT
    )
    waited = first.record.revisions[0].published_at - first.record.started_at
    assert waited >= timedelta(minutes=20)
    assert report.timings.seconds < 60


async def test_a_case_that_was_cancelled_ends_so_again(client: Client, tmp_path: Path) -> None:
    async with desk_workers(client, tmp_path, analyst=ScriptedAnalyst(Disagreement())):
        handle = await start_week(client, desk_config(pair("USD/JPY")))
        await case_opened(handle)
        await client.get_workflow_handle(CASE).cancel()
        await handle.result()
    tape, _ = await same_again(client, handle, tmp_path)
    (decision,) = (take for take in tape.takes if take.effect is Effect.DECISION)
    assert decision.failure is not None
    assert decision.failure.message == "the case was cancelled"


async def test_the_revisions_before_it_number_the_report(client: Client, tmp_path: Path) -> None:
    config = desk_config(pair("USD/JPY"))
    async with desk_workers(client, tmp_path):
        await (await start_week(client, config)).result()
        again = await start_week(client, config)
        await again.result()
    tape, report = await same_again(client, again, tmp_path)
    assert (tape.revision, report.revision) == (2, 2)


async def test_a_case_of_which_the_tape_has_no_decision_is_a_fault(
    client: Client, tmp_path: Path
) -> None:
    """The market would make do with a default; whoever plays the tape must hear of it."""
    async with desk_workers(client, tmp_path, analyst=ScriptedAnalyst(Disagreement())):
        handle = await start_week(client, desk_config(pair("USD/JPY")))
        await handle.result()
    whole = await taped(client, handle)
    takes = tuple(take for take in whole.takes if take.effect is not Effect.DECISION)
    tape = whole.model_copy(update={"takes": takes})
    async with playing(client, tape, tmp_path / "played") as player:
        await (await start_week(client, tape.config)).result()
    assert "decide_escalation decision of market/USD/JPY/escalation/" in player.fault.result()


async def test_a_run_that_has_not_published_is_not_saved(client: Client, tmp_path: Path) -> None:
    async with desk_workers(client, tmp_path, analyst=ScriptedAnalyst(Disagreement())):
        handle = await start_week(client, desk_config(pair("USD/JPY")))
        await case_opened(handle)
        with pytest.raises(CommandError, match="still under way; save it once"):
            await taped(client, handle)
        market = await described(client, MARKET_RUN)
        assert market is not None
        with pytest.raises(UsageError, match="MarketResearchWorkflow; a tape holds the run of"):
            await recording_of(market)
        await handle.cancel()
        for ended in (handle, client.get_workflow_handle(CASE)):
            with pytest.raises(WorkflowFailureError):
                await ended.result()
    with pytest.raises(CommandError, match="ended without a report"):
        await taped(client, handle)


async def test_a_run_with_a_market_that_was_cut_off_is_not_saved(
    client: Client, tmp_path: Path
) -> None:
    async with desk_workers(client, tmp_path, analyst=ScriptedAnalyst(Disagreement())):
        config = desk_config(pair("USD/JPY"), policy_rate("JP"), open_for_seconds=0.1)
        handle = await start_week(client, config)
        await case_opened(handle)
        await client.get_workflow_handle(MARKET_RUN).cancel()
        while (await handle.describe()).status is WorkflowExecutionStatus.RUNNING:
            await asyncio.sleep(0.02)
    with pytest.raises(CommandError, match=r"cut off while it worked .* market/USD/JPY"):
        await taped(client, handle)
