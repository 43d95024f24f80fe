"""A week's commentary as a model is asked for it, and as its answer is read."""

import json
from datetime import date
from typing import Any

import pytest
from pydantic import JsonValue

from desk.contracts.agents.model_calls import ModelAnswer, StopReason
from desk.contracts.agents.tasks import TaskAssignment, TaskType
from desk.contracts.agents.usage import Usage
from desk.contracts.findings.claims import Metric, Unit
from desk.contracts.findings.results import Commentary, EventType, Impact, MarketEvent
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.programs.claude.turns import model_call, turn_of
from desk.programs.turns import builtin_turn
from desk.trust.prose.prose_review import review, without_rejected
from tests.support.builders import claim, finding, window

WEEK = "2026-W44"
MODEL = "claude-opus-5-5"
CLAIMS = (
    claim("USD/JPY", Metric.MOVE, "0.29", Unit.PERCENT),
    claim("USD/JPY", Metric.LAST, "157.25"),
)


def event(impact: Impact, description: str) -> MarketEvent:
    return MarketEvent(
        event_id=f"USD/JPY/fx_movement/{impact}",
        event_type=EventType.FX_MOVEMENT,
        market="USD/JPY",
        event_date=date(2026, 10, 30),
        description=description,
        impact=impact,
    )


def asked(**changed: Any) -> TurnRequest:
    events = (
        event(Impact.HIGH, "USD/JPY rose ([[USD/JPY:move]])."),
        event(Impact.LOW, "It was calm at [[USD/JPY:last]]."),
    )
    assignment = TaskAssignment(
        task_id=f"{WEEK}/comment",
        task_type=TaskType.COMMENT_WEEK,
        agent=AgentId.PRODUCT_MANAGER,
        week=WEEK,
        window=window(WEEK),
        deadline=window(WEEK).end,
    )
    findings = (finding(*CLAIMS).model_copy(update={"events": events}),)
    request = TurnRequest(assignment=assignment, findings=findings, model=MODEL)
    return request.model_copy(update=changed)


def turn(said: Any) -> Turn:
    text = said if isinstance(said, str) else json.dumps(said)
    block: JsonValue = {"type": "text", "text": text}
    answer = ModelAnswer(
        content=(block,), text=text, stop_reason=StopReason.END_TURN, usage=Usage(model=MODEL)
    )
    return turn_of(asked(), answer)


def test_the_desk_by_itself_comments_nothing_and_asks_nothing() -> None:
    own = builtin_turn(asked())
    assert isinstance(own.result, Commentary) and own.result.sentences == ()
    assert own.usage == Usage() and not own.calls


def test_the_model_is_shown_what_matters_with_the_claims_that_it_may_refer_to() -> None:
    call = model_call(asked())
    (message,) = call.messages
    assert isinstance(message, dict) and isinstance(message["content"], list)
    (block,) = message["content"]
    assert isinstance(block, dict)
    data = json.loads(str(block["text"]))
    (shown,) = data["events"]
    assert shown["impact"] == "high"
    assert list(shown["claims"]) == ["[[USD/JPY:move]]"]
    assert "USD/JPY rose" not in call.system
    assert call.tools == ()


def test_its_sentences_are_taken_in_their_order() -> None:
    said = ["USD/JPY rose [[USD/JPY:move]].", " It was calm elsewhere. "]
    result = turn({"sentences": said}).result
    assert isinstance(result, Commentary)
    assert result.sentences == (said[0], "It was calm elsewhere.")
    assert result.task_id == f"{WEEK}/comment"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"sentences": []}, "sentences"),
        ({"sentences": ["  "]}, "sentences.0"),
        ({"sentences": ["x" * 601]}, "sentences.0"),
        ({"sentences": ["It was calm."] * 13}, "sentences"),
        ({}, "sentences: Field required"),
        ("A calm week.", "Invalid JSON"),
    ],
)
def test_an_answer_of_another_form_is_objected_to(said: Any, words: str) -> None:
    taken = turn(said)
    assert taken.result is None and taken.objection and words in taken.objection


def test_a_figure_that_is_no_claim_is_found_and_its_sentence_can_be_left_out() -> None:
    told = "USD/JPY is at [[USD/JPY:last]]."
    result = turn({"sentences": ["It rose to 163.70.", told]}).result
    assert result is not None
    rejected = review(result, {held.claim_id: held for held in CLAIMS})
    assert [figure.written for figure in rejected] == ["163.70"]
    left = without_rejected(result, rejected)
    assert isinstance(left, Commentary)
    assert left.sentences == (told,)
