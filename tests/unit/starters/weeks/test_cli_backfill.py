"""`desk backfill`: the order of its weeks, its table, its exit status."""

import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.week.report import Coverage
from desk.contracts.weeks import next_week
from desk.runs.schedule.backfill import Backfill, WeekState, stretches, weeks_to_do
from desk.runs.schedule.schedule_spec import backfilled_weeks
from starters.session import Desk
from starters.terminal.exit_status import ExitStatus
from starters.weeks import schedule as schedule_actions
from starters.weeks.backfill import command
from starters.weeks.backfill.command import BackfillStatus, PastWeeks, backfill_bar, shown_backfill
from starters.weeks.backfill.weeks import FollowedWeek, WeekLine, exit_status, table_of, week_lines
from tests.support.processes.homes import home_settings

AS_OF = datetime(2015, 1, 5, 7, tzinfo=UTC)


def weeks_from(first: str, count: int) -> list[str]:
    weeks = [first]
    while len(weeks) < count:
        weeks.append(next_week(weeks[-1]))
    return weeks


TEN = weeks_from("2015-W01", 10)
SOME_WEEKS = st.sets(st.sampled_from(weeks_from("2014-W48", 40)), max_size=30).map(sorted)


def line(state: WeekState, researched: int = 36, week: str = "2015-W01") -> WeekLine:
    if state is not WeekState.PUBLISHED:
        reason = "no plan" if state is WeekState.FAILED else None
        return WeekLine(week=week, as_of=AS_OF, state=state, reason=reason)
    coverage = Coverage(expected=38, researched=researched, threshold=0.9)
    return WeekLine(
        week=week,
        as_of=AS_OF,
        state=state,
        revision=1,
        outcome=Outcome.COMPLETE if coverage.complete else Outcome.INCOMPLETE,
        coverage=coverage,
    )


def test_a_range_is_cut_into_as_many_stretches_as_weeks_may_be_active() -> None:
    assert [len(stretch) for stretch in stretches(TEN, 4)] == [2, 3, 2, 3]
    assert stretches(TEN, 1) == (tuple(TEN),)
    assert stretches(TEN[:2], 4) == ((TEN[0],), (TEN[1],))
    assert stretches([], 4) == ()


def test_a_week_that_is_published_already_cuts_too() -> None:
    assert stretches([TEN[0], TEN[1], TEN[5]], 1) == ((TEN[0], TEN[1]), (TEN[5],))


def test_the_longest_stretch_is_the_one_that_is_cut() -> None:
    assert stretches([*TEN[:2], *TEN[4:10]], 3) == (
        tuple(TEN[:2]),
        tuple(TEN[4:7]),
        tuple(TEN[7:10]),
    )


@given(SOME_WEEKS, st.integers(1, 12))
def test_stretches_hold_every_week_once_and_in_order(weeks: list[str], count: int) -> None:
    cut = stretches(weeks, count)
    assert [week for stretch in cut for week in stretch] == weeks
    for stretch in cut:
        assert list(stretch) == weeks_from(stretch[0], len(stretch))
    if len(weeks) >= count:
        assert len(cut) >= count


@given(SOME_WEEKS, st.integers(1, 8), st.booleans(), st.data())
def test_every_week_runs_once_after_the_research_of_those_before_it_and_few_at_a_time(
    weeks: list[str], most: int, in_order: bool, data: st.DataObject
) -> None:
    running = data.draw(st.sets(st.sampled_from(weeks), max_size=3)) if weeks else set()
    order = Backfill(weeks, running, most, in_order=in_order)
    parts = [weeks] if in_order else stretches(weeks, most)
    stretch_of = {week: stretch for stretch in parts for week in stretch}
    started, researched, ended = set(running), set[str](), list[str]()
    while not order.finished:
        for week in order.due():
            assert week not in started
            before = stretch_of[week][: stretch_of[week].index(week)]
            assert set(before) <= researched
            order.started(week)
            started.add(week)
        assert len(order.active) <= max(most, len(running))
        assert order.active, "nothing runs and nothing is due"
        week = data.draw(st.sampled_from(order.active))
        if week not in researched and data.draw(st.booleans()):
            order.researched(week)
        else:
            order.ended(week)
            ended.append(week)
        researched.add(week)
    assert sorted(ended) == weeks


def test_a_week_that_learns_is_due_once_the_one_before_is_researched() -> None:
    order = Backfill(TEN, set(), 2, in_order=True)
    assert order.due() == (TEN[0],)
    order.started(TEN[0])
    assert order.due() == ()
    order.researched(TEN[0])
    assert order.due() == (TEN[1],)
    order.started(TEN[1])
    assert order.active == (TEN[0], TEN[1])
    order.researched(TEN[1])
    assert order.due() == (), "two are under way"
    order.ended(TEN[0])
    assert order.due() == (TEN[2],)


def test_a_week_that_learns_waits_for_those_before_a_gap_too() -> None:
    order = Backfill([TEN[0], TEN[5]], set(), 4, in_order=True)
    order.started(TEN[0])
    assert order.due() == ()
    order.ended(TEN[0])
    assert order.due() == (TEN[5],)


def test_the_last_week_is_under_way_until_it_is_published() -> None:
    order = Backfill(TEN[:1], set(), 4, in_order=True)
    order.started(TEN[0])
    order.researched(TEN[0])
    assert not order.finished
    order.ended(TEN[0])
    assert order.finished


def test_the_oldest_week_is_due_first() -> None:
    order = Backfill(TEN, set(), 2, in_order=False)
    assert order.due() == (TEN[0], TEN[5])
    order.started(TEN[0])
    assert order.due() == (TEN[5],)
    order.started(TEN[5])
    order.ended(TEN[0])
    assert order.due() == (TEN[1],)


def test_a_week_that_runs_already_takes_one_of_the_places() -> None:
    order = Backfill(TEN, {TEN[7]}, 2, in_order=False)
    assert order.active == (TEN[7],)
    assert order.due() == (TEN[0],)


STATES = {
    "2015-W01": WeekState.PUBLISHED,
    "2015-W02": WeekState.RUNNING,
    "2015-W03": WeekState.FAILED,
    "2015-W04": WeekState.MISSING,
}


def test_what_is_published_is_not_run_again_unless_asked() -> None:
    assert weeks_to_do(STATES, again=False) == ("2015-W02", "2015-W03", "2015-W04")
    assert weeks_to_do(STATES, again=True) == tuple(STATES)


def test_a_week_that_has_ended_in_this_backfill_is_not_run_a_second_time() -> None:
    assert weeks_to_do(STATES, again=True, done={"2015-W01", "2015-W03"}) == (
        "2015-W02",
        "2015-W04",
    )


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ([line(WeekState.PUBLISHED)], ExitStatus.COMPLETE),
        ([line(WeekState.PUBLISHED), line(WeekState.PUBLISHED, 20)], ExitStatus.INCOMPLETE),
        ([line(WeekState.PUBLISHED, 20), line(WeekState.FAILED)], ExitStatus.FAILED),
    ],
)
def test_the_exit_status_is_that_of_the_worst_week(
    lines: list[WeekLine], status: ExitStatus
) -> None:
    assert exit_status(table_of(lines)) is status


def test_the_table_has_a_line_for_each_week_and_the_counts() -> None:
    table = table_of(
        [
            line(WeekState.PUBLISHED, week="2015-W01"),
            line(WeekState.PUBLISHED, 17, week="2015-W02"),
            line(WeekState.FAILED, week="2015-W03"),
            line(WeekState.MISSING, week="2015-W04"),
        ]
    )
    assert list(week_lines(table)) == [
        "week      as of (UTC)       state      revision  coverage",
        "2015-W01  2015-01-05 07:00  published         1  36 of 38 markets",
        "2015-W02  2015-01-05 07:00  published         1  17 of 38 markets, incomplete",
        "2015-W03  2015-01-05 07:00  failed               no plan",
        "2015-W04  2015-01-05 07:00  missing",
        "2 published (1 incomplete), 0 running, 1 failed, 1 missing",
    ]


def test_the_table_as_json_has_the_counts_and_the_weeks() -> None:
    table = json.loads(table_of([line(WeekState.PUBLISHED, 17)]).model_dump_json())
    assert (table["published"], table["incomplete"], table["missing"]) == (1, 1, 0)
    assert table["weeks"][0]["coverage"]["researched"] == 17


@pytest.mark.parametrize(
    ("scheduled", "wanted", "due"),
    [(True, True, TEN[:1]), (False, True, TEN[:2]), (True, False, TEN[:2]), (None, True, TEN[:1])],
)
async def test_with_a_schedule_from_before_there_was_learning_the_weeks_run_side_by_side(
    scheduled: bool | None,
    wanted: bool,
    due: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen: list[str] = []

    async def run_all(self: PastWeeks, desk: Desk, *given: object, **named: object) -> None:
        looks = {week: FollowedWeek(line(WeekState.MISSING, week=week), None) for week in TEN[:2]}
        seen.extend(self._order(looks, max_active=2)[1].due())

    async def scheduled_request(client: object) -> object:
        return None if scheduled is None else SimpleNamespace(learn=scheduled)

    async def nothing(*given: object, **named: object) -> None:
        return None

    async def no_looks(*given: object) -> dict[str, FollowedWeek]:
        return {}

    monkeypatch.setattr(PastWeeks, "run_all", run_all)
    monkeypatch.setattr(command._Command, "_check_cover", nothing)
    for name, stand_in in {
        "scheduled_request": scheduled_request,
        "ready_for_backfill": nothing,
        "states_of_weeks": no_looks,
    }.items():
        monkeypatch.setattr(command, name, stand_in)
    settings = home_settings(tmp_path)
    options = command.BackfillOptions(TEN[0], TEN[1], learn=wanted)
    weeks = backfilled_weeks(TEN[0], TEN[1], settings.config.schedule)
    desk: Any = SimpleNamespace(client=None, hosting=True)
    await command._Command(settings, options, weeks).work(desk)
    assert seen == due
    told = capsys.readouterr().err
    assert (schedule_actions.MADE_BEFORE in told) is (scheduled is False)


def test_of_a_report_on_another_machine_only_the_outcome_is_known() -> None:
    elsewhere = line(WeekState.PUBLISHED, 17).model_copy(update={"coverage": None})
    told = list(week_lines(table_of([elsewhere])))[1]
    assert told.endswith("1  not known here how many markets, incomplete")
    assert exit_status(table_of([elsewhere])) is ExitStatus.INCOMPLETE


def test_the_bar_counts_the_weeks_and_names_those_under_way() -> None:
    console = Console(width=200)
    with console.capture() as drawn:
        console.print(backfill_bar(BackfillStatus(3, 12, tuple(TEN[:8])), seconds=75.4))
    assert f"3/12 0:01:15 {', '.join(TEN[:6])} and 2 more" in drawn.get()


def test_progress_in_lines_has_the_sentences_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with shown_backfill() as progress:
        progress.update(BackfillStatus(0, 2, ("2015-W01",)))
        progress.note("2015-W01: published")
    (said,) = capsys.readouterr().err.splitlines()
    assert said.endswith(" s  2015-W01: published")
