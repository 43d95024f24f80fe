"""The checks of a validator. Each is a pure function of findings and evidence."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from desk.analytics.figures import print_full_day
from desk.analytics.units import UNITS
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import EventType, MarketEvent, Severity, ValidationIssue
from desk.contracts.findings.source_results import PolicyRate, Quote, RateDecision
from desk.contracts.findings.verdicts import ClaimCheck
from desk.contracts.markets import AreaCode, Band
from desk.trust.claims.recompute import InputsUnusable, at_precision_of, recompute
from desk.trust.prose import faults, references


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
    EVIDENCE = "evidence"
    BANK = "bank"
    CAUSE = "cause"
    OVERSTATED = "overstated"
    CONTRADICTION = "contradiction"
    JUDGEMENT = "judgement"
    """The last four are a reader's judgement. No code checks them."""


LOCAL_DAY: Final = timedelta(days=1)
"""How far a bank's calendar day can be ahead of the desk's."""


def check_last(claim: Claim, quote: Quote) -> Iterator[ValidationIssue]:
    """Objects if the last level differs from the source's, at the claim's precision, or is of
    another day."""
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
    """Objects if a policy rate differs from the source's."""
    if rate.rate is None:
        yield _issue(IssueType.VALUE, "the source has no policy rate for the area", claim)
    elif rate.rate != claim.value:
        yield _issue(IssueType.VALUE, "the policy rate is not the one that the source gives", claim)


def check_decision(claim: Claim, decisions: Iterable[RateDecision]) -> Iterator[ValidationIssue]:
    """Objects if a decision's rate or change is not in the source for this area and day."""
    recorded = [d for d in decisions if (d.area, d.decided_on) == (claim.subject, claim.as_of)]
    if not recorded:
        yield _issue(IssueType.DECISION, "the source has no decision of that day", claim)
        return
    decision = recorded[-1]
    expected = decision.rate if claim.metric is Metric.DECISION_RATE else decision.change
    if claim.value != expected:
        yield _issue(IssueType.DECISION, "the decision is not as the source records it", claim)


def check_rate_in_force(decided: Iterable[Claim], rate: PolicyRate) -> Iterator[ValidationIssue]:
    """Objects if the newest decision contradicts the rate in force.

    A rate set before the decision may not have been replaced yet.
    """
    newest = max(decided, key=lambda claim: claim.as_of, default=None)
    if newest is None or rate.rate is None or rate.since is None:
        return
    if newest.value != rate.rate and rate.since >= newest.as_of:
        yield _issue(IssueType.DECISION, "the decision contradicts the rate in force", newest)


def check_unit(claim: Claim) -> Iterator[ValidationIssue]:
    """Objects if a claim's unit is not one of its metric."""
    if UNITS[claim.metric] is not claim.unit:
        words = f"{claim.metric} is counted in {UNITS[claim.metric]}, not in {claim.unit}"
        yield _issue(IssueType.UNIT, words, claim)


def check_formula(
    claim: Claim, claims: Mapping[str, Claim], band: Band | None
) -> Iterator[ValidationIssue]:
    """Objects if a derived claim does not follow from its inputs."""
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
    """Objects if an event lies outside the window. Only a scheduled event may lie ahead of it."""
    ahead = event.event_type is EventType.SCHEDULED_DECISION
    latest = last_day + LOCAL_DAY if event.area else last_day
    if event.event_date < first_day or (event.event_date > latest and not ahead):
        day = print_full_day(event.event_date)
        yield _event_issue(IssueType.TIMING_ERROR, f"{day} is outside the window", event)


def check_references(event: MarketEvent, claims: Mapping[str, Claim]) -> Iterator[ValidationIssue]:
    """Objects if an event names a claim, or refers to one in its text, that does not exist."""
    named = dict.fromkeys((*event.claims, *references(event.description)))
    unknown = [name for name in named if name not in claims]
    if unknown:
        words = f"nobody claims {', '.join(unknown)}"[:500]
        yield _event_issue(IssueType.REFERENCE, words, event)


def check_direction(event: MarketEvent, claims: Mapping[str, Claim]) -> Iterator[ValidationIssue]:
    """Objects if a word of direction contradicts the sign of the figure after it, or if the form of
    a reference does not fit its figure."""
    for _, why in faults(event.description, claims):
        yield _event_issue(IssueType.DIRECTION, why, event)


def check_bank(
    event: MarketEvent, banks: Mapping[AreaCode, str], areas: Collection[AreaCode] = ()
) -> Iterator[ValidationIssue]:
    """Objects if an event names the wrong bank.

    That is: if it is attributed to another bank than its area's; if its text names another bank and
    not its own; or if its text names a bank that is neither of the market's `areas` nor of a claim
    that the event names or refers to. `banks` are the banks' names by area. An area that is not
    among them is not checked.
    """
    own = banks.get(event.area or "")
    if own is None:
        return
    if event.central_bank is not None and event.central_bank != own:
        words = f"the bank of {event.area} is {own}, not {event.central_bank}"
        yield _event_issue(IssueType.BANK, words, event)
    named = (*event.claims, *references(event.description))
    about = {event.area, *areas, *(name.partition(":")[0] for name in named)}
    strange = {bank for area, bank in banks.items() if area not in about} - {own}
    others = set(banks.values()) - {own}
    instead = set() if _is_named(own, event.description) else others
    if any(_is_named(bank, event.description) for bank in strange | instead):
        words = f"it names a bank that it is not about, and it is about {own}"
        yield _event_issue(IssueType.BANK, words, event)


def _is_named(name: str, prose: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", prose) is not None


def ledger_issue(claim: Claim, check: ClaimCheck, words: str) -> ValidationIssue:
    """Returns the issue for a claim that does not follow from its evidence."""
    return _issue(_LEDGER_ISSUES[check], words, claim)


_LEDGER_ISSUES: Final = {
    ClaimCheck.EVIDENCE: IssueType.EVIDENCE,
    ClaimCheck.UNIT: IssueType.UNIT,
    ClaimCheck.DATE: IssueType.STALE_DATA,
    ClaimCheck.VALUE: IssueType.VALUE,
    ClaimCheck.FORMULA: IssueType.FORMULA,
    ClaimCheck.SECOND_SOURCE: IssueType.VALUE,
    ClaimCheck.SERIES: IssueType.VALUE,
    ClaimCheck.CROSS_MARKET: IssueType.VALUE,
}

CHECKS: Final = {
    IssueType.VALUE: ClaimCheck.VALUE,
    IssueType.STALE_DATA: ClaimCheck.DATE,
    IssueType.UNIT: ClaimCheck.UNIT,
    IssueType.FORMULA: ClaimCheck.FORMULA,
    IssueType.DECISION: ClaimCheck.VALUE,
}
"""The kind of issue for each failed check of a claim."""


REMEDIES: Final[Mapping[IssueType, str]] = {
    IssueType.VALUE: "take the source's figure",
    IssueType.STALE_DATA: "research the pair again",
    IssueType.UNIT: "state the figure in its unit",
    IssueType.FORMULA: "compute the figure from its inputs again",
    IssueType.TIMING_ERROR: "leave the event out or correct its date",
    IssueType.DECISION: "take the decision as the source records it",
    IssueType.DIRECTION: "correct the wording",
    IssueType.REFERENCE: "leave out what no claim supports",
    IssueType.EVIDENCE: "name evidence that gives the figure",
    IssueType.BANK: "name the bank of the area",
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
