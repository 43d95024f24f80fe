"""The validator: the findings on a market against their evidence and against the sources."""

from collections.abc import Iterable
from dataclasses import replace
from statistics import fmean

from desk.contracts.agents.turns import Turn, TurnRequest
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import (
    ConflictRecord,
    EventType,
    ObjectionOutcome,
    Severity,
    ValidationIssue,
    ValidationResult,
)
from desk.contracts.findings.verdicts import ClaimStatus, ClaimVerdict
from desk.programs.builtin.case import Case, open_case, own_result
from desk.programs.builtin.evidence import market_of
from desk.programs.builtin.objections import (
    ClaimIssue,
    by_claim,
    claim_issues,
    event_issues,
    ledger_issues,
)
from desk.programs.builtin.second_opinions import second_opinions
from desk.programs.question.builtin.questions import DECIDED, questions
from desk.trust.conflicts import MOST_CONFLICTS, detect_conflicts, target_ranges
from desk.trust.judging import recommendation_of
from desk.trust.ledger import (
    FAILURES,
    NOTHING_FOUND,
    Averages,
    Ledger,
    Review,
    Witnesses,
    objections_of,
    sound_findings,
    verdicts_of,
)
from desk.trust.prose import clip

MOST_ISSUES = 50
MOST_REASONS = 20
LONGEST_REASON = 500
PENALTIES = {
    Severity.LOW: 0.05,
    Severity.MEDIUM: 0.15,
    Severity.HIGH: 0.3,
    Severity.CRITICAL: 0.6,
}
UNRESOLVED_PENALTY = 0.2
UNRELIABLE = (ClaimStatus.REJECTED, ClaimStatus.CONTESTED)


def take_turn(request: TurnRequest) -> Turn:
    """Ask the sources what the findings claim; with the answers, submit the verdict.

    Findings without a figure that a source could confirm need no tool.

    Raises:
        TaskNotPossible: a source that is asked again could not be asked or its answer cannot be
            read.
    """
    calls = questions(request)
    if calls and not request.exchanges:
        return Turn(
            calls=calls, note=f"Ask the sources about {market_of(request).market} once more"
        )
    return Turn(result=_result(open_case(request)))


def _result(case: Case) -> ValidationResult:
    task = case.request.assignment
    own = own_result(case)
    about_claims = claim_issues(case)
    review = _review(case, about_claims)
    verdicts = verdicts_of(review)
    questioned = {name for _, issue in about_claims for name in issue.claims}
    fallen = {n: o for n, o in objections_of(review).items() if n not in questioned}
    about_events = {event.event_id: tuple(event_issues(case, event)) for event in case.events}
    every_issue = (
        *(issue for _, issue in about_claims),
        *ledger_issues(case, fallen, FAILURES),
        *(issue for issues in about_events.values() for issue in issues),
    )
    issues = tuple(dict.fromkeys(every_issue))
    return ValidationResult(
        validation_id=f"{task.task_id}/result",
        task_id=task.task_id,
        agent=task.agent,
        market=case.market.market,
        research_results=tuple(finding.result_id for finding in case.request.findings),
        checks=own.claims[:MOST_ISSUES],
        verdicts=verdicts,
        issues=issues[:MOST_ISSUES],
        conflicts=tuple(review.conflicts),
        verified_events=_verified(case, own.claims, verdicts, about_events),
        authoritative_sources=case.sources,
        missing=_missing(case, own.claims),
        recommendation=recommendation_of(
            {verdict.status for verdict in verdicts},
            ((issue.severity, ObjectionOutcome.CONFIRMED) for issue in issues),
            undecided=any(not conflict.resolved for conflict in review.conflicts),
        ),
        confidence=_confidence(case, issues, review.conflicts),
    )


def _review(case: Case, issues: tuple[ClaimIssue, ...]) -> Review:
    """What the claims are judged by: their evidence, the sources, and each other.

    A claim that falls by itself is in no conflict: nobody is asked to choose it.
    """
    request = case.request
    task, voting, own = request.assignment, request.voting, own_result(case)
    evidence = (*request.evidence, *request.results)
    witnesses = Witnesses(evidence, task.window)
    averages = case.averages
    review = Review(
        findings=request.findings,
        ledger=Ledger((case.market,), task.window, task.base_area, evidence),
        witnesses=witnesses,
        averages=(Averages(averages.answer, averages.evidence_id),) if averages else (),
        objections=by_claim(issues),
        silent=tuple(case.silent),
    )
    sound = sound_findings(review)
    ranges = target_ranges(evidence)
    detected = detect_conflicts(case.market.market, (*sound, own), voting, ranges)
    others = second_opinions(case, sound, witnesses, detected)
    return replace(review, conflicts=(*detected, *others)[:MOST_CONFLICTS])


def _verified(
    case: Case,
    own: tuple[Claim, ...],
    verdicts: Iterable[ClaimVerdict],
    about_events: dict[str, tuple[ValidationIssue, ...]],
) -> tuple[str, ...]:
    """The events that nothing speaks against and that a source confirms in at least one figure.

    Never a scheduled one: its date is not asked for again.
    """
    unreliable = {verdict.claim_id for verdict in verdicts if verdict.status in UNRELIABLE}
    confirmed = {claim.claim_id for claim in own} & case.claims.keys() - unreliable
    return tuple(
        event.event_id
        for event in case.events
        if event.event_type is not EventType.SCHEDULED_DECISION
        and not about_events[event.event_id]
        and not unreliable.intersection(event.claims)
        and confirmed.intersection(event.claims)
    )


def _missing(case: Case, own: tuple[Claim, ...]) -> tuple[str, ...]:
    """The claims that the source gave nothing for, and the second sources that were silent."""
    confirmed = {claim.claim_id for claim in own}
    checkable = (Metric.LAST, Metric.POLICY_RATE, *sorted(DECIDED))
    names = dict.fromkeys(claim.claim_id for claim in case.of(*checkable))
    unconfirmed = [
        f"{name}: the source gave nothing to compare it with"
        for name in names
        if name not in confirmed
    ]
    silent = [clip(reason, LONGEST_REASON) for reason in case.silent.values()]
    return (*silent, *unconfirmed)[:MOST_REASONS]


def _confidence(
    case: Case, issues: tuple[ValidationIssue, ...], conflicts: Iterable[ConflictRecord]
) -> float:
    """The mean confidence of the findings, less a penalty for every objection and open conflict."""
    if not case.request.findings:
        return NOTHING_FOUND
    left = fmean(finding.confidence for finding in case.request.findings)
    left -= sum(PENALTIES[issue.severity] for issue in issues)
    left -= UNRESOLVED_PENALTY * sum(not conflict.resolved for conflict in conflicts)
    return max(NOTHING_FOUND, round(left, 2))
