"""An audit's look at a validator's objections: what became of each, from the claims and events of
the report."""

from collections.abc import Iterator
from dataclasses import replace

from desk.contracts.findings.source_results import DecisionCalendar, PolicyRates, RateDecisions
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.week.report import (
    MarketReport,
    ReportedEvent,
    ReportedObjection,
    ResearchReport,
)
from desk.documents.audit.findings import AuditFinding
from desk.documents.report.claims import printed_claims, returned_by
from desk.trust.claims.banks import known_banks
from desk.trust.judging.objections import Grounds, is_about, settled_by, withholds


def objection_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether what is said of each objection follows from what is printed, and whether what one
    takes out is not there.

    Of an objection to an event that is not printed the outcome is taken as it stands: what the
    event said is not in the report.
    """
    answers = (
        *returned_by("get_policy_rate", PolicyRates, report.evidence),
        *returned_by("get_rate_decisions", RateDecisions, report.evidence),
        *returned_by("get_decision_calendar", DecisionCalendar, report.evidence),
    )
    week, banks = printed_claims(report), known_banks(answers)
    for section in report.markets:
        own = {claim.claim_id: claim for claim in section.claims}
        rejected = {v.claim_id for v in section.verdicts if v.status is ClaimStatus.REJECTED}
        others = {name: claim for name, claim in week.items() if name not in rejected}
        areas = next((s.areas for s in report.config.markets if s.market == section.market), ())
        grounds = Grounds(
            claims={**others, **own},
            events={event.event_id: event for event in section.events},
            banks=banks,
            areas=areas,
        )
        for number, told in enumerate(section.objections, start=1):
            where = f"{section.market}, objection {number}"
            for words in _against(told, section, grounds):
                yield AuditFinding(where, words)


def _against(told: ReportedObjection, section: MarketReport, grounds: Grounds) -> Iterator[str]:
    about: list[ReportedEvent] = [event for event in section.events if is_about(told, event)]
    if told.event is None or about:
        found = [settled_by(told, known) for known in (grounds, _contested(section, grounds))]
        if (told.outcome, told.reason) not in found:
            yield f"it is told as {told.outcome}, and by the evidence it is {found[-1].outcome}"
    if about and withholds(told.severity, told.outcome):
        yield f"{about[0].event_id} is printed although the objection takes it out"


def _contested(section: MarketReport, grounds: Grounds) -> Grounds:
    """The grounds with the figures on which sources disagree. Those that only do not fit another
    market's were none yet when the objections were settled."""
    names = {v.claim_id for v in section.verdicts if v.status is ClaimStatus.CONTESTED}
    return replace(grounds, contested=names)
