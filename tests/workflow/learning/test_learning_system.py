"""The learning system on a server whose clock skips: it scores in time and forgets nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client, WorkflowHandle
from temporalio.service import RPCError, RPCStatusCode
from temporalio.testing import WorkflowEnvironment

from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.config import RetryConfig
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import REACH_TOOL
from desk.contracts.learning.lessons import Advice, Lesson
from desk.contracts.learning.record import FixingPause, LearnedView, LearningRequest
from desk.contracts.names import LEARNING_SYSTEM_ID, Message, Queue, WorkflowType, week_run_id
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.runs.week import RerunRequest, WeekRequest
from desk.contracts.swarm.hypotheses import ScoredHypothesis
from desk.platform.mcp.tool_calling import ToolAnswer
from tests.support.runs.desk import (
    WEEK,
    desk_config,
    desk_workers,
    pair,
    policy_rate,
    start_week,
)
from tests.support.runs.hypotheses import scored_hypothesis
from tests.support.runs.learning import as_of, fixing, forecast, lesson, question, use, week_number
from tests.support.runs.scripted import ScriptedAnalyst, ScriptedTools, ordinary_turn, plan_of
from tests.support.sources.fixings import Fixings
from workflows.learning import LearningSystemWorkflow

Handle = WorkflowHandle[LearningSystemWorkflow, None]


@asynccontextmanager
async def learning_desk(
    client: Client, directory: Path, *, shut: bool = False, **fields: Any
) -> AsyncIterator[Fixings]:
    """Workers whose source answers unless it is shut."""
    fixings = Fixings(open=not shut, **fields)
    async with desk_workers(client, directory, tools=fixings):
        yield fixings


async def begun(client: Client, **request: Any) -> Handle:
    return await client.start_workflow(
        LearningSystemWorkflow.run,
        LearningRequest(**request),
        id=LEARNING_SYSTEM_ID,
        task_queue=Queue.DESK,
    )


async def taught(handle: Handle, told: Lesson, number: int = 1) -> None:
    """Told, and known to have been, with so many by then: the server whose clock skips may hand the
    workflow an update before the signal that came right before it."""
    await handle.signal(Message.LEARN, told)
    while (await view_of(handle, 0)).told < number:
        await asyncio.sleep(0.01)


async def advice_of(handle: Handle, number: int) -> Advice:
    advice: Advice = await handle.execute_update(
        Message.ADVISE, question(number), result_type=Advice
    )
    return advice


async def view_of(handle: Handle, number: int) -> LearnedView:
    view: LearnedView = await handle.query(
        Message.LEARNED, question(number), result_type=LearnedView
    )
    return view


async def went_on(handle: Handle, run_id: str | None) -> None:
    """Return once a later run than that has taken over."""
    while (await handle.describe()).run_id == run_id:
        await asyncio.sleep(0.01)


def scored(advice: Advice) -> int:
    assert advice.scorecard is not None
    return advice.scorecard.rows[0].scored if advice.scorecard.rows else 0


def from_now(now: datetime, days: float) -> Lesson:
    """A lesson whose forecast is due so many days from now."""
    made = forecast(0, due=now + timedelta(days=days), level_on=now.date() - timedelta(days=3))
    return lesson(0, as_of=now - timedelta(hours=1), forecasts=(made,))


async def test_a_forecast_is_scored_when_it_is_due_and_not_before(
    skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with learning_desk(skipping.client, tmp_path) as fixings:
        handle = await begun(skipping.client)
        now = await skipping.get_current_time()
        told = from_now(now, 28)
        await handle.signal(Message.LEARN, told)
        await skipping.sleep(timedelta(days=27, hours=23))
        assert fixings.asked_at == []
        await skipping.sleep(timedelta(hours=2))
        due = told.forecasts[0].due
        asked = question(0).model_copy(update={"as_of": due})
        advice = await handle.execute_update(Message.ADVISE, asked, result_type=Advice)
        assert scored(advice) == 1
        assert [datetime.fromisoformat(at) for at in fixings.asked_at] == [due]
        await handle.terminate()


async def test_a_source_that_was_away_is_asked_again(
    skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    """Three tries are one call; the second call succeeds, after a pause."""
    async with learning_desk(skipping.client, tmp_path, away=5) as fixings:
        handle = await begun(skipping.client)
        await handle.signal(Message.LEARN, lesson(0))
        await skipping.sleep(timedelta(minutes=10))
        assert fixings.calls["ecb.get_quotes"] == 6
        assert scored(await advice_of(handle, 9)) == 1
        await handle.terminate()


async def test_a_pair_that_is_refused_keeps_back_nothing_else(
    skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    """It was due first, in each of the weeks."""
    weeks, refused = 30, "AUD/USD"
    async with learning_desk(skipping.client, tmp_path, refused=frozenset({refused})) as fixings:
        pairs = (refused, "USD/JPY")
        told = [lesson(n, forecasts=tuple(forecast(n, p) for p in pairs)) for n in range(weeks)]
        handle = await begun(skipping.client, state={"lessons": tuple(told)})
        await skipping.sleep(timedelta(minutes=5))
        card = (await advice_of(handle, weeks + 9)).scorecard
        assert card is not None
        assert [(row.of, row.scored) for row in card.rows if "/" in row.of] == [("USD/JPY", weeks)]
        assert (card.open, len(fixings.asked_at)) == (weeks, weeks)
        await handle.terminate()


async def test_nor_does_one_that_never_gets_an_answer(
    skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with learning_desk(skipping.client, tmp_path, lost=frozenset({"AUD/USD"})) as fixings:
        first = lesson(0, forecasts=(forecast(0, "AUD/USD"),))
        told = (first, *(lesson(n) for n in range(1, 6)))
        handle = await begun(skipping.client, state={"lessons": told})
        await skipping.sleep(timedelta(minutes=10))
        assert scored(await advice_of(handle, 20)) == len(fixings.asked_at) == 5
        await handle.terminate()


async def test_what_is_refused_for_two_weeks_is_void_with_the_reason(
    skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with learning_desk(skipping.client, tmp_path, refused=frozenset({"USD/JPY"})) as fixings:
        handle = await begun(skipping.client, state={"lessons": (lesson(0),)})
        await skipping.sleep(timedelta(days=12))
        assert (await view_of(handle, 9)).voids == ()
        await skipping.sleep(timedelta(days=4))
        (void,) = (await view_of(handle, 9)).voids
        assert void.words.startswith("given up after 25 refusals since ")
        assert void.words.endswith("there is no such pair")
        await skipping.sleep(timedelta(days=9))
        assert fixings.calls["ecb.get_quotes"] == 25
        await handle.terminate()


async def test_an_answer_that_holds_no_quote_is_no_answer(
    skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    """A tool of somebody's own has other words for it."""
    fixings = Fixings(open=True)
    async with desk_workers(skipping.client, tmp_path, tools=fixings, servers=("own",)):
        told = lesson(0, forecasts=(forecast(0, server="own"),))
        handle = await begun(skipping.client, state={"lessons": (told,)})
        await skipping.sleep(timedelta(days=20))
        (void,) = (await view_of(handle, 9)).voids
        assert "no quote" in void.words
        assert fixings.calls == {"own.get_quote": 25}
        await handle.terminate()


async def test_a_source_that_hangs_keeps_no_other_waiting(client: Client, tmp_path: Path) -> None:
    fixings, servers = Fixings(), ("ecb", "own")
    friday = forecast(0).due.date() - timedelta(days=3)
    content = {"symbol": "USD/JPY", "value": "151.00", "fixed_on": friday.isoformat()}
    fixings.script = lambda server, tool, arguments: ToolAnswer(content={**content})
    async with desk_workers(client, tmp_path, tools=fixings, servers=servers):
        made = (forecast(0, "EUR/USD"), forecast(0, server="own"))
        state = {"lessons": (lesson(0, forecasts=made),)}
        handle = await begun(client, state=state, longest_wait=timedelta(seconds=1))
        while not (await view_of(handle, 9)).scored:
            await asyncio.sleep(0.01)
        assert scored(await advice_of(handle, 9)) == 1
        fixings.gate.set()
        await handle.terminate()


async def test_a_source_s_pause_outlasts_continuing_as_new(
    skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    """Asked from the first pause on in each, it would be asked hundreds of times in a day."""
    async with learning_desk(skipping.client, tmp_path, away=10_000) as fixings:
        now = await skipping.get_current_time()
        hour = timedelta(hours=1)
        pause = FixingPause(server="ecb", since=now, until=now + hour, length=hour)
        state = {"lessons": (lesson(0),), "pauses": (pause,)}
        handle = await begun(skipping.client, state=state, longest_history=10)
        first = (await handle.describe()).run_id
        await skipping.sleep(timedelta(minutes=50))
        assert fixings.calls["ecb.get_quotes"] == 0
        await skipping.sleep(timedelta(hours=23))
        assert fixings.calls["ecb.get_quotes"] == 4 * 3
        assert (await handle.describe()).run_id != first
        await handle.terminate()


async def test_nobody_waits_long_for_a_source_that_is_away(client: Client, tmp_path: Path) -> None:
    async with learning_desk(client, tmp_path, shut=True):
        handle = await begun(client, longest_wait=timedelta(milliseconds=50))
        await taught(handle, lesson(0))
        advice = await advice_of(handle, 9)
        assert (advice.weeks, scored(advice)) == (1, 0)
        assert advice.scorecard is not None and advice.scorecard.open == 1
        await handle.terminate()


async def test_an_answer_waits_for_what_was_due_by_then(client: Client, tmp_path: Path) -> None:
    async with learning_desk(client, tmp_path, shut=True) as fixings:
        handle = await begun(client)
        await taught(handle, lesson(0))
        asked = asyncio.create_task(advice_of(handle, 9))
        earlier = await advice_of(handle, 3)
        assert (earlier.weeks, scored(earlier), asked.done()) == (1, 0, False)
        fixings.gate.set()
        assert scored(await asked) == 1
        # What came of it later is no part of what was known then.
        assert scored(await advice_of(handle, 3)) == 0
        await handle.terminate()


async def test_what_is_due_together_is_one_question(client: Client, tmp_path: Path) -> None:
    pairs = ("USD/JPY", "EUR/USD", "GBP/USD")
    async with learning_desk(client, tmp_path) as fixings:
        handle = await begun(client)
        told = lesson(0, forecasts=tuple(forecast(0, pair) for pair in pairs))
        await taught(handle, told)
        assert scored(await advice_of(handle, 9)) == 3
        assert fixings.calls["ecb.get_quotes"] == 1
        await handle.terminate()


async def test_going_on_anew_amid_signals_and_updates_loses_none(
    client: Client, tmp_path: Path
) -> None:
    weeks = 30
    async with learning_desk(client, tmp_path) as fixings:
        handle = await begun(client, longest_history=25)
        first = (await handle.describe()).run_id
        answers = []
        for number in range(weeks):
            told = handle.signal(Message.LEARN, lesson(number))
            asked = advice_of(handle, number + 1)
            answers += [asyncio.create_task(told), asyncio.create_task(asked)]
            if number % 3 == 0:
                await asyncio.gather(*answers)
        await asyncio.gather(*answers)
        last = await advice_of(handle, weeks + 9)
        assert (last.weeks, scored(last)) == (weeks, weeks)
        view = await view_of(handle, weeks + 9)
        assert [week.week for week in view.weeks] == [
            week_number(n) for n in reversed(range(weeks))
        ]
        assert view.told == weeks
        assert (await handle.describe()).run_id != first
        assert len(fixings.asked_at) == len(set(fixings.asked_at))
        await handle.terminate()


async def learn(handle: WorkflowHandle[Any, Any], hypothesis: ScoredHypothesis) -> None:
    """The server whose clock skips refuses a signal while a run gives way to the next."""
    try:
        await handle.signal(Message.LEARN_HYPOTHESIS, hypothesis)
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise
        await learn(handle, hypothesis)


async def test_going_on_anew_loses_no_hypothesis(client: Client, tmp_path: Path) -> None:
    told = [scored_hypothesis(number) for number in range(40)]
    async with learning_desk(client, tmp_path):
        handle = await begun(client, longest_history=25)
        first = (await handle.describe()).run_id
        for scored_one in told:
            await learn(handle, scored_one)
            await learn(handle, scored_one)
        await went_on(handle, first)
        asked = question(0).model_copy(update={"as_of": told[-1].hypothesis.due})
        view = await handle.query(Message.LEARNED, asked, result_type=LearnedView)
        assert view.hypotheses == tuple(reversed(told))
        await handle.terminate()


async def test_whoever_waits_is_answered_before_it_goes_on_anew(
    skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    client, now = skipping.client, await skipping.get_current_time()
    async with learning_desk(client, tmp_path):
        wait = timedelta(minutes=10)
        handle = await begun(client, longest_history=20, longest_wait=wait)
        first = (await handle.describe()).run_id
        await handle.signal(Message.LEARN, from_now(now, 1))
        # It is asked ahead of its time, and waits in vain for what is due in a day.
        ahead = question(0).model_copy(update={"as_of": now + timedelta(days=2)})
        asked = asyncio.create_task(
            handle.execute_update(Message.ADVISE, ahead, result_type=Advice)
        )
        for number in range(1, 12):
            await handle.signal(Message.LEARN, lesson(number, forecasts=()))
            assert (await view_of(handle, 11)).told == number + 1
        await skipping.sleep(wait)
        assert (await asked).weeks == 12
        await went_on(handle, first)
        assert (await view_of(handle, 11)).told == 12
        await handle.terminate()


async def test_a_lesson_told_again_replaces_its_forecasts(client: Client, tmp_path: Path) -> None:
    async with learning_desk(client, tmp_path):
        handle = await begun(client)
        await handle.signal(Message.LEARN, lesson(0))
        again = lesson(0, told_at=as_of(1), researched=9, forecasts=(forecast(0, "EUR/USD"),))
        await taught(handle, again, 2)
        await advice_of(handle, 9)
        view = await view_of(handle, 9)
        assert [forecast.made.market for forecast in view.scored] == ["EUR/USD"]
        assert [week.researched for week in view.weeks] == [9]
        await handle.terminate()


async def test_what_it_was_started_with_is_what_it_knows(client: Client, tmp_path: Path) -> None:
    async with learning_desk(client, tmp_path) as fixings:
        state = {"lessons": (lesson(0),), "resolutions": (fixing(forecast(0)),), "told": 7}
        handle = await begun(client, state=state)
        view = await view_of(handle, 9)
        assert (view.told, len(view.scored), fixings.asked_at) == (7, 1, [])
        await handle.terminate()


async def test_a_week_tells_what_became_of_it_and_again_after_a_rerun(
    client: Client, tmp_path: Path
) -> None:
    async with learning_desk(client, tmp_path):
        run = await start_week(client, desk_config(), learn=True)
        await run.signal(Message.RERUN_MARKET, RerunRequest(market="JP", reason="again"))
        result = await run.result()
        assert result.record.advice is not None
        assert (result.record.advice.unread, result.record.advice.weeks) == (None, 0)
        handle = client.get_workflow_handle(LEARNING_SYSTEM_ID)
        asked = question(0).model_copy(update={"as_of": datetime(2027, 1, 1, tzinfo=UTC)})
        view = await handle.query(Message.LEARNED, asked, result_type=LearnedView)
        (week,) = view.weeks
        assert (week.week, week.workflow_id, week.whole) == (WEEK, week_run_id(WEEK), True)
        # The call whose place the rerun's took was made as well.
        assert (week.researched, week.calls, view.told) == (2, 3, 2)


def by_capability(*follows: str) -> Callable[[TurnRequest], Turn | None]:
    """A script: the plan follows these, and whoever asks for a price leaves it open whom."""

    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is TaskType.PLAN_WEEK:
            plan = plan_of(request).model_copy(update={"follows": follows})
            return Turn(result=plan)
        turn = ordinary_turn(request)
        calls = tuple(c.model_copy(update={"capability": Capability.QUOTE}) for c in turn.calls)
        return turn.model_copy(update={"calls": calls})

    return script


PREFERRED = "prefer_fallback:ecb:quote"


@pytest.mark.parametrize(
    ("follows", "asked_first"),
    [((PREFERRED,), "yahoo_finance.get_quote"), ((), "ecb.get_quote")],
)
async def test_a_week_asks_whom_the_record_recommends_where_its_plan_follows_it(
    client: Client, tmp_path: Path, follows: tuple[str, ...], asked_first: str
) -> None:
    sources = ("ecb", "yahoo_finance")
    config = desk_config(pair("USD/JPY"))
    policy = config.policy.model_copy(update={"sources": sources})
    config = config.model_copy(update={"policy": policy})
    had = (use("ecb", failed=1), use("yahoo_finance"))
    bad = [lesson(n, forecasts=(), tools=had) for n in range(3)]
    tools, analyst = ScriptedTools(), ScriptedAnalyst(by_capability(*follows))
    async with desk_workers(client, tmp_path, tools=tools, analyst=analyst, servers=sources):
        await begun(client, state={"lessons": tuple(bad)})
        run = await start_week(client, config, learn=True)
        result = await run.result()
    advice = result.record.advice
    assert advice is not None
    assert PREFERRED in [each.advice_id for each in advice.recommendations]
    del tools.calls[f"yahoo_finance.{REACH_TOOL}"]
    assert tools.calls == {asked_first: 1}


async def test_a_week_goes_on_without_a_record(client: Client, tmp_path: Path) -> None:
    """What it asks is of no use to whoever has the record's name, and is open for longer."""
    retries = RetryConfig(max_attempts=1)
    config = desk_config(policy_rate("JP"), retries=retries, open_for_seconds=1)
    longer = desk_config(policy_rate("JP"), retries=retries)
    async with desk_workers(client, tmp_path):
        await client.start_workflow(
            WorkflowType.WEEKLY_RESEARCH,
            WeekRequest(config=longer, week=WEEK),
            id=LEARNING_SYSTEM_ID,
            task_queue=Queue.DESK,
        )
        result = await (await start_week(client, config, learn=True)).result()
    advice = result.record.advice
    assert advice is not None and advice.unread is not None
    assert advice.unread.startswith("the desk's own record could not be read")
    assert result.coverage.complete


def test_a_run_that_does_not_learn_looks_as_it_always_did() -> None:
    assert "learn" not in WeekRequest(config=desk_config(), week=WEEK).model_dump()
