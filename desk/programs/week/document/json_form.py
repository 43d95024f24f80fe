"""A report as JSON, and what two runs of one week may differ in."""

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
"""In what two runs of one week may differ: when, and what was lost on their way."""


def to_json(report: ResearchReport) -> str:
    """The report as JSON that reads back to an equal report, and is the same every time.

    Figures are strings, so that their precision survives. A list or an object that fits on a line
    stands on one; the rest is indented.
    """
    return compact_json(report.model_dump(mode="json")) + "\n"


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
    return compact_json(report.model_dump(mode="json", exclude=OF_THE_RUN)) + "\n"
