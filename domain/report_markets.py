"""The section of one market: its claims, its events in prose, and what is lacking."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from contracts.claims import Claim
from contracts.markets import MarketSpec
from contracts.report import MarketOutcome, MarketReport, ReportedEvent, Revision
from contracts.results import MarketEvent, SuspectFixing
from contracts.source_results import History
from contracts.verdicts import ClaimStatus
from domain.confidence import NOTHING_FOUND
from domain.prose import clip, render
from domain.report_coverage import is_counted
from domain.report_judgement import JudgedMarket

CHART_SPAN: Final = timedelta(weeks=52)
WITHHELD: Final = "Some figures are withheld; what is printed follows from its evidence."


def market_report(
    spec: MarketSpec,
    judged: JudgedMarket,
    claims: Mapping[str, Claim],
    histories: Iterable[History],
    *,
    as_of: date,
    revised_in: int,
) -> MarketReport:
    """A market's section. One that was not reached is there too, with the reason.

    `claims` are those that the market's prose refers to; `histories` may be of any market.
    """
    outcome = judged.outcome
    suspects = _suspects(outcome)
    days, values = series_of(spec.market, histories, suspects, as_of)
    return MarketReport(
        market=spec.market,
        kind=spec.kind,
        group=spec.group,
        outcome=outcome.outcome,
        claims=tuple(judged.claims.values()),
        verdicts=judged.verdicts,
        events=_events(outcome, claims),
        spent_before=outcome.spent_before,
        views=tuple(view for result in outcome.results for view in result.views),
        suspects=suspects,
        agents=outcome.agents,
        missing=_missing(outcome),
        warnings=_unique(_warnings(outcome)),
        dropped=judged.dropped,
        recommendation=_recommendation(judged),
        confidence=_confidence(outcome),
        days=days,
        values=values,
        revised_in=revised_in,
    )


def revised_in(market: str, revisions: Iterable[Revision]) -> int:
    """The revision that a market's section dates from."""
    return max((line.revision for line in revisions if line.market == market), default=1)


def series_of(
    market: str, histories: Iterable[History], suspects: Iterable[SuspectFixing], as_of: date
) -> tuple[tuple[date, ...], tuple[Decimal, ...]]:
    """The market's longest history, cut to the chart's span, without the suspect days."""
    usable = (
        history
        for history in histories
        if history.symbol == market and len(history.days) == len(history.values)
    )
    longest = max(usable, key=lambda history: len(history.days), default=None)
    if longest is None:
        return (), ()
    suspect = {fixing.day for fixing in suspects}
    points = [
        (day, value)
        for day, value in zip(longest.days, longest.values, strict=True)
        if as_of - CHART_SPAN <= day <= as_of and day not in suspect
    ]
    return tuple(day for day, _ in points), tuple(value for _, value in points)


def _events(outcome: MarketOutcome, claims: Mapping[str, Claim]) -> tuple[ReportedEvent, ...]:
    """The events in order of day, each once."""
    verified = frozenset(outcome.validation.verified_events) if outcome.validation else frozenset()
    reported: dict[tuple[str, str], ReportedEvent] = {}
    for result in outcome.results:
        for event in result.events:
            line = _reported(event, claims, event.event_id in verified)
            reported.setdefault((event.event_id, line.text), line)
    return tuple(sorted(reported.values(), key=lambda event: event.event_date))


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


def _warnings(outcome: MarketOutcome) -> Sequence[str]:
    of_results = (line for result in outcome.results for line in result.warnings)
    issues = outcome.validation.issues if outcome.validation else ()
    of_issues = (clip(f"{issue.severity}: {issue.description}") for issue in issues)
    return (*of_results, *of_issues)


def _recommendation(judged: JudgedMarket) -> str | None:
    """The validator's, where there is something to publish and nothing was withheld after it."""
    validation = judged.outcome.validation
    if validation is None or not is_counted(judged.outcome):
        return None
    passed = {v.claim_id for v in validation.verdicts if v.status is not ClaimStatus.REJECTED}
    late = any(
        verdict.status is ClaimStatus.REJECTED and verdict.claim_id in passed
        for verdict in judged.verdicts
    )
    return WITHHELD if late else validation.recommendation or None


def _confidence(outcome: MarketOutcome) -> float:
    """The validator's confidence, or without a verdict the lowest of the research results.

    What was delivered for a market without its essential figure is worth no more than nothing
    found.
    """
    if outcome.validation is not None:
        said = outcome.validation.confidence
    else:
        said = min((result.confidence for result in outcome.results), default=0.0)
    return said if is_counted(outcome) else min(said, NOTHING_FOUND)


def _unique(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))
