"""The validator: calls the sources again, and judges claims by their answers."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from statistics import fmean
from typing import Final, NamedTuple

from desk.agents.capabilities import usual_route
from desk.analytics.comparison import Comparable
from desk.analytics.prices.figure_days import FigureDays
from desk.analytics.prices.fixings import has_lapsed
from desk.analytics.prices.rates_view import rate_of
from desk.analytics.prices.series import Fixings, window_days
from desk.analytics.units import UNITS
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.config import VotingConfig
from desk.contracts.agents.tools import DataSource, ToolCall
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.findings.results import (
    ConflictKind,
    ConflictRecord,
    EventType,
    MarketEvent,
    ObjectionOutcome,
    Position,
    ResearchResult,
    Severity,
    ValidationIssue,
    ValidationResult,
)
from desk.contracts.findings.source_results import (
    Histories,
    History,
    MonthAverages,
    MonthEndRates,
    PolicyRates,
    Quote,
    RateDecisions,
    RateRecords,
    SourceResult,
)
from desk.contracts.findings.verdicts import ClaimCheck, ClaimStatus, ClaimVerdict
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Turn, TurnContext, TurnRequest
from desk.programs.builtin.evidence import (
    Answer,
    Evidence,
    ask,
    consult,
    market_of,
    read,
    readable,
    unasked,
)
from desk.programs.week.builtin.rates_analyst import days_looked_at
from desk.trust.claims.banks import known_banks
from desk.trust.claims.rate_claims import decision_claims, policy_rate_claims
from desk.trust.claims.recompute import at_precision_of
from desk.trust.confidence import NOTHING_FOUND, Weakness, confidence
from desk.trust.conflicts import (
    MOST_CONFLICTS,
    NO_RANGES,
    StatedClaim,
    bounds_of,
    claim_position,
    detect_conflicts,
    is_publisher,
    new_conflict,
    origin_of,
    state,
    target_ranges,
    weakest_source,
)
from desk.trust.judging import checks, recommendation_of
from desk.trust.judging.checks import LOCAL_DAY
from desk.trust.ledger import (
    FAILURES,
    Averages,
    Corroboration,
    FailedCheck,
    IndependentStatement,
    Ledger,
    Review,
    disagreeing,
    failed_checks_of,
    sound_findings,
    verdicts_of,
)
from desk.trust.prose import clip

DECIDED: Final = frozenset({Metric.DECISION_RATE, Metric.DECISION_CHANGE})

MONTHS_OF_AVERAGES: Final = 12

MONTHS_OF_RATES: Final = 12
"""How many months back the second sources are asked. They publish late, some by half a year, and
the last known months are needed: an earlier statement confirms a rate that has not changed since.
The history behind a pair's claims reaches back as far as `MONTHS_OF_AVERAGES`."""

MOST_DAYS: Final = 100
"""The most days that may be asked about at once."""

CERTAINTY = confidence((Weakness.SINGLE_SOURCE,))

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


def questions(request: TurnRequest) -> tuple[ToolCall, ...]:
    """Returns the calls that could confirm the claims of the findings; empty if nothing can be
    confirmed."""
    return (*_asked_again(request), *_asked_of_others(request))


def all_claims(context: TurnContext) -> list[Claim]:
    """Returns the claims of all findings, including several on the same figure."""
    return [claim for finding in context.findings for claim in finding.claims]


@dataclass(frozen=True, slots=True)
class Case:
    """The findings, and what the sources say about what can be checked.

    `silent` has, for each tool of a second source that did not answer, the reason.
    """

    request: TurnRequest
    market: MarketSpec
    claims: dict[str, Claim]
    quote: Evidence[Quote] | None
    rates: Evidence[PolicyRates] | None
    decisions: Evidence[RateDecisions] | None
    averages: Evidence[MonthAverages] | None
    month_ends: Evidence[MonthEndRates] | None
    daily: Evidence[Histories] | None
    recorded: Evidence[RateRecords] | None
    silent: dict[str, str]

    def of(self, *metrics: Metric) -> list[Claim]:
        """The claims on some metrics, each with its result, in order."""
        return [claim for claim in self.every_claim if claim.metric in metrics]

    @property
    def every_claim(self) -> list[Claim]:
        """The claims of all findings, including several on the same figure."""
        return all_claims(self.request)

    @property
    def events(self) -> list[MarketEvent]:
        """The events of all findings."""
        return [event for finding in self.request.findings for event in finding.events]

    @property
    def answers(self) -> tuple[SourceResult, ...]:
        """The evidence of the findings and the new answers that have one of the desk's own
        forms."""
        found = (readable(result) for result in (*self.request.evidence, *self.request.results))
        return tuple(answer for answer in found if answer is not None)

    @property
    def sources(self) -> tuple[DataSource, ...]:
        """Every source that answered, those called again first."""
        second = (self.averages, self.month_ends, self.daily, self.recorded)
        answers = (self.quote, self.rates, self.decisions, *second)
        return tuple(answer.source for answer in answers if answer)


def open_case(request: TurnRequest, calls: Iterable[ToolCall]) -> Case:
    """Builds the case from the findings and the sources' answers to the validator's calls.

    Raises:
        TaskNotPossible: a source that is called again is not available, or its answer cannot be
            parsed. A second source may be silent.
    """
    asked = {call.capability for call in calls}
    averages, no_averages = _second(request, Capability.MONTH_AVERAGES, MonthAverages, asked)
    ends, no_ends = _second(request, Capability.MONTH_END_RATES, MonthEndRates, asked)
    daily, no_daily = _second(request, Capability.DAILY_RATES, Histories, asked)
    recorded, no_records = _second(request, Capability.RECORDED_RATES, RateRecords, asked)
    silent = (
        (Capability.MONTH_AVERAGES, no_averages),
        (Capability.MONTH_END_RATES, no_ends),
        (Capability.DAILY_RATES, no_daily),
        (Capability.RECORDED_RATES, no_records),
    )
    return Case(
        request=request,
        market=market_of(request),
        claims={claim.claim_id: claim for claim in reversed(all_claims(request))},
        quote=_first(request, Capability.QUOTE, Quote, asked),
        rates=_first(request, Capability.POLICY_RATE, PolicyRates, asked),
        decisions=_first(request, Capability.RATE_DECISIONS, RateDecisions, asked),
        averages=averages,
        month_ends=ends,
        daily=daily,
        recorded=recorded,
        silent={usual_route(which).tool: why for which, why in silent if why},
    )


def own_result(case: Case) -> ResearchResult:
    """Returns what the validator itself read from the sources, in the form of a finding."""
    answers = (case.quote, case.rates, case.decisions)
    return ResearchResult(
        result_id=f"{case.request.assignment.task_id}/checks",
        task_id=case.request.assignment.task_id,
        agent=case.request.assignment.agent,
        market=case.market.market,
        claims=(*_quoted(case), *_rated(case), *_decided(case)),
        sources=tuple(answer.source for answer in answers if answer),
        confidence=confidence((Weakness.SINGLE_SOURCE,)),
    )


class ClaimIssue(NamedTuple):
    """An objection to a claim, with the result that delivered the claim."""

    result: ResearchResult
    issue: ValidationIssue


def claim_issues(case: Case) -> tuple[ClaimIssue, ...]:
    """Returns the objections to claims, by themselves and by the sources that were called again."""
    return tuple(
        ClaimIssue(finding, issue)
        for finding in case.request.findings
        for issue in (*_by_themselves(case, finding), *_by_the_source(case, finding))
    )


def by_claim(issues: Iterable[ClaimIssue]) -> dict[tuple[str, str], FailedCheck]:
    """Returns the first issue about each claim of a result, as the failed check behind it."""
    found: dict[tuple[str, str], FailedCheck] = {}
    for result, issue in issues:
        check = checks.CHECKS[checks.IssueType(issue.issue_type)]
        for name in issue.claims:
            place = (result.result_id, name)
            found.setdefault(place, FailedCheck(check, issue.description))
    return found


def ledger_issues(
    case: Case, failed: Mapping[str, FailedCheck], words: Mapping[ClaimCheck, str]
) -> Iterator[ValidationIssue]:
    """One issue for each claim that does not follow from what it rests on."""
    for name, found in failed.items():
        yield checks.ledger_issue(case.claims[name], found.check, words[found.check])


def event_issues(
    case: Case, event: MarketEvent, banks: Mapping[str, str]
) -> Iterator[ValidationIssue]:
    """Yields the objections to an event: to its date, its bank, its references and its words."""
    yield from checks.check_event_date(event, *days_looked_at(case.request))
    yield from checks.check_bank(event, banks, case.market.areas)
    yield from checks.check_references(event, case.claims)
    yield from checks.check_direction(event, case.claims)


def second_opinions(
    case: Case,
    findings: Sequence[ResearchResult],
    corroboration: Corroboration,
    detected: Iterable[ConflictRecord],
) -> Iterator[ConflictRecord]:
    """Yields one conflict for each claim that another origin contradicts, with the votes.

    Omits what is in a conflict already, in `detected` or under another metric of the same day, such
    as a last fixing that is the window's low.
    """
    market, voting = case.market.market, case.request.voting
    disputed = {p.claim_id for conflict in detected for p in conflict.positions}
    claims = [(finding, claim) for finding in findings for claim in finding.claims]
    seen = {_matter(claim) for _, claim in claims if claim.claim_id in disputed}
    for finding, claim in claims:
        against = disagreeing(claim, corroboration)
        if against and _matter(claim) not in seen:
            seen.add(_matter(claim))
            topic = f"{claim.subject}:{claim.metric}@{claim.as_of.isoformat()}"
            positions = _positions(finding, claim, against, case, voting)
            bounds = bounds_of(claim.subject, claim.metric, claim.as_of, voting, NO_RANGES)
            kind = ConflictKind.LEVEL
            yield new_conflict(
                f"{market}/conflict/{topic}", market, kind, positions, voting, bounds
            )


def take_turn(request: TurnRequest) -> Turn:
    """Calls the sources for what the findings claim, as far as this was not done yet. Once the
    answers are there, delivers the verdict.

    Calls made with other arguments for one result alone are repeated for all results. Findings
    without a figure that a source could confirm need no tool.

    Raises:
        TaskNotPossible: a source that is called again is not available or its answer cannot be
            parsed.
    """
    asked = questions(request)
    if calls := unasked(asked, request.results):
        return Turn(
            calls=calls, note=f"Ask the sources about {market_of(request).market} once more"
        )
    return Turn(result=_result(open_case(request, asked)))


def _asked_again(request: TurnRequest) -> list[ToolCall]:
    task, market = request.assignment, market_of(request).market
    first_day, last_day = window_days(task.window)
    rated = _subjects(request, (Metric.POLICY_RATE, Metric.DECISION_RATE))
    decided = _subjects(request, DECIDED)
    calls = []
    if market in _subjects(request, (Metric.LAST,)):
        calls.append(ask(task, Capability.QUOTE, symbol=market))
    if rated:
        calls.append(ask(task, Capability.POLICY_RATE, areas=[*rated]))
    if decided:
        # A model may refer to decisions from before the week.
        days = [claim.as_of for claim in all_claims(request) if claim.metric in DECIDED]
        start, end = min(first_day, *days).isoformat(), (last_day + LOCAL_DAY).isoformat()
        decisions = Capability.RATE_DECISIONS
        calls.append(ask(task, decisions, areas=[*decided], start=start, end=end))
    return calls


def _asked_of_others(request: TurnRequest) -> list[ToolCall]:
    task, spec = request.assignment, market_of(request)
    _, last_day = window_days(task.window)
    rated = _subjects(request, (Metric.POLICY_RATE,))
    end = _month(last_day, 0)
    calls = []
    if spec.kind is MarketKind.PAIR and spec.market in _subjects(request, (Metric.LAST,)):
        start = _month(last_day, MONTHS_OF_AVERAGES)
        averages = Capability.MONTH_AVERAGES
        calls.append(ask(task, averages, symbol=spec.market, start=start, end=end))
        days = (day.isoformat() for day in _days_printed(request, spec.market))
        calls.append(ask(task, Capability.DAILY_RATES, symbol=spec.market, days=[*days]))
    if rated:
        start = _month(last_day, MONTHS_OF_RATES)
        month_ends = Capability.MONTH_END_RATES
        calls.append(ask(task, month_ends, areas=[*rated], start=start, end=end))
    if recorded := _subjects(request, (Metric.POLICY_RATE, *sorted(DECIDED))):
        calls.append(ask(task, Capability.RECORDED_RATES, areas=[*recorded]))
    return calls


def _days_printed(request: TurnRequest, market: str) -> list[date]:
    """Returns the days whose levels are claimed, and the newest days behind the figures of the
    pair's history, at most `MOST_DAYS`."""
    claims = [claim for claim in all_claims(request) if claim.subject == market]
    days = {claim.as_of for claim in claims if UNITS[claim.metric] is Unit.LEVEL}
    for result in request.evidence:
        history = readable(result)
        if not isinstance(history, History) or history.symbol != market:
            continue
        try:
            behind = FigureDays(Fixings.of(history), *window_days(request.assignment.window))
        except ValueError:
            continue
        days.update(day for claim in claims for day in behind.of(claim))
    return sorted(days)[-MOST_DAYS:]


def _subjects(request: TurnRequest, metrics: Iterable[Metric]) -> list[str]:
    wanted = set(metrics)
    found = (claim.subject for claim in all_claims(request) if claim.metric in wanted)
    return list(dict.fromkeys(found))


def _month(day: date, before: int) -> str:
    """Returns the month that is some months before a day's."""
    months = day.year * 12 + day.month - 1 - before
    return f"{months // 12:04d}-{months % 12 + 1:02d}"


def _first(
    request: TurnRequest,
    capability: Capability,
    kind: type[Answer],
    asked: Container[Capability | None],
) -> Evidence[Answer] | None:
    return read(request, capability, kind) if capability in asked else None


def _second(
    request: TurnRequest,
    capability: Capability,
    kind: type[Answer],
    asked: Container[Capability | None],
) -> tuple[Evidence[Answer] | None, str | None]:
    return consult(request, capability, kind) if capability in asked else (None, None)


def _quoted(case: Case) -> tuple[Claim, ...]:
    claimed = case.claims.get(claim_id(case.market.market, Metric.LAST))
    quote = case.quote.answer if case.quote else None
    if case.quote is None or claimed is None or quote is None:
        return ()
    if quote.value is None or quote.fixed_on is None:
        return ()
    return (
        Claim(
            claim_id=claimed.claim_id,
            subject=claimed.subject,
            metric=Metric.LAST,
            value=at_precision_of(claimed.value, quote.value),
            unit=Unit.LEVEL,
            as_of=quote.fixed_on,
            evidence=(case.quote.evidence_id,),
        ),
    )


def _rated(case: Case) -> tuple[Claim, ...]:
    if case.rates is None:
        return ()
    _, last_day = window_days(case.request.assignment.window)
    return policy_rate_claims(case.rates.answer.rates, last_day, case.rates.evidence_id)


def _decided(case: Case) -> tuple[Claim, ...]:
    if case.decisions is None:
        return ()
    return decision_claims(case.decisions.answer.decisions, case.decisions.evidence_id)


def _by_themselves(case: Case, finding: ResearchResult) -> Iterator[ValidationIssue]:
    known = case.claims | {claim.claim_id: claim for claim in finding.claims}
    for claim in finding.claims:
        yield from checks.check_unit(claim)
        yield from checks.check_formula(claim, known, case.market.band)


def _by_the_source(case: Case, finding: ResearchResult) -> Iterator[ValidationIssue]:
    if case.quote:
        for claim in _own_words(finding, case.quote.source, Metric.LAST):
            # A model may also have asked for other pairs.
            own = claim.subject == case.quote.answer.symbol
            if own and not _is_older_than_quotes(claim, case):
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


def _is_older_than_quotes(claim: Claim, case: Case) -> bool:
    """Returns whether a level is too old for a quote, and the source has no newer one. Where prices
    have ended, a question is answered by the newest one, which no quote contradicts."""
    if case.quote is None or case.quote.answer.value is not None:
        return False
    return has_lapsed(claim.as_of, case.quote.answer.as_of)


def _own_words(finding: ResearchResult, source: DataSource, *metrics: Metric) -> list[Claim]:
    """Returns the claims of a finding on some metrics that a source can contradict. Omits claims of
    another origin, for which a difference is a conflict and not an error."""
    return [
        claim
        for claim in finding.claims
        if claim.metric in metrics
        and origin_of(weakest_source(finding, claim.evidence)) in (None, origin_of(source))
    ]


def _matter(claim: Claim) -> tuple[str, str, date]:
    """The subject of a dispute. A pair has one level on a day, under any metric."""
    about = claim.unit if claim.unit is Unit.LEVEL else claim.metric
    return claim.subject, about, claim.as_of


def _positions(
    finding: ResearchResult,
    claim: Claim,
    against: tuple[tuple[IndependentStatement, Comparable], ...],
    case: Case,
    voting: VotingConfig,
) -> list[Position]:
    agent = case.request.assignment.agent
    own = claim_position(StatedClaim(finding, claim), voting)
    asked = {r.evidence_id: r.call.server for r in (*case.request.evidence, *case.request.results)}
    return [
        own,
        *(
            _position(agent, claim, *each, asked.get(each[0].evidence_id), voting)
            for each in against
        ),
    ]


def _position(
    agent: AgentId,
    claim: Claim,
    independent: IndependentStatement,
    compared: Comparable,
    server: str | None,
    voting: VotingConfig,
) -> Position:
    source = independent.source
    return Position(
        agent=agent,
        claim_id=claim.claim_id,
        stated=state(compared.other, UNITS[claim.metric]),
        source=source.name,
        server=server,
        origin=independent.statement.origin,
        tier=source.tier,
        confidence=CERTAINTY,
        weight=round(CERTAINTY * voting.weight_of(agent, source.tier, server), 6),
        publishes=is_publisher(independent.statement.origin, claim.claim_id, voting),
    )


def _result(case: Case) -> ValidationResult:
    task = case.request.assignment
    own = own_result(case)
    about_claims = claim_issues(case)
    review = _review(case, about_claims)
    verdicts = verdicts_of(review)
    questioned = {name for _, issue in about_claims for name in issue.claims}
    fallen = {n: o for n, o in failed_checks_of(review).items() if n not in questioned}
    banks = known_banks(case.answers)
    about_events = {e.event_id: tuple(event_issues(case, e, banks)) for e in case.events}
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
    """Gathers what the claims are judged by: their evidence, the sources, and each other.

    A claim that is rejected by itself is in no conflict, so that it cannot be chosen.
    """
    request = case.request
    task, voting, own = request.assignment, request.voting, own_result(case)
    evidence = (*request.evidence, *request.results)
    corroboration = Corroboration(evidence, task.window)
    averages = case.averages
    review = Review(
        findings=request.findings,
        ledger=Ledger((case.market,), task.window, task.base_area, evidence),
        corroboration=corroboration,
        averages=(Averages(averages.answer, averages.evidence_id),) if averages else (),
        failed_at_source=by_claim(issues),
        silent=tuple(case.silent),
    )
    sound = sound_findings(review)
    ranges = target_ranges(evidence)
    detected = detect_conflicts(case.market.market, (*sound, own), voting, ranges)
    others = second_opinions(case, sound, corroboration, detected)
    return replace(review, conflicts=(*detected, *others)[:MOST_CONFLICTS])


def _verified(
    case: Case,
    own: tuple[Claim, ...],
    verdicts: Iterable[ClaimVerdict],
    about_events: dict[str, tuple[ValidationIssue, ...]],
) -> tuple[str, ...]:
    """Returns the events without objections in which a source confirmed at least one figure.
    Scheduled events are not among them: their dates are not checked again."""
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
    """Lists the claims that the source had no data for, and the second sources that did not
    answer."""
    confirmed = {claim.claim_id for claim in own}
    checkable = (Metric.LAST, Metric.POLICY_RATE, *sorted(DECIDED))
    market = case.market.market
    names = dict.fromkeys(
        claim.claim_id
        for claim in case.of(*checkable)
        if claim.metric is not Metric.LAST or claim.subject == market
    )
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
    """Returns the mean confidence of the findings, less a penalty for every objection and open
    conflict."""
    if not case.request.findings:
        return NOTHING_FOUND
    left = fmean(finding.confidence for finding in case.request.findings)
    left -= sum(PENALTIES[issue.severity] for issue in issues)
    left -= UNRESOLVED_PENALTY * sum(not conflict.resolved for conflict in conflicts)
    return max(NOTHING_FOUND, round(left, 2))
