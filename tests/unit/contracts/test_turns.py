"""A turn as histories and tapes have it."""

import json

import pytest
from pydantic import BaseModel

from desk.contracts.runs.turns import Turn
from desk.runs.messages.events import TurnAnswer
from starters.evaluation.running import TurnTaken

WORDS = "The answer ended early."


def test_feedback_is_written_under_the_name_that_histories_have() -> None:
    turn = Turn(feedback=WORDS)
    assert turn.model_dump(mode="json")["objection"] == WORDS
    assert json.loads(turn.model_dump_json())["objection"] == WORDS


@pytest.mark.parametrize("kind", [Turn, TurnAnswer, TurnTaken])
def test_feedback_of_a_recorded_turn_is_read(kind: type[BaseModel]) -> None:
    read = kind.model_validate_json(json.dumps({"objection": WORDS}))
    assert getattr(read, "feedback", None) == WORDS
