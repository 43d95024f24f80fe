"""What a validator objects to in a case: claims and events, each with its issues."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from desk.analytics.prices.rates_view import rate_of
from desk.analytics.prices.series import window_days
from desk.contracts.agents.tools import DataSource
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import MarketEvent, ResearchResult, ValidationIssue
from desk.contracts.findings.verdicts import ClaimCheck
from desk.programs.builtin.case import Case
from desk.programs.question.builtin.questions import DECIDED
from desk.trust.claims import checks
from desk.trust.claims.banks import known_banks
from desk.trust.conflicts import origin_of, weakest_source
from desk.trust.ledger import Objection


class ClaimIssue(NamedTuple):
    """An objection to a claim, and the result that delivered the claim."""

    result: ResearchResult
    issue: ValidationIssue


def claim_issues(case: Case) -> tuple[ClaimIssue, ...]:
    """What speaks against claims by themselves and by the sources that were asked again."""
    return tuple(
        ClaimIssue(finding, issue)
        for finding in case.request.findings
        for issue in (*_by_themselves(case, finding), *_by_the_source(case, finding))
    )


def by_claim(issues: Iterable[ClaimIssue]) -> dict[tuple[str, str], Objection]:
    """The first issue about each result's claim, as the check that it stands for."""
    found: dict[tuple[str, str], Objection] = {}
    for result, issue in issues:
        check = checks.CHECKS[checks.IssueType(issue.issue_type)]
        for name in issue.claims:
            place = (result.result_id, name)
            found.setdefault(place, Objection(check, issue.description))
    return found


def ledger_issues(
    case: Case, objections: Mapping[str, Objection], words: Mapping[ClaimCheck, str]
) -> Iterator[ValidationIssue]:
    """One issue for each claim that does not follow from what it rests on."""
    for name, objection in objections.items():
        yield checks.ledger_issue(case.claims[name], objection.check, words[objection.check])


def event_issues(case: Case, event: MarketEvent) -> Iterator[ValidationIssue]:
    """What speaks against an event: its date, its bank, its references and its words."""
    yield from checks.check_event_date(event, *window_days(case.request.assignment.window))
    yield from checks.check_bank(event, known_banks(case.answers), case.market.areas)
    yield from checks.check_references(event, case.claims)
    yield from checks.check_direction(event, case.claims)


def _by_themselves(case: Case, finding: ResearchResult) -> Iterator[ValidationIssue]:
    known = case.claims | {claim.claim_id: claim for claim in finding.claims}
    for claim in finding.claims:
        yield from checks.check_unit(claim)
        yield from checks.check_formula(claim, known, case.market.band)


def _by_the_source(case: Case, finding: ResearchResult) -> Iterator[ValidationIssue]:
    if case.quote:
        for claim in _own_words(finding, case.quote.source, Metric.LAST):
            yield from checks.check_last(claim, case.quote.answer)
    if case.decisions:
        for claim in _own_words(finding, case.decisions.source, *DECIDED):
            yield from checks.check_decision(claim, case.decisions.answer.decisions)
    if case.rates:
        decided = _own_words(finding, case.rates.source, Metric.DECISION_RATE)
        for rate in case.rates.answer.rates:
            of_area = (claim for claim in decided if claim.subject == rate.area)
            yield from checks.check_rate_in_force(of_area, rate)
        for claim in _own_words(finding, case.rates.source, Metric.POLICY_RATE):
            given = rate_of(case.rates.answer, claim.subject)
            if given is not None:
                yield from checks.check_policy_rate(claim, given)


def _own_words(finding: ResearchResult, source: DataSource, *metrics: Metric) -> list[Claim]:
    """A finding's claims on some metrics that a source can deny: not those of another origin,
    which would be a conflict of two sources and no error."""
    return [
        claim
        for claim in finding.claims
        if claim.metric in metrics
        and origin_of(weakest_source(finding, claim.evidence)) in (None, origin_of(source))
    ]
