"""A recommendation by a model: over claims that stand, no surer than what is known allows."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.agents.config import VotingConfig
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import Blackboard, Recommended, StockRecommendation
from desk.contracts.findings.results import Leaning, ResearchResult, View, ViewKind
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import TurnRequest
from desk.programs.claude.turns import model_call
from desk.programs.episode.actions import Pointer
from desk.programs.episode.blackboard import StockBoard
from desk.programs.episode.claude.recommendation import most_confidence
from desk.programs.episode.recommendation import recommend
from desk.programs.turns import builtin_turn
from desk.trust.conflicts.detection import detect_conflicts
from desk.trust.prose.synthesis_review import review_synthesis
from tests.support.models.model_stock import ALL, BOTH_WAYS, PRICES, SYMBOL, advice, shown
from tests.support.questions import material
from tests.support.swarms.asking import ORDERS, feedback, memory, said, synthesis

RECOMMEND = StockAction.GENERATE_RECOMMENDATION
HOLD: dict[str, Any] = {"reasons_for": ["patterns"], "reasons_against": ["trend", "stretch"]}


def asked(
    *parts: StockAction, pointers: tuple[Pointer, ...] = BOTH_WAYS, **fields: Any
) -> TurnRequest:
    return shown(RECOMMEND, *(parts or PRICES), pointers=pointers, **fields)


def board_of(request: TurnRequest) -> Blackboard:
    assert request.board
    return request.board


def test_a_recommendation_is_the_models_prose_with_what_it_recommends() -> None:
    request = asked()
    made = synthesis(request, advice(confidence=0.30004, probability=0.56789))
    assert made.summary == "Buy: it has risen by [[NVDA:quarter_move]]."
    assert [section.title for section in made.sections] == ["Against"]
    assert made.recommendation == StockRecommendation(
        action=Recommended.BUY,
        confidence=0.3,
        probability=0.568,
        reasons_for=("trend",),
        reasons_against=("stretch",),
    )
    assert review_synthesis(made, request.state) == ()


def test_what_is_missing_is_the_desks_whatever_a_model_says() -> None:
    request = asked(*ALL)
    own = builtin_turn(request).result
    assert isinstance(own, Synthesis) and own.missing
    assert synthesis(request, {**advice(), "missing": []}).missing == own.missing


def test_a_confidence_above_what_is_known_allows_is_objected_to_with_the_bound() -> None:
    request = asked()
    most = most_confidence(board_of(request))
    told = feedback(request, advice(confidence=0.95))
    assert f"recommendation.confidence: the figures on the blackboard allow at most {most}" in (
        told
    )
    (bound,) = re.findall(r"at most ([0-9.]+):", told)
    made = synthesis(request, advice(confidence=float(bound)))
    assert made.recommendation and made.recommendation.confidence == most


def test_the_bound_rises_with_every_part_and_is_what_the_model_is_told() -> None:
    fewer, more = asked(*PRICES), asked(*ALL)
    assert 0 < material(fewer)["most_confidence"] < material(more)["most_confidence"] < 1


@pytest.mark.parametrize("parts", [PRICES, ALL])
def test_the_rule_itself_is_never_surer_than_the_bound(parts: tuple[StockAction, ...]) -> None:
    board = board_of(asked(*parts))
    one_way = tuple(pointer._replace(leaning=Leaning.UP, strength=1.0) for pointer in BOTH_WAYS)
    by_rule = recommend(one_way, StockBoard.read_back(board))
    assert by_rule.confidence <= most_confidence(board)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (advice(reasons_for=["tea4242"]), "has that topic; nearest are trend"),
        (advice(reasons_against=["tea4242"]), "reasons_against.0: no insight on the blackboard"),
        (advice(reasons_against=[]), "reasons_against: some insights support the action"),
        (advice(reasons_for=[]), "reasons_for: some insights support the action"),
        (
            advice(reasons_for=["stretch"]),
            "reasons_for.0: that insight points down, which contradicts the action, buy",
        ),
        (
            advice(reasons_against=["trend"]),
            "reasons_against.0: that insight points up, which supports the action, buy",
        ),
        (
            advice(action="hold", **{**HOLD, "reasons_for": ["trend"]}),
            "reasons_for.0: that insight points up, which contradicts the action, hold",
        ),
        (advice(reasons_for=["trend", "trend"]), "reasons.1: it is about the same as"),
        (advice(action="sell"), "recommendation.probability: it contradicts the action"),
        (advice(probability=0.4), "recommendation.probability: it contradicts the action"),
        (advice(action="buy more"), "recommendation.action: Input should be"),
        (
            advice(action="hold", **{**HOLD, "reasons_against": []}),
            "reasons_against: some insights",
        ),
        ({"summary": "It rose by [[NVDA:quarter_move]]."}, "recommendation: Field required"),
    ],
)
def test_what_does_not_hold_is_objected_to_by_its_place(wrong: dict[str, Any], words: str) -> None:
    told = feedback(asked(), wrong)
    assert words in told and "4242" not in told


@pytest.mark.parametrize(
    "held",
    [
        advice(action="hold", **HOLD),
        advice(action="sell", probability=0.45, reasons_for=["stretch"], reasons_against=["trend"]),
        advice(action="abstain", confidence=0.1, reasons_for=[], reasons_against=[]),
        advice(reasons_for=["trend", "patterns"]),
    ],
)
def test_each_action_may_be_recommended_with_its_reasons(held: dict[str, Any]) -> None:
    made = synthesis(asked(), held)
    assert made.recommendation
    assert made.recommendation.action == held["recommendation"]["action"]


def test_a_buy_needs_a_reason_for_it_where_nothing_speaks_against_it() -> None:
    request = asked(pointers=BOTH_WAYS[:1])
    told = feedback(request, advice(reasons_for=[], reasons_against=[]))
    assert "reasons_for: there is none, and the action is buy" in told
    assert synthesis(request, advice(reasons_against=[])).recommendation


def test_who_knows_too_little_abstains() -> None:
    request = asked(StockAction.FETCH_NEWS, pointers=())
    unsure = advice("Nothing is known.", confidence=0.05, reasons_for=[], reasons_against=[])
    unsure["sections"], unsure["answered"] = [], False
    told = feedback(request, unsure)
    assert "recommendation.action: too little is known on the blackboard: abstain" in told
    unsure["recommendation"]["action"] = "abstain"
    made = synthesis(request, unsure)
    assert made.recommendation and made.recommendation.action is Recommended.ABSTAIN


def disputed(request: TurnRequest) -> TurnRequest:
    """Two parts that lean apart, and one level that they have otherwise."""
    (basic, advanced) = request.state
    assert isinstance(basic.result, ResearchResult)
    assert isinstance(advanced.result, ResearchResult)
    last = next(c for c in basic.result.claims if c.claim_id == f"{SYMBOL}:quarter_move")
    other = last.model_copy(update={"value": -last.value})
    results = [
        each.model_copy(
            update={
                "claims": (*(c for c in each.claims if c.claim_id != last.claim_id), claim),
                "views": (
                    View(
                        subject=SYMBOL,
                        kind=ViewKind.DIRECTION,
                        leaning=leaning,
                        confidence=sure,
                        claims=(last.claim_id,),
                    ),
                ),
            }
        )
        for each, claim, leaning, sure in (
            (basic.result, last, Leaning.UP, 0.9),
            (advanced.result, other, Leaning.DOWN, 0.2),
        )
    ]
    state = tuple(
        entry.model_copy(update={"result": made})
        for entry, made in zip((basic, advanced), results, strict=True)
    )
    conflicts = detect_conflicts(SYMBOL, results, VotingConfig())
    assert conflicts
    return request.model_copy(update={"state": state, "conflicts": tuple(conflicts)})


def test_conflicts_and_memories_are_told_as_data() -> None:
    request = disputed(asked(recalled=(memory(),)))
    told = material(request)
    assert {each["kind"] for each in told["conflicts"]} >= {"direction"}
    assert [each["quoted"] for each in told["recalled"]] == [ORDERS]
    assert ORDERS not in model_call(request).system


def test_a_figure_that_is_withheld_cannot_be_referred_to() -> None:
    request = disputed(asked())
    open_ = tuple(
        conflict.model_copy(update={"chosen": None, "resolved": False})
        for conflict in request.conflicts
    )
    told = feedback(request.model_copy(update={"conflicts": open_}), advice())
    assert "summary: it refers to a figure that is withheld because its sources disagree" in told


def test_the_model_is_shown_the_blackboard_with_its_insights() -> None:
    told = material(asked())
    assert [each["topic"] for each in told["board"]["insights"]] == ["trend", "stretch", "patterns"]
    assert told["recommendation_of_the_desk"]["recommendation"]["action"]
    assert [each["subagent"] for each in told["findings_of_the_parts"]] == list(PRICES)


recommendations = st.fixed_dictionaries(
    {
        "action": st.sampled_from(list(Recommended)),
        "confidence": st.floats(0, 1),
        "probability": st.floats(0, 1),
        "reasons_for": st.lists(
            st.sampled_from(["trend", "stretch", "patterns", "tea"]), max_size=3
        ),
        "reasons_against": st.lists(
            st.sampled_from(["trend", "stretch", "patterns", "tea"]), max_size=3
        ),
    }
)
REQUEST = asked()


@given(recommendations)
def test_no_recommendation_is_surer_than_the_rule_or_has_made_up_reasons(
    line: dict[str, Any],
) -> None:
    taken = said(REQUEST, advice(**line))
    if taken.result is None:
        assert taken.feedback
        return
    assert isinstance(taken.result, Synthesis) and taken.result.recommendation
    made, board = taken.result.recommendation, board_of(REQUEST)
    assert made.confidence <= most_confidence(board)
    assert {*made.reasons_for, *made.reasons_against} <= {each.topic for each in board.insights}
    if made.action is not Recommended.ABSTAIN:
        assert made.reasons_for and made.reasons_against
