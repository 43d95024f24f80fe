"""When a source goes behind another, and when calls get more time: and when not."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from temporalio import workflow

from desk.analytics.weeks import window_of
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.config import ScheduleConfig
from desk.contracts.learning.lessons import Advice, AdviceKind, Lesson, Recommendation, TroubleKind
from desk.contracts.learning.record import RecordQuery
from desk.contracts.names import CallFault
from desk.contracts.runs.week import WeekRequest
from desk.learning.learned.recommendations import recommendations
from desk.runs.boards.week_board import WeekBoard
from tests.support.documents.reports import sample_config
from tests.support.runs.learning import YAHOO, as_of, lesson, question, unavailable, use
from workflows.week.learning import ask_record

GOOGLE = "google_news"
Routes = Mapping[Capability, tuple[str, ...]]
NEWS: Routes = {Capability.NEWS_SEARCH: (GOOGLE, "reuters")}
AVOID = [AdviceKind.AVOID_SOURCE]
PREFER = [AdviceKind.PREFER_FALLBACK]


def weeks(*had: tuple[Any, ...]) -> list[Lesson]:
    """A run of each week, with what was had of the tools."""
    return [lesson(n, tools=tools) for n, tools in enumerate(had)]


def advised(lessons: Sequence[Lesson], routes: Routes | None = None) -> tuple[Recommendation, ...]:
    asked = question(len(lessons))
    return recommendations(
        lessons, asked.model_copy(update={"routes": routes}) if routes else asked
    )


def kinds(lessons: Sequence[Lesson], routes: Routes | None = None) -> list[AdviceKind]:
    return [each.kind for each in advised(lessons, routes)]


def test_a_sound_source_is_not_put_behind_a_dead_one() -> None:
    """The ECB failed 3 of 2,400 calls, and Yahoo most of its own."""
    had = [
        (use("ecb", calls=300, failed=int(n < 3)), use(YAHOO, calls=300, failed=290))
        for n in range(8)
    ]
    assert kinds(weeks(*had), {Capability.HISTORY: ("ecb", YAHOO)}) == []


@pytest.mark.parametrize("healthy", range(8))
def test_a_source_that_is_well_again_is_not_locked_out_by_a_dead_one(healthy: int) -> None:
    away = (use(GOOGLE, calls=40, failed=40), use("reuters", calls=40, failed=40))
    well = (use(GOOGLE, calls=40), use("reuters", calls=2, failed=2))
    assert kinds(weeks(away, *[well] * healthy), NEWS) == []


@pytest.mark.parametrize(
    ("failed", "calls", "useless", "advised"),
    [
        (30, 20, 0, True),
        (30, 20, 3, True),
        (30, 20, 4, False),
        (30, 19, 0, False),
        (30, 0, 0, False),
        (85, 0, 0, True),
        (85, 10, 4, True),
        (85, 10, 5, False),
        (85, 20, 20, False),
    ],
)
def test_a_stand_in_goes_first_where_it_did_clearly_better_or_nothing_is_lost(
    failed: int, calls: int, useless: int, advised: bool
) -> None:
    tools = (use(GOOGLE, calls=100, failed=failed), use("reuters", calls=calls, failed=useless))
    assert bool(kinds(weeks(tools), NEWS)) is advised


def test_a_source_that_refuses_is_no_stand_in() -> None:
    tools = (use(GOOGLE, calls=100, failed=90), use("reuters", calls=90, refused=90))
    assert kinds(weeks(tools), NEWS) == []


@pytest.mark.parametrize(("calls", "found"), [(150, PREFER), (151, [])])
def test_a_source_that_hardly_ever_fails_stays_where_it_is(
    calls: int, found: list[AdviceKind]
) -> None:
    tools = (use(GOOGLE, calls=calls, failed=3), use("reuters", calls=20))
    assert kinds(weeks(tools, tools, tools), NEWS) == found


def test_it_is_the_next_source_in_line_that_counts() -> None:
    tools = (use(GOOGLE, calls=100, failed=50), use("reuters", calls=50, failed=50), use("wire"))
    routes = {Capability.NEWS_SEARCH: (GOOGLE, "reuters", "wire")}
    assert kinds(weeks(*[tools] * 4), routes) == []


def test_a_source_goes_last_for_everything_only_where_every_stand_in_did_better() -> None:
    routes = {**NEWS, Capability.HEADLINES: (GOOGLE, "wire")}
    well, away = use("wire", calls=90), use("wire", calls=90, failed=90)
    tools = (use(GOOGLE, calls=100, failed=90), use("reuters", calls=90))
    assert kinds(weeks((*tools, well)), routes) == AVOID
    (only,) = advised(weeks((*tools, away)), routes)
    assert (only.kind, only.capability) == (AdviceKind.PREFER_FALLBACK, Capability.NEWS_SEARCH)


def test_the_reason_says_how_the_stand_in_did() -> None:
    tools = (use(GOOGLE, calls=100, failed=30), use("reuters", calls=30, failed=1))
    (advice,) = advised(weeks(tools), NEWS)
    assert "30 of 100 calls of google_news got no answer" in advice.reason
    assert "reuters was of no use in 1 of 30" in advice.reason


def on_days(days: Sequence[int], bad: int, **stand_in: Any) -> list[Lesson]:
    """Runs done so many days after their instant, a Monday; Yahoo fails on the `bad` day."""
    return [
        lesson(
            n,
            told_at=as_of(n) + timedelta(days=day),
            tools=(use(YAHOO, failed=int(day == bad)), use("ecb", **stand_in)),
        )
        for n, day in enumerate(days)
    ]


def run_on(day: int, number: int) -> RecordQuery:
    """What a run asks that is done so many days after its instant."""
    asked = question(number, asked_at=as_of(number) + timedelta(days=day))
    return asked.model_copy(update={"routes": {Capability.QUOTE: (YAHOO, "ecb")}})


@pytest.mark.parametrize(("day", "found"), [(0, []), (1, []), (6, PREFER), (13, PREFER)])
def test_a_weekday_is_that_of_the_run_and_not_that_of_its_instant(
    day: int, found: list[AdviceKind]
) -> None:
    """Every week's instant is a Monday; Yahoo fails on Sundays."""
    lessons = on_days([6] * 4 + [2] * 12, 6)
    assert [each.kind for each in recommendations(lessons, run_on(day, 16))] == found


def test_the_worst_of_many_weekdays_may_be_so_by_chance() -> None:
    """On Sundays it failed in three of three runs, and in two of 17 on six other weekdays: of one
    weekday that would come of chance in nine of a thousand such records, of one in seven in 6 %."""
    others = [0, 1, 2, 3, 4, 5] * 2 + [0, 1, 2, 3, 4]
    lessons = [
        lesson(
            n,
            told_at=as_of(n) + timedelta(days=day),
            tools=(use(YAHOO, failed=int(day == 6 or n in (3, 4))), use("ecb")),
        )
        for n, day in enumerate([6] * 3 + others)
    ]
    assert recommendations(lessons, run_on(6, 20)) == ()


def test_no_stand_in_goes_first_on_a_weekday_on_which_it_is_as_bad() -> None:
    lessons = on_days([6] * 4 + [2] * 12, 6, failed=2)
    assert recommendations(lessons, run_on(6, 16)) == ()


def test_no_stand_in_that_failed_lately_goes_first() -> None:
    lessons = on_days([6] * 4 + [2] * 12, 6)
    dead = (use(YAHOO), use("ecb", failed=10))
    lessons[8:] = [each.model_copy(update={"tools": dead}) for each in lessons[8:]]
    assert recommendations(lessons, run_on(6, 16)) == ()


def test_a_failure_counts_for_the_day_on_which_it_happened() -> None:
    """The weeks were told on a Thursday, after a market had been researched anew."""
    lessons = on_days([3] * 4 + [2] * 12, 3)
    on_sundays = [
        each.model_copy(update={"troubles": (unavailable(YAHOO, as_of(n) + timedelta(days=6)),)})
        if n < 4
        else each
        for n, each in enumerate(lessons)
    ]
    assert [each.kind for each in recommendations(lessons, run_on(3, 16))] == PREFER
    assert recommendations(on_sundays, run_on(3, 16)) == ()
    assert [each.kind for each in recommendations(on_sundays, run_on(6, 16))] == PREFER


async def test_a_run_asks_the_record_with_its_own_time_beside_its_as_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A backfilled week: asked about long ago, and on the day of the backfill."""
    now, asked = datetime(2026, 11, 22, 12, tzinfo=UTC), []

    async def answer(_: object, asking: RecordQuery, **options: Any) -> Advice:
        asked.append(asking)
        return Advice(as_of=asking.as_of)

    monkeypatch.setattr(workflow, "now", lambda: now)
    monkeypatch.setattr(workflow, "execute_activity_method", answer)
    week = "2024-W02"
    board = WeekBoard(week, window_of(week, ScheduleConfig()), [], started_at=now)
    await ask_record(WeekRequest(config=sample_config(), week=week, learn=True), board)
    assert [(each.as_of, each.asked_at) for each in asked] == [(board.window.end, now)]


def late(fault: CallFault | None) -> list[Lesson]:
    """Three weeks in which a call of the ECB's quotes had no answer."""
    told = unavailable("ecb", as_of(0)).model_copy(update={"fault": fault})
    return [lesson(n, troubles=(told.model_copy(update={"at": as_of(n)}),)) for n in range(3)]


@pytest.mark.parametrize("fault", [*CallFault, None])
def test_only_where_the_desk_itself_stopped_waiting_do_calls_get_more_time(
    fault: CallFault | None,
) -> None:
    assert bool(kinds(late(fault))) is (fault is CallFault.TIMEOUT)


def test_a_call_that_was_in_time_at_another_try_counts_as_one_that_needs_more_time() -> None:
    retried = {"kind": TroubleKind.TOOL_RETRIED}
    lessons = [
        each.model_copy(update={"troubles": (each.troubles[0].model_copy(update=retried),)})
        for each in late(CallFault.TIMEOUT)
    ]
    assert kinds(lessons) == [AdviceKind.RAISE_TIMEOUT]


def test_more_time_is_said_to_be_for_every_call() -> None:
    (advice,) = advised(late(CallFault.TIMEOUT))
    assert advice.kind is AdviceKind.RAISE_TIMEOUT
    assert advice.reason.endswith("30 seconds in place of 15, for every call of every source")
