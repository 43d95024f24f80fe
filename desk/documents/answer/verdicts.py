"""Judges the claims of an answer again, from the evidence in the answer.

An answer contains the evidence that its claims and the deciding checks of their verdicts rest on,
which is enough to judge again. It lacks two things that a run may have known: a conflict between
findings, which contests a claim, and the target range of a decision's rate. For these only the
origins are compared with the evidence.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from desk.analytics.names.listing import listed
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import ResearchResult
from desk.contracts.findings.source_results import MonthAverages
from desk.contracts.findings.verdicts import ClaimCheck, ClaimStatus, ClaimVerdict
from desk.contracts.names import AgentId
from desk.contracts.question.answers import AnswerReport
from desk.documents.answer.evidence import with_inputs
from desk.documents.audit.findings import AuditFinding
from desk.trust.ledger import (
    Averages,
    Corroboration,
    Ledger,
    Review,
    usable_answers,
    verdicts_of,
)

_NAMED_IN_ORDER: Final = 2
"""The maximum number of origins of a verdict whose words can be compared. Further ones are named in
the order in which they were called, which an answer does not contain."""


def unfounded_verdicts(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Yields the verdicts that do not follow from the evidence of an answer."""
    by_claim = {verdict.claim_id: verdict for verdict in answer.verdicts}
    judged = {claim.claim_id: claim for claim in answer.claims if claim.claim_id in by_claim}
    corroboration = Corroboration(answer.evidence, answer.window)
    for again in verdicts_of(_review(answer, judged, corroboration)):
        verdict = by_claim[again.claim_id]
        if verdict.status is ClaimStatus.REJECTED or _is_same(verdict, again):
            continue
        behind = with_inputs([again.claim_id], judged)
        heard = frozenset(_origins(behind, corroboration))
        if not (_rests_on_more(verdict, again, behind) and heard.issuperset(verdict.origins)):
            words = (
                f"its evidence gives {_verdict_words(again)}, and it says {_verdict_words(verdict)}"
            )
            yield AuditFinding(f"verdict on {again.claim_id}", words)


def _review(
    answer: AnswerReport, judged: Mapping[str, Claim], corroboration: Corroboration
) -> Review:
    """Returns the review of the claims; each claim is a finding of its own."""
    averages = (
        Averages(found, result.evidence_id)
        for result, found in usable_answers(answer.evidence)
        if isinstance(found, MonthAverages)
    )
    return Review(
        findings=tuple(_as_found(claim, answer.specs[0].market) for claim in judged.values()),
        ledger=Ledger(answer.specs, answer.window, answer.base_area, answer.evidence, answer.due),
        corroboration=corroboration,
        averages=tuple(averages),
    )


def _as_found(claim: Claim, market: str) -> ResearchResult:
    return ResearchResult(
        result_id=claim.claim_id,
        task_id="audit",
        agent=AgentId.VALIDATOR,
        market=market,
        claims=(claim,),
        confidence=1.0,
    )


def _is_same(verdict: ClaimVerdict, again: ClaimVerdict) -> bool:
    """Returns whether two verdicts are equal, except for remarks on sources that decided
    nothing."""
    if (verdict.status, set(verdict.origins)) != (again.status, set(again.origins)):
        return False
    if verdict.decided_by is not again.decided_by:
        return False
    in_order = len(again.origins) <= _NAMED_IN_ORDER
    return not in_order or _without_remark(verdict.words) == _without_remark(again.words)


def _without_remark(words: str) -> str:
    return words.partition("; ")[0]


def _rests_on_more(verdict: ClaimVerdict, again: ClaimVerdict, behind: Iterable[Claim]) -> bool:
    """Returns whether a verdict may rest on evidence that the answer lacks. One that a conflict
    decided has a reason of its own."""
    contested = verdict.status is ClaimStatus.CONTESTED and verdict.words != again.words
    in_conflict = contested and verdict.decided_by is ClaimCheck.SECOND_SOURCE
    return in_conflict or any(claim.metric is Metric.DECISION_RATE for claim in behind)


def _origins(claims: Iterable[Claim], corroboration: Corroboration) -> Iterator[str]:
    """Yields every origin in the evidence that states something about the claims."""
    for claim in claims:
        days = corroboration.on_days(claim)
        others = (*corroboration.others(claim), *(days.by if days else ()))
        stated = (corroboration.statement(claim), *(other.statement for other in others))
        yield from (each.origin for each in stated if each.origin)


def _verdict_words(verdict: ClaimVerdict) -> str:
    by = listed(verdict.origins) if verdict.origins else "no origin"
    return f"{verdict.status.replace('_', ' ')} by {by} ({verdict.words})"
