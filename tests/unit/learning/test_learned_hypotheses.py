"""What the desk's record holds of hypotheses: each once, as of an instant, beside the forecasts."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest

from desk.contracts.findings.results import Leaning
from desk.contracts.learning.record import LearningState, RecordQuery
from desk.contracts.markets import MarketName
from desk.contracts.swarm.hypotheses import HypothesisKind, HypothesisState, ScoredHypothesis
from desk.documents.rendering.words.wording import NO_FIGURE
from desk.learning.learned.hypotheses import HYPOTHESES, LearnedHypotheses, hypothesis_row
from desk.learning.learned.state import Learned, learned_details
from desk.programs.week.document.rendering.record_words import BACKTEST, score_notes, score_table
from starters.learning.learn import learned_lines
from starters.learning.scorecard import scorecard_lines, scorecard_of
from starters.terminal.tables import WIDTH
from tests.support.documents.advised import sample_scorecard, sample_view
from tests.support.runs.desk import pair
from tests.support.runs.hypotheses import hypothesis, scored_hypothesis
from tests.support.runs.learning import fixing, forecast, lesson, question

VOID: dict[str, Any] = {
    "state": HypothesisState.VOID,
    "value": None,
    "value_on": None,
    "score": None,
}
LAST = scored_hypothesis(9).hypothesis.due


def learned(*told: ScoredHypothesis) -> Learned:
    known = Learned()
    for scored in told:
        known.take_hypothesis(scored)
    return known


def mixed() -> tuple[ScoredHypothesis, ...]:
    """Two that held, one that was refuted, and one void, in this order."""
    return (
        scored_hypothesis(0),
        scored_hypothesis(1),
        scored_hypothesis(2, held=False),
        scored_hypothesis(3, reason="given up", **VOID),
    )


def test_the_scorecard_has_a_row_of_hypotheses_against_a_coin() -> None:
    card = learned(*mixed()).advice(RecordQuery(as_of=LAST)).scorecard
    assert card is not None and card.hypotheses is not None
    row = card.hypotheses
    assert (row.of, row.scored, row.hits, row.decided) == ("hypotheses", 3, 2, 3)
    assert (row.brier, row.random_walk) == (round((0.09 + 0.09 + 0.49) / 3, 6), 0.25)
    assert (card.void_hypotheses, card.rows) == (1, ())


def test_one_that_was_said_to_be_unlikely_and_did_not_hold_is_right() -> None:
    doubted = hypothesis(probability=0.2)
    row = hypothesis_row([scored_hypothesis(held=False, hypothesis=doubted, score=0.04)])
    assert row is not None
    assert (row.hits, row.decided) == (1, 1)
    even = hypothesis(probability=0.5)
    row = hypothesis_row([scored_hypothesis(hypothesis=even, score=0.25)])
    assert row is not None
    assert (row.hits, row.decided) == (0, 0)


def test_what_was_due_later_was_not_known() -> None:
    known = learned(*mixed())
    for number, scored in enumerate(mixed()):
        due = scored.hypothesis.due
        before = known.view(RecordQuery(as_of=due - timedelta(microseconds=1)))
        assert len(before.hypotheses) == number
        assert known.view(RecordQuery(as_of=due)).hypotheses[0] == scored


def test_the_order_in_which_they_were_told_changes_nothing() -> None:
    views = {
        learned(*told).view(RecordQuery(as_of=LAST)).model_dump_json()
        for told in permutations((*mixed(), mixed()[0]))
    }
    assert len(views) == 1


def test_one_that_is_told_again_counts_once_and_what_was_scored_later_stays() -> None:
    first = scored_hypothesis(reason="at first")
    later = first.model_copy(update={"scored_at": LAST, "reason": "at last"})
    for told in ((first, first, later), (later, first)):
        assert learned(*told).view(RecordQuery(as_of=LAST)).hypotheses == (later,)


def test_one_that_was_written_afterwards_is_a_back_test_and_no_record() -> None:
    late = mixed()[1].hypothesis.due
    told = (mixed()[0], scored_hypothesis(1, written_at=late), mixed()[2])
    view = learned(*told).view(RecordQuery(as_of=LAST))
    card = view.advice.scorecard
    assert card is not None and card.hypotheses is not None and card.backtest is not None
    assert (card.hypotheses.scored, card.hypotheses.hits) == (2, 1)
    assert card.backtest.hypotheses is not None
    assert (card.backtest.hypotheses.scored, card.backtest.hypotheses.hits) == (1, 1)
    lines = list(scorecard_lines(scorecard_of(view, None)))
    assert f"    as of 5 Jan 2026, written afterwards, on {late:%-d %b %Y}" in lines
    heading = lines.index(BACKTEST)
    rows = [place for place, line in enumerate(lines) if line.split()[:1] == ["hypotheses"]]
    assert [place > heading for place in rows][-2:] == [False, True]


def test_of_a_prediction_made_in_time_and_again_afterwards_the_first_counts() -> None:
    first = scored_hypothesis(0, workflow_id="first")
    again = scored_hypothesis(
        0, workflow_id="again", written_at=LAST, scored_at=LAST + timedelta(days=1)
    )
    for told in ((first, again), (again, first)):
        view = learned(*told).view(RecordQuery(as_of=LAST))
        assert [one.workflow_id for one in view.hypotheses] == ["first"]


def said_again(run: str, scored_after: timedelta = timedelta(0), **fields: Any) -> ScoredHypothesis:
    """The first hypothesis as another run has it."""
    about = hypothesis(**fields)
    scored_at = about.due + scored_after
    return scored_hypothesis(workflow_id=run, hypothesis=about, scored_at=scored_at)


def test_a_prediction_that_several_runs_made_counts_once_as_it_was_scored_last() -> None:
    due = hypothesis().due
    told = (
        said_again("stock-a"),
        said_again("stock-b", timedelta(minutes=1), probability=0.6),
        said_again("stock-c", timedelta(seconds=1), due=due + timedelta(hours=3), level="150.10"),
    )
    for order in permutations(told):
        assert learned(*order).view(RecordQuery(as_of=LAST)).hypotheses == (told[2],)
        assert learned(*order).view(RecordQuery(as_of=due)).hypotheses == (told[1],)
    again = told[0].model_copy(update={"workflow_id": "stock-d"})
    for order in permutations((told[0], again)):
        assert learned(*order).view(RecordQuery(as_of=LAST)).hypotheses == (again,)


@pytest.mark.parametrize("days", [1, 2, 3])
def test_runs_of_days_without_trade_that_begin_with_the_same_price_made_one_prediction(
    days: int,
) -> None:
    """As on a Friday night and on the days up to Monday: each is due on a day of its own."""
    told = (
        said_again("stock-friday"),
        said_again("stock-later", due=hypothesis().due + timedelta(days=days)),
    )
    for order in permutations(told):
        known = learned(*order)
        assert known.view(RecordQuery(as_of=LAST)).hypotheses == (told[1],)
        assert known.view(RecordQuery(as_of=told[0].hypothesis.due)).hypotheses == (told[0],)


def test_one_that_was_given_up_gives_way_to_the_same_with_a_price() -> None:
    given_up = scored_hypothesis(workflow_id="swarm-b", scored_at=LAST, reason="given up", **VOID)
    for told in permutations((scored_hypothesis(), given_up)):
        assert learned(*told).view(RecordQuery(as_of=LAST)).hypotheses == (scored_hypothesis(),)


@pytest.mark.parametrize(
    "other",
    [
        {"market": pair("EUR/USD")},
        {"leaning": Leaning.DOWN},
        {"level_on": hypothesis().level_on - timedelta(days=1)},
        {"due": hypothesis().due + timedelta(weeks=1), "weeks": hypothesis().weeks + 1},
        {"kind": HypothesisKind.RANGE, "low": "149.00", "high": "152.00"},
    ],
    ids=["market", "side", "first day", "horizon", "range"],
)
def test_another_prediction_counts_beside_it(other: dict[str, Any]) -> None:
    known = learned(said_again("stock-a"), said_again("stock-b", **other))
    assert len(known.view(RecordQuery(as_of=LAST)).hypotheses) == 2


def test_the_ones_that_were_due_last_are_kept() -> None:
    known = LearnedHypotheses(most=3)
    for number in (4, 0, 3, 1, 2):
        known.take(scored_hypothesis(number))
    assert known.every == tuple(scored_hypothesis(number) for number in (2, 3, 4))


def test_all_is_carried_into_the_next_history() -> None:
    known = learned(*mixed())
    known.take(lesson(0))
    carried = LearningState.model_validate_json(known.state.model_dump_json())
    assert carried.hypotheses == mixed()
    assert Learned(carried).view(question(60)) == known.view(question(60))


def test_a_record_without_them_looks_as_it_always_did() -> None:
    known = Learned()
    known.take(lesson(0))
    known.fix([fixing(forecast(0))])
    for told in (known.state, known.advice(question(60)), known.view(question(60))):
        assert "hypotheses" not in told.model_dump_json()
    assert "hypotheses" not in learned_details(known, None)


def test_the_ui_says_how_many_there_are() -> None:
    assert "4 hypotheses" in learned_details(learned(*mixed()), None)


def printed(told: Sequence[ScoredHypothesis], market: MarketName | None = None) -> list[str]:
    """What `desk scorecard` prints of the sample's forecasts and some hypotheses."""
    view = learned(*told).view(RecordQuery(as_of=LAST, market=market))
    card = view.advice.scorecard
    assert card is not None
    counted = {"hypotheses": card.hypotheses, "void_hypotheses": card.void_hypotheses}
    advice = sample_view().advice.model_copy(
        update={"scorecard": sample_scorecard().model_copy(update=counted)}
    )
    given = sample_view(advice=advice, hypotheses=view.hypotheses)
    return list(scorecard_lines(scorecard_of(given, market)))


def test_the_scorecard_prints_them_beside_the_forecasts() -> None:
    lines = printed(mixed())
    cells = [line.split() for line in lines]
    assert ["hypotheses", "3", "2", "of", "3", "0.223", "0.250", NO_FIGURE, NO_FIGURE] in cells
    (newest,) = [row for row in cells if "20" in row and "void" in row]
    assert newest[-4:] == ["%", "void", NO_FIGURE, NO_FIGURE]
    assert any("13 Apr 2026" in line and "refuted" in line and "0.490" in line for line in lines)
    told = " ".join(" ".join(lines).split())
    assert "unlikely and did not. Not counted: 1 without a price to decide by." in told
    assert max(map(len, lines)) <= WIDTH


def test_of_many_the_newest_are_printed_and_the_others_counted() -> None:
    lines = printed([scored_hypothesis(number) for number in range(20)])
    # Two of them were not due yet.
    assert "hypotheses (and 2 older)" in lines
    assert sum("USD/JPY above" in line for line in lines) == 8


@pytest.mark.parametrize(("market", "scored"), [("USD/JPY", "3"), ("EUR/USD", "1")])
def test_the_scores_of_one_market_count_its_own_hypotheses_alone(market: str, scored: str) -> None:
    other = hypothesis(market=pair("EUR/USD"), level="1.0800")
    told = (*mixed(), scored_hypothesis(5, hypothesis=other, value="1.0900"))
    lines = printed(told, market)
    (row,) = [line.split() for line in lines if line.startswith("  hypotheses ")]
    assert row[1] == scored
    assert {line.split()[0] for line in lines if " above " in line} == {market}


def test_what_was_learned_says_how_they_did_in_a_line() -> None:
    view = learned(*mixed()).view(RecordQuery(as_of=LAST))
    told = " ".join(" ".join(learned_lines(view)).split())
    assert "hypotheses: 2 of 3 right, Brier score 0.223 where a coin has 0.250" in told
    assert "hypotheses" not in " ".join(learned_lines(sample_view()))


def test_a_report_has_the_row_with_those_of_all_forecasts() -> None:
    card = sample_scorecard().model_copy(update={"hypotheses": hypothesis_row(mixed())})
    names = [row[0] for row in score_table(card).of_all]
    assert names == ["all forecasts", "research agent 1", "hypotheses"]
    assert HYPOTHESES not in {row.of for row in card.rows}
    assert any(note.startswith("Hypotheses are those of") for note in score_notes(card))
    assert not any("ypotheses" in note for note in score_notes(sample_scorecard()))
