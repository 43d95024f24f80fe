"""An answer as JSON, and the fields in which two runs of one question may differ."""

from typing import Any, Final

from desk.contracts.question.answers import AnswerReport
from desk.documents.rendering.json_form import ASKED, LOST

OF_THE_ATTEMPT: Final = {"finished_at", "seal"}
"""Fields in which two attempts to publish one run's answer differ."""

OF_AN_ANSWERS_RUN: Final[dict[str, Any]] = {
    **dict.fromkeys(("started_at", "finished_at", "seal", "workflow_id", "run_id"), True),
    **LOST,
    "nodes": {"__all__": {"seconds": True, **LOST}},
    **ASKED,
    "stock": {"steps": {"__all__": {"started_at", "ended_at"}}},
}
"""Fields in which two runs of one question may differ."""


def answer_to_json(answer: AnswerReport) -> str:
    """Returns the answer as JSON. It parses to an equal answer and is always the same text.

    Figures are strings, to keep their precision.
    """
    return answer.model_dump_json(indent=2) + "\n"


def answer_from_json(text: str) -> AnswerReport:
    """Parses an answer's JSON form.

    Raises:
        pydantic.ValidationError: the text is not an answer.
    """
    return AnswerReport.model_validate_json(text)


def same_answer(one: AnswerReport, other: AnswerReport) -> bool:
    """Returns whether two answers are the same apart from the attempt that wrote them."""
    return one.model_dump(exclude=OF_THE_ATTEMPT) == other.model_dump(exclude=OF_THE_ATTEMPT)


def answer_without_run_fields(answer: AnswerReport) -> str:
    """Returns the JSON of an answer without the fields in which two runs of one question may
    differ."""
    return answer.model_dump_json(indent=2, exclude=OF_AN_ANSWERS_RUN) + "\n"
