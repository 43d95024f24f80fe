"""The section of one market: its claims, its events, and what is missing."""

from collections.abc import Collection, Iterable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from desk.analytics.prices.dollar_index import PAIRS, index_of_pairs
from desk.analytics.prices.series import window_days
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import Finding, MarketEvent, SuspectFixing
from desk.contracts.findings.source_results import History
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.markets import MarketSpec
from desk.contracts.week.report import (
    MarketOutcome,
    MarketReport,
    ReportedEvent,
    ReportedFinding,
    Revision,
)
from desk.contracts.weeks import TimeWindow
from desk.programs.week.document.judging.coverage import is_counted
from desk.programs.week.document.judging.judgement import JudgedMarket
from desk.trust.claims.dependence import ENDS, EXTREMES
from desk.trust.confidence import NOTHING_FOUND
from desk.trust.judging import recommendation_of
from desk.trust.ledger import EvidenceUnusable, derive
from desk.trust.prose import clip, render

CHART_SPAN: Final = timedelta(weeks=52)
WITHHELD: Final = "Some figures are withheld; what is printed follows from its evidence."


def market_report(
    spec: MarketSpec,
    judged: JudgedMarket,
    claims: Mapping[str, Claim],
    histories: Iterable[History],
    *,
    window: TimeWindow,
    revised_in: int,
    withheld: frozenset[str] = frozenset(),
) -> MarketReport:
    """Builds the section of a market. A market that was not reached has one too, with the reason.

    `claims` are those that the market's prose refers to. `histories` may be of any market.
    `withheld` are the claims in conflicts without a decision.
    """
    outcome = judged.outcome
    suspects = _suspects(outcome)
    known = tuple(histories)
    without = withheld | {v.claim_id for v in judged.verdicts if v.status is ClaimStatus.REJECTED}
    hidden = withheld_days(spec, without - judged.claims.keys(), judged.claims, known, window)
    _, as_of = window_days(window)
    days, values = series_of(spec.market, known, suspects, as_of, hidden)
    return MarketReport(
        market=spec.market,
        kind=spec.kind,
        group=spec.group,
        outcome=outcome.outcome,
        claims=tuple(judged.claims.values()),
        verdicts=judged.verdicts,
        events=_events(outcome, claims),
        findings=_findings(outcome, claims),
        spent_before=outcome.spent_before,
        views=tuple(view for result in outcome.results for view in result.views),
        suspects=suspects,
        agents=outcome.agents,
        missing=_missing(outcome),
        warnings=_unique(line for result in outcome.results for line in result.warnings),
        dropped=judged.dropped,
        objections=judged.objections,
        recommendation=_recommendation(judged),
        confidence=_confidence(outcome),
        days=days,
        values=values,
        revised_in=revised_in,
        version=_version(outcome),
    )


def revised_in(market: str, revisions: Iterable[Revision]) -> int:
    """The number of the revision that last changed a market's section."""
    return max((line.revision for line in revisions if line.market == market), default=1)


def withheld_days(
    spec: MarketSpec,
    withheld: Collection[str],
    claims: Mapping[str, Claim],
    histories: Iterable[History],
    window: TimeWindow,
) -> frozenset[date]:
    """The days of fixings that withheld claims of a market would state, by its histories, and that
    no printed claim states."""
    fixings = {
        claim.as_of
        for history in histories
        if history.symbol == spec.market and withheld
        for claim in _derived(history, spec, window)
        if claim.claim_id in withheld and claim.metric in ENDS | EXTREMES
    }
    stated = {c.as_of for c in claims.values() if c.subject == spec.market and _is_fixing(c)}
    return frozenset(fixings - stated)


def _is_fixing(claim: Claim) -> bool:
    return claim.metric in ENDS | EXTREMES


def _derived(history: History, spec: MarketSpec, window: TimeWindow) -> tuple[Claim, ...]:
    try:
        return derive(history, {spec.market: spec}, window, history.symbol)
    except EvidenceUnusable:
        return ()


def series_of(
    market: str,
    histories: Iterable[History],
    suspects: Iterable[SuspectFixing],
    as_of: date,
    withheld: Collection[date] = (),
) -> tuple[tuple[date, ...], tuple[Decimal, ...]]:
    """The market's longest history, cut to the span of the chart, without suspect days and days
    whose fixing is withheld."""
    usable = (
        history
        for history in histories
        if history.symbol == market and len(history.days) == len(history.values)
    )
    longest = max(usable, key=lambda history: len(history.days), default=None)
    if longest is None:
        return (), ()
    left_out = {fixing.day for fixing in suspects} | set(withheld)
    points = [
        (day, value)
        for day, value in zip(longest.days, longest.values, strict=True)
        if as_of - CHART_SPAN <= day <= as_of and day not in left_out
    ]
    return tuple(day for day, _ in points), tuple(value for _, value in points)


def index_series(
    sections: Iterable[MarketReport],
) -> tuple[tuple[date, ...], tuple[Decimal, ...]]:
    """The days on which all six pairs of the index have a fixing, oldest first, and the index on
    each."""
    series = {
        section.market: dict(zip(section.days, section.values, strict=True))
        for section in sections
        if section.market in PAIRS.values()
    }
    if len(series) < len(PAIRS):
        return (), ()
    days = sorted(set.intersection(*(set(fixings) for fixings in series.values())))
    levels = ({pair: series[pair][day] for pair in series} for day in days)
    return tuple(days), tuple(index_of_pairs(each) for each in levels)


def _events(outcome: MarketOutcome, claims: Mapping[str, Claim]) -> tuple[ReportedEvent, ...]:
    """Returns the events by day, without duplicates."""
    verified = frozenset(outcome.validation.verified_events) if outcome.validation else frozenset()
    reported: dict[tuple[str, str], ReportedEvent] = {}
    for result in outcome.results:
        for event in result.events:
            line = _reported(event, claims, event.event_id in verified)
            reported.setdefault((event.event_id, line.text), line)
    return tuple(sorted(reported.values(), key=lambda event: event.event_date))


def _findings(outcome: MarketOutcome, claims: Mapping[str, Claim]) -> tuple[ReportedFinding, ...]:
    """Returns the findings that are not events, without duplicates."""
    found = {
        finding.statement: ReportedFinding(
            **{name: getattr(finding, name) for name in Finding.model_fields},
            agent=result.agent,
            text=clip(render(finding.statement, claims)),
        )
        for result in outcome.results
        for finding in result.findings
    }
    return tuple(found.values())


def _reported(event: MarketEvent, claims: Mapping[str, Claim], verified: bool) -> ReportedEvent:
    fields = {name: getattr(event, name) for name in MarketEvent.model_fields}
    text = clip(render(event.description, claims))
    return ReportedEvent(**fields, text=text, verified=verified)


def _suspects(outcome: MarketOutcome) -> tuple[SuspectFixing, ...]:
    by_day: dict[date, SuspectFixing] = {}
    for result in outcome.results:
        for suspect in result.suspects:
            by_day.setdefault(suspect.day, suspect)
    return tuple(by_day[day] for day in sorted(by_day))


def _missing(outcome: MarketOutcome) -> tuple[str, ...]:
    of_results = (reason for result in outcome.results for reason in result.missing)
    of_validation = outcome.validation.missing if outcome.validation else ()
    return _unique((*outcome.missing, *of_results, *of_validation))


def _recommendation(judged: JudgedMarket) -> str | None:
    """The validator's recommendation, if something is left to publish."""
    validation = judged.outcome.validation
    if validation is None or not is_counted(judged.outcome):
        return None
    passed = {v.claim_id for v in validation.verdicts if v.status is not ClaimStatus.REJECTED}
    late = any(
        verdict.status is ClaimStatus.REJECTED and verdict.claim_id in passed
        for verdict in judged.verdicts
    )
    if late:
        return WITHHELD
    told = ((objection.severity, objection.outcome) for objection in judged.objections)
    statuses = {verdict.status for verdict in judged.verdicts}
    return recommendation_of(statuses, told, undecided=judged.undecided)


def _confidence(outcome: MarketOutcome) -> float:
    """The validator's confidence, or without a verdict the lowest of the research results.

    Without the market's essential figure it is no higher than that of an empty result.
    """
    if outcome.validation is not None:
        said = outcome.validation.confidence
    else:
        said = min((result.confidence for result in outcome.results), default=0.0)
    return said if is_counted(outcome) else min(said, NOTHING_FOUND)


def _version(outcome: MarketOutcome) -> int:
    """The version of the oldest analyst, or 0 if one is a model."""
    validated = (outcome.validation,) if outcome.validation else ()
    return min((done.version for done in (*outcome.results, *validated)), default=0)


def _unique(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))
