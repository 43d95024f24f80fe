"""The validator: the findings on a market against the sources, asked anew."""

from collections.abc import Iterator
from itertools import chain
from statistics import fmean

from agents.builtin.case import DECIDED, Case, open_case, own_result, questions
from agents.builtin.evidence import market_of
from contracts.claims import Claim, Metric
from contracts.results import (
    ConflictRecord,
    EventType,
    MarketEvent,
    Severity,
    ValidationIssue,
    ValidationResult,
)
from contracts.source_results import PolicyRates
from contracts.turns import Turn, TurnRequest
from domain import checks
from domain.confidence import NOTHING_FOUND
from domain.conflicts import detect_conflicts
from domain.rates_view import rate_of
from domain.series import window_days

MOST_ISSUES = 50
PENALTIES = {
    Severity.LOW: 0.05,
    Severity.MEDIUM: 0.15,
    Severity.HIGH: 0.3,
    Severity.CRITICAL: 0.6,
}
UNRESOLVED_PENALTY = 0.2


def take_turn(request: TurnRequest) -> Turn:
    """Ask the sources what the findings claim; with the answers, submit the verdict.

    Findings without a figure that a source could confirm need no tool.

    Raises:
        TaskNotPossible: a source could not be asked or its answer cannot be read.
    """
    calls = questions(request)
    if calls and not request.exchanges:
        return Turn(
            calls=calls, note=f"Ask the sources about {market_of(request).market} once more"
        )
    return Turn(result=_verdict(open_case(request)))


def _verdict(case: Case) -> ValidationResult:
    task = case.request.assignment
    own = own_result(case)
    conflicts = detect_conflicts(case.market.market, (*case.request.findings, own))
    about_claims = tuple(_claim_issues(case))
    about_events = {event.event_id: tuple(_event_issues(case, event)) for event in case.events}
    issues = tuple(dict.fromkeys((*about_claims, *chain.from_iterable(about_events.values()))))
    return ValidationResult(
        validation_id=f"{task.task_id}/result",
        task_id=task.task_id,
        agent=task.agent,
        market=case.market.market,
        research_results=tuple(finding.result_id for finding in case.request.findings),
        checks=own.claims[:MOST_ISSUES],
        issues=issues[:MOST_ISSUES],
        conflicts=conflicts,
        verified_events=_verified(case, own.claims, about_claims, about_events),
        authoritative_sources=own.sources,
        missing=_unconfirmed(case, own.claims),
        recommendation=_recommendation(own.claims, issues, conflicts),
        confidence=_confidence(case, issues, conflicts),
    )


def _claim_issues(case: Case) -> Iterator[ValidationIssue]:
    for claim in case.every_claim:
        yield from checks.check_unit(claim)
        yield from checks.check_formula(claim, case.claims, case.market.band)
    if case.quote:
        for claim in case.of(Metric.LAST):
            yield from checks.check_last(claim, case.quote.answer)
    if case.decisions:
        for claim in case.of(*DECIDED):
            yield from checks.check_decision(claim, case.decisions.answer.decisions)
    if case.rates:
        yield from _rate_issues(case, case.rates.answer)


def _rate_issues(case: Case, rates: PolicyRates) -> Iterator[ValidationIssue]:
    decided = case.of(Metric.DECISION_RATE)
    for rate in rates.rates:
        of_area = (claim for claim in decided if claim.subject == rate.area)
        yield from checks.check_rate_in_force(of_area, rate)
    for claim in case.of(Metric.POLICY_RATE):
        given = rate_of(rates, claim.subject)
        if given is not None:
            yield from checks.check_policy_rate(claim, given)


def _event_issues(case: Case, event: MarketEvent) -> Iterator[ValidationIssue]:
    yield from checks.check_event_date(event, *window_days(case.request.assignment.window))
    yield from checks.check_references(event, case.claims)
    yield from checks.check_direction(event, case.claims)


def _verified(
    case: Case,
    own: tuple[Claim, ...],
    about_claims: tuple[ValidationIssue, ...],
    about_events: dict[str, tuple[ValidationIssue, ...]],
) -> tuple[str, ...]:
    """The events that nothing speaks against and that a source confirms in at least one figure.

    Never a scheduled one: its date is not asked for again.
    """
    questioned = {name for issue in about_claims for name in issue.claims}
    confirmed = {claim.claim_id for claim in own} & case.claims.keys() - questioned
    return tuple(
        event.event_id
        for event in case.events
        if event.event_type is not EventType.SCHEDULED_DECISION
        and not about_events[event.event_id]
        and not questioned.intersection(event.claims)
        and confirmed.intersection(event.claims)
    )


def _unconfirmed(case: Case, own: tuple[Claim, ...]) -> tuple[str, ...]:
    confirmed = {claim.claim_id for claim in own}
    checkable = (Metric.LAST, Metric.POLICY_RATE, *sorted(DECIDED))
    names = (claim.claim_id for claim in case.of(*checkable))
    return tuple(
        f"{name}: the source gave nothing to compare it with"
        for name in dict.fromkeys(names)
        if name not in confirmed
    )[:20]


def _recommendation(
    own: tuple[Claim, ...],
    issues: tuple[ValidationIssue, ...],
    conflicts: tuple[ConflictRecord, ...],
) -> str:
    if any(not conflict.resolved for conflict in conflicts):
        return "Publish only after a person has decided the open conflict."
    if any(issue.severity in (Severity.HIGH, Severity.CRITICAL) for issue in issues):
        return "Hold back the questioned figures until the market has been researched again."
    if issues:
        return "Publish with the objections noted."
    if not own:
        return "There was no figure that a source could confirm."
    return "Publish: every figure that could be checked agrees with its source."


def _confidence(
    case: Case, issues: tuple[ValidationIssue, ...], conflicts: tuple[ConflictRecord, ...]
) -> float:
    """The mean confidence of the findings, less a penalty for every objection and open conflict."""
    if not case.request.findings:
        return NOTHING_FOUND
    left = fmean(finding.confidence for finding in case.request.findings)
    left -= sum(PENALTIES[issue.severity] for issue in issues)
    left -= UNRESOLVED_PENALTY * sum(not conflict.resolved for conflict in conflicts)
    return max(NOTHING_FOUND, round(left, 2))
