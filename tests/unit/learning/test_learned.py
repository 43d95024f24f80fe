"""What follows from lessons: the same whatever their order, and nothing that was not known."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.learning.lessons import AdviceKind, Lesson, Trouble, TroubleKind, WeightOf
from desk.contracts.learning.record import MOST_WEEKS as LESSONS_KEPT
from desk.contracts.learning.record import (
    LearningState,
    MetricName,
    PatternBy,
    RecordQuery,
    Resolution,
)
from desk.contracts.names import AgentId, CallFault
from desk.learning.learned.patterns import metrics, patterns
from desk.learning.learned.recommendations import recommendations
from desk.learning.learned.state import MAX_STORED_TROUBLES, Learned, newly_counted
from desk.learning.lessons.week_lesson import MOST_TROUBLES
from tests.support.runs.learning import (
    YAHOO,
    as_of,
    fixing,
    forecast,
    lesson,
    question,
    unavailable,
    use,
    week_number,
)

SECONDS = 20.0
MOST_WEEKS = 30


def told(*lessons: Lesson, fixings: Sequence[Resolution] = ()) -> Learned:
    learned = Learned()
    for each in lessons:
        learned.take(each)
    learned.fix(fixings)
    return learned


@st.composite
def records(draw: st.DrawFn) -> tuple[list[Lesson], list[Resolution]]:
    """Lessons of some weeks, several of a week at times, and fixings for some forecasts."""
    lessons: list[Lesson] = []
    fixings: list[Resolution] = []
    for number in draw(st.lists(st.integers(0, MOST_WEEKS), min_size=1, max_size=8)):
        made = forecast(number, probability=draw(st.sampled_from([0.3, 0.5, 0.7])))
        away = draw(st.integers(0, 10))
        lessons.append(
            lesson(
                number,
                workflow_id=f"run-{len(lessons)}",
                told_at=as_of(number) + timedelta(minutes=draw(st.integers(0, 5))),
                whole=draw(st.booleans()),
                forecasts=(made,),
                tools=(use(YAHOO, failed=away), use("ecb", cited=3)),
                troubles=(unavailable(YAHOO, as_of(number), CallFault.TIMEOUT),) * bool(away),
            )
        )
        if draw(st.booleans()):
            fixings.append(fixing(made, draw(st.sampled_from(["149.00", "151.00", None]))))
    return lessons, fixings


@given(records(), st.integers(0, MOST_WEEKS + 6), st.randoms(use_true_random=False))
def test_no_order_of_arrival_matters(
    record: tuple[list[Lesson], list[Resolution]], number: int, chance: Any
) -> None:
    lessons, fixings = record
    fixings = list({(known.due, known.market): known for known in fixings}.values())
    one = told(*lessons, fixings=fixings)
    chance.shuffle(lessons)
    other = Learned()
    for known in reversed(fixings):
        other.fix([known])
    for each in lessons:
        other.take(each)
    assert other.view(question(number)) == one.view(question(number))
    assert Learned(one.state).view(question(number)) == one.view(question(number))


@given(records(), st.integers(0, MOST_WEEKS + 6))
def test_what_was_known_later_changes_no_answer(
    record: tuple[list[Lesson], list[Resolution]], number: int
) -> None:
    lessons, fixings = record
    asked = question(number)
    known = told(
        *(each for each in lessons if each.as_of < asked.as_of),
        fixings=[each for each in fixings if each.due <= asked.as_of],
    )
    everything = told(*lessons, fixings=fixings)
    assert everything.advice(asked) == known.advice(asked)
    shown = everything.view(asked)
    assert all(week.as_of < asked.as_of for week in shown.weeks)
    assert all(scored.made.due <= asked.as_of for scored in shown.scored)


def test_a_later_lesson_of_a_run_takes_the_place_of_the_earlier() -> None:
    later = as_of(1) + timedelta(days=3)
    again = lesson(1, researched=9, told_at=later, forecasts=(forecast(1, "EUR/USD"),))
    for order in ((lesson(1), again), (again, lesson(1))):
        (week,) = told(*order).view(question(9)).weeks
        assert (week.researched, week.forecasts) == (9, 1)
        (waiting,) = told(*order).open_by(as_of(9))
        assert waiting.market == "EUR/USD"


def test_what_is_told_twice_is_told_once() -> None:
    learned = told(lesson(1), lesson(1))
    assert learned.state.told == 1


def test_of_a_week_the_last_whole_run_counts() -> None:
    few = lesson(1, workflow_id="few", whole=False, expected=1, told_at=as_of(5))
    (week,) = told(few, lesson(1)).view(question(9)).weeks
    assert week.whole
    (alone,) = told(few).view(question(9)).weeks
    assert alone.expected == 1
    assert told(few).open_by(as_of(9)) == ()


def test_a_forecast_is_scored_once_its_fixing_is_known() -> None:
    made = forecast(1)
    learned = told(lesson(1))
    assert learned.next_due_after(as_of(2)) == made.due
    assert learned.open_by(made.due - timedelta(seconds=1)) == ()
    assert [waiting.market for waiting in learned.open_by(made.due)] == [made.market]
    learned.fix([fixing(made)])
    assert learned.open_by(as_of(9)) == ()
    (week,) = learned.view(question(9)).weeks
    assert (week.scored, week.hits) == (1, 1)
    card = learned.advice(question(9)).scorecard
    assert card is not None and card.rows[0].scored == 1


def test_only_the_newest_lessons_are_kept() -> None:
    learned = Learned(most=3)
    for number in (4, 1, 2, 5, 3):
        learned.take(lesson(number))
    learned.fix([fixing(forecast(number)) for number in (1, 5)])
    kept = learned.state
    assert [each.week for each in kept.lessons] == [week_number(n) for n in (3, 4, 5)]
    assert [known.due for known in kept.resolutions] == [forecast(5).due]
    assert kept.told == 5


def failing(weeks: int, *, failed: int, of: int = 10, server: str = YAHOO) -> list[Lesson]:
    """So many weeks in which a source failed, and after them weeks in which it did not. The ECB
    always answered."""
    return [
        lesson(n, tools=(use(server, calls=of, failed=failed if n < weeks else 0), use("ecb")))
        for n in range(8)
    ]


def kinds(lessons: Sequence[Lesson], **fields: Any) -> dict[str, AdviceKind]:
    found = recommendations(lessons, question(len(lessons), **fields))
    return {each.advice_id: each.kind for each in found}


@pytest.mark.parametrize(("weeks", "advised"), [(2, False), (3, True)])
def test_a_source_that_failed_in_three_weeks_is_asked_after_its_stand_in(
    weeks: int, advised: bool
) -> None:
    found = kinds(failing(weeks, failed=1))
    expected = {"prefer_fallback:yahoo_finance:quote": AdviceKind.PREFER_FALLBACK}
    assert found == (expected if advised else {})


@pytest.mark.parametrize(
    ("failed", "of", "advised"),
    [(9, 20, True), (8, 20, False), (9, 19, False)],
)
def test_so_is_one_of_which_a_fifth_of_enough_calls_failed(
    failed: int, of: int, advised: bool
) -> None:
    lessons = [lesson(n, tools=(use(YAHOO, calls=of if n == 1 else 0),)) for n in range(2)]
    lessons += [lesson(2, tools=(use(YAHOO, calls=of, failed=failed), use("ecb", calls=of)))]
    if of < 20:
        lessons = lessons[2:]
    assert bool(kinds(lessons)) is advised


def test_a_source_that_hardly_ever_answers_is_asked_last() -> None:
    (advice,) = recommendations(failing(8, failed=9), question(9))
    assert (advice.kind, advice.server) == (AdviceKind.AVOID_SOURCE, YAHOO)
    assert (advice.occurrences, advice.of) == (72, 80)
    assert "72 of 80 calls" in advice.reason and "8 weeks" in advice.reason


def test_a_source_that_fails_without_a_stand_in_wants_one() -> None:
    alone = {"add_source:central_banks": AdviceKind.ADD_SOURCE}
    assert kinds(failing(8, failed=9, server="central_banks")) == alone


def test_old_failures_are_history() -> None:
    quiet = [lesson(8 + n, tools=(use(YAHOO),)) for n in range(8)]
    assert kinds([*failing(8, failed=9), *quiet]) == {}


def on_days(*days: tuple[int, bool]) -> list[Lesson]:
    """Runs that were done so many days after their instant, a Monday; the source failed or not."""
    return [
        lesson(
            n, told_at=as_of(n) + timedelta(days=day), tools=(use(YAHOO, failed=bad), use("ecb"))
        )
        for n, (day, bad) in enumerate(days)
    ]


def asked_days_later(days: int, number: int) -> RecordQuery:
    """What a run asks that is done so many days after its instant, a Monday."""
    return question(number, asked_at=as_of(number) + timedelta(days=days))


def test_a_source_that_fails_on_mondays_is_asked_later_on_mondays_only() -> None:
    days = [(0, True)] * 4 + [(2, False)] * 12
    lessons = on_days(*days)
    (advice,) = recommendations(lessons, question(len(days)))
    assert advice.kind is AdviceKind.PREFER_FALLBACK
    assert "4 of 4 runs on a Monday" in advice.reason
    assert recommendations(lessons, asked_days_later(1, len(days))) == ()
    assert recommendations(lessons, asked_days_later(7, len(days))) == (advice,)


def test_a_day_that_may_be_bad_by_chance_is_not_blamed() -> None:
    days = [(0, True), (2, True), (0, True), (2, True)] * 2 + [(0, False), (2, False)] * 4
    lessons = on_days(*days)
    assert all("Monday" not in each.reason for each in recommendations(lessons, question(20)))


@pytest.mark.parametrize(("weeks", "seconds"), [(2, None), (3, 40.0), (6, 60.0)])
def test_calls_that_run_out_of_time_get_more(weeks: int, seconds: float | None) -> None:
    lessons = [
        lesson(n, troubles=(unavailable("ecb", as_of(n), CallFault.TIMEOUT),) * (n < weeks))
        for n in range(8)
    ]
    found = recommendations(lessons, question(8, call_seconds=SECONDS))
    assert [each.seconds for each in found] == ([seconds] if seconds else [])


def test_a_source_that_waited_in_vain_itself_needs_no_more_time() -> None:
    lessons = [
        lesson(n, troubles=(unavailable("ecb", as_of(n), CallFault.SERVER_ERROR),))
        for n in range(8)
    ]
    assert kinds(lessons) == {}


def test_patterns_name_what_troubles_share() -> None:
    lost = Trouble(
        kind=TroubleKind.DEAD_LETTERED, agent=AgentId.VALIDATOR, market="JP", at=as_of(1)
    )
    lessons = [
        lesson(0, troubles=(unavailable(YAHOO, as_of(0), words="first"),)),
        lesson(1, troubles=(unavailable(YAHOO, as_of(1), words="second"), lost)),
    ]
    found = {(each.by, each.name): each for each in patterns(lessons)}
    source = found[PatternBy.SOURCE, YAHOO]
    assert (source.troubles, source.weeks, source.words) == (2, 2, "second")
    assert source.last == week_number(1)
    assert found[PatternBy.TOOL, f"{YAHOO}.get_quote"].troubles == 2
    assert found[PatternBy.HOUR, "Monday 07:00 UTC"].troubles == 3
    assert found[PatternBy.KIND, "dead_lettered"].troubles == 1
    assert found[PatternBy.MARKET, "JP"].troubles == found[PatternBy.AGENT, "validator_agent"].weeks


def test_metrics_set_the_newest_weeks_against_those_before() -> None:
    worse = [lesson(n, researched=5, troubles=(unavailable(YAHOO, as_of(n)),)) for n in range(4)]
    better = [lesson(4 + n, more_troubles=0) for n in range(4)]
    found = {metric.name: metric for metric in metrics([lesson(-1), *worse, *better])}
    coverage = found[MetricName.COVERAGE]
    assert (coverage.recent, coverage.before, coverage.better) == (1.0, 0.5, True)
    troubles = found[MetricName.TROUBLES_PER_MARKET]
    assert (troubles.recent, troubles.before, troubles.better) == (0.0, 0.1, True)
    assert found[MetricName.SECONDS_PER_CALL].recent == 0.2
    assert found[MetricName.CITED_SHARE].better is None


def test_a_record_without_lessons_gives_advice_without_recommendations() -> None:
    advice = Learned().advice(question(0))
    assert (advice.weeks, advice.recommendations, advice.weights) == (0, (), ())
    assert Learned().view(question(0)).metrics[0].recent is None


def mixed() -> list[Lesson]:
    """Three whole weeks; of the newest an earlier run besides, and two runs of some markets."""
    return [
        lesson(1),
        lesson(2),
        lesson(3, workflow_id="earlier", researched=1, told_at=as_of(3)),
        lesson(3),
        lesson(3, workflow_id="few-3", whole=False, expected=1),
        lesson(4, workflow_id="few-4", whole=False, expected=1),
    ]


@pytest.mark.parametrize(
    ("most", "kept"),
    [
        (5, ["weekly-2026-W02", "weekly-2026-W03", "few-3", "weekly-2026-W04", "few-4"]),
        (4, ["weekly-2026-W02", "weekly-2026-W03", "weekly-2026-W04", "few-4"]),
        (3, ["weekly-2026-W02", "weekly-2026-W03", "weekly-2026-W04"]),
        (2, ["weekly-2026-W03", "weekly-2026-W04"]),
    ],
)
def test_what_counts_for_no_week_makes_way_before_a_week_does(most: int, kept: list[str]) -> None:
    for order in permutations(mixed()):
        learned = Learned(most=most)
        for each in order:
            learned.take(each)
        assert [each.workflow_id for each in learned.state.lessons] == kept


def test_a_full_record_says_that_it_keeps_nothing_of_older_weeks() -> None:
    learned = Learned(most=2)
    for number in (5, 6):
        learned.take(lesson(number))
        assert learned.advice(question(3)).full is (number == 6)
    learned.take(lesson(2))
    assert (learned.advice(question(3)).weeks, learned.advice(question(3)).full) == (0, True)
    assert learned.view(question(3)).advice.full
    assert (learned.advice(question(7)).weeks, learned.advice(question(7)).full) == (2, False)
    assert "full" not in learned.advice(question(7)).model_dump_json()


def test_each_week_is_shown_with_its_own_scores() -> None:
    learned = told(*map(lesson, range(3)))
    learned.fix([fixing(forecast(0)), fixing(forecast(2), "149.00")])
    shown = [(week.week, week.scored, week.hits) for week in learned.view(question(9)).weeks]
    assert shown == [(week_number(2), 1, 0), (week_number(1), 0, 0), (week_number(0), 1, 1)]


LATE = timedelta(weeks=9)
"""After a forecast has come due."""


@pytest.mark.parametrize("again_by", ["the same", "another"])
def test_a_forecast_that_is_told_after_its_due_replaces_none_that_was_told_before(
    again_by: str,
) -> None:
    first = lesson(1, workflow_id="the same")
    hindsight = (forecast(1, probability=0.99), forecast(1, "EUR/USD"))
    again = lesson(
        1, workflow_id=again_by, told_at=as_of(1) + LATE, researched=9, forecasts=hindsight
    )
    for order in ((first, again), (again, first)):
        learned = told(*order, fixings=[fixing(each) for each in hindsight])
        for one in (learned, Learned(learned.state)):
            view = one.view(question(12))
            assert [week.researched for week in view.weeks] == [9]
            said = {each.made.market: each.made.probability for each in view.scored}
            assert said == {"USD/JPY": 0.6, "EUR/USD": 0.6}


@pytest.mark.parametrize("days", [9, 20, 400])
def test_what_is_written_afterwards_is_a_back_test_and_no_record(days: int) -> None:
    """Also before it is due: nine days on, a third of what it is about has happened."""
    late = as_of(1) + timedelta(days=days)
    learned = told(
        lesson(1, told_at=late, forecasts=(forecast(1), forecast(1, "EUR/USD"))),
        lesson(2),
        fixings=[fixing(forecast(1)), fixing(forecast(2), "149.00")],
    )
    view = learned.view(question(9))
    card = view.advice.scorecard
    assert card is not None and card.backtest is not None
    (row, *_), (late_row, *_) = card.rows, card.backtest.rows
    assert (row.of, row.scored, row.hits) == ("all", 1, 0)
    assert (late_row.of, late_row.scored, late_row.hits) == ("all", 1, 1)
    assert (card.open, card.backtest.open) == (0, 1)
    assert (card.monitor.forecasts, card.backtest.monitor.forecasts) == (1, 2)
    (agent,) = (one for one in view.advice.weights if one.voice is WeightOf.AGENT)
    assert agent.outcomes == 1
    assert [(week.scored, week.hits, week.backtests) for week in view.weeks] == [
        (1, 0, 0),
        (0, 0, 2),
    ]
    told_of = {one.made.week: (one.made.as_of, one.made.written_at) for one in view.scored}
    assert told_of[week_number(1)] == (as_of(1), late)


def test_what_a_person_overruled_counts_apart_and_moves_no_weight() -> None:
    made = (forecast(1, overruled_by="anna"), forecast(1, "EUR/USD", probability=0.4))
    learned = told(lesson(1, forecasts=made), fixings=[fixing(each) for each in made])
    view = learned.view(question(9))
    card = view.advice.scorecard
    assert card is not None and card.overruled is not None and card.backtest is None
    assert (card.rows[0].scored, card.rows[0].hits) == (1, 0)
    assert (card.overruled.rows[0].scored, card.overruled.rows[0].hits) == (1, 1)
    assert [one.outcomes for one in view.advice.weights if one.voice is WeightOf.AGENT] == [1]
    assert {one.made.market: one.made.overruled_by for one in view.scored} == {
        "USD/JPY": "anna",
        "EUR/USD": None,
    }


def test_a_week_that_is_run_until_the_next_one_is_over_is_a_record() -> None:
    learned = told(lesson(1, told_at=as_of(2)), fixings=[fixing(forecast(1))])
    card = learned.advice(question(9)).scorecard
    assert card is not None and card.backtest is None
    assert card.rows[0].scored == 1


def test_a_back_test_of_a_week_takes_no_forecast_of_its_record_away() -> None:
    hindsight = (forecast(1, probability=0.99),)
    again = lesson(1, workflow_id="again", told_at=as_of(3), forecasts=hindsight)
    for order in ((lesson(1), again), (again, lesson(1))):
        view = told(*order, fixings=[fixing(forecast(1))]).view(question(9))
        assert [each.made.probability for each in view.scored] == [0.6]
        assert view.advice.scorecard is not None and view.advice.scorecard.backtest is None


def test_nor_does_it_go_when_it_is_left_out_then() -> None:
    again = lesson(1, told_at=as_of(1) + LATE, forecasts=())
    assert len(told(lesson(1), again).open_by(as_of(9))) == 1
    in_time = lesson(1, told_at=as_of(2), forecasts=())
    assert told(lesson(1), in_time, again).open_by(as_of(9)) == ()


def test_what_a_backfill_tells_first_counts_and_it_can_be_made_again() -> None:
    """It is told after its due by nature."""
    first = lesson(1, told_at=as_of(1) + LATE)
    again = lesson(1, told_at=as_of(1) + 2 * LATE, forecasts=(forecast(1, probability=0.8),))
    for lessons in ((first,), (first, again)):
        learned = told(*lessons, fixings=[fixing(forecast(1))])
        (scored,) = learned.view(question(9)).scored
        assert scored.made.probability == (0.8 if len(lessons) == 2 else 0.6)


def test_a_run_whose_forecasts_stand_makes_room_last() -> None:
    learned = Learned(most=3)
    learned.take(lesson(1, workflow_id="in time"))
    learned.take(lesson(1, workflow_id="again", told_at=as_of(1) + LATE, forecasts=()))
    for number in (2, 3):
        learned.take(lesson(number, whole=False, forecasts=()))
    assert [fixed.due for fixed in learned.open_by(as_of(9))] == [forecast(1).due]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["run", "other", "third"]),
            st.integers(0, 60),
            st.booleans(),
            st.lists(st.sampled_from(["USD/JPY", "EUR/USD"]), unique=True),
        ),
        min_size=2,
        max_size=7,
        unique_by=lambda each: each[1],
    ),
    st.randoms(use_true_random=False),
)
def test_early_and_late_lessons_of_a_week_come_to_the_same_in_any_order(
    parts: list[tuple[str, int, bool, list[str]]], chance: Any
) -> None:
    lessons = [
        lesson(
            1,
            workflow_id=name,
            told_at=as_of(1) + timedelta(days=day),
            whole=whole,
            forecasts=tuple(forecast(1, pair, probability=day / 100) for pair in pairs),
        )
        for name, day, whole, pairs in parts
    ]
    in_order = told(*sorted(lessons, key=lambda each: each.told_at or as_of(0)))
    chance.shuffle(lessons)
    any_way = told(*lessons[:3])
    any_way = Learned(any_way.state)
    for each in lessons[3:]:
        any_way.take(each)
    assert any_way.view(question(12)) == in_order.view(question(12))
    made = [fixing(forecast(1, pair)) for pair in ("USD/JPY", "EUR/USD")]
    in_order.fix(made)
    any_way.fix(made)
    assert any_way.view(question(12)).scored == in_order.view(question(12)).scored
    assert any_way.state == in_order.state


def dreadful(number: int) -> Lesson:
    """A week in which as much went wrong as a lesson can tell, at length."""
    one = unavailable(YAHOO, as_of(number), words="w" * 300)
    return lesson(number, troubles=(one,) * MOST_TROUBLES, more_troubles=7)


def test_a_full_and_bad_record_can_be_read_within_a_workflow_task() -> None:
    """Two seconds on a slow machine: some megabytes, whoever kept it before."""
    lessons = [dreadful(number) for number in range(LESSONS_KEPT)]
    learned = told(*lessons)
    assert len(learned.state.model_dump_json()) < 7_000_000
    assert Learned(LearningState(lessons=tuple(lessons))).state.lessons == learned.state.lessons
    view = learned.view(question(LESSONS_KEPT))
    assert {week.troubles for week in view.weeks} == {MOST_TROUBLES + 7}
    (source,) = (each for each in view.patterns if each.by is PatternBy.SOURCE)
    assert (source.troubles, source.weeks) == (MAX_STORED_TROUBLES, 52)


def test_the_troubles_of_an_ordinary_record_are_all_told() -> None:
    away = tuple(unavailable(YAHOO, as_of(0)) for _ in range(MAX_STORED_TROUBLES // LESSONS_KEPT))
    assert not list(newly_counted(lesson(n, troubles=away) for n in range(LESSONS_KEPT)))


@given(st.permutations(range(6)))
def test_old_troubles_are_counted_in_whatever_order_they_came(order: list[int]) -> None:
    away = (unavailable(YAHOO, as_of(0)),) * 2
    kept: dict[int, Lesson] = {}
    for number in order:
        kept[number] = lesson(number, troubles=away)
        for counted in tuple(newly_counted(kept.values(), most=5)):
            kept[next(n for n in kept if week_number(n) == counted.week)] = counted
    found = {n: (len(one.troubles), one.more_troubles) for n, one in kept.items()}
    assert found == {n: (2, 0) if n > 3 else (0, 2) for n in range(6)}
