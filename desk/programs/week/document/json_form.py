"""A report as JSON, and the fields in which two runs of one week may differ."""

from typing import Any, Final

from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.json_form import ASKED, LOST, compact_json

_REACHED: Final[dict[str, Any]] = {"__all__": {"since", "answered_at"}}

OF_THE_RUN: Final[dict[str, Any]] = {
    **LOST,
    **ASKED,
    "planning": LOST,
    "commenting": LOST,
    "markets": {"__all__": {"agents": {"__all__": LOST}}},
    "coverage": {"unreachable": _REACHED},
    "config": {"policy": {"unreachable": _REACHED}},
    "timings": True,
    "seal": True,
    "revisions": {"__all__": {"published_at"}},
}
"""Fields in which two runs of one week may differ: times, and calls that were lost."""


def to_json(report: ResearchReport) -> str:
    """Returns the report as JSON. It reads back to an equal report and is always the same text.

    Figures are strings, to keep their precision. A list or object that fits on a line is on one
    line; everything else is indented.
    """
    return compact_json(report.model_dump(mode="json")) + "\n"


def from_json(text: str) -> ResearchReport:
    """Parses a report's JSON form.

    Raises:
        pydantic.ValidationError: the text is not a report.
    """
    return ResearchReport.model_validate_json(text)


def apart_from_the_run(report: ResearchReport) -> str:
    """Returns the JSON of a report without the fields in which two runs of one week may differ.

    Omits the timings, the seal, the instants of publication and retrieval, the workflow, run and
    event of a call, and the cost of lost calls.
    """
    return compact_json(report.model_dump(mode="json", exclude=OF_THE_RUN)) + "\n"
