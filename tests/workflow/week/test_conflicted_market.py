"""Markets whose analysts contradict each other, on a clock that skips."""

import asyncio
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import (
    Client,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
)
from temporalio.testing import WorkflowEnvironment

from desk.contracts.agents.config import DeadlineConfig
from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tasks import TaskType
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.escalations import (
    EscalationAnswer,
    EscalationDecision,
    EscalationStatus,
)
from desk.contracts.findings.results import ConflictRecord, DecidedBy
from desk.contracts.names import Message, escalation_run_id, market_run_id, week_run_id
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.runs.week import MarketState, RerunRequest, WeekResult, WeekStatus
from desk.contracts.week.report import MarketOutcome
from tests.support.runs.desk import WEEK, desk_config, desk_workers, pair, policy_rate, start_week
from tests.support.runs.scripted import Disagreement, ScriptedAnalyst, finding
from workflows.engine.options import MARKET, PHASE
from workflows.engine.options import WEEK as WEEK_ATTRIBUTE

Week = WorkflowHandle[Any, WeekResult]
CASE = escalation_run_id(
    market_run_id(week_run_id(WEEK), "USD/JPY"), "USD/JPY/conflict/USD/JPY:last@2026-10-30"
)


def disagreeing(*markets: str, equal: bool = False) -> ScriptedAnalyst:
    return ScriptedAnalyst(Disagreement(markets or ("USD/JPY",), equal=equal))


async def status_once(handle: Week, *, cases: int) -> WeekStatus:
    """The status of a week once that many cases are open."""
    while True:
        status: WeekStatus = await handle.query(Message.STATUS, result_type=WeekStatus)
        if len(status.escalations) == cases:
            return status
        await asyncio.sleep(0.02)


async def answer(client: Client, case: str, position: int | None) -> ConflictRecord:
    decision: EscalationDecision = await client.get_workflow_handle(case).execute_update(
        Message.RESOLVE_ESCALATION,
        EscalationAnswer(position=position, by="anna"),
        result_type=EscalationDecision,
    )
    return decision.conflict


def only(outcomes: tuple[MarketOutcome, ...]) -> tuple[MarketOutcome, ConflictRecord]:
    (outcome,) = outcomes
    (conflict,) = outcome.conflicts
    return outcome, conflict


async def test_a_market_waits_for_a_person_and_goes_on_with_the_answer(
    client: Client, tmp_path: Path
) -> None:
    config = desk_config(pair("USD/JPY"), policy_rate("JP"))
    async with desk_workers(client, tmp_path, analyst=disagreeing()):
        handle = await start_week(client, config)
        status = await status_once(handle, cases=1)
        assert status.escalations == (CASE,)
        waiting = status.markets[0]
        assert waiting.state is MarketState.WAITING
        assert "desk escalations list" in (waiting.note or "")
        decided = await answer(client, CASE, 1)
        await status_once(handle, cases=0)
        result = await handle.result()
    outcome, other = result.record.outcomes
    assert outcome.conflicts == (decided,)
    assert (decided.chosen, decided.decided_by_whom) == ("120", "anna")
    assert (outcome.outcome, other.outcome) == (Outcome.RESEARCHED, Outcome.RESEARCHED)
    published = result.record.revisions[0].published_at - result.record.started_at
    assert published < timedelta(minutes=1)


async def test_a_case_is_found_and_holds_what_its_positions_rest_on(
    client: Client, tmp_path: Path
) -> None:
    async with desk_workers(client, tmp_path, analyst=disagreeing()):
        handle = await start_week(client, desk_config(pair("USD/JPY")))
        await status_once(handle, cases=1)
        case = client.get_workflow_handle(CASE)
        attributes = (await case.describe()).typed_search_attributes
        status = await case.query(Message.ESCALATION, result_type=EscalationStatus)
        await handle.cancel()
    assert attributes[PHASE] == Phase.AWAITING_PERSON
    assert (attributes[MARKET], attributes[WEEK_ATTRIBUTE]) == ("USD/JPY", WEEK)
    request = status.request
    assert [claim.value for claim in request.claims] == [Decimal("100.00"), Decimal("120.00")]
    assert {e.evidence_id for e in request.evidence} == {
        e for claim in request.claims for e in claim.evidence
    }
    assert len(request.evidence) == 2
    assert request.default == 0
    assert request.deadline - request.remind_at == timedelta(minutes=10)


async def test_a_case_can_be_answered_once_the_week_is_told_of_it(
    client: Client, tmp_path: Path
) -> None:
    async with desk_workers(client, tmp_path, analyst=disagreeing()):
        handle = await start_week(client, desk_config(pair("USD/JPY")))
        await answer(client, (await status_once(handle, cases=1)).escalations[0], 0)
        await handle.result()
        market = client.get_workflow_handle(market_run_id(handle.id, "USD/JPY"))
        history = await market.fetch_history()
    kinds = [EventType.Name(event.event_type) for event in history.events]
    there = kinds.index("EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_STARTED")
    told = kinds.index("EVENT_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED")
    assert there < told


async def test_when_nobody_answers_the_heaviest_position_holds(
    client: Client, tmp_path: Path
) -> None:
    async with desk_workers(client, tmp_path, analyst=disagreeing()):
        result = await (await start_week(client, desk_config(pair("USD/JPY")))).result()
    outcome, conflict = only(result.record.outcomes)
    assert (conflict.chosen, conflict.decided_by) == ("100", DecidedBy.DEFAULT)
    assert outcome.outcome is Outcome.RESEARCHED
    published = result.record.revisions[0].published_at - result.record.started_at
    assert timedelta(minutes=20) <= published < timedelta(minutes=21)


async def test_without_a_heaviest_position_the_figure_is_withheld_and_named_as_missing(
    client: Client, tmp_path: Path
) -> None:
    async with desk_workers(client, tmp_path, analyst=disagreeing(equal=True)):
        result = await (await start_week(client, desk_config(pair("USD/JPY")))).result()
    outcome, conflict = only(result.record.outcomes)
    assert (conflict.chosen, conflict.resolved) == (None, True)
    assert outcome.outcome is Outcome.PARTIAL
    assert "USD/JPY:last is withheld" in outcome.missing[-1]


async def test_all_cases_wait_side_by_side(client: Client, tmp_path: Path) -> None:
    config = desk_config(pair("USD/JPY"), pair("EUR/USD"))
    async with desk_workers(client, tmp_path, analyst=disagreeing("USD/JPY", "EUR/USD")):
        handle = await start_week(client, config)
        await status_once(handle, cases=2)
        result = await handle.result()
    published = result.record.revisions[0].published_at - result.record.started_at
    assert published < timedelta(minutes=21)


async def test_a_case_is_closed_before_the_report_is_due(client: Client, tmp_path: Path) -> None:
    deadlines = DeadlineConfig(week=timedelta(minutes=9), escalation=timedelta(days=2))
    config = desk_config(pair("USD/JPY"), deadlines=deadlines)
    async with desk_workers(client, tmp_path, analyst=disagreeing()):
        result = await (await start_week(client, config)).result()
    _, conflict = only(result.record.outcomes)
    assert (conflict.chosen, conflict.decided_by) == ("100", DecidedBy.DEFAULT)
    published = result.record.revisions[0].published_at - result.record.started_at
    assert timedelta(minutes=8) < published < timedelta(minutes=9)


async def test_without_time_nobody_is_asked_and_the_words_say_so(
    client: Client, tmp_path: Path
) -> None:
    config = desk_config(pair("USD/JPY"), deadlines=DeadlineConfig(week=timedelta(seconds=25)))
    async with desk_workers(client, tmp_path, analyst=disagreeing()):
        result = await (await start_week(client, config)).result()
    _, conflict = only(result.record.outcomes)
    assert (conflict.chosen, conflict.decided_by) == ("100", DecidedBy.DEFAULT)
    assert conflict.resolution.endswith("Nobody was asked, because the report was due.")


async def test_a_market_may_wait_longer_than_its_agents_may_work(
    skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    client = skipping.client
    deadlines = DeadlineConfig(task=timedelta(minutes=2))
    config = desk_config(pair("USD/JPY"), deadlines=deadlines)
    async with desk_workers(client, tmp_path, analyst=disagreeing()):
        handle = await start_week(client, config)
        await status_once(handle, cases=1)
        await skipping.sleep(timedelta(minutes=15))
        assert (await status_once(handle, cases=1)).escalations == (CASE,)
        await answer(client, CASE, 1)
        result = await handle.result()
    outcome, conflict = only(result.record.outcomes)
    assert (outcome.outcome, conflict.chosen) == (Outcome.RESEARCHED, "120")


async def test_a_case_that_is_cancelled_loses_no_market(client: Client, tmp_path: Path) -> None:
    async with desk_workers(client, tmp_path, analyst=disagreeing()):
        handle = await start_week(client, desk_config(pair("USD/JPY")))
        await status_once(handle, cases=1)
        await client.get_workflow_handle(CASE).cancel()
        await status_once(handle, cases=0)
        result = await handle.result()
    outcome, conflict = only(result.record.outcomes)
    assert outcome.outcome is Outcome.RESEARCHED
    assert (conflict.chosen, conflict.decided_by) == ("100", DecidedBy.DEFAULT)
    assert "ended without an answer" in conflict.resolution


async def test_a_cancelled_week_takes_its_cases_with_it(client: Client, tmp_path: Path) -> None:
    async with desk_workers(client, tmp_path, analyst=disagreeing()):
        handle = await start_week(client, desk_config(pair("USD/JPY")))
        await status_once(handle, cases=1)
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await handle.result()
        case = client.get_workflow_handle(CASE)
        with pytest.raises(WorkflowFailureError):
            await case.result()
        market = client.get_workflow_handle(market_run_id(week_run_id(WEEK), "USD/JPY"))
        for ended in (handle, market, case):
            assert (await ended.describe()).status is WorkflowExecutionStatus.CANCELED


async def test_a_cancelled_market_loses_no_week(client: Client, tmp_path: Path) -> None:
    async with desk_workers(client, tmp_path, analyst=disagreeing()):
        handle = await start_week(client, desk_config(pair("USD/JPY"), pair("EUR/USD")))
        await status_once(handle, cases=1)
        market = market_run_id(week_run_id(WEEK), "USD/JPY")
        await client.get_workflow_handle(market).cancel()
        status = await status_once(handle, cases=0)
        while status.files is None:
            await asyncio.sleep(0.02)
            status = await status_once(handle, cases=0)
    gone, kept = status.markets
    assert (gone.outcome, gone.note) == (Outcome.MISSING, "its research was cancelled")
    assert kept.outcome is Outcome.RESEARCHED


async def test_a_rerun_asks_again_under_an_id_of_its_own(client: Client, tmp_path: Path) -> None:
    async with desk_workers(client, tmp_path, analyst=disagreeing()):
        handle = await start_week(client, desk_config(pair("USD/JPY")))
        await status_once(handle, cases=1)
        await answer(client, CASE, 0)
        await status_once(handle, cases=0)
        rerun = RerunRequest(market="USD/JPY", reason="anna was wrong")
        await handle.signal(Message.RERUN_MARKET, rerun)
        status = await status_once(handle, cases=1)
        (again,) = status.escalations
        assert again != CASE and "/rerun/2/escalation/" in again
        await answer(client, again, 1)
        result = await handle.result()
    _, conflict = only(result.record.outcomes)
    assert (conflict.chosen, conflict.decided_by) == ("120", DecidedBy.PERSON)
    assert [r.revision for r in result.record.revisions] == [1, 2]


async def test_the_validator_is_given_the_evidence_of_the_findings(
    client: Client, tmp_path: Path
) -> None:
    seen: list[tuple[str, ...]] = []

    def watch(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is TaskType.VALIDATE:
            seen.append(tuple(result.evidence_id for result in request.evidence))
        else:
            assert request.evidence == ()
        return None

    async with desk_workers(client, tmp_path, analyst=ScriptedAnalyst(watch)):
        await (await start_week(client, desk_config(pair("USD/JPY")))).result()
    assert seen == [("USD/JPY/research_fx/get_quote",)]


def rate_of_japan(request: TurnRequest, value: str, confidence: float) -> Turn:
    """An ordinary finding with the policy rate of Japan besides."""
    result = finding(request, confidence=confidence)
    rate = Claim(
        claim_id="JP:policy_rate",
        subject="JP",
        metric=Metric.POLICY_RATE,
        value=Decimal(value),
        unit=Unit.PERCENT_A_YEAR,
        as_of=date(2026, 10, 30),
        evidence=result.claims[0].evidence,
    )
    return Turn(result=result.model_copy(update={"claims": (*result.claims, rate)}))


def contradict_across(request: TurnRequest) -> Turn | None:
    """The market JP and the pair USD/JPY have two policy rates of Japan; the pair's is unsure."""
    task = request.assignment
    if task.market is None or not request.exchanges or task.task_type is TaskType.VALIDATE:
        return None
    if task.market.market == "JP":
        return Turn(result=finding(request, "0.75"))
    return rate_of_japan(request, "4.00", 0.2) if task.market.market == "USD/JPY" else None


ACROSS = desk_config(pair("USD/JPY"), pair("EUR/USD"), policy_rate("JP"))


async def test_what_markets_contradict_each_other_in_is_decided_before_the_report(
    client: Client, tmp_path: Path
) -> None:
    async with desk_workers(client, tmp_path, analyst=ScriptedAnalyst(contradict_across)):
        handle = await start_week(client, ACROSS)
        status = await status_once(handle, cases=1)
        assert status.phase is Phase.AWAITING_PERSON
        assert [m.market for m in status.markets if m.state is MarketState.WAITING] == ["JP"]
        decided = await answer(client, status.escalations[0], 1)
        result = await handle.result()
    attached = [(o.market, c) for o in result.record.outcomes for c in o.conflicts]
    assert attached == [("JP", decided)]
    assert {p.stated for p in decided.positions} == {"0.75 % a year", "4 % a year"}
    assert decided.decided_by is DecidedBy.PERSON


async def test_a_rerun_that_changes_nothing_about_it_does_not_ask_again(
    client: Client, tmp_path: Path
) -> None:
    async with desk_workers(client, tmp_path, analyst=ScriptedAnalyst(contradict_across)):
        handle = await start_week(client, ACROSS)
        status = await status_once(handle, cases=1)
        decided = await answer(client, status.escalations[0], 1)
        await handle.signal(Message.RERUN_MARKET, RerunRequest(market="EUR/USD", reason="again"))
        result = await handle.result()
    assert [c for o in result.record.outcomes for c in o.conflicts] == [decided]
    published = result.record.revisions[1].published_at - result.record.started_at
    assert published < timedelta(minutes=1)


async def test_a_rerun_of_the_market_that_it_is_about_asks_again(
    client: Client, tmp_path: Path
) -> None:
    async with desk_workers(client, tmp_path, analyst=ScriptedAnalyst(contradict_across)):
        handle = await start_week(client, ACROSS)
        (case,) = (await status_once(handle, cases=1)).escalations
        await answer(client, case, 0)
        await status_once(handle, cases=0)
        await handle.signal(Message.RERUN_MARKET, RerunRequest(market="JP", reason="again"))
        assert (await status_once(handle, cases=1)).escalations == (case,)
        decided = await answer(client, case, 1)
        result = await handle.result()
    assert [c for o in result.record.outcomes for c in o.conflicts] == [decided]


async def test_a_rerun_that_ends_the_contradiction_takes_the_decision_with_it(
    client: Client, tmp_path: Path
) -> None:
    asked: list[str] = []

    def corrected(request: TurnRequest) -> Turn | None:
        turn = contradict_across(request)
        task = request.assignment
        if turn is None or task.market is None or task.market.market != "USD/JPY":
            return turn
        asked.append(task.task_id)
        return turn if len(asked) == 1 else rate_of_japan(request, "0.75", 0.9)

    async with desk_workers(client, tmp_path, analyst=ScriptedAnalyst(corrected)):
        handle = await start_week(client, ACROSS)
        status = await status_once(handle, cases=1)
        await answer(client, status.escalations[0], 1)
        await handle.signal(Message.RERUN_MARKET, RerunRequest(market="USD/JPY", reason="wrong"))
        result = await handle.result()
    assert [c for o in result.record.outcomes for c in o.conflicts] == []
    assert [r.revision for r in result.record.revisions] == [1, 2]
