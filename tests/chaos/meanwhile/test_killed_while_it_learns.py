"""kill -9 of worker and server between what was said and what was scored: nothing is forgotten."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from temporalio.client import Client, WorkflowHandle
from temporalio.service import RPCError

from desk.contracts.learning.lessons import Advice, Lesson
from desk.contracts.learning.record import LearnedView, LearningRequest
from desk.contracts.names import LEARNING_SYSTEM_ID, Message, Queue, week_run_id
from desk.contracts.runs.week import WeekRequest, WeekStatus
from desk.contracts.swarm.hypotheses import HypothesisState
from desk.contracts.week.report import ResearchReport
from desk.platform.settings import Settings
from desk.platform.temporal.client import connect
from tests.support.builders import real_fixings
from tests.support.processes.counted_worker import read_notes
from tests.support.processes.fleet import WEEK, desk_at
from tests.support.runs.hypotheses import hypothesis, hypothesis_request
from tests.support.runs.learning import forecast, lesson, question
from workers.hosting import Role
from workflows.learning import LearningSystemWorkflow
from workflows.swarm.hypothesis import HypothesisWorkflow
from workflows.week.week import WeeklyResearchWorkflow

Answer = TypeVar("Answer")
Handle = WorkflowHandle[LearningSystemWorkflow, None]
LATER = 12
"""Weeks after the first, when both forecasts are due."""

MUCH_LATER = 104


async def tell(client: Client, told: Lesson) -> Handle:
    """As a run does."""
    return await client.start_workflow(
        LearningSystemWorkflow.run,
        LearningRequest(),
        id=LEARNING_SYSTEM_ID,
        task_queue=Queue.DESK,
        start_signal=Message.LEARN,
        start_signal_args=[told],
    )


async def persistently(ask: Callable[[], Awaitable[Answer]], seconds: float = 5) -> Answer:
    """The answer, as soon as there is a server that gives one, and a worker where it needs one."""
    while True:
        try:
            async with asyncio.timeout(seconds):
                return await ask()
        except (RPCError, TimeoutError):
            await asyncio.sleep(0.1)


async def view_of(handle: Handle, weeks: int = LATER) -> LearnedView:
    view: LearnedView = await handle.query(
        Message.LEARNED, question(weeks), result_type=LearnedView
    )
    return view


async def status_of(handle: WorkflowHandle[Any, Any]) -> WeekStatus:
    status: WeekStatus = await handle.query(Message.STATUS, result_type=WeekStatus)
    return status


async def advice_of_a_week(client: Client, settings: Settings) -> Advice | None:
    """What a run of a week is told; one market is enough."""
    (market,) = (spec for spec in settings.config.markets if spec.market == "JP")
    config = settings.config.model_copy(update={"markets": (market,)})
    handle = await client.start_workflow(
        WeeklyResearchWorkflow.run,
        WeekRequest(config=config, week=WEEK, learn=True),
        id=week_run_id(WEEK),
        task_queue=Queue.DESK,
    )
    while (files := (await persistently(lambda: status_of(handle))).files) is None:
        await asyncio.sleep(0.1)
    return ResearchReport.model_validate_json(Path(files.json_file).read_text()).advice


def fixed_by(market: str, day: date) -> tuple[date, Decimal]:
    """The last fixing of the packaged file before a day, to six digits."""
    return max(fixing for fixing in real_fixings(market) if fixing[0] < day)


async def test_what_was_told_is_scored_after_worker_and_server_were_killed(tmp_path: Path) -> None:
    async with desk_at(tmp_path) as (settings, server, fleet, log):
        client = await connect(settings)
        # Nobody can be asked for fixings, so that what is told stays unscored for now.
        fleet.kill(Role.SOURCES)
        handle = await tell(client, lesson(0))
        while not (await persistently(lambda: view_of(handle))).told:
            await asyncio.sleep(0.05)
        fleet.kill(Role.ORCHESTRATOR)
        os.kill(server.pid, signal.SIGKILL)
        # A server that has taken it is slow to say so: told again, it would be told twice.
        other = lesson(1, forecasts=(forecast(1, "EUR/USD"),))
        await persistently(lambda: tell(client, other), seconds=60)
        fleet.start(Role.ORCHESTRATOR)
        before = await persistently(lambda: view_of(handle))
        assert (before.told, before.scored) == (2, ())
        fleet.start(Role.SOURCES)
        while len((view := await persistently(lambda: view_of(handle))).scored) < 2:
            await asyncio.sleep(0.1)
        found = {
            one.made.market: (one.value_on, Decimal(f"{one.value:.6g}")) for one in view.scored
        }
        assert found == {
            made.market: fixed_by(made.market, made.due.date())
            for made in (forecast(0), forecast(1, "EUR/USD"))
        }
        done = [note["key"] for note in read_notes(log) if note["stage"] == "done"]
        assert len(done) == len(set(done)) == 2
        advice = await advice_of_a_week(client, settings)
        assert advice is not None and (advice.weeks, advice.unread) == (2, None)
        assert advice.scorecard is not None and advice.scorecard.rows[0].scored == 2


async def test_a_hypothesis_is_scored_after_everything_was_killed_while_it_waited(
    tmp_path: Path,
) -> None:
    about = hypothesis()
    roles = (Role.ORCHESTRATOR, Role.SOURCES)
    async with desk_at(tmp_path, roles) as (settings, server, fleet, _):
        client = await connect(settings)
        fleet.kill(Role.SOURCES)
        waits = await client.start_workflow(
            HypothesisWorkflow.run, hypothesis_request(about), id="waits", task_queue=Queue.DESK
        )
        ask = partial(waits.query, HypothesisWorkflow.hypothesis)
        while (await persistently(ask)).state is not HypothesisState.OPEN:
            await asyncio.sleep(0.05)
        fleet.kill(Role.ORCHESTRATOR)
        os.kill(server.pid, signal.SIGKILL)
        await persistently(waits.describe)
        fleet.start(Role.ORCHESTRATOR)
        fleet.start(Role.SOURCES)
        scored = await persistently(waits.result)
        day, value = fixed_by("USD/JPY", about.due.date())
        assert (scored.value_on, scored.value) == (day, value.quantize(about.level))
        assert scored.state is (
            HypothesisState.HELD if value > about.level else HypothesisState.REFUTED
        )
        handle = client.get_workflow_handle(LEARNING_SYSTEM_ID)
        learned = await persistently(lambda: view_of(handle, MUCH_LATER))
        assert [each.workflow_id for each in learned.hypotheses] == ["waits"]
