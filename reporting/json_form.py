"""A report as JSON: the model, key for key."""

from contracts.report import ResearchReport


def to_json(report: ResearchReport) -> str:
    """The report as indented JSON that reads back to an equal report.

    Figures are strings, so that their precision survives.
    """
    return report.model_dump_json(indent=2) + "\n"


def from_json(text: str) -> ResearchReport:
    """The report that a JSON form holds.

    Raises:
        pydantic.ValidationError: the text is no report.
    """
    return ResearchReport.model_validate_json(text)
