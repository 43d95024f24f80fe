"""A published report with an error in it, its seal made anew."""

from collections.abc import Mapping
from unittest.mock import patch

from desk.contracts.findings.claims import Claim
from desk.contracts.week.report import MarketOutcome, MarketReport, ReportedEvent, ResearchReport
from desk.documents import compiling
from desk.trust.ledger.rederivation import FailedCheck, Ledger
from desk.trust.prose.references import render
from desk.trust.seals import sealed
from tests.trust.corruptions import ClaimEdit, Corruption, EventEdit, EvidenceEdit
from tests.trust.real_weeks import Desk, Findings


def in_one_place(report: ResearchReport, corruption: Corruption) -> ResearchReport | None:
    """The report with the error where it belongs and nowhere else. None when that is not there."""
    edit = corruption.edit
    if isinstance(edit, EvidenceEdit):
        corrupted = _with_evidence(report, edit)
    else:
        sections = tuple(_section(section, edit) for section in report.markets)
        corrupted = report.model_copy(update={"markets": sections})
    if isinstance(edit, ClaimEdit) and edit.added:
        evidence = (*report.evidence, edit.added)
        corrupted = corrupted.model_copy(update={"evidence": evidence})
    return None if corrupted == report else sealed(corrupted)


def throughout(desk: Desk, outcome: MarketOutcome, corruption: Corruption) -> ResearchReport | None:
    """The report of a desk that validated the truth, then compiled the error and checked nothing.

    None when compiling left the error out all the same, so that there is nothing to find.
    """
    findings: Findings = corruption.corrupted()
    checked = outcome.evidence[len(corruption.findings.evidence) :]
    compiled = outcome.model_copy(
        update={"results": findings.results, "evidence": (*findings.evidence, *checked)}
    )
    with patch.object(compiling, "Ledger", _Credulous):
        report = desk.publish(findings.week, [compiled])
    return report if corruption.edit.printed_in(report.markets[0]) else None


class _Credulous(Ledger):
    """A ledger by which no claim fails a check."""

    def failed_check(self, claim: Claim, claims: Mapping[str, Claim]) -> FailedCheck | None:
        """Never anything."""
        del claim, claims
        return None


def _with_evidence(report: ResearchReport, edit: EvidenceEdit) -> ResearchReport:
    by_id = {result.evidence_id: result for result in edit.after}
    evidence = tuple(by_id.get(held.evidence_id, held) for held in report.evidence)
    return report.model_copy(update={"evidence": evidence})


def _section(section: MarketReport, edit: ClaimEdit | EventEdit) -> MarketReport:
    if isinstance(edit, ClaimEdit):
        claims = tuple(edit.after if claim == edit.before else claim for claim in section.claims)
        return section.model_copy(update={"claims": claims})
    known = {claim.claim_id: claim for claim in section.claims}
    events: list[ReportedEvent] = []
    for event in section.events:
        if event.event_id == edit.before.event_id:
            fields = {name: getattr(edit.after, name) for name in type(edit.after).model_fields}
            text = render(edit.after.description, known)
            event = event.model_copy(update={**fields, "text": text})
        events.append(event)
    return section.model_copy(update={"events": tuple(events)})
