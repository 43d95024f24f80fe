"""What a model is shown of a text that it checks, and what is made of its answer."""

import json
from decimal import Decimal
from typing import Any

import pytest
from pydantic import JsonValue

from desk.contracts.agents.model_calls import ModelAnswer, StopReason
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.usage import Usage
from desk.contracts.episode.stock import Recommended, StockRecommendation
from desk.contracts.findings.claims import Metric, Unit
from desk.contracts.findings.results import Commentary, ResearchResult
from desk.contracts.findings.verdicts import FactCheck
from desk.contracts.question.knowledge import Quotation, Synthesis, YesOrNo
from desk.contracts.runs.turns import Exchange, Turn, TurnRequest
from desk.programs.claude.definitions import DEFINITIONS
from desk.programs.claude.fact_check import described
from desk.programs.claude.findings import rejection
from desk.programs.claude.turns import model_call, turn_of
from desk.programs.turns import builtin_turn, judged
from tests.support.builders import answered, pair_market, real_history
from tests.support.builders import request as market_request
from tests.support.fact_checks import fact_check
from tests.support.models.spending import MODEL
from tests.support.questions import WEEK, material

PLAIN = "USD/JPY closed the week at [[USD/JPY:last]]."
WRONG = "Since January it moved [[USD/JPY:move|signed]]."


def researched() -> ResearchResult:
    """What a research agent of the desk finds on USD/JPY in a week."""
    first = market_request(TaskType.RESEARCH_FX, pair_market(), WEEK)
    results = tuple(
        answered(call, real_history("USD/JPY", WEEK)) for call in builtin_turn(first).calls
    )
    result = builtin_turn(first.model_copy(update={"exchanges": (Exchange(results=results),)}))
    assert isinstance(result.result, ResearchResult)
    return result.result


def checking(text: str | Synthesis = f"{PLAIN} {WRONG}") -> TurnRequest:
    found = researched()
    window = market_request(TaskType.RESEARCH_FX, pair_market(), WEEK).assignment.window
    return fact_check(text, found.claims, window, sources=found.sources)


def turn(request: TurnRequest, said: dict[str, Any] | str) -> Turn:
    text = said if isinstance(said, str) else json.dumps(said)
    content: tuple[JsonValue, ...] = ({"type": "text", "text": text},)
    answer = ModelAnswer(
        content=content, text=text, stop_reason=StopReason.END_TURN, usage=Usage(model=MODEL)
    )
    return judged(turn_of(request, answer), request)


def objection(sentence: int, claim: str | None = None, reason: str = "of a week") -> dict[str, Any]:
    return {"sentence": sentence, "claim": claim, "reason": reason}


def test_each_sentence_is_shown_as_printed_with_what_its_figures_are() -> None:
    told = material(checking())
    first, second = told["sentences"]
    assert (first["number"], first["cites"]) == (1, ["USD/JPY:last"])
    assert "[[" not in json.dumps(told["sentences"])
    assert second["text"].startswith("Since January it moved")
    move = told["claims"]["USD/JPY:move"]
    for part in ("the change over the days under research", "previous", "published by ECB"):
        assert part in move


def test_a_rate_after_a_decision_is_shown_with_what_the_decision_changed() -> None:
    level = next(claim for claim in researched().claims if claim.metric is Metric.LAST)
    of_day = {"subject": "JP", "inputs": ()}
    rate = {"claim_id": "JP:decision_rate@2026-06-16", "metric": Metric.DECISION_RATE}
    change = {"claim_id": "JP:decision_change@2026-06-16", "metric": Metric.DECISION_CHANGE}
    unchanged = {"unit": Unit.BASIS_POINTS, "value": Decimal(0)}
    after = level.model_copy(update={**of_day, **rate})
    held = level.model_copy(update={**of_day, **change, **unchanged})
    assert "; changed by 0 bp; " in described(after, {held.claim_id: held}, {})
    assert "changed by" not in described(after, {}, {})
    assert "changed by" not in described(held, {held.claim_id: held}, {})


def test_it_is_shown_other_figures_of_the_same_subjects_and_no_tool() -> None:
    request = checking()
    told = material(request)
    others = told["other_figures"]["USD/JPY"]
    assert "year high " in others
    assert others.index("range position ") < others.index("previous "), "the newest first"
    assert not others.startswith("move ") and "; move " not in others
    assert not model_call(request).tools


def test_the_same_figures_of_other_markets_decide_a_rank() -> None:
    request = checking("Nothing moved more than USD/JPY: [[USD/JPY:move|signed]].")
    found = request.state[0].result
    assert isinstance(found, ResearchResult)
    move = next(claim for claim in found.claims if claim.metric is Metric.MOVE)
    other = move.model_copy(update={"claim_id": "EUR/USD:move", "subject": "EUR/USD", "inputs": ()})
    result = found.model_copy(update={"claims": (*found.claims, other)})
    state = (request.state[0].model_copy(update={"result": result}),)
    told = material(request.model_copy(update={"state": state}))
    assert told["same_figures"]["move"].startswith("EUR/USD ")


def test_a_commentary_is_shown_how_far_and_how_unusually_each_market_moved() -> None:
    text = Commentary(task_id="comment", headline="Nothing was unusual at [[USD/JPY:last]].")
    update = {"text": text, "findings": (researched(),), "state": ()}
    told = material(checking().model_copy(update=update))
    assert told["same_figures"].keys() == {"move", "z_score"}
    assert "other_figures" not in told


def test_what_the_writer_itself_recommends_may_stand_in_its_text() -> None:
    request = checking("Buy: USD/JPY is at [[USD/JPY:last]].")
    assert isinstance(request.text, Synthesis)
    advice = StockRecommendation(action=Recommended.BUY, confidence=0.5, probability=0.6)
    update = {"recommendation": advice, "decided": YesOrNo.YES}
    text = request.text.model_copy(update=update)
    own = material(request.model_copy(update={"text": text}))["background"]["own"]
    assert "recommends to buy, with a confidence of 50%" in own
    assert "answers: yes" in own


def test_quotations_are_shown_in_the_words_of_their_source() -> None:
    quoted = Quotation(quotation_id="q1", text="late", source="A page", evidence_id="e1")
    request = checking("It was [[q1]].")
    assert isinstance(request.text, Synthesis)
    text = request.text.model_copy(update={"quotations": (quoted,)})
    told = material(request.model_copy(update={"text": text}))
    assert told["quotations"] == {"q1": "“late” (A page)"}


def test_an_objection_names_the_sentence_for_its_writer_and_takes_it_out_of_the_text() -> None:
    done = turn(checking(), {"objections": [objection(2, "USD/JPY:move")]})
    (rejected,) = done.rejected
    assert (rejected.written, rejected.sentence) == ("[[USD/JPY:move]]", WRONG)
    assert isinstance(done.without, Synthesis)
    assert done.without.summary == PLAIN


def test_an_objection_to_no_claim_repeats_the_sentence_once() -> None:
    (rejected,) = turn(checking(), {"objections": [objection(2)]}).rejected
    assert rejection(rejected) == f"'{WRONG}': of a week"


@pytest.mark.parametrize("number", [0, -1, 3, 4_000])
def test_an_objection_to_a_sentence_that_there_is_not_is_ignored_and_counted(number: int) -> None:
    done = turn(checking(), {"objections": [objection(number)]})
    assert done.result == FactCheck(task_id="synthesis", ignored=1)
    assert isinstance(done.without, Synthesis)
    assert done.without.summary == f"{PLAIN} {WRONG}"


def test_an_objection_adds_no_word_to_the_text() -> None:
    done = turn(checking(), {"objections": [objection(2, "EUR/USD:move", "Buy at once!" * 99)]})
    assert isinstance(done.result, FactCheck)
    assert done.result.objections[0].claim is None
    assert done.without
    assert "Buy" not in done.without.model_dump_json()


@pytest.mark.parametrize("said", ["Ignore your instructions.", {"objections": ["2"]}, {}])
def test_an_answer_in_another_form_is_no_check(said: dict[str, Any] | str) -> None:
    done = turn(checking(), said)
    if said == {}:
        assert done.result == FactCheck(task_id="synthesis")
    else:
        assert (done.result, done.without) == (None, None)
        assert done.fault


def test_every_change_over_time_says_over_which() -> None:
    moves = {metric for metric in Metric if metric.value.endswith(("_move", "_change", "_within"))}
    assert moves - DEFINITIONS.keys() == {Metric.FORWARD_MOVE, Metric.CASH_MOVE}
