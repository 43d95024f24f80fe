"""Documents as JSON: their models, key for key."""

import json
from typing import Any, Final

from desk.contracts.question.answers import AnswerReport
from desk.contracts.week.report import ResearchReport

_ENCODE: Final = json.JSONEncoder(ensure_ascii=False).encode

INDENT: Final = "  "
WIDTH: Final = 100
WHOLE: Final = frozenset({"content", "days", "values"})
"""What stands on one line however long it is: what a source answered, and the daily series."""

LOST: Final = {"usage": {"lost_calls", "lost_tokens", "lost_usd"}}
"""What may have been billed for calls whose answers were lost with a process."""

ASKED: Final[dict[str, Any]] = {
    "sources": {"__all__": {"retrieved_at"}},
    "evidence": {"__all__": {"retrieved_at": True, "place": {"workflow_id", "run_id", "event_id"}}},
}
"""When sources were asked, and where that stands in Temporal's history."""

OF_THE_RUN: Final[dict[str, Any]] = {
    **LOST,
    **ASKED,
    "planning": LOST,
    "commenting": LOST,
    "markets": {"__all__": {"agents": {"__all__": LOST}}},
    "timings": True,
    "seal": True,
    "revisions": {"__all__": {"published_at"}},
}
"""In what two runs of one week may differ: when, and what was lost on their way."""


def to_json(report: ResearchReport) -> str:
    """The report as JSON that reads back to an equal report, and is the same every time.

    Figures are strings, so that their precision survives. A list or an object that fits on a line
    stands on one; the rest is indented.
    """
    return _written(report.model_dump(mode="json"), "") + "\n"


def from_json(text: str) -> ResearchReport:
    """The report that a JSON form holds.

    Raises:
        pydantic.ValidationError: the text is no report.
    """
    return ResearchReport.model_validate_json(text)


def apart_from_the_run(report: ResearchReport) -> str:
    """The JSON of a report without what two runs of one week may differ in.

    Left out are the timings and the seal, the instants of publication and retrieval, the
    workflow, run and event in which a call stands, and what lost calls may have cost.
    """
    return _written(report.model_dump(mode="json", exclude=OF_THE_RUN), "") + "\n"


def _written(value: Any, indent: str, *, whole: bool = False) -> str:
    if whole or not value or not isinstance(value, dict | list):
        return _ENCODE(value)
    deeper = indent + INDENT
    if isinstance(value, list):
        items = [_written(item, deeper) for item in value]
    else:
        items = [
            f"{_ENCODE(key)}: {_written(item, deeper, whole=key in WHOLE)}"
            for key, item in value.items()
        ]
    opening, closing = "[]" if isinstance(value, list) else "{}"
    line = f"{opening}{', '.join(items)}{closing}"
    if len(line) <= WIDTH - len(indent) and "\n" not in line:
        return line
    inner = f",\n{deeper}".join(items)
    return f"{opening}\n{deeper}{inner}\n{indent}{closing}"


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
