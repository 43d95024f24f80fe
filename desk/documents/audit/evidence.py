"""An audit's first part: the seal, the evidence, and the sources that the report lists for it."""

from collections.abc import Iterator

from desk.contracts.agents.tools import ToolResult, ToolStatus
from desk.contracts.week.report import ResearchReport
from desk.documents.audit.findings import AuditFinding, differing
from desk.documents.report.evidence import source_of
from desk.trust.ledger.evidence import EvidenceUnusable, verified_answer
from desk.trust.ledger.seal import seal_of


def seal_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether the report is as it was when it was sealed."""
    if report.seal != seal_of(report):
        yield AuditFinding("seal", "the report is not the one that was sealed")


def evidence_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether every tool result is unchanged, of the as-of instant and an answer to its call."""
    held: dict[str, ToolResult] = {}
    for result in report.evidence:
        where = f"evidence {result.evidence_id}"
        if held.setdefault(result.evidence_id, result) is not result:
            yield AuditFinding(where, "two tool results go by this id")
        if result.status is not ToolStatus.OK:
            if result.content is not None or result.content_hash is not None:
                yield AuditFinding(where, f"a call that was {result.status} has no content")
            continue
        try:
            verified_answer(result, report.window)
        except EvidenceUnusable as unusable:
            yield AuditFinding(where, str(unusable))


def source_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether every source is that of a tool result, asked and attributed as the result says."""
    held = {result.evidence_id: result for result in report.evidence}
    for number, source in enumerate(report.sources, start=1):
        where = f"source {number}, {source.evidence_id}"
        result = held.get(source.evidence_id)
        if result is None:
            yield AuditFinding(where, "there is no tool result of that id")
        else:
            yield from differing(where, source, source_of(result, source))
    named = {source.evidence_id for source in report.sources}
    for name in sorted(_used(report) - named):
        where = f"evidence {name}"
        yield AuditFinding(where, "a claim or a tone rests on it and no source is listed")


def _used(report: ResearchReport) -> set[str]:
    return {
        name for section in report.markets for claim in section.claims for name in claim.evidence
    } | {tone.evidence_id for section in report.markets for tone in section.tones}
