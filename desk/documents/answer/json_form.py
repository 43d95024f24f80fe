"""An answer as JSON, and what two runs of one question may differ in."""

from typing import Any, Final

from desk.contracts.question.answers import AnswerReport
from desk.documents.rendering.json_form import ASKED, LOST

OF_THE_ATTEMPT: Final = {"finished_at", "seal"}
"""What two attempts at publishing one run's answer differ in."""

OF_AN_ANSWERS_RUN: Final[dict[str, Any]] = {
    **dict.fromkeys(("started_at", "finished_at", "seal", "workflow_id", "run_id"), True),
    **LOST,
    "nodes": {"__all__": {"seconds": True, **LOST}},
    **ASKED,
    "stock": {"steps": {"__all__": {"started_at", "ended_at"}}},
}
"""In what two runs of one question may differ."""


def answer_to_json(answer: AnswerReport) -> str:
    """The answer as JSON that reads back to an equal one, and is the same every time.

    Figures are strings, so that their precision survives.
    """
    return answer.model_dump_json(indent=2) + "\n"


def answer_from_json(text: str) -> AnswerReport:
    """The answer that a JSON form holds.

    Raises:
        pydantic.ValidationError: the text is no answer.
    """
    return AnswerReport.model_validate_json(text)


def same_answer(one: AnswerReport, other: AnswerReport) -> bool:
    """Whether two answers say the same, whichever attempt wrote them."""
    return one.model_dump(exclude=OF_THE_ATTEMPT) == other.model_dump(exclude=OF_THE_ATTEMPT)


def answer_apart_from_the_run(answer: AnswerReport) -> str:
    """The JSON of an answer without what two runs of one question may differ in."""
    return answer.model_dump_json(indent=2, exclude=OF_AN_ANSWERS_RUN) + "\n"
