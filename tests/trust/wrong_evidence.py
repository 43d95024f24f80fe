"""Wrong evidence: of an earlier instant, or of another market."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from random import Random

from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.claims import Claim, Metric
from desk.trust.ledger.evidence import is_about, read_answer
from tests.trust.corruptions import (
    ClaimEdit,
    Corruption,
    Edit,
    ErrorClass,
    EvidenceEdit,
    changed,
)
from tests.trust.real_weeks import Desk, Findings


def stale(desk: Desk, findings: Findings, random: Random) -> Iterator[Corruption]:
    """The tools answer for an earlier instant, and the agents take their figures from that; or
    they had taken them from the right one, and the evidence kept is not what they saw."""
    for days in random.sample([1, 2, 3, 7, 14], 5):
        old = desk.research(findings.week, findings.spec.market, timedelta(days=days))
        kept = [e for e in old.evidence if _rests_any(old, e) and _rests_any(findings, e)]
        if not kept:
            continue
        words = f"answers of {days} days before the as-of instant"
        whole = EvidenceEdit(old.evidence, old.results)
        part = EvidenceEdit((random.choice(kept),))
        edits: list[Edit] = [whole, part]
        for edit in random.sample(edits, 2):
            yield Corruption(ErrorClass.STALE, findings, edit, words)


def of_another_market(
    findings: Findings, others: Sequence[Findings], random: Random
) -> Iterator[Corruption]:
    """A claim that names another market's evidence, or evidence with another market's content."""
    claims = [claim for result in findings.results for claim in result.claims]
    evidence = {result.evidence_id: result for result in findings.evidence}
    for claim in random.sample(claims, len(claims)):
        own = evidence[claim.evidence[0]]
        for other in random.sample(others, len(others)):
            foreign = next((e for e in other.evidence if e.call.tool == own.call.tool), None)
            if foreign is None or _speaks_of(foreign, claim):
                continue
            words = f"{claim.claim_id}: {own.evidence_id} -> {foreign.evidence_id}"
            named = ClaimEdit(claim, changed(claim, evidence=(foreign.evidence_id,)), foreign)
            update = {"content": foreign.content, "content_hash": foreign.content_hash}
            filled = EvidenceEdit((own.model_copy(update=update),), spoilt=claim.claim_id)
            edits: list[Edit] = [named, filled]
            yield Corruption(ErrorClass.OTHER_MARKET, findings, random.choice(edits), words)
            break


def _speaks_of(evidence: ToolResult, claim: Claim) -> bool:
    """Whether the evidence is about what the claim is about after all."""
    answer = read_answer(evidence.content)
    subjects = {claim.subject}
    if claim.metric is Metric.DIFFERENTIAL:
        subjects = {name.partition(":")[0] for name in claim.inputs}
    return answer is None or all(is_about(answer, subject) for subject in subjects)


def _rests_any(findings: Findings, evidence: ToolResult) -> bool:
    return any(
        evidence.evidence_id in claim.evidence
        for result in findings.results
        for claim in result.claims
    )
