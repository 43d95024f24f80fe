"""What a week waits for in place of failing: the desk, its disk, its store, and a last rerun."""

import errno
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio import activity
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from activities.learning import LearningActivities
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.learning.lessons import Advice, Lesson, LessonSources
from desk.contracts.learning.record import RecordQuery
from desk.contracts.names import Message
from desk.contracts.runs.judgement import FindingsToJudge, JudgedFindings, Scope
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.runs.week import RerunReceipt, RerunRequest, WeekStatus
from desk.platform.delivery.shared_reports import SharedReports, StoreUnreachable
from desk.platform.models.model_calling import ModelFailed
from desk.programs.judging.findings import judged_findings
from tests.support.models.spending import Spender, budgeted, model_desk
from tests.support.runs.desk import desk_config, desk_workers, pair, policy_rate, start_week
from tests.support.runs.scripted import price_call
from tests.support.scenarios.slow import SlowToConclude, SlowTools, twice_tried, without_heartbeats

LONGER_THAN_A_TASK = timedelta(minutes=25)


async def test_a_judge_that_is_away_longer_than_a_task_may_take_is_waited_for(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away_at_first(asked: FindingsToJudge) -> JudgedFindings:
        waited = activity.info().started_time - activity.info().scheduled_time
        if asked.scope is Scope.ACROSS_MARKETS and waited < LONGER_THAN_A_TASK:
            raise RuntimeError("the desk goes down")
        return judged_findings(asked)

    monkeypatch.setattr("activities.judging.judged_findings", away_at_first)
    async with desk_workers(client, tmp_path):
        week = await (await start_week(client, desk_config())).result()
    assert week.outcome is Outcome.COMPLETE


async def test_a_machine_too_busy_for_heartbeats_costs_no_market(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_heartbeats(monkeypatch)
    async with desk_workers(client, tmp_path, analyst=SlowToConclude(), tools=SlowTools()):
        week = await (await start_week(client, twice_tried())).result()
    (market,) = week.record.outcomes
    assert (market.outcome, market.dead_letters) == (Outcome.RESEARCHED, ())


async def test_a_full_disk_below_the_store_is_waited_for(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put, tries = SharedReports.put, iter(range(2))

    async def full_at_first(shared: SharedReports) -> None:
        if next(tries, None) is not None:
            raise OSError(errno.ENOSPC, "No space left on device")
        await put(shared)

    monkeypatch.setattr(SharedReports, "put", full_at_first)
    async with desk_workers(client, tmp_path):
        week = await (await start_week(client, desk_config())).result()
    assert week.outcome is Outcome.COMPLETE


async def test_a_store_that_is_away_when_a_week_begins_is_waited_for(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch, tries = SharedReports.fetch, iter(range(6))

    async def away_at_first(shared: SharedReports) -> None:
        if next(tries, None) is not None:
            raise StoreUnreachable("the bucket does not answer")
        await fetch(shared)

    monkeypatch.setattr(SharedReports, "fetch", away_at_first)
    async with desk_workers(client, tmp_path):
        week = await (await start_week(client, desk_config())).result()
    assert week.outcome is Outcome.COMPLETE


class Away(LearningActivities):
    """A learning system that takes no lesson, so that a week waits at its end."""

    @activity.defn
    async def ask_learning(self, question: RecordQuery) -> Advice:
        """It has nothing to say."""
        return Advice(as_of=question.as_of)

    @activity.defn
    async def tell_learning(self, lesson: Lesson, sources: LessonSources | None = None) -> None:
        """It is away."""
        raise RuntimeError("away")


async def test_a_rerun_that_is_asked_for_while_the_end_waits_is_done(
    skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    config = desk_config(pair("USD/JPY"), policy_rate("JP"), open_for_seconds=60)
    async with desk_workers(skipping.client, tmp_path, learning=Away()):
        week = await start_week(skipping.client, config, learn=True)
        await skipping.sleep(timedelta(minutes=5))
        status = await week.query(Message.STATUS, result_type=WeekStatus)
        assert status.revision == 1
        asked = RerunRequest(market="JP", reason="a late release")
        receipt = await week.execute_update(Message.REQUEST_RERUN, asked, result_type=RerunReceipt)
        assert receipt.revision == 2
        result = await week.result()
    assert [each.market for each in result.record.revisions] == [None, "JP"]


async def test_no_model_is_asked_when_its_answer_would_come_too_late(
    client: Client, tmp_path: Path
) -> None:
    busy = iter([ModelFailed("529", again=True, after=timedelta(minutes=5, seconds=25))])

    def asks_on(request: TurnRequest) -> Turn | None:
        if request.assignment.task_id != "USD/JPY/research_fx":
            return None
        if failed := next(busy, None):
            raise failed
        call = price_call(request)
        return Turn(calls=(call.model_copy(update={"call_id": f"{call.call_id}-again"}),))

    spender = Spender(says=asks_on)
    async with model_desk(client, tmp_path, spender):
        week = await (await start_week(client, budgeted(pair("USD/JPY"), usd="10"))).result()
    assert len(spender.of("USD/JPY/research_fx")) == 1
    (market,) = week.record.outcomes
    line = next(each for each in market.agents if each.task_type == "research_fx")
    assert line.delivered
    assert "too little time was left" in (line.remark or "")
