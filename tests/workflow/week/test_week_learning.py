"""What became of a week is told beside its run, whenever somebody can be told."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

from temporalio import activity
from temporalio.client import Client

from activities.learning import LearningActivities
from desk.contracts.agents.config import RetryConfig
from desk.contracts.learning.lessons import Lesson, LessonSources
from desk.contracts.learning.record import LearnedView
from desk.contracts.names import LEARNING_SYSTEM_ID, Message
from desk.contracts.runs.week import RerunRequest, WeekStatus
from tests.support.runs.desk import WEEK, desk_config, desk_workers, policy_rate, start_week
from tests.support.runs.learning import question

HOURLY = RetryConfig(longest_pause=timedelta(hours=1))


class Untold(LearningActivities):
    """Cannot be told for a number of tries, or ever."""

    def __init__(self, tries: int | None = None) -> None:
        self.tries = 0
        self._away_for = tries

    @activity.defn
    async def tell_learning(self, lesson: Lesson, sources: LessonSources | None = None) -> None:
        """Tell it, after so many tries in vain."""
        self.tries += 1
        if self._away_for is None or self.tries <= self._away_for:
            raise ConnectionError("nobody can be told")
        await super().tell_learning(lesson, sources)


async def learned_by(client: Client) -> LearnedView:
    asked = question(0).model_copy(update={"as_of": datetime(2027, 1, 1, tzinfo=UTC)})
    handle = client.get_workflow_handle(LEARNING_SYSTEM_ID)
    view: LearnedView = await handle.query(Message.LEARNED, asked, result_type=LearnedView)
    return view


async def test_a_week_is_told_after_nobody_could_be_told_for_hours(
    client: Client, tmp_path: Path
) -> None:
    """A pause is half a minute at most, and a week is open for two days."""
    untold = Untold(tries=500)
    async with desk_workers(client, tmp_path, learning=untold):
        run = await start_week(client, desk_config(policy_rate("JP")), learn=True)
        result = await run.result()
        (week,) = (await learned_by(client)).weeks
    assert (week.week, untold.tries) == (WEEK, 501)
    assert result.coverage.complete


async def test_the_report_is_out_before_it_is_told_and_the_run_is_open_for_reruns(
    client: Client, tmp_path: Path
) -> None:
    untold = Untold()
    async with desk_workers(client, tmp_path, learning=untold):
        run = await start_week(client, desk_config(policy_rate("JP"), retries=HOURLY), learn=True)
        await run.signal(Message.RERUN_MARKET, RerunRequest(market="JP", reason="again"))
        while (status := await run.query(Message.STATUS, result_type=WeekStatus)).revision < 2:
            await asyncio.sleep(0.01)
        assert status.files is not None and Path(status.files.html).is_file()
        assert untold.tries > 0
        await run.terminate()


async def test_a_week_that_nobody_ever_takes_closes_all_the_same(
    client: Client, tmp_path: Path
) -> None:
    untold = Untold()
    config = desk_config(policy_rate("JP"), retries=HOURLY, open_for_seconds=1)
    async with desk_workers(client, tmp_path, learning=untold):
        result = await (await start_week(client, config, learn=True)).result()
        assert (await learned_by(client)).weeks == ()
    assert result.coverage.complete and untold.tries > 3
