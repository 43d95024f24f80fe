"""Insights by a model: over figures that are on the blackboard, each with a leaning."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.episode.actions import StockAction
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Leaning, ResearchResult
from desk.contracts.runs.turns import TurnRequest
from desk.programs.claude.findings import LONGEST_STATEMENT
from desk.programs.claude.turns import model_call
from desk.programs.episode.actions import pointers_of
from desk.programs.episode.claude.board import claims_on_board
from desk.programs.episode.claude.insight import MOST_INSIGHTS
from desk.programs.turns import builtin_turn
from desk.trust.prose.prose_review import review
from tests.support.models.model_stock import ALL, PRICES, SYMBOL, insight, part, shown
from tests.support.questions import material
from tests.support.swarms.asking import ORDERS, feedback, memory, research, said

RSI = f"{SYMBOL}:rsi"


def asked(*parts: StockAction, **fields: Any) -> TurnRequest:
    return shown(StockAction.GENERATE_INSIGHT, *(parts or PRICES), **fields)


def answer(*insights: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"insights": list(insights or (insight(),)), "confidence": 0.5, **more}


def test_insights_are_the_models_with_the_claims_that_they_rest_on() -> None:
    stretched = insight("stretch", "rsi", leaning="down", strength=0.4, claims=[])
    told = answer(insight(), stretched, contradictions=["The trend is up and stretched."])
    made = research(asked(), told)
    assert [(f.topic, f.leaning, f.confidence) for f in made.findings] == [
        ("trend", Leaning.UP, 0.6),
        ("stretch", Leaning.DOWN, 0.4),
    ]
    assert [claim.claim_id for claim in made.claims] == [f"{SYMBOL}:quarter_move", RSI]
    evidence = {name for claim in made.claims for name in claim.evidence}
    assert evidence == {source.evidence_id for source in made.sources}
    assert made.contradictions == ("The trend is up and stretched.",)
    assert made.confidence == 0.5
    assert review(made) == ()


def test_what_is_missing_is_the_desks_whatever_a_model_says() -> None:
    request = asked()
    own = builtin_turn(request).result
    assert isinstance(own, ResearchResult) and own.missing
    assert research(request, answer(missing=["nothing"])).missing == own.missing


def test_what_a_model_finds_is_written_as_it_leans() -> None:
    (pointer,) = pointers_of(research(asked(), answer(insight(leaning="neutral"))))
    assert (pointer.leaning, pointer.strength) == (Leaning.NEUTRAL, 0.6)
    assert pointer.metrics == (Metric.QUARTER_MOVE,)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (insight(leaning=None), "insights.0.leaning: "),
        (insight(leaning="abstains"), "insights.0.leaning: up, down or neutral"),
        (insight(statement="It rises.", claims=[]), "insights.0: it rests on nothing"),
        (insight(claims=["NVDA:x4242"]), "insights.0.claims.0: unknown name"),
        (insight(topic="up 42.42 %"), "insights.0.topic: it contains a figure"),
        (insight(topic="at [[NVDA:rsi]]"), "insights.0.topic: it contains a figure"),
        (insight(statement="w" * 701), "insights.0.statement: String should have at most 700"),
        (insight(strength=1.2), "insights.0.strength: "),
    ],
)
def test_an_insight_that_does_not_hold_is_objected_to_by_its_place(
    wrong: dict[str, Any], words: str
) -> None:
    told = feedback(asked(), answer(wrong))
    assert words in told and "4242" not in told


def test_a_finding_without_a_leaning_is_no_insight() -> None:
    line = insight()
    del line["leaning"]
    assert "insights.0.leaning: Field required" in feedback(asked(), answer(line))


def test_two_insights_may_not_have_one_topic() -> None:
    told = feedback(asked(), answer(insight(), insight("Trend", "rsi")))
    assert "insights.1: it is about the same as insights.0" in told


def test_figures_on_the_blackboard_ask_for_a_word_and_an_empty_one_for_none() -> None:
    assert "nothing is said of them" in feedback(asked(), {"insights": [], "confidence": 0.5})
    empty = asked(StockAction.FETCH_FUNDAMENTALS)
    without = empty.board.model_copy(update={"fundamentals_data": None}) if empty.board else None
    nothing = empty.model_copy(update={"board": without})
    assert research(nothing, {"insights": [], "confidence": 0.1}).findings == ()


def test_a_claim_whose_figure_is_not_on_the_blackboard_is_nothing_to_rest_on() -> None:
    """Where an agent took up more than its own part holds."""
    basic = part(StockAction.RUN_TA_BASIC)
    request = asked(StockAction.RUN_TA_BASIC)
    further = part(StockAction.RUN_TA_ADVANCED).claims
    more = basic.model_copy(update={"claims": (*basic.claims, *further)})
    (entry,) = request.state
    state = (entry.model_copy(update={"result": more}),)
    told = answer(insight("bands", "macd_histogram"))
    wrong = feedback(request.model_copy(update={"state": state}), told)
    assert "insights.0.claims.0: unknown name" in wrong


def test_the_model_is_shown_the_blackboard_its_claims_and_what_the_parts_found() -> None:
    told = material(asked(*ALL, recalled=(memory(text="Quiet."),)))
    parts = told["board"]["parts"]
    assert parts["sentiment_data"]["figures"] == ["news_tone"]
    assert told["claims"]["[[NVDA:news_tone]]"].startswith("-12.0;")
    assert "revenue_growth" in parts["fundamentals_data"]["lacking"]
    assert "[[NVDA:rsi]]" in told["claims"]
    assert [each["subagent"] for each in told["findings_of_the_parts"]] == list(ALL)
    assert [each["quoted"] for each in told["recalled"]] == ["Quiet."]
    assert all(each["leaning"] for each in told["insights_of_the_desk"])


def test_a_part_that_was_not_taken_is_told_apart_from_one_that_lacks_all() -> None:
    told = material(asked(StockAction.RUN_TA_BASIC))
    parts = told["board"]["parts"]
    assert "ta_advanced_data" not in parts and parts["ta_basic_data"]["figures"]
    assert any("further indicators" in line for line in told["missing"])


def test_orders_in_a_memory_or_a_finding_stay_data() -> None:
    request = asked(recalled=(memory(),))
    (first, second) = request.state
    assert isinstance(first.result, ResearchResult)
    found = first.result.findings[0].model_copy(update={"statement": ORDERS})
    ordered = first.result.model_copy(update={"findings": (found,)})
    state = (first.model_copy(update={"result": ordered}), second)
    request = request.model_copy(update={"state": state})
    assert ORDERS not in model_call(request).system
    assert material(request)["recalled"][0]["quoted"] == ORDERS
    made = research(request, answer())
    assert ORDERS not in made.model_dump_json()


def test_the_agent_is_told_the_bounds_that_its_answer_is_held_to() -> None:
    told = " ".join(model_call(asked()).system.split())
    assert MOST_INSIGHTS == 12 and "at most twelve" in told
    assert f"at most {LONGEST_STATEMENT} characters" in told


lines = st.fixed_dictionaries(
    {
        "topic": st.sampled_from(["trend", "stretch", "bands"]),
        "statement": st.sampled_from(
            ["It rises.", f"It is [[{RSI}]].", "It is [[NVDA:made_up]].", "Up [[NVDA:adx]]."]
        ),
        "leaning": st.sampled_from(["up", "down", "neutral", "abstains", "sideways"]),
        "strength": st.floats(-0.5, 1.5),
        "claims": st.lists(st.sampled_from([RSI, "NVDA:last", "NVDA:made_up"]), max_size=2),
    }
)


@cache
def usual() -> TurnRequest:
    """The insights of every example, asked for once."""
    return asked()


@given(st.lists(lines, max_size=3))
def test_every_insight_leans_and_rests_on_the_blackboard_whatever_a_model_says(
    insights: list[dict[str, Any]],
) -> None:
    taken = said(usual(), {"insights": insights, "confidence": 0.5})
    if taken.result is None:
        assert taken.feedback
        return
    assert isinstance(taken.result, ResearchResult)
    board = claims_on_board(usual())
    for finding in taken.result.findings:
        assert finding.leaning in (Leaning.UP, Leaning.DOWN, Leaning.NEUTRAL)
        assert finding.claims and board.keys() >= set(finding.claims)
    # References to nothing are left to the gate, which names them.
    assert all(each.written.startswith("[[") for each in review(taken.result))


def test_of_a_stock_nothing_is_told_of_banks_and_currencies() -> None:
    told = model_call(asked()).system
    assert "|moved" in told and "decision_change" not in told and "base currency" not in told
