"""`desk backfill` at a real server, with real workers and sources, for some weeks of one market."""

import asyncio
import json
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

import pytest

from desk.platform.temporal.client import connect
from desk.runs.schedule.backfill import WeekState
from desk.runs.schedule.schedule_spec import BackfilledWeek, backfilled_weeks
from starters.runs.command_run import start_run
from starters.runs.week_runs import described, request_of, week_start
from starters.session import Desk
from starters.terminal.exit_status import ExitStatus
from starters.weeks import schedule
from starters.weeks.backfill.command import PastWeeks, PlainBackfillProgress, start_week
from starters.weeks.backfill.weeks import exit_status, state_of_week, states_of_weeks
from tests.support.processes.command import PATIENCE_SECONDS, DeskCommand, eventually
from tests.support.processes.forks import Fork, forked_command
from tests.support.processes.homes import PROJECT
from tests.support.processes.namespaces import Namespace
from tests.support.processes.real_desk import real_desk, report_file

RANGE = ("--from", "2015-W01", "--to", "2015-W03")
FIRST, *_, LAST = WEEKS = ("2015-W01", "2015-W02", "2015-W03")
START = date(2015, 1, 5)
"""The Monday after the first week, on which the schedule runs it."""
FEW = ("EUR/USD",)


def one_market(directory: Path) -> Path:
    """The project's configuration with one of its markets."""
    named = re.compile(r'\{ (?:pair|area) = "([A-Z/]+)"')
    lines = (PROJECT / "desk.toml").read_text().splitlines()
    kept = [line for line in lines if not (m := named.search(line)) or m[1] in FEW]
    file = directory / "desk.toml"
    file.write_text("\n".join(kept))
    return file


@pytest.fixture
def desk(tmp_path: Path) -> DeskCommand:
    return DeskCommand(tmp_path, DESK_CONFIG=str(one_market(tmp_path)))


@contextmanager
def under_way(desk: DeskCommand, started: str, *options: str) -> Iterator[tuple[Fork, Path]]:
    """A backfill of the range, a week at a time, that has started a run, and what it tells."""
    line = ("backfill", *RANGE, "--max-active", "1", *options)
    told = desk.directory / "backfill.err"
    command = forked_command(line, desk.variables, told.with_suffix(".out"), told)
    try:
        eventually(lambda: f"{started} is started" in told.read_text(), f"{started} is started")
        yield command, told
    finally:
        command.kill()
        command.wait()


def report_of(desk: DeskCommand, week: str) -> dict[str, object]:
    path = desk.directory / "reports" / "weekly" / f"{week}-asia-g10-fx.json"
    report: dict[str, object] = json.loads(path.read_text())
    return report


def states(table: dict[str, list[dict[str, object]]]) -> list[object]:
    return [line["state"] for line in table["weeks"]]


def test_past_weeks_from_the_first_look_to_a_second_revision(desk: DeskCommand) -> None:
    with desk.up():
        looked = desk("backfill", *RANGE, "--dry-run", "--json")
        assert (looked.code, states(looked.json)) == (0, ["missing"] * 3)
        assert "no schedule yet" in looked.err
        assert not (desk.directory / "reports").exists()

        done = desk("backfill", *RANGE, "--max-active", "2", "--json")
        assert done.code == 0, done.err
        assert "weekly-research is made for a backfill and starts nothing by itself" in done.err
        assert "weekly-research: paused" in desk("schedule", "show").out
        assert states(done.json) == ["published"] * 3
        against = [report_of(desk, week)["changes"]["against"] for week in WEEKS]  # type: ignore[index]
        assert against == [None, *WEEKS[:-1]]
        for number, week in enumerate(WEEKS):
            report = report_of(desk, week)
            as_of = f"{START + timedelta(weeks=number):%Y-%m-%d}"
            assert (report["week"], report["as_of"]) == (week, f"{as_of}T07:00:00Z")
            days = [day for market in report["markets"] for day in market["days"]]  # type: ignore[attr-defined]
            assert max(days) <= as_of

        looked = desk("backfill", *RANGE)
        assert (looked.code, looked.out.count("published")) == (0, 4)
        assert "is started" not in looked.err

        # One that is paused is backfilled as well.
        assert desk("schedule", "pause").code == 0
        again = desk("backfill", "--from", LAST, "--to", LAST, "--again", "--json")
        assert again.code == 0, again.err
        assert "ending the open run" in again.err
        assert [line["revision"] for line in again.json["weeks"]] == [2]

        # At once: the archive of these weeks may still be written beside them.
        (desk.directory / "reports" / "weekly").rename(desk.directory / "lost")
        # The runs tell it, as soon as a worker has read their histories.
        elsewhere = desk.until(
            lambda told: all(line["coverage"] for line in told.json["weeks"]),
            *("backfill", *RANGE, "--dry-run", "--json"),
        )
        assert states(elsewhere.json) == ["published"] * 3
        assert [line["coverage"]["researched"] for line in elsewhere.json["weeks"]] == [1] * 3
        assert [line["revision"] for line in elsewhere.json["weeks"]] == [1, 1, 2]


def test_a_killed_backfill_comes_back_to_its_runs_and_starts_the_rest(desk: DeskCommand) -> None:
    with under_way(desk, "2015-W02: weekly-2015-01-12T07:00:00Z"):
        pass
    first = report_of(desk, FIRST)
    done = desk("backfill", *RANGE, "--max-active", "1", "--json")
    assert done.code == 0, done.err
    assert "2015-W01: weekly" not in done.err
    assert "2015-W02: weekly" not in done.err
    assert "2015-W03: weekly-2015-01-19T07:00:00Z is started" in done.err
    assert [line["revision"] for line in done.json["weeks"]] == [1] * 3
    assert report_of(desk, FIRST) == first
    against = [report_of(desk, week)["changes"]["against"] for week in WEEKS]  # type: ignore[index]
    assert against == [None, *WEEKS[:-1]]


def test_ctrl_c_leaves_the_runs_to_the_desk_that_works_on_them(desk: DeskCommand) -> None:
    with desk.up():
        week = "2015-W01: weekly-2015-01-05T07:00:00Z"
        with under_way(desk, week, "--no-learning") as (command, told):
            command.send_signal(signal.SIGINT)
            assert command.wait(PATIENCE_SECONDS) == ExitStatus.INTERRUPTED
        assert "the same command comes back to them" in told.read_text().splitlines()[-1]
        report = desk.directory / "reports" / "weekly" / f"{FIRST}-asia-g10-fx.json"
        eventually(report.exists, "the report of the week under way")


@pytest.fixture
async def idle(namespace: Namespace, tmp_path: Path) -> Desk:
    """A server with its schedule and without workers."""
    settings = namespace.settings(tmp_path)
    desk = Desk(await connect(settings), settings, hosting=False)
    await schedule.apply_schedule(desk)
    return desk


def past(desk: Desk, first: str = FIRST, last: str = FIRST) -> tuple[BackfilledWeek, ...]:
    return backfilled_weeks(first, last, desk.settings.config.schedule)


async def test_a_run_that_waits_for_a_worker_is_running_and_one_that_was_ended_has_failed(
    idle: Desk,
) -> None:
    (week,) = past(idle)
    reports = idle.settings.reports_dir
    assert (await state_of_week(idle.client, reports, week)).line.state is WeekState.MISSING
    await schedule.start_past_week(idle.client, week.start, idle.settings.config)
    while (found := await described(idle.client, week.workflow_id)) is None:
        await asyncio.sleep(0.05)
    assert (await state_of_week(idle.client, reports, week)).line.state is WeekState.RUNNING
    await found.handle.terminate("asked to")
    ended = (await state_of_week(idle.client, reports, week)).line
    assert (ended.state, ended.workflow_id) == (WeekState.FAILED, week.workflow_id)
    assert "terminated" in str(ended.reason).lower()


async def test_a_run_that_is_not_to_learn_is_started_with_what_the_schedule_has_else(
    idle: Desk,
) -> None:
    first, second = past(idle, FIRST, "2015-W02")
    learning = await start_week(idle, first, learn=True)
    unlearning = await start_week(idle, second, learn=False)
    assert [learning.workflow_id, unlearning.workflow_id] == [first.workflow_id, second.workflow_id]
    scheduled = await request_of(learning)
    assert scheduled.learn
    assert await request_of(unlearning) == scheduled.model_copy(
        update={"week": second.week, "learn": False}
    )


async def test_a_run_that_desk_run_started_counts_as_that_of_its_week(idle: Desk) -> None:
    (week,) = past(idle)
    run = await start_run(idle.client, week_start(week.week, idle.settings.config))
    line = (await state_of_week(idle.client, idle.settings.reports_dir, week)).line
    assert (line.state, line.workflow_id) == (WeekState.RUNNING, run.workflow_id)


async def test_a_run_that_fails_counts_and_stops_no_other(
    tmp_path: Path, namespace: Namespace
) -> None:
    async with real_desk(tmp_path, FEW, at=namespace) as desk:
        await schedule.apply_schedule(desk)
        weeks = past(desk, FIRST, "2015-W03")
        runs = PastWeeks(weeks, again=False)
        looks = await states_of_weeks(desk.client, desk.settings.reports_dir, weeks)
        async with asyncio.timeout(100), asyncio.TaskGroup() as group:
            group.create_task(ended_at_once(desk, weeks[1]))
            progress = PlainBackfillProgress(sys.stderr)
            await runs.run_all(desk, looks, max_active=1, progress=progress)
        table = runs.corrected(await states_of_weeks(desk.client, desk.settings.reports_dir, weeks))
        assert [line.state for line in table.weeks] == [
            WeekState.PUBLISHED,
            WeekState.FAILED,
            WeekState.PUBLISHED,
        ]
        assert exit_status(table) is ExitStatus.FAILED
        assert not report_file(desk.settings, weeks[1].week).exists()


async def test_two_backfills_at_once_lose_no_week(tmp_path: Path, namespace: Namespace) -> None:
    """A schedule that gets several requests at once heeds the last only."""
    async with real_desk(tmp_path, ("US",), at=namespace) as desk:
        await schedule.apply_schedule(desk)
        early, late = past(desk, FIRST, "2015-W02"), past(desk, "2016-W01", "2016-W02")

        async def backfilled(weeks: tuple[BackfilledWeek, ...]) -> list[WeekState]:
            runs = PastWeeks(weeks, again=False)
            looks = await states_of_weeks(desk.client, desk.settings.reports_dir, weeks)
            progress = PlainBackfillProgress(sys.stderr)
            await runs.run_all(desk, looks, max_active=4, progress=progress)
            after = await states_of_weeks(desk.client, desk.settings.reports_dir, weeks)
            return [line.state for line in runs.corrected(after).weeks]

        async with asyncio.timeout(90):
            ended = await asyncio.gather(*map(backfilled, (early, late)))
    assert ended == [[WeekState.PUBLISHED] * 2] * 2


async def ended_at_once(desk: Desk, week: BackfilledWeek) -> None:
    while (found := await described(desk.client, week.workflow_id)) is None:
        await asyncio.sleep(0.02)
    await found.handle.terminate("asked to")
