"""Verifying a published report from itself: nothing is asked, and nothing else is read."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

from desk.contracts.week.report import ResearchReport
from desk.documents.audit.changes import change_findings
from desk.documents.audit.claims import claim_findings, conflict_findings, verdict_findings
from desk.documents.audit.evidence import evidence_findings, seal_findings, source_findings
from desk.documents.audit.findings import AuditFinding
from desk.documents.audit.frame import frame_findings
from desk.documents.audit.objections import objection_findings
from desk.documents.audit.prose import event_findings, text_findings
from desk.documents.audit.tables.advice import advice_findings
from desk.documents.audit.tables.forecasts import forecast_findings
from desk.documents.audit.tables.tables import TABLES, chart_findings, table_findings
from desk.documents.audit.tables.tones import tone_findings
from desk.trust.prose.prose import references

__all__ = ["AuditFinding", "Counts", "audit", "counted"]

PARTS = (
    seal_findings,
    frame_findings,
    evidence_findings,
    source_findings,
    claim_findings,
    verdict_findings,
    conflict_findings,
    event_findings,
    text_findings,
    objection_findings,
    change_findings,
    table_findings,
    chart_findings,
    tone_findings,
    advice_findings,
    forecast_findings,
)


class Counts(NamedTuple):
    """What there is to verify in a report. A figure that is printed twice counts twice."""

    claims: int
    tool_results: int
    printed_figures: int
    tables: int


def audit(report: ResearchReport) -> tuple[AuditFinding, ...]:
    """Everything in a report that does not follow from its evidence; nothing when all of it does.

    The seal tells that something was changed, the rest tells what. Confidences, leanings, remarks
    and the words between the figures are the agents' own, and the outcomes behind the scorecard
    those of other weeks: only the seal guards them.
    """
    return tuple(chain.from_iterable(_found_by(part, report) for part in PARTS))


def _found_by(
    part: Callable[[ResearchReport], Iterator[AuditFinding]], report: ResearchReport
) -> Iterator[AuditFinding]:
    """What a part finds. One that a report's contradictions stop in its tracks has found them."""
    try:
        yield from part(report)
    except (ValueError, LookupError, ArithmeticError) as error:
        where = part.__name__.removesuffix("_findings").replace("_", " ")
        yield AuditFinding(where, f"the report contradicts itself: {error}")


def counted(report: ResearchReport) -> Counts:
    """How many claims, tool results, printed figures and tables an audit looks at."""
    prose = (
        *(line.prose for line in (*report.commentary, *report.summary)),
        *(row.outcome.prose for row in report.calendar),
        *(change.prose for change in report.changes.entries),
        *(check.prose for check in report.cross_checks),
        *(event.description for section in report.markets for event in section.events),
    )
    cells = (
        value
        for row in (*report.movers, *report.policy_rates)
        for name in ("last", "move", "z_score", "range_position", "rate", "differential")
        if (value := getattr(row, name, None)) is not None
    )
    return Counts(
        claims=len(report.counts) + sum(len(section.claims) for section in report.markets),
        tool_results=len(report.evidence),
        printed_figures=sum(len(references(text)) for text in prose) + sum(1 for _ in cells),
        tables=len(TABLES) + sum(bool(section.days) for section in report.markets),
    )
