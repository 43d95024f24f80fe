"""Settles objections by comparing their fields, not their words, with the claims and events that
they are about."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import (
    Leaning,
    MarketEvent,
    ObjectionOutcome,
    Severity,
    ValidationIssue,
)
from desk.contracts.findings.verdicts import NOTHING_AGAINST, ClaimStatus
from desk.contracts.markets import AreaCode
from desk.trust.judging.checks import IssueType, check_bank
from desk.trust.ledger.events import DECIDED, check_event_day, days_of
from desk.trust.prose import faults, is_change

CONFIRMED, DISPROVED, UNSETTLED = ObjectionOutcome
_SIDES: Final = {1: Leaning.UP, -1: Leaning.DOWN, 0: Leaning.NEUTRAL}
_GRAVE: Final = (Severity.HIGH, Severity.CRITICAL)


class Settled(NamedTuple):
    """The outcome of an objection, and its reason, in words without figures."""

    outcome: ObjectionOutcome
    reason: str


@dataclass(frozen=True, slots=True)
class ObjectionGrounds:
    """The data that objections on a market are compared with.

    `claims`, by id, follow from their evidence. `contested` are the ids on which sources disagree.
    `events` are by id, `banks` by area. `areas` are those of the market.
    """

    claims: Mapping[str, Claim]
    events: Mapping[str, MarketEvent]
    banks: Mapping[AreaCode, str] = field(default_factory=dict)
    areas: Collection[AreaCode] = ()
    contested: Collection[str] = ()


def settled_by(issue: ValidationIssue, grounds: ObjectionGrounds) -> Settled:
    """Settles an objection by the evidence. It is unsettled if no code can check its kind, or if
    the evidence does not decide it."""
    if issue.holds is None:
        if issue.issue_type in _BY_CODE:
            return Settled(CONFIRMED, "a check of the desk found it")
        return Settled(UNSETTLED, "evidence cannot settle an objection of this kind")
    settle = _CHECKS.get(issue.issue_type)
    found = settle(issue, grounds) if settle else None
    return found or Settled(UNSETTLED, "the evidence does not decide it")


def withholds(severity: Severity, outcome: ObjectionOutcome) -> bool:
    """Returns whether the subject of an objection must not be printed."""
    if outcome is CONFIRMED:
        return severity in _GRAVE
    return outcome is UNSETTLED and severity is Severity.CRITICAL


def _value(issue: ValidationIssue, grounds: ObjectionGrounds) -> Settled | None:
    if len(issue.claims) == 1 and issue.claims[0] not in grounds.claims:
        return Settled(CONFIRMED, "the figure does not stand")
    claim = _claim(issue, grounds)
    if claim is None or issue.holds is None or claim.claim_id in grounds.contested:
        return None
    if claim.value == issue.holds.value:
        return Settled(DISPROVED, "the figure is the one that the objection holds to be true")
    return Settled(DISPROVED, "the figure is the one that its evidence gives")


def _direction(issue: ValidationIssue, grounds: ObjectionGrounds) -> Settled | None:
    claim = _claim(issue, grounds)
    if claim is None or issue.holds is None or not is_change(claim):
        return None
    if claim.claim_id in grounds.contested or issue.holds.direction is Leaning.NEUTRAL:
        # Whether a change is small enough to count as none is a reader's judgement.
        return None
    if issue.holds.direction is not _side(claim):
        return Settled(DISPROVED, "by its sign the figure goes the other way")
    event = grounds.events.get(issue.event or "")
    if event is None:
        return None
    if any(found.name == claim.claim_id for found, _ in faults(event.description, grounds.claims)):
        return Settled(CONFIRMED, "the words before the figure contradict its sign")
    # A correct reference does not settle whether the words around it are right about the pair's
    # other currency.
    return None


def _day(issue: ValidationIssue, grounds: ObjectionGrounds) -> Settled | None:
    if issue.holds is None:
        return None
    event = grounds.events.get(issue.event or "")
    if event is None:
        own = _claim(issue, grounds)
        settled = Settled(DISPROVED, "the figure is of the day that its evidence gives")
        return settled if own and own.claim_id not in grounds.contested else None
    if event.event_date == issue.holds.day:
        return Settled(DISPROVED, "the event is told of the day that the objection holds")
    days = days_of(event, grounds.claims)
    if not days:
        return None
    if any(check_event_day(event, grounds.claims)):
        return Settled(CONFIRMED, "the figures that the event rests on are of another day")
    return Settled(DISPROVED, "the figures that the event rests on are of its day")


def _bank(issue: ValidationIssue, grounds: ObjectionGrounds) -> Settled | None:
    event = grounds.events.get(issue.event or "")
    if event is None or issue.holds is None:
        return None
    if any(check_bank(event, grounds.banks, grounds.areas)):
        return Settled(CONFIRMED, "the bank that is named is not that of the event's area")
    if event.area == issue.holds.area:
        return Settled(DISPROVED, "the event is of the bank that the objection holds")
    known = (grounds.claims.get(name) for name in event.claims)
    areas = {claim.subject for claim in known if claim and claim.metric in DECIDED}
    if areas == {event.area}:
        return Settled(DISPROVED, "the decisions that the event rests on are those of its bank")
    return Settled(CONFIRMED, "it rests on decisions of another bank") if areas else None


def _claim(issue: ValidationIssue, grounds: ObjectionGrounds) -> Claim | None:
    return grounds.claims.get(issue.claims[0]) if len(issue.claims) == 1 else None


def _side(claim: Claim) -> Leaning:
    return _SIDES[(claim.value > 0) - (claim.value < 0)]


_CHECKS: Final[Mapping[str, Callable[[ValidationIssue, ObjectionGrounds], Settled | None]]] = {
    IssueType.VALUE: _value,
    IssueType.DIRECTION: _direction,
    IssueType.TIMING_ERROR: _day,
    IssueType.BANK: _bank,
}

_BY_CODE: Final = frozenset(IssueType) - {
    IssueType.CAUSE,
    IssueType.OVERSTATED,
    IssueType.CONTRADICTION,
    IssueType.JUDGEMENT,
}


SettledObjection = tuple[Severity, ObjectionOutcome]
"""The severity of an objection, and how it was settled."""


def recommendation_of(
    statuses: Collection[ClaimStatus], objections: Iterable[SettledObjection], *, undecided: bool
) -> str:
    """Returns what to do with a market's findings, from the verdicts on claims, the objections, and
    whether a conflict is `undecided`.

    It never says that every figure agrees while an objection is not disproved.
    """
    standing = [
        objection for objection in objections if objection[1] is not ObjectionOutcome.DISPROVED
    ]
    withheld = [outcome for severity, outcome in standing if withholds(severity, outcome)]
    if undecided:
        return "A person has to decide the open conflict first."
    if ObjectionOutcome.CONFIRMED in withheld or ClaimStatus.REJECTED in statuses:
        return "Figures that failed a check are left out."
    if withheld:
        return "What the critical objections are about is left out."
    if ClaimStatus.CONTESTED in statuses:
        return "Sources disagree, and the dissent is noted."
    if standing:
        return "Objections stand, but no figure failed a check."
    if not statuses:
        return "There was no figure that a source could confirm."
    return NOTHING_AGAINST
