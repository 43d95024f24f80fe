"""A validator's objections as a report prints them, and what they take out of it."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import (
    MarketEvent,
    ObjectionOutcome,
    ResearchResult,
    ValidationIssue,
)
from desk.contracts.findings.verdicts import ClaimStatus, ClaimVerdict, DroppedSentence
from desk.contracts.markets import AreaCode
from desk.contracts.week.report import MarketOutcome, ReportedObjection
from desk.trust.judging.objections import Grounds, is_about, settled_by, withholds
from desk.trust.prose.prose import clip, render

WHY = {
    ObjectionOutcome.CONFIRMED: "the evidence confirms an objection to it",
    ObjectionOutcome.UNSETTLED: "a critical objection to it is not settled by evidence",
}


class Heard(NamedTuple):
    """An outcome without the events that an objection takes out, and the reason for each."""

    outcome: MarketOutcome
    dropped: tuple[DroppedSentence, ...]


def grounds_of(
    outcome: MarketOutcome,
    claims: Mapping[str, Claim],
    verdicts: Iterable[ClaimVerdict],
    banks: Mapping[AreaCode, str],
    areas: Collection[AreaCode],
) -> Grounds:
    """What the objections to a market's findings are held against: the claims that its prose may
    refer to, and its events."""
    contested = {v.claim_id for v in verdicts if v.status is ClaimStatus.CONTESTED}
    events = {event.event_id: event for result in outcome.results for event in result.events}
    return Grounds(claims, events, banks, areas, contested)


def without_objected(outcome: MarketOutcome, grounds: Grounds) -> Heard:
    """The outcome without the events against which an objection holds that withholds them."""
    standing = [
        (issue, settled.outcome)
        for issue in (outcome.validation.issues if outcome.validation else ())
        if withholds(issue.severity, (settled := settled_by(issue, grounds)).outcome)
    ]
    if not standing:
        return Heard(outcome, ())
    results = tuple(_without(result, standing) for result in outcome.results)
    left = {event.event_id for result in results for event in result.events}
    dropped = tuple(
        DroppedSentence(place=event_id, reason=WHY[_against(event, standing)])
        for event_id, event in grounds.events.items()
        if event_id not in left
    )
    return Heard(outcome.model_copy(update={"results": results}), dropped)


def objections_of(outcome: MarketOutcome, grounds: Grounds) -> tuple[ReportedObjection, ...]:
    """Every objection whose words may be printed, with what became of it, in the order raised."""
    issues = outcome.validation.issues if outcome.validation else ()
    return tuple(_reported(issue, grounds) for issue in dict.fromkeys(issues))


def _reported(issue: ValidationIssue, grounds: Grounds) -> ReportedObjection:
    fields = {name: getattr(issue, name) for name in ValidationIssue.model_fields}
    return ReportedObjection(
        **fields,
        **settled_by(issue, grounds)._asdict(),
        text=clip(render(issue.description, grounds.claims)),
    )


_Standing = list[tuple[ValidationIssue, ObjectionOutcome]]


def _without(result: ResearchResult, standing: _Standing) -> ResearchResult:
    kept = tuple(
        event for event in result.events if not any(is_about(issue, event) for issue, _ in standing)
    )
    return result.model_copy(update={"events": kept})


def _against(event: MarketEvent, standing: _Standing) -> ObjectionOutcome:
    return next(outcome for issue, outcome in standing if is_about(issue, event))
