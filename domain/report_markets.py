"""The section of one market: its claims, its events in prose, and what is lacking."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from contracts.claims import Claim
from contracts.markets import MarketSpec
from contracts.report import MarketOutcome, MarketReport, ReportedEvent, Revision
from contracts.results import MarketEvent, SuspectFixing
from contracts.search_attributes import Outcome
from contracts.source_results import History
from domain.prose import UnknownReferenceError, clip, render, render_what_is_known
from domain.report_claims import market_claims, returned_by
from domain.report_coverage import NOT_REACHED

CHART_SPAN: Final = timedelta(weeks=52)


def market_report(
    spec: MarketSpec,
    outcome: MarketOutcome | None,
    claims: Mapping[str, Claim],
    *,
    as_of: date,
    revised_in: int,
) -> MarketReport:
    """A market's section. One that was not reached is there too, with the reason.

    `claims` are those of the week; the market's own are looked up first.
    """
    if outcome is None:
        outcome = MarketOutcome(market=spec.market, outcome=Outcome.MISSING, missing=(NOT_REACHED,))
    own = market_claims(outcome)
    known = {**claims, **own}
    events, refused = _events(outcome, known)
    days, values = _series(spec.market, outcome, as_of)
    return MarketReport(
        market=spec.market,
        kind=spec.kind,
        group=spec.group,
        outcome=outcome.outcome,
        claims=tuple(own.values()),
        events=events,
        suspects=_suspects(outcome),
        agents=outcome.agents,
        missing=_missing(outcome),
        warnings=_unique((*refused, *_warnings(outcome, known))),
        recommendation=_recommendation(outcome, known),
        confidence=_confidence(outcome),
        days=days,
        values=values,
        revised_in=revised_in,
    )


def revised_in(market: str, revisions: Iterable[Revision]) -> int:
    """The revision that a market's section dates from."""
    return max((line.revision for line in revisions if line.market == market), default=1)


def _events(
    outcome: MarketOutcome, claims: Mapping[str, Claim]
) -> tuple[tuple[ReportedEvent, ...], tuple[str, ...]]:
    """The events in order of day, and a remark on each that refers to a figure nobody claimed."""
    verified = frozenset(outcome.validation.verified_events) if outcome.validation else frozenset()
    reported: dict[tuple[str, str], ReportedEvent] = {}
    refused: list[str] = []
    for result in outcome.results:
        for event in result.events:
            try:
                text = clip(render(event.description, claims))
            except UnknownReferenceError as error:
                refused.append(clip(f"the event {event.event_id} is left out: {error}"))
                continue
            line = _reported(event, text, event.event_id in verified)
            reported.setdefault((event.event_id, text), line)
    return tuple(sorted(reported.values(), key=lambda event: event.event_date)), tuple(refused)


def _reported(event: MarketEvent, text: str, verified: bool) -> ReportedEvent:
    fields = {name: getattr(event, name) for name in MarketEvent.model_fields}
    return ReportedEvent(**fields, text=text, verified=verified)


def _suspects(outcome: MarketOutcome) -> tuple[SuspectFixing, ...]:
    by_day: dict[date, SuspectFixing] = {}
    for result in outcome.results:
        for suspect in result.suspects:
            by_day.setdefault(suspect.day, suspect)
    return tuple(by_day[day] for day in sorted(by_day))


def _series(
    market: str, outcome: MarketOutcome, as_of: date
) -> tuple[tuple[date, ...], tuple[Decimal, ...]]:
    """The longest history that was looked at, cut to the chart's span, without suspect days."""
    histories = returned_by("get_historical", History, (outcome,))
    usable = (
        history
        for history in histories
        if history.symbol == market and len(history.days) == len(history.values)
    )
    longest = max(usable, key=lambda history: len(history.days), default=None)
    if longest is None:
        return (), ()
    suspect = {fixing.day for fixing in _suspects(outcome)}
    points = [
        (day, value)
        for day, value in zip(longest.days, longest.values, strict=True)
        if as_of - CHART_SPAN <= day <= as_of and day not in suspect
    ]
    return tuple(day for day, _ in points), tuple(value for _, value in points)


def _missing(outcome: MarketOutcome) -> tuple[str, ...]:
    of_results = (reason for result in outcome.results for reason in result.missing)
    of_validation = outcome.validation.missing if outcome.validation else ()
    return _unique((*outcome.missing, *of_results, *of_validation))


def _warnings(outcome: MarketOutcome, claims: Mapping[str, Claim]) -> tuple[str, ...]:
    of_results = (line for result in outcome.results for line in result.warnings)
    issues = outcome.validation.issues if outcome.validation else ()
    of_issues = (f"{issue.severity}: {issue.description}" for issue in issues)
    return tuple(clip(render_what_is_known(line, claims)) for line in (*of_results, *of_issues))


def _recommendation(outcome: MarketOutcome, claims: Mapping[str, Claim]) -> str | None:
    if outcome.validation is None:
        return None
    return clip(render_what_is_known(outcome.validation.recommendation, claims))


def _confidence(outcome: MarketOutcome) -> float:
    """The validator's confidence, or without a verdict the lowest of the research results."""
    if outcome.validation is not None:
        return outcome.validation.confidence
    return min((result.confidence for result in outcome.results), default=0.0)


def _unique(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))
