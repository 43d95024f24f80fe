"""A conclusion by a model: over claims that stand, with hypotheses against measured levels."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from desk.contracts.agents.config import VotingConfig
from desk.contracts.agents.tasks import Query
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import ConflictRecord, Leaning, ResearchResult
from desk.contracts.names import AgentId
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import StateEntry, TurnRequest
from desk.contracts.swarm.hypotheses import HypothesisKind
from desk.contracts.swarm.plan import Refinement
from desk.programs.claude.turns import model_call
from desk.programs.swarm.conclusion.account import account_of
from desk.programs.swarm.objectives import FORMS, answer_by
from desk.programs.swarm.tasks import BEHIND
from desk.programs.turns import builtin_turn
from desk.trust.conflicts.detection import detect_conflicts
from desk.trust.prose.synthesis_review import review_synthesis
from tests.support.questions import material
from tests.support.swarms.asking import (
    AS_OF,
    DAY,
    NVIDIA,
    OBJECTIVE,
    ORDERS,
    YEN,
    claims,
    concluding,
    delivered,
    feedback,
    memory,
    synthesis,
)

LEVELS = (Metric.LAST, Metric.EXPECTED_LOW, Metric.EXPECTED_HIGH)
REFERRING = "The yen stands at [[USD/JPY:last]]."


def with_levels(**fields: Any) -> TurnRequest:
    return concluding(delivered(*claims(*LEVELS, Metric.MOVE)), **fields)


def hypothesis(**changed: Any) -> dict[str, Any]:
    line = {
        "market": "USD/JPY",
        "kind": "direction",
        "leaning": "down",
        "weeks": 4,
        "probability": 0.612345,
        "statement": "The yen is stronger than at [[USD/JPY:last]].",
        "refuted_by": "A price at or above [[USD/JPY:last]].",
    }
    return {**line, **changed}


RANGE = {"kind": "range", "leaning": "neutral"}


def answer(*hypotheses: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"summary": REFERRING, "hypotheses": list(hypotheses), **more}


def test_a_conclusion_is_the_models_prose_over_claims_of_the_specialists() -> None:
    section = {"title": "Against it", "content": "It moved by [[USD/JPY:move]]."}
    further = {"objective": "What do the banks say?", "reason": "Rates are open."}
    made = synthesis(with_levels(), answer(sections=[section], further=further))
    assert made.summary == REFERRING
    assert [(s.title, s.content) for s in made.sections] == [
        ("Against it", "It moved by [[USD/JPY:move]].")
    ]
    behind = f"{further['objective']}{BEHIND}{OBJECTIVE}"
    assert made.further == Refinement(objective=behind, reason=further["reason"])
    assert (made.agent, made.answered, made.hypotheses) == (AgentId.RESEARCH_LEADER, True, ())
    assert review_synthesis(made, with_levels().state) == ()


def test_a_later_round_is_concluded_for_the_objective_and_told_what_it_was_for() -> None:
    query = Query(question=f"What do the banks say?{BEHIND}{OBJECTIVE}")
    request = with_levels()
    assignment = request.assignment.model_copy(update={"query": query})
    told = material(request.model_copy(update={"assignment": assignment}))
    assert (told["objective"], told["asked_now"]) == (OBJECTIVE, "What do the banks say?")
    assert "asked_now" not in material(request)


def test_what_is_missing_is_told_once_and_no_command_for_a_desk_without_a_model() -> None:
    request = unmatched("45.7")
    told = material(request)
    of_one = [line for each in told["findings"] for line in each.get("missing", ())]
    assert not {*of_one} & {*told.get("missing", ())}
    assert "desk swarm" not in json.dumps(told)
    assert '"about"' in json.dumps(model_call(request).schema_of_result)
    assert '"about"' not in json.dumps(model_call(overbought("45.7")).schema_of_result)


def test_a_direction_is_held_against_the_last_price_that_was_measured() -> None:
    made = synthesis(with_levels(), answer(hypothesis(level="1", weeks=6)))
    (said_likely,) = made.hypotheses
    assert (said_likely.level, said_likely.level_on) == (Decimal("153.20"), DAY)
    assert (said_likely.low, said_likely.high) == (None, None)
    assert said_likely.due == AS_OF + timedelta(weeks=6)
    assert (said_likely.leaning, said_likely.probability) == (Leaning.DOWN, 0.612)
    assert said_likely.claims == ("USD/JPY:last",)
    assert said_likely.market == YEN
    assert said_likely.hypothesis_id == "usd-jpy-direction-6w"


def test_a_range_runs_between_the_ends_that_were_measured() -> None:
    made = synthesis(with_levels(), answer(hypothesis(**RANGE, low="1", high="2")))
    (within,) = made.hypotheses
    assert within.kind is HypothesisKind.RANGE and within.leaning is Leaning.NEUTRAL
    assert (within.low, within.high) == (Decimal("149.10"), Decimal("157.40"))
    assert within.claims == tuple(f"USD/JPY:{metric}" for metric in LEVELS)


def test_a_stock_that_was_planned_for_may_have_a_hypothesis() -> None:
    known = claims(Metric.LAST, market="NVDA")
    request = concluding(
        delivered(*known, market="NVDA", statement="At [[NVDA:last]]."), markets=(NVIDIA,)
    )
    words = {"statement": "Above [[NVDA:last]].", "refuted_by": "Below."}
    told = answer(
        hypothesis(market="NVDA", leaning="up", **words), summary="It is at [[NVDA:last]]."
    )
    assert synthesis(request, told).hypotheses[0].market == NVIDIA


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (hypothesis(market="XX4242"), "researched markets; nearest are USD/JPY"),
        (hypothesis(leaning="neutral"), "hypotheses.0.leaning: a direction is up or down"),
        (hypothesis(leaning="abstains"), "hypotheses.0.leaning: a direction is up or down"),
        (hypothesis(**RANGE, weeks=12), "hypotheses.0.weeks: the ends of a range are measured for"),
        (hypothesis(weeks=53), "hypotheses.0.weeks: "),
        (hypothesis(probability=1.5), "hypotheses.0.probability: "),
        (hypothesis(refuted_by=" "), "hypotheses.0.refuted_by: "),
        (
            hypothesis(probability=0.3),
            "hypotheses.0.probability: the opposite direction is likelier",
        ),
        (
            hypothesis(statement="It is fixed above [[USD/JPY:last]]."),
            "hypotheses.0.statement: it names the side opposite to its leaning",
        ),
        (
            hypothesis(refuted_by="A price below [[USD/JPY:last]]."),
            "hypotheses.0.refuted_by: it names the same side as its leaning",
        ),
    ],
)
def test_a_hypothesis_that_cannot_be_scored_is_objected_to_and_can_be_mended(
    wrong: dict[str, Any], words: str
) -> None:
    told = feedback(with_levels(), answer(wrong))
    assert words in told and "4242" not in told
    assert synthesis(with_levels(), answer(hypothesis())).hypotheses


def test_two_hypotheses_on_the_same_are_one_too_many() -> None:
    told = feedback(with_levels(), answer(hypothesis(), hypothesis(leaning="up")))
    assert "hypotheses.1: it is about the same as hypotheses.0" in told
    made = synthesis(with_levels(), answer(hypothesis(), hypothesis(weeks=8), hypothesis(**RANGE)))
    assert len({each.hypothesis_id for each in made.hypotheses}) == 3


@pytest.mark.parametrize(
    ("known", "line", "lacking"),
    [
        ((Metric.MOVE,), hypothesis(statement="Down.", refuted_by="Up."), "last"),
        (
            (Metric.LAST, Metric.EXPECTED_LOW),
            hypothesis(**RANGE),
            "expected_high",
        ),
    ],
)
def test_without_a_measured_level_there_is_no_hypothesis(
    known: tuple[Metric, ...], line: dict[str, Any], lacking: str
) -> None:
    statement = f"See [[USD/JPY:{known[0]}]]."
    request = concluding(delivered(*claims(*known), statement=statement))
    told = feedback(request, answer(line, summary=statement))
    assert f"hypotheses.0: no claim gives {lacking} of its market" in told
    assert synthesis(request, answer(summary=statement)).hypotheses == ()


def test_a_range_that_does_not_hold_the_last_price_is_refused() -> None:
    low, high = claims(Metric.EXPECTED_LOW, Metric.EXPECTED_HIGH)
    (last,) = claims(Metric.LAST, last="170.00")
    told = feedback(concluding(delivered(last, low, high)), answer(hypothesis(**RANGE)))
    assert "its market's last price is outside the range" in told


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (answer(summary="It is quiet."), "the answer rests on nothing"),
        (answer(further={"objective": "Look.", "reason": ""}), "further.reason: "),
        (answer(*[hypothesis(weeks=n) for n in range(1, 8)]), "hypotheses: Tuple should have at"),
        ("no JSON 4242", "does not have the form"),
    ],
)
def test_what_is_not_there_is_objected_to_by_its_place(told: Any, words: str) -> None:
    said_wrong = feedback(with_levels(), told)
    assert words in said_wrong and "4242" not in said_wrong


def test_all_that_is_wrong_is_told_at_once() -> None:
    told = feedback(with_levels(), answer(hypothesis(market="XX"), summary="Quiet."))
    assert "rests on nothing" in told and "hypotheses.0.market" in told


def disagreeing() -> tuple[ResearchResult, ResearchResult, ConflictRecord]:
    """Two specialists with two targets, and the conflict between them."""
    (last,) = claims(Metric.LAST)
    (low,), (high,) = claims(Metric.TARGET, target="151.00"), claims(Metric.TARGET, target="160.00")
    one = delivered(last, low, statement="Towards [[USD/JPY:target]].", leaning=Leaning.DOWN)
    other = delivered(
        last, high, agent=AgentId.PATTERN_SPECIALIST, statement="Towards [[USD/JPY:target]]."
    )
    found = detect_conflicts("USD/JPY", (one, other), VotingConfig())
    conflict = next(each for each in found if each.positions[0].claim_id == "USD/JPY:target")
    return one, other, conflict


def printed(request: TurnRequest) -> dict[str, str]:
    return {name: told.partition(";")[0] for name, told in material(request)["claims"].items()}


def test_a_model_does_not_turn_round_what_a_figure_decides() -> None:
    request = overbought("45.7")
    told = feedback(request, {"summary": "Yes: [[USD/JPY:rsi]].", "decided": "yes"})
    assert "decided: the figure that decides says no" in told
    for left in ("no", "open", None):
        said = {"summary": "It stands at [[USD/JPY:rsi]].", "decided": left}
        assert synthesis(request, said).decided == left


def unmatched(
    index: str,
    question: str = "Is the rally in the dollar getting long in the tooth?",
    nearest: str = "overbought",
) -> TurnRequest:
    """The same where the desk could not tell the form of the objective."""
    request = overbought(index)
    query = Query(question=question, parameters={"nearest": nearest})
    assignment = request.assignment.model_copy(update={"query": query})
    return request.model_copy(update={"assignment": assignment})


def test_a_model_names_the_form_and_the_desk_decides_by_its_figure() -> None:
    request = unmatched("45.7")
    assert material(request)["forms"]["overbought"] == "Is USD/JPY overbought?"
    said = {"summary": "It has [[USD/JPY:rsi]].", "about": "overbought", "decided": "no"}
    made = synthesis(request, said)
    assert made.decided == "no"
    assert made.summary.startswith("No: the 14-day RSI of USD/JPY is [[USD/JPY:rsi")
    assert "The model took it as `--about overbought`: Is USD/JPY overbought?" in made.summary
    assert made.summary.endswith("It has [[USD/JPY:rsi]].")
    told = feedback(request, said | {"decided": "yes"})
    assert "decided: by the form `overbought` the figure says no" in told


def test_a_form_is_offered_of_the_currency_that_is_asked_about() -> None:
    request = unmatched("13.3", "Has the yen been too hot to handle lately?")
    assert material(request)["forms"]["overbought"] == "Is JPY overbought?"
    said = {"summary": "It has [[USD/JPY:rsi]].", "about": "overbought", "decided": "yes"}
    made = synthesis(request, said)
    assert made.decided == "yes"
    assert "The model took it as `--about overbought`: Is JPY overbought?" in made.summary


def test_where_desk_and_model_read_opposite_forms_both_are_answered_and_none_decides() -> None:
    request = unmatched("81.3")
    assert synthesis(request, {"summary": "It has [[USD/JPY:rsi]].", "about": "overbought"}).decided
    made = synthesis(
        request, {"summary": "It has [[USD/JPY:rsi]].", "about": "oversold", "decided": "no"}
    )
    assert made.decided is None
    assert made.summary.startswith(
        "Is USD/JPY oversold? No: the 14-day RSI of USD/JPY is [[USD/JPY:rsi"
    )
    assert "Is USD/JPY overbought? Yes. The model took it as the first of these." in made.summary


def test_a_model_decides_nothing_where_the_desk_cannot_tell_two_opposites_apart() -> None:
    request = unmatched("81.3", nearest="overbought, oversold")
    for about in ("overbought", "oversold"):
        said = {"summary": "It has [[USD/JPY:rsi]].", "about": about}
        assert synthesis(request, said).decided is None


def test_a_models_yes_that_no_figure_decides_is_told_as_the_models() -> None:
    said = {"summary": "Yes: it has [[USD/JPY:rsi]].", "decided": "yes"}
    made = synthesis(unmatched("45.7"), said)
    assert made.decided is None
    assert made.summary.startswith("The model says yes, and no figure of the desk decides it.")


@pytest.mark.parametrize("name", ["nothing", "carry", "peg-holds"])
def test_a_form_that_is_none_or_has_no_figure_here_is_sent_back(name: str) -> None:
    said = {"summary": "It has [[USD/JPY:rsi]].", "about": name}
    assert "about: it is not one of the forms. Take one of overbought" in feedback(
        unmatched("45.7"), said
    )


def test_a_models_own_probability_is_no_figure_of_the_desk() -> None:
    request = with_levels()
    query = Query(question="Is there more to come?", parameters={"nearest": "lower-ahead"})
    assignment = request.assignment.model_copy(update={"query": query})
    request = request.model_copy(update={"assignment": assignment})
    offered = {"higher-ahead", "lower-ahead", "range-ahead"} & {*material(request).get("forms", {})}
    assert not offered
    said = answer(hypothesis(probability=0.9), decided="yes")
    assert "about: it is not one of the forms" in feedback(request, said | {"about": "lower-ahead"})
    made = synthesis(request, said)
    assert made.decided is None
    assert made.summary.startswith("The model says yes, and no figure of the desk decides it.")


@pytest.mark.parametrize(("weeks", "decided"), [(4, "yes"), (6, "open")])
def test_what_lies_four_weeks_ahead_is_decided_by_a_hypothesis_over_four_weeks(
    weeks: int, decided: str
) -> None:
    request = with_levels()
    made = synthesis(request, answer(hypothesis(probability=0.9, weeks=weeks)))
    by_market = {"USD/JPY": made.hypotheses}
    # The objective is about the yen: a higher one is a lower pair.
    told = answer_by(FORMS["higher-ahead"], account_of(request), by_market)
    assert told.decided == decided


def outlook() -> TurnRequest:
    """A conclusion on whether the pair will be higher, which no figure decides."""
    request = with_levels()
    query = Query(
        question="Will USD/JPY be higher in four weeks?", parameters={"about": "higher-ahead"}
    )
    assignment = request.assignment.model_copy(update={"query": query})
    return request.model_copy(update={"assignment": assignment})


@pytest.mark.parametrize(
    ("leaning", "probability", "decided"),
    [("down", 0.6, "no"), ("up", 0.6, "yes"), ("up", 0.52, "open")],
)
def test_what_lies_ahead_is_decided_by_the_models_own_hypothesis(
    leaning: str, probability: float, decided: str
) -> None:
    request = outlook()
    told = material(request)
    assert "decided" not in told["answer_of_the_desk"]
    assert "0.55" in told["your_hypothesis_decides"]
    assert "`your_hypothesis_decides`" in model_call(request).system
    against = "below" if leaning == "up" else "above"
    words = f"A price {against} [[USD/JPY:last]]."
    own = hypothesis(leaning=leaning, probability=probability, refuted_by=words)
    assert synthesis(request, answer(own, decided=decided)).decided == decided
    assert synthesis(request, answer(own)).decided is None
    for other in {"yes", "no", "open"} - {decided}:
        told_back = feedback(request, answer(own, decided=other))
        assert f"decided: your own hypotheses say {decided}" in told_back
    assert "hypotheses say open" in feedback(request, answer(decided="yes"))


def test_a_figure_that_decides_is_told_as_such_and_a_hypothesis_is_not() -> None:
    told = material(overbought("45.7"))
    assert told["answer_of_the_desk"]["decided"] == "no"
    assert "your_hypothesis_decides" not in told


def test_no_form_is_offered_where_the_desk_has_one() -> None:
    assert "forms" not in material(overbought("45.7"))
    said = {"summary": "It has [[USD/JPY:rsi]].", "about": "oversold"}
    assert "about: it is not one of the forms. Leave it null" in feedback(overbought("45.7"), said)


def overbought(index: str) -> TurnRequest:
    """A conclusion on whether the pair is overbought, by an index that was measured."""
    measured, mark = claims(Metric.RSI, Metric.RSI, rsi=index)
    marks = (
        mark.model_copy(
            update={"claim_id": claim_id("USD/JPY", metric), "metric": metric, "value": Decimal(at)}
        )
        for metric, at in ((Metric.RSI_OVERBOUGHT, 70), (Metric.RSI_OVERSOLD, 30))
    )
    request = concluding(delivered(measured, *marks))
    query = Query(question="Is USD/JPY overbought?", parameters={"about": "overbought"})
    assignment = request.assignment.model_copy(update={"query": query})
    return request.model_copy(update={"assignment": assignment})


def test_what_was_decided_holds_and_the_dissent_is_told() -> None:
    one, other, conflict = disagreeing()
    decided = conflict.model_copy(update={"chosen": "160", "resolved": True})
    request = concluding(one, other, conflicts=(decided,))
    assert printed(request)["[[USD/JPY:target]]"] == "160.00"
    (told,) = material(request)["conflicts"]
    assert told["holds"] == "160"
    dissent = {each["agent"]: each["dissents"] for each in told["positions"]}
    assert dissent == {"technical_specialist": True, "pattern_specialist": False}


def test_a_figure_that_is_withheld_is_not_shown_and_cannot_be_referred_to() -> None:
    one, other, conflict = disagreeing()
    open_still = conflict.model_copy(update={"chosen": None, "resolved": True})
    request = concluding(one, other, conflicts=(open_still,))
    assert "[[USD/JPY:target]]" not in printed(request)
    told = answer(summary="Between [[USD/JPY:last]] and [[USD/JPY:target]].")
    assert "summary: it refers to a figure that is withheld" in feedback(request, told)


def test_the_leader_is_shown_findings_and_no_answer_of_a_tool() -> None:
    failed = StateEntry(key="sentiment", node="sentiment", error="the source was down")
    request = with_levels(recalled=(memory(text="It fell in May."),))
    request = request.model_copy(update={"state": (*request.state, failed)})
    told = material(request)
    assert told["objective"] == OBJECTIVE
    found, error = told["findings"]
    assert found["findings"] == [
        {"topic": "level", "statement": "It stands at [[USD/JPY:last]].", "confidence": 0.7}
    ]
    assert (found["contradictions"], found["recommendations"]) == (
        ["The trend is weak."],
        ["Wait."],
    )
    assert found["views"][0]["leaning"] == "up"
    assert error == {"subagent": "sentiment", "error": "the source was down"}
    assert printed(request)["[[USD/JPY:last]]"] == "153.20"
    assert [(m["quoted"], m["known_as_of"][:10]) for m in told["recalled"]] == [
        ("It fell in May.", "2026-10-03")
    ]
    call = model_call(request)
    assert call.tools == () and "evidence" not in json.dumps(told)


def test_claims_that_nobody_rests_anything_on_are_not_shown() -> None:
    known: tuple[Claim, ...] = claims(Metric.LAST, Metric.RSI)
    found = delivered(*known)
    only = found.findings[0].model_copy(update={"claims": ("USD/JPY:last",)})
    request = concluding(found.model_copy(update={"findings": (only,)}))
    assert list(printed(request)) == ["[[USD/JPY:last]]"]


def test_orders_in_a_finding_or_a_memory_stay_data() -> None:
    found = delivered(*claims(Metric.LAST), statement=f"{ORDERS}, at [[USD/JPY:last]].")
    request = concluding(found, recalled=(memory(),))
    call = model_call(request)
    assert ORDERS not in call.system and call.tools == ()
    told = material(request)
    assert told["findings"][0]["findings"][0]["statement"].startswith(ORDERS)
    assert told["recalled"][0]["quoted"] == ORDERS


def test_what_was_concluded_before_is_told_of_in_a_later_round() -> None:
    request = with_levels()
    before = Synthesis(
        task_id="swarm/1",
        agent=AgentId.RESEARCH_LEADER,
        summary="It moved by [[USD/JPY:move]].",
        further=Refinement(objective="Why?", reason="Reasons are open."),
    )
    entry = StateEntry(key="conclude_1", node="conclude_1", result=before)
    told = material(request.model_copy(update={"state": (*request.state, entry)}))["findings"][-1]
    assert told["concluded"] == "It moved by [[USD/JPY:move]]."
    assert told["wanted_further_because"] == "Reasons are open."


def test_what_is_missing_stays_the_desks() -> None:
    failed = StateEntry(key="sentiment", node="sentiment", error="the source was down")
    request = with_levels()
    request = request.model_copy(update={"state": (*request.state, failed)})
    own = builtin_turn(request).result
    assert isinstance(own, Synthesis)
    assert synthesis(request, answer(missing=["nothing"])).missing == own.missing


def test_a_day_may_be_named_where_no_specialist_had_a_figure() -> None:
    nothing = delivered(statement="There are no prices.").model_copy(update={"views": ()})
    request = concluding(nothing)
    made = synthesis(request, answer(summary="Its prices end on 30 October 2026.", answered=False))
    assert review_synthesis(made, request.state) == ()
    typed = made.model_copy(update={"summary": "Its last price was 149.99."})
    assert [f.written for f in review_synthesis(typed, request.state)] == ["149.99"]


def test_figures_that_a_model_types_are_left_to_the_gate() -> None:
    request = with_levels()
    typed = hypothesis(statement="It ends below 149.99.")
    made = synthesis(request, answer(typed))
    assert [f.written for f in review_synthesis(made, request.state)] == ["149.99"]
