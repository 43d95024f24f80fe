"""The views of direction that specialists hold: how likely, scored with which hypothesis, and how
they did."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from desk.contracts.findings.results import (
    ConflictKind,
    ConflictRecord,
    DecidedBy,
    Leaning,
    Position,
    ResearchResult,
    ViewKind,
)
from desk.contracts.learning.lessons import Scorecard
from desk.contracts.learning.record import RecordQuery
from desk.contracts.names import AgentId
from desk.contracts.swarm.hypotheses import HeldView, Hypothesis, HypothesisState, ScoredHypothesis
from desk.documents.answer.audit import findings_in_answer
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.html import render_answer_html
from desk.documents.answer.markdown import render_answer_markdown
from desk.learning.hypotheses import view_score, view_state, view_words
from desk.learning.learned.hypotheses import view_rows, with_hypotheses
from desk.learning.learned.state import Learned
from desk.programs.swarm.hypotheses import probability_alone, uncarried, views_on, with_views
from desk.programs.week.document.rendering.record_words import score_notes, score_table
from desk.trust.seals import sealed
from starters.learning.hypotheses.listing import ListedHypothesis
from starters.learning.hypotheses.table import hypothesis_lines
from starters.learning.scorecard import scorecard_lines, scorecard_of
from starters.terminal.tables import WIDTH
from tests.support.builders import finding, view
from tests.support.documents.answers import FINISHED_AT
from tests.support.runs.hypotheses import hypothesis_request, scored_hypothesis
from tests.support.swarms.reports import direction, swarm_record, swing
from tests.unit.documents.answer.test_reporting_answer import Page

UP, DOWN = Leaning.UP, Leaning.DOWN
HELD, REFUTED, VOID = HypothesisState.HELD, HypothesisState.REFUTED, HypothesisState.VOID
MARKET, PATTERN = AgentId.MARKET_SPECIALIST, AgentId.PATTERN_SPECIALIST


def leans(
    agent: AgentId, leaning: Leaning, confidence: float = 0.6, *, version: int = 1, **more: object
) -> ResearchResult:
    """By a built-in specialist, or by a model where the version is 0."""
    held = view("USD/JPY", ViewKind.DIRECTION, leaning, confidence=confidence)
    made = finding(agent=agent, views=(held.model_copy(update=more),))
    return made.model_copy(update={"version": version})


def held(agent: AgentId = MARKET, leaning: Leaning = UP, confidence: float = 0.6) -> HeldView:
    return HeldView(
        agent=agent,
        leaning=leaning,
        confidence=confidence,
        probability=probability_alone(confidence),
    )


def came(
    value: str | None, *views: HeldView, number: int = 0, **fields: object
) -> ScoredHypothesis:
    """A hypothesis at 157.25 whose price is known now, with views beside it."""
    about = direction(views=views, **fields)
    price = Decimal(value) if value else None
    return scored_hypothesis(number, hypothesis=about, value=price, **({} if value else GIVEN_UP))


GIVEN_UP: dict[str, Any] = {"state": VOID, "value_on": None, "score": None}


def test_a_view_takes_its_side_to_be_as_likely_as_a_leader_who_hears_nobody_else() -> None:
    (only,) = views_on("USD/JPY", [leans(MARKET, DOWN, 0.6)])
    assert (only.agent, only.leaning, only.confidence) == (MARKET, DOWN, 0.6)
    assert only.probability == probability_alone(0.6) == 0.68
    assert 0.5 < probability_alone(0.1) < probability_alone(0.9) <= 0.75


def test_a_models_probability_is_its_own_or_none() -> None:
    results = [
        leans(MARKET, DOWN, 0.4, version=0, probability=0.47),
        leans(PATTERN, UP, 0.4, version=0),
    ]
    told = {each.agent: each for each in views_on("USD/JPY", results)}
    assert (told[MARKET].probability, told[MARKET].own) == (0.53, True)
    assert (told[PATTERN].probability, told[PATTERN].own) == (None, False)
    about = direction(views=tuple(told.values()))
    assert view_words(about, told[MARKET]) == "below 157.25, 53 % likely by its own estimate"
    assert view_words(about, told[PATTERN]) == "above 157.25, no probability given"
    (row,) = view_rows([came("157.20", *told.values())])
    assert (row.of, row.scored) == (MARKET, 1)


def test_a_view_that_a_person_overruled_says_by_whom_and_counts_apart() -> None:
    conflict = ConflictRecord(
        conflict_id="USD/JPY/conflict/USD/JPY:direction",
        market="USD/JPY",
        kind=ConflictKind.DIRECTION,
        positions=tuple(
            Position(agent=agent, stated=stated, source="a source", confidence=0.5)
            for agent, stated in ((MARKET, UP), (PATTERN, DOWN))
        ),
        chosen=UP,
        decided_by=DecidedBy.PERSON,
        decided_by_whom="anna",
        resolution="decided",
        resolved=True,
    )
    results = [leans(MARKET, UP), leans(PATTERN, DOWN)]
    (carrier,) = with_views((direction(),), results, (conflict,))
    held, overruled = carrier.views
    assert (held.overruled_by, overruled.overruled_by) == (None, "anna")
    assert view_words(carrier, overruled).endswith("likely, overruled by anna")
    card = with_hypotheses(Scorecard(as_of=carrier.due, open=0), [came("157.30", *carrier.views)])
    assert card.overruled is not None
    assert [row.of for row in card.views] == [MARKET]
    assert [(row.of, row.hits) for row in card.overruled.views] == [(PATTERN, 0)]


def test_only_views_with_a_side_say_something_that_can_turn_out_wrong() -> None:
    results = [
        leans(MARKET, Leaning.NEUTRAL),
        leans(PATTERN, Leaning.ABSTAINS),
        leans(AgentId.SENTIMENT_SPECIALIST, UP, by_words=True),
    ]
    assert views_on("USD/JPY", results) == ()
    assert views_on("EUR/USD", [leans(MARKET, UP)]) == ()


def test_of_a_specialist_in_several_rounds_the_last_view_is_held() -> None:
    found = views_on("USD/JPY", [leans(MARKET, UP), leans(PATTERN, UP), leans(MARKET, DOWN)])
    assert {each.agent: each.leaning for each in found} == {MARKET: DOWN, PATTERN: UP}


@pytest.mark.parametrize(
    ("given", "carries"),
    [
        ((swing(), direction()), (False, True)),
        ((swing(),), (True,)),
        ((direction(weeks=8), swing()), (False, True)),
        ((direction(), direction(hypothesis_id="again")), (True, False)),
        ((direction(weeks=8),), (False,)),
    ],
)
def test_views_stand_with_one_hypothesis_of_their_time_a_direction_before_a_range(
    given: tuple[Hypothesis, ...], carries: tuple[bool, ...]
) -> None:
    results = [leans(MARKET, UP), leans(PATTERN, DOWN)]
    told = with_views(given, results)
    assert tuple(bool(each.views) for each in told) == carries
    assert tuple(each.model_copy(update={"views": ()}) for each in told) == given
    assert uncarried(told, results) == (() if any(carries) else ("USD/JPY",))


@pytest.mark.parametrize(
    ("value", "leaning", "state"),
    [
        ("157.26", UP, HELD),
        ("157.26", DOWN, REFUTED),
        ("157.20", DOWN, HELD),
        ("157.25", UP, REFUTED),
        ("157.25", DOWN, REFUTED),
        ("157.2501", UP, REFUTED),
        (None, UP, VOID),
    ],
)
def test_a_view_is_scored_by_the_price_that_its_hypothesis_waited_for(
    value: str | None, leaning: Leaning, state: HypothesisState
) -> None:
    said = held(leaning=leaning)
    scored = came(value, said)
    assert view_state(scored, said) is state
    wanted = {HELD: (1 - 0.68) ** 2, REFUTED: 0.68**2, VOID: None}[state]
    assert view_score(scored, said) == (wanted if wanted is None else pytest.approx(wanted))


def test_a_view_beside_a_range_is_of_the_ranges_level() -> None:
    said = held(leaning=DOWN)
    beside = scored_hypothesis(hypothesis=swing(views=(said,)), value=Decimal("154.00"))
    assert view_state(beside, said) is HELD


def test_each_specialist_has_a_row_and_a_view_counts_once() -> None:
    next_month = direction(views=(held(PATTERN, DOWN),)).due + timedelta(weeks=4)
    known = [
        came("158.00", held(MARKET), held(PATTERN, DOWN), number=1),
        came("158.00", held(MARKET), number=2, hypothesis_id="said-again"),
        came("150.00", held(PATTERN, DOWN), number=3, due=next_month, weeks=8),
        came(None, held(AgentId.TECHNICAL_SPECIALIST), number=4),
    ]
    market, pattern = view_rows(known)
    assert (market.of, market.scored, market.hits) == (MARKET, 1, 1)
    assert (pattern.of, pattern.scored, pattern.hits, pattern.decided) == (PATTERN, 2, 1, 2)
    assert (pattern.brier, pattern.random_walk) == (round((0.68**2 + 0.32**2) / 2, 6), 0.25)


def test_the_scorecard_tells_of_specialists_only_what_was_due_by_then() -> None:
    known = Learned()
    known.take_hypothesis(scored := came("158.00", held(MARKET), held(PATTERN, DOWN)))
    due = scored.hypothesis.due
    early = known.advice(RecordQuery(as_of=due - timedelta(minutes=1))).scorecard
    assert early is None or early.views == ()
    card = known.advice(RecordQuery(as_of=due)).scorecard
    assert card is not None
    assert [row.of for row in card.views] == [MARKET, PATTERN]
    names = [row[0] for row in score_table(card).of_all]
    assert names == ["hypotheses", "market specialist", "pattern specialist"]
    assert any("views of direction" in note for note in score_notes(card))
    lines = list(scorecard_lines(scorecard_of(known.view(RecordQuery(as_of=due)), None)))
    assert any(line.strip().startswith("pattern specialist") for line in lines)
    assert max(map(len, lines)) <= WIDTH


def test_the_report_says_how_likely_each_view_is_and_of_which_price() -> None:
    answer = compile_answer(swarm_record(), finished_at=FINISHED_AT)
    assert answer.swarm is not None
    told = {each.hypothesis_id: each.views for each in answer.swarm.hypotheses}
    assert told["usd-jpy-direction"] and not told["usd-jpy-range"]
    page = " ".join(Page(render_answer_html(answer)).words.split()).replace("\u00a0", " ")
    for text in (render_answer_markdown(answer), page):
        assert "pattern specialist below 157.25, " in text
    assert "follows from its confidence alone" in render_answer_markdown(answer)
    assert findings_in_answer(answer) == ()


def test_views_that_nothing_scores_are_told_as_missing() -> None:
    record = swarm_record(hypotheses=(direction(weeks=8),))
    answer = compile_answer(record, finished_at=FINISHED_AT)
    assert any("nothing scores the specialists' views" in line for line in answer.missing)


@pytest.mark.parametrize(
    "change",
    [
        {"probability": 0.9},
        {"probability": 0.9, "own": True},
        {"probability": None},
        {"leaning": Leaning.NEUTRAL},
    ],
)
def test_the_audit_finds_a_view_that_is_likelier_than_its_confidence_makes_it(
    change: dict[str, object],
) -> None:
    answer = compile_answer(swarm_record(), finished_at=FINISHED_AT)
    assert answer.swarm is not None
    first, *others = answer.swarm.hypotheses
    views = (first.views[0].model_copy(update=change), *first.views[1:])
    forged = answer.swarm.model_copy(
        update={"hypotheses": (first.model_copy(update={"views": views}), *others)}
    )
    found = findings_in_answer(sealed(answer.model_copy(update={"swarm": forged})))
    assert [each.words for each in found] == [
        f"the view of {views[0].agent} is not as likely as its confidence makes it"
    ]


def test_one_hypothesis_is_shown_with_its_views_and_what_came_of_them() -> None:
    scored = came("158.00", held(MARKET), held(PATTERN, DOWN))
    request = hypothesis_request(scored.hypothesis)
    shown = ListedHypothesis(workflow_id="swarm-1", request=request, state=HELD, scored=scored)
    lines = [" ".join(line.split()) for line in hypothesis_lines(shown, scored.scored_at)]
    text = " ".join(lines)
    assert "market specialist: above 157.25, 68 % likely, held (Brier score 0.102)" in text
    assert "pattern specialist: below 157.25, 68 % likely, refuted (Brier score 0.462)" in text
    still = shown.model_copy(update={"state": HypothesisState.OPEN, "scored": None})
    waiting = " ".join(" ".join(each.split()) for each in hypothesis_lines(still, scored.scored_at))
    assert "pattern specialist: below 157.25, 68 % likely" in waiting
    assert "refuted (" not in waiting
