"""What a validator objects to. Every check is a pure function of findings and evidence."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Final

from contracts.claims import Claim, Metric, Unit
from contracts.markets import Band
from contracts.results import EventType, MarketEvent, Severity, ValidationIssue
from contracts.source_results import PolicyRate, Quote, RateDecision
from domain.figures import print_full_day
from domain.prose import references
from domain.recompute import InputsUnusable, at_precision_of, recompute


class IssueType(StrEnum):
    """The kinds of objection."""

    VALUE = "value"
    STALE_DATA = "stale_data"
    UNIT = "unit"
    FORMULA = "formula"
    TIMING_ERROR = "timing_error"
    DECISION = "decision"
    DIRECTION = "direction"
    REFERENCE = "reference"


UNITS: Final[Mapping[Metric, Unit]] = {
    Metric.LAST: Unit.LEVEL,
    Metric.PREVIOUS: Unit.LEVEL,
    Metric.WINDOW_HIGH: Unit.LEVEL,
    Metric.WINDOW_LOW: Unit.LEVEL,
    Metric.YEAR_HIGH: Unit.LEVEL,
    Metric.YEAR_LOW: Unit.LEVEL,
    Metric.MOVE: Unit.PERCENT,
    Metric.RANGE_POSITION: Unit.PERCENT,
    Metric.BAND_POSITION: Unit.PERCENT,
    Metric.Z_SCORE: Unit.STANDARD_DEVIATIONS,
    Metric.STREAK: Unit.DAYS,
    Metric.POLICY_RATE: Unit.PERCENT_A_YEAR,
    Metric.DECISION_RATE: Unit.PERCENT_A_YEAR,
    Metric.DIFFERENTIAL: Unit.BASIS_POINTS,
    Metric.DECISION_CHANGE: Unit.BASIS_POINTS,
}
"""What each metric is counted in."""

LOCAL_DAY: Final = timedelta(days=1)
"""How far a bank's calendar can run ahead of the desk's."""

RISING: Final = "rose|rises|gained|climbed|advanced|jumped|surged|strengthened"
FALLING: Final = "fell|falls|lost|dropped|declined|slipped|slid|plunged|weakened"


def check_last(claim: Claim, quote: Quote) -> Iterator[ValidationIssue]:
    """Objects when the last level is not the source's, to the claim's last digit, or of its day."""
    if quote.value is None or quote.fixed_on is None:
        reason = quote.missing or "no reason given"
        yield _issue(IssueType.VALUE, f"the source has no quote: {reason}", claim)
        return
    if claim.as_of != quote.fixed_on:
        days = f"{print_full_day(claim.as_of)}, not of {print_full_day(quote.fixed_on)}"
        yield _issue(IssueType.STALE_DATA, f"the level is of {days}", claim, Severity.MEDIUM)
    elif at_precision_of(claim.value, quote.value) != claim.value:
        yield _issue(IssueType.VALUE, "the level is not the one that the source quotes", claim)


def check_policy_rate(claim: Claim, rate: PolicyRate) -> Iterator[ValidationIssue]:
    """Objects when a policy rate is not the source's."""
    if rate.rate is None:
        yield _issue(IssueType.VALUE, "the source has no policy rate for the area", claim)
    elif rate.rate != claim.value:
        yield _issue(IssueType.VALUE, "the policy rate is not the one that the source gives", claim)


def check_decision(claim: Claim, decisions: Iterable[RateDecision]) -> Iterator[ValidationIssue]:
    """Objects when a decision's rate or change is not in the source for that area and day."""
    recorded = [d for d in decisions if (d.area, d.decided_on) == (claim.subject, claim.as_of)]
    if not recorded:
        yield _issue(IssueType.DECISION, "the source has no decision of that day", claim)
        return
    decision = recorded[-1]
    expected = decision.rate if claim.metric is Metric.DECISION_RATE else decision.change
    if claim.value != expected:
        yield _issue(IssueType.DECISION, "the decision is not as the source records it", claim)


def check_rate_in_force(decided: Iterable[Claim], rate: PolicyRate) -> Iterator[ValidationIssue]:
    """Objects when the newest decision contradicts the rate in force.

    A rate that was set before the decision may simply not have been replaced yet.
    """
    newest = max(decided, key=lambda claim: claim.as_of, default=None)
    if newest is None or rate.rate is None or rate.since is None:
        return
    if newest.value != rate.rate and rate.since >= newest.as_of:
        yield _issue(IssueType.DECISION, "the decision contradicts the rate in force", newest)


def check_unit(claim: Claim) -> Iterator[ValidationIssue]:
    """Objects when a claim is counted in something its metric is not."""
    if UNITS[claim.metric] is not claim.unit:
        words = f"{claim.metric} is counted in {UNITS[claim.metric]}, not in {claim.unit}"
        yield _issue(IssueType.UNIT, words, claim)


def check_formula(
    claim: Claim, claims: Mapping[str, Claim], band: Band | None
) -> Iterator[ValidationIssue]:
    """Objects when a derived claim does not follow from its inputs."""
    try:
        expected = recompute(claim, claims, band)
    except InputsUnusable as error:
        yield _issue(IssueType.FORMULA, str(error), claim)
        return
    if expected is not None and expected != claim.value:
        yield _issue(IssueType.FORMULA, f"{claim.formula} of its inputs gives another value", claim)


def check_event_date(
    event: MarketEvent, first_day: date, last_day: date
) -> Iterator[ValidationIssue]:
    """Objects when an event lies outside the window; only a scheduled one may lie ahead of it."""
    ahead = event.event_type is EventType.SCHEDULED_DECISION
    latest = last_day + LOCAL_DAY if event.area else last_day
    if event.event_date < first_day or (event.event_date > latest and not ahead):
        day = print_full_day(event.event_date)
        yield _event_issue(IssueType.TIMING_ERROR, f"{day} is outside the window", event)


def check_references(event: MarketEvent, claims: Mapping[str, Claim]) -> Iterator[ValidationIssue]:
    """Objects when an event rests on, or its prose refers to, what nobody claims."""
    named = dict.fromkeys((*event.claims, *references(event.description)))
    unknown = [name for name in named if name not in claims]
    if unknown:
        words = f"nobody claims {', '.join(unknown)}"[:500]
        yield _event_issue(IssueType.REFERENCE, words, event)


def check_direction(event: MarketEvent, claims: Mapping[str, Claim]) -> Iterator[ValidationIssue]:
    """Objects when the verb after a pair's or a bank's name contradicts the sign of the figure.

    Only the subject of the figure counts: "USD/JPY rose" can be wrong, "the yen fell" cannot be
    told from it alone.
    """
    for metric, subject, rising, falling in (
        (Metric.MOVE, event.currency_pair, RISING, FALLING),
        (Metric.DECISION_CHANGE, event.central_bank, "raised|raises", "cut|cuts|lowered|lowers"),
    ):
        change = _change(event, metric, claims)
        if change is None or subject is None:
            continue
        for words, contradicts in ((rising, change <= 0), (falling, change >= 0)):
            if contradicts and re.search(
                rf"{re.escape(subject)} (\w+ly )?({words})\b", event.description
            ):
                yield _event_issue(
                    IssueType.DIRECTION, "the words contradict the sign of the figure", event
                )


def _change(event: MarketEvent, metric: Metric, claims: Mapping[str, Claim]) -> Decimal | None:
    rests_on = (claims[name] for name in event.claims if name in claims)
    return next((claim.value for claim in rests_on if claim.metric is metric), None)


REMEDIES: Final[Mapping[IssueType, str]] = {
    IssueType.VALUE: "take the source's figure",
    IssueType.STALE_DATA: "research the pair again",
    IssueType.UNIT: "state the figure in its unit",
    IssueType.FORMULA: "compute the figure from its inputs again",
    IssueType.TIMING_ERROR: "leave the event out or correct its date",
    IssueType.DECISION: "take the decision as the source records it",
    IssueType.DIRECTION: "correct the wording",
    IssueType.REFERENCE: "leave out what no claim supports",
}


def _issue(
    kind: IssueType, words: str, claim: Claim, severity: Severity = Severity.HIGH
) -> ValidationIssue:
    return ValidationIssue(
        issue_type=kind,
        severity=severity,
        description=f"{claim.claim_id}: {words}",
        claims=(claim.claim_id,),
        recommendation=REMEDIES[kind],
        confidence=1.0,
    )


def _event_issue(kind: IssueType, words: str, event: MarketEvent) -> ValidationIssue:
    return ValidationIssue(
        issue_type=kind,
        severity=Severity.MEDIUM if kind is IssueType.TIMING_ERROR else Severity.HIGH,
        description=f"{event.event_id}: {words}",
        claims=event.claims,
        recommendation=REMEDIES[kind],
        confidence=1.0,
    )
