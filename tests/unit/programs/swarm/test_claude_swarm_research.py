"""A specialist that is a model: it names figures and never values, and is held short."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.agents.tasks import Query, TaskType
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolSpec, ToolStatus
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Leaning, ResearchResult, ViewKind
from desk.contracts.findings.source_results import History
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import TurnRequest
from desk.programs.claude.findings import LONGEST_STATEMENT, ODDITY
from desk.programs.claude.turns import model_call
from desk.programs.swarm.claude.research import (
    LONGEST_SAYING,
    MOST_FINDINGS,
    MOST_SAYINGS,
    _own_first,
)
from desk.programs.swarm.tasks import BEHIND, SPECIALIST_TASKS
from desk.programs.turns import builtin_turn
from desk.trust.ledger.derivation import derive
from desk.trust.ledger.evidence import verified_answer
from desk.trust.prose.prose_review import review
from desk.trust.seals import content_hash
from tests.support.builders import real_history
from tests.support.questions import material
from tests.support.swarms.asking import (
    AS_OF,
    OBJECTIVE,
    ORDERS,
    WEEK,
    YEN,
    analysis,
    besides,
    claims,
    delivered,
    feedback,
    memory,
    research,
    researching,
    said,
)

BREADTH = "sector_analysis.1.1"
RSI = "USD/JPY:rsi"


def sector(**arguments: Any) -> ToolResult:
    return besides(analysis("sector_analysis"), "sector_analysis", **arguments)


def finding(statement: str = "It is at [[USD/JPY:rsi]].", **more: Any) -> dict[str, Any]:
    return {"topic": "momentum", "statement": statement, "confidence": 0.6, **more}


def answer(*findings: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"findings": list(findings or (finding(),)), "confidence": 0.55, **more}


def view(**changed: Any) -> dict[str, Any]:
    line = {
        "subject": "USD/JPY",
        "kind": "direction",
        "leaning": "down",
        "confidence": 0.6,
        "claims": [RSI],
    }
    return {**line, **changed}


def desks(request: TurnRequest) -> ResearchResult:
    own = builtin_turn(request).result
    assert isinstance(own, ResearchResult)
    return own


def test_a_delivery_is_the_models_findings_over_the_desks_claims() -> None:
    request = researching()
    told = answer(
        finding(claims=["USD/JPY:last"]),
        contradictions=["Momentum rises and the trend is weak."],
        recommendations=["Wait for the trend."],
        views=[view()],
        oddities=["A headline gives orders."],
    )
    made = research(request, told)
    assert made.claims == desks(request).claims
    (found,) = made.findings
    assert found.claims == ("USD/JPY:last", RSI)
    assert (found.topic, found.confidence, made.confidence) == ("momentum", 0.6, 0.55)
    assert made.contradictions == ("Momentum rises and the trend is weak.",)
    assert made.recommendations == ("Wait for the trend.",)
    direction = next(each for each in made.views if each.kind is ViewKind.DIRECTION)
    assert (direction.leaning, direction.claims) == (Leaning.DOWN, (RSI,))
    assert f"{ODDITY}A headline gives orders." in made.warnings
    assert review(made) == ()


def test_a_figure_that_the_model_asked_for_is_a_claim_once_it_is_named() -> None:
    request = researching(TaskType.ANALYSE_TECHNICALS, sector())
    told = answer(finding("Of the group [[USD/JPY:breadth]] rose."))
    made = research(request, told)
    breadth = made.claims[-1]
    assert (breadth.claim_id, breadth.value) == ("USD/JPY:breadth", Decimal("66.67"))
    assert breadth.evidence == ("swarm/sector_analysis.1.1",)
    assert "swarm/sector_analysis.1.1" in {source.evidence_id for source in made.sources}
    assert review(made) == ()


def test_a_claim_that_is_taken_up_follows_from_its_evidence_in_the_ledger() -> None:
    asked = sector()
    request = researching(TaskType.ANALYSE_TECHNICALS, asked)
    made = research(request, answer(finding(claims=["USD/JPY:breadth"])))
    window = request.assignment.window
    read = verified_answer(asked, window)
    assert read is not None
    assert made.claims[-1] in derive(read, {"USD/JPY": YEN}, window, asked.evidence_id)


def test_a_figure_of_fixings_is_taken_up_with_those_that_it_is_computed_from() -> None:
    history: History = real_history("USD/JPY", WEEK)
    request = researching(TaskType.GAUGE_SENTIMENT, besides(history, "get_historical"))
    told = finding("It moved by [[USD/JPY:move]].")
    made = research(request, answer(told))
    figures = {claim.claim_id: claim.value for claim in made.claims}
    assert {"USD/JPY:move", "USD/JPY:previous", "USD/JPY:last"} <= figures.keys()
    assert figures["USD/JPY:last"] == history.values[-1].quantize(Decimal("0.01"))


def test_a_figure_that_is_computed_from_another_level_than_the_claims_have_is_refused() -> None:
    history = besides(real_history("USD/JPY", WEEK), "get_historical")
    request = researching(TaskType.RESEARCH_CONDITIONS, history)
    told = feedback(request, answer(finding(claims=["[[USD/JPY:range_position]]"])))
    assert "findings.0.claims.0: unknown name" in told


def test_figures_that_nobody_names_are_not_delivered() -> None:
    made = research(researching(TaskType.ANALYSE_TECHNICALS, sector()), answer())
    assert "USD/JPY:breadth" not in {claim.claim_id for claim in made.claims}


def late() -> ToolResult:
    return besides(analysis("sector_analysis", as_of=AS_OF.replace(year=2027)), "sector_analysis")


def changed() -> ToolResult:
    asked = sector()
    return asked.model_copy(update={"content_hash": content_hash("another")})


def refused() -> ToolResult:
    call = ToolCall(call_id=f"swarm/{BREADTH}", server="analysis", tool="sector_analysis")
    return ToolResult(call=call, status=ToolStatus.REFUSED, error="no")


@pytest.mark.parametrize(
    "asked", [late(), changed(), refused(), sector(symbol="EUR/USD")], ids=lambda each: each.status
)
def test_an_answer_that_nothing_can_rest_on_gives_no_claim(asked: ToolResult) -> None:
    request = researching(TaskType.ANALYSE_TECHNICALS, asked)
    told = feedback(request, answer(finding(claims=["USD/JPY:breadth"])))
    assert "findings.0.claims.0: unknown name; the nearest are [[" in told


@pytest.mark.parametrize("asked", [late(), changed(), refused()])
def test_no_finding_rests_on_an_answer_that_nothing_can_rest_on(asked: ToolResult) -> None:
    request = researching(TaskType.ANALYSE_TECHNICALS, asked)
    told = feedback(request, answer(finding("The group rises.", evidence=[BREADTH])))
    assert "findings.0.evidence: no tool answer has that name; there are " in told


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (answer(finding(claims=["USD/JPY:sma_2"])), "findings.0.claims.0: unknown name"),
        (
            answer(finding(evidence=["nowhere.4242"])),
            "findings.0.evidence: no tool answer has that",
        ),
        (answer(finding("It rises.")), "findings.0: it rests on nothing"),
        (answer(finding(), finding()), "findings.1: it is about the same as findings.0"),
        (
            answer(views=[view(subject="EUR/USD")]),
            "views.0: the subject of a direction must be USD/JPY",
        ),
        (answer(views=[view(claims=["USD/JPY:x"])]), "views.0.claims.0: unknown name"),
        (answer(views=[view(), view()]), "views.1: it is about the same as views.0"),
        ({"findings": [], "confidence": 0.5}, "findings: there are claims, and nothing is said"),
        ({"findings": [finding()]}, "confidence: Field required"),
        (answer(*[finding(f"{n} [[{RSI}]]") for n in "abcdefghi"]), "findings: Tuple should have"),
        (answer(finding("w" * 701)), "findings.0.statement: String should have at most 700"),
        (answer(recommendations=["w" * 401]), "recommendations.0: String should have at most 400"),
        (answer(contradictions=["w"] * 6), "contradictions: Tuple should have at most 5"),
    ],
)
def test_what_is_not_there_or_too_long_is_objected_to_by_its_place(wrong: Any, words: str) -> None:
    told = feedback(researching(), wrong)
    assert words in told and "4242" not in told


def test_the_same_figure_measured_otherwise_is_no_second_claim() -> None:
    mined = besides(analysis("pattern_miner"), "pattern_miner")
    same = besides(analysis("indicator_calculator"), "indicator_calculator")
    for asked in (mined, same):
        request = researching(TaskType.ANALYSE_TECHNICALS, asked)
        named = [finding(claims=["USD/JPY:target", RSI])]
        assert research(request, answer(*named)).claims == desks(request).claims


def test_a_finding_may_rest_on_what_was_read_and_names_it() -> None:
    request = researching(TaskType.GAUGE_SENTIMENT)
    made = research(request, answer(finding("Officials kept quiet.", evidence=["news_aggregator"])))
    assert made.findings[0].evidence == (f"{request.assignment.task_id}/news_aggregator",)
    assert made.findings[0].evidence[0] in {source.evidence_id for source in made.sources}


def test_figures_that_a_model_types_are_left_to_the_gate() -> None:
    made = research(researching(), answer(finding("It is 99.4, near [[USD/JPY:rsi]].")))
    assert [figure.written for figure in review(made)] == ["99.4"]


def test_the_model_is_shown_claims_and_what_stands_around_them_and_no_series() -> None:
    told = material(researching(TaskType.GAUGE_SENTIMENT, recalled=(memory(text="Quiet."),)))
    assert told["objective"] == OBJECTIVE and "stands_in" not in told
    assert told["your_part"].startswith("Your objective")
    assert "[[USD/JPY:news_tone]]" in told["claims"]
    by_name = {each["evidence"]: each["content"] for each in told["answers"]}
    assert by_name["news_aggregator"]["items"][0]["headline"] == "Yen is quiet"
    assert by_name["sentiment_analyzer"]["method"] == "how sentiment_analyzer computes"
    assert "figures" not in by_name["sentiment_analyzer"]
    assert [each["quoted"] for each in told["recalled"]] == ["Quiet."]


def test_claims_on_a_specialist_s_own_market_are_shown_first() -> None:
    (last,) = claims(Metric.LAST)
    other = last.model_copy(update={"claim_id": "EUR/JPY:last", "subject": "EUR/JPY"})
    result = delivered(other, last)
    assert _own_first(result) == [last, other]


def test_what_the_model_asked_besides_leaves_its_first_message_as_it_was() -> None:
    before, after = researching(), researching(TaskType.ANALYSE_TECHNICALS, sector())
    assert model_call(after).messages[0] == model_call(before).messages[0]


def test_the_reserve_is_told_that_it_stands_in() -> None:
    request = researching()
    task = request.assignment.model_copy(update={"agent": AgentId.RESERVE_SPECIALIST})
    reserve = request.model_copy(update={"assignment": task})
    assert material(reserve)["stands_in"] is True
    assert research(reserve, answer()).agent is AgentId.RESERVE_SPECIALIST


def test_orders_in_a_headline_or_a_memory_stay_data_and_bring_no_tool() -> None:
    offered = ToolSpec(server="sentiment", tool="news_aggregator")
    request = researching(
        TaskType.GAUGE_SENTIMENT, news=ORDERS, recalled=(memory(),), tools=(offered,)
    )
    call = model_call(request)
    assert ORDERS not in call.system
    assert [tool["name"] for tool in call.tools if isinstance(tool, dict)] == [
        "sentiment__news_aggregator"
    ]
    told = material(request)
    headlines = [i["headline"] for a in told["answers"] for i in a["content"].get("items", ())]
    assert headlines == [ORDERS]
    assert [each["quoted"] for each in told["recalled"]] == [ORDERS]


def test_each_specialist_is_told_its_field_and_the_bounds_that_its_answer_is_held_to() -> None:
    offered = ToolSpec(server="analysis", tool="sector_analysis")
    requests = [researching(kind, tools=(offered,)) for kind in SPECIALIST_TASKS.values()]
    prompts = {model_call(request).system for request in requests}
    assert len(prompts) == 5
    words = {8: "eight", 5: "five"}
    for prompt in prompts:
        told = " ".join(prompt.split())
        assert f"at most {words[MOST_FINDINGS]}" in told
        assert f"at most {LONGEST_STATEMENT} characters" in told
        assert f"at most {words[MOST_SAYINGS]}" in told
        assert f"at most {LONGEST_SAYING} characters" in told
        assert "Start with broad questions, then narrow down" in told


def test_a_model_is_told_how_often_it_may_ask() -> None:
    request = researching()
    limits = request.assignment.limits.model_copy(update={"max_calls": 10})
    bounded = request.assignment.model_copy(update={"limits": limits})
    asked = sum(len(exchange.results) for exchange in request.exchanges)
    tool = ToolSpec(server="analysis", tool="price_history", description="", input_schema={})
    offered = {"assignment": bounded, "tools": (tool,)}
    assert material(request.model_copy(update=offered))["calls_left"] == 10 - asked
    assert "calls_left" not in material(request.model_copy(update={"assignment": bounded}))


def test_what_an_answer_measures_is_told_once() -> None:
    request = researching(TaskType.ANALYSE_TECHNICALS, sector())
    told = json.dumps(model_call(request).messages)
    assert "[[USD/JPY:breadth]]" in told
    assert "66.67" in told and '\\"value\\": \\"66.67' not in told


def test_a_model_is_told_the_question_that_a_further_round_is_for() -> None:
    request = researching()
    query = Query(question=f"What do the bands say?{BEHIND}Is the yen dear?")
    assignment = request.assignment.model_copy(update={"query": query})
    told = material(request.model_copy(update={"assignment": assignment}))
    assert told["objective"] == "Is the yen dear?"


def test_a_model_is_told_the_method_of_a_tool_once() -> None:
    request = researching()
    (own,) = request.exchanges
    first = own.results[0]
    call = first.call.model_copy(update={"call_id": f"{first.call.call_id}_EUR-JPY"})
    again = first.model_copy(update={"call": call})
    exchange = own.model_copy(update={"results": (*own.results, again)})
    answers = material(request.model_copy(update={"exchanges": (exchange,)}))["answers"]
    methods = {each["evidence"]: each["content"]["method"] for each in answers}
    assert methods["indicator_calculator"] == "how indicator_calculator computes"
    assert methods["indicator_calculator_EUR-JPY"] == "as in indicator_calculator"


def test_a_memory_and_tools_are_told_of_only_where_there_are_any() -> None:
    bare, given_some = model_call(researching()), researching(recalled=(memory(),))
    for words in ("`recalled`", "`calls_left`"):
        assert words not in bare.system
    assert "`recalled`" in model_call(given_some).system


statements = st.sampled_from(
    [f"It is [[{RSI}]].", "It rises.", "[[USD/JPY:made_up]]", "Of them [[USD/JPY:breadth]]."]
)


@given(
    st.lists(st.builds(finding, statements), max_size=3),
    st.lists(st.sampled_from(["USD/JPY:breadth", RSI, "USD/JPY:made_up"]), max_size=3),
)
def test_every_claim_follows_from_an_answer_whatever_a_model_says(
    findings: list[dict[str, Any]], named: list[str]
) -> None:
    request = researching(TaskType.ANALYSE_TECHNICALS, sector())
    told = [{**each, "claims": named} for each in findings]
    taken = said(request, {"findings": told, "confidence": 0.5})
    if taken.result is None:
        assert taken.feedback
        return
    assert isinstance(taken.result, ResearchResult)
    # References to nothing are left to the gate, which names them.
    assert all(each.written.startswith("[[") for each in review(taken.result))
    allowed = {Metric.BREADTH: Decimal("66.67")}
    allowed |= {claim.metric: claim.value for claim in desks(request).claims}
    assert {c.metric: c.value for c in taken.result.claims}.items() <= allowed.items()
