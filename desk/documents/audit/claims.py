"""An audit's second part: every claim from its evidence, its verdict, and what was decided."""

from collections import Counter
from collections.abc import Iterator, Mapping

from desk.contracts.config import VotingConfig
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import Bounds, ConflictRecord
from desk.contracts.findings.verdicts import ClaimStatus, ClaimVerdict
from desk.contracts.week.report import MarketReport, ResearchReport
from desk.documents.audit.findings import AuditFinding, compared, differing
from desk.documents.report.claims import printed_claims, same_figure
from desk.documents.report.conflicts import decided_by_rule
from desk.learning.advice import policy_with
from desk.trust.claims.week_counts import week_counts
from desk.trust.conflicts.bounds import Ranges, target_ranges
from desk.trust.conflicts.positions import state, state_on
from desk.trust.ledger.ledger import Ledger


def claim_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether every claim follows from its evidence and states the same in every market."""
    ledger = Ledger(
        report.config.markets, report.window, report.config.policy.base_area, report.evidence
    )
    week = printed_claims(report)
    if report.counts:
        again = week_counts(week, report.config.markets)
        yield from compared("counts", report.counts, tuple(again.values()))
    for section in report.markets:
        own = {claim.claim_id: claim for claim in section.claims}
        counts = Counter(claim.claim_id for claim in section.claims)
        for claim in section.claims:
            where = f"{section.market}, claim {claim.claim_id}"
            if counts[claim.claim_id] > 1:
                yield AuditFinding(where, "the market states it more than once")
            if not same_figure(claim, week[claim.claim_id]):
                yield AuditFinding(where, "another market states it differently")
            objection = ledger.objection(claim, own)
            if objection is not None:
                yield AuditFinding(where, f"{objection.words} ({objection.check})")


def verdict_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether every claim has a verdict, and none that is printed is rejected."""
    known = {result.evidence_id for result in report.evidence}
    for section in report.markets:
        by_claim = {verdict.claim_id: verdict for verdict in section.verdicts}
        if len(by_claim) < len(section.verdicts):
            yield AuditFinding(section.market, "a claim has more than one verdict")
        for claim in section.claims:
            where = f"{section.market}, verdict on {claim.claim_id}"
            verdict = by_claim.get(claim.claim_id)
            if verdict is None:
                yield AuditFinding(where, "there is none")
            elif verdict.status is ClaimStatus.REJECTED:
                yield AuditFinding(where, "it is rejected, and printed all the same")
        for verdict in section.verdicts:
            yield from _of_verdict(section, verdict, known)


def _of_verdict(
    section: MarketReport, verdict: ClaimVerdict, known: set[str]
) -> Iterator[AuditFinding]:
    where = f"{section.market}, verdict on {verdict.claim_id}"
    if verdict.status is ClaimStatus.VERIFIED and len(set(verdict.origins)) < 2:
        yield AuditFinding(where, "it is verified, and fewer than two origins support it")
    absent = [name for name in verdict.evidence if name not in known]
    if absent:
        yield AuditFinding(where, f"it rests on {', '.join(absent)}, which is no tool result here")


def conflict_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether every conflict is as its rules decide it, and prints the figure that was chosen."""
    claims, ranges = printed_claims(report), target_ranges(report.evidence)
    voting = policy_with(report.config.policy, report.advice, report.follows).voting
    for conflict in report.conflicts:
        where = f"conflict {conflict.conflict_id}"
        if conflict.bounds is not None and conflict.bounds not in _bounds(conflict, voting, ranges):
            yield AuditFinding(where, "nothing gives the bounds that it compares its figures by")
        again = decided_by_rule(conflict, voting)
        yield from differing(where, conflict, again)
        yield from _of_choice(where, conflict, claims)


def _bounds(conflict: ConflictRecord, voting: VotingConfig, ranges: Ranges) -> list[Bounds]:
    """The band and the target range of what a conflict is about, as far as there are any."""
    subjects = {p.claim_id.partition(":")[0] for p in conflict.positions if p.claim_id}
    bands = [voting.bands[subject] for subject in subjects if subject in voting.bands]
    return [
        *(Bounds(low=band.low, high=band.high) for band in bands),
        *(ranges[subject].bounds for subject in subjects if subject in ranges),
    ]


def _of_choice(
    where: str, conflict: ConflictRecord, claims: Mapping[str, Claim]
) -> Iterator[AuditFinding]:
    for name in dict.fromkeys(p.claim_id for p in conflict.positions if p.claim_id):
        claim = claims.get(name)
        if claim is None:
            continue
        if conflict.chosen is None:
            yield AuditFinding(where, f"{name} is withheld, and printed all the same")
        elif conflict.chosen not in (state(claim.value, claim.unit), state_on(claim)) and any(
            p.claim_id == name and p.stated == conflict.chosen for p in conflict.positions
        ):
            yield AuditFinding(where, f"{conflict.chosen} was chosen, and {name} says otherwise")
