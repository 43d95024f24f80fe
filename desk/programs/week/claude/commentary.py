"""The product manager, asked of Claude: a few sentences over the claims of a week."""

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Final

from pydantic import Field, StringConstraints

from desk.agents.program import ModelTask
from desk.analytics.prices.series import window_days
from desk.contracts.base import Contract
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import (
    Commentary,
    EventType,
    Impact,
    ObjectionOutcome,
    ValidationResult,
)
from desk.contracts.markets import MarketKind
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.programs.claude.figures import told_claims
from desk.programs.claude.prompts import prompt
from desk.trust.claims.banks import BANKS
from desk.trust.claims.week_counts import week_counts
from desk.trust.judging import ObjectionGrounds, settled_by
from desk.trust.prose import references

LONGEST_SENTENCE: Final = 600
Sentence = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_SENTENCE)
]
TOLD: Final = (Impact.HIGH, Impact.MEDIUM)


class ProposedCommentary(Contract):
    """The form of the model's answer."""

    sentences: Annotated[
        tuple[Sentence, ...],
        Field(min_length=1, max_length=12),
    ]


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """What the markets brought that matters, as JSON: events with the claims that they refer to,
    how the groups fared, the markets that were quiet, what lies ahead, and what the validators
    objected to."""
    told = {
        "week": request.assignment.week,
        "as_of": request.assignment.window.end.isoformat(),
        "events": list(_events(request)),
        "findings": list(_findings(request)),
        "groups": _groups(request),
        "counts": told_claims(_counts(request)),
        "quiet": list(_quiet(request)),
        "ahead": list(_ahead(request)),
        "objections": list(_objections(request)),
    }
    return json.dumps({n: value for n, value in told.items() if value}, ensure_ascii=False)


def is_worth_it(request: TurnRequest, base: AgentResult | None) -> bool:
    """Whether a week brought anything to write of: something that matters, or a decision ahead."""
    return any(True for _ in _events(request)) or any(True for _ in _ahead(request))


def result(request: TurnRequest, base: AgentResult | None, text: str) -> Commentary:
    """The sentences as they are; the figure gate reads them next.

    Raises:
        ValidationError: the answer does not have its form.
    """
    proposed = ProposedCommentary.model_validate_json(text)
    return Commentary(task_id=request.assignment.task_id, sentences=proposed.sentences)


def _events(request: TurnRequest) -> Iterator[dict[str, object]]:
    for finding in request.findings:
        claims = {claim.claim_id: claim for claim in finding.claims}
        for event in finding.events:
            if event.impact in TOLD and event.event_type is not EventType.SCHEDULED_DECISION:
                yield {
                    "market": event.market,
                    "type": event.event_type,
                    "day": event.event_date.isoformat(),
                    "impact": event.impact,
                    "description": event.description,
                    "claims": told_claims(_cited(event.description, claims)),
                }


def _findings(request: TurnRequest) -> Iterator[dict[str, object]]:
    """What the agents found that is no event."""
    for finding in request.findings:
        claims = {claim.claim_id: claim for claim in finding.claims}
        for each in finding.findings:
            yield {
                "market": finding.market,
                "statement": each.statement,
                "claims": told_claims(_cited(each.statement, claims)),
            }


def _groups(request: TurnRequest) -> dict[str, list[str]]:
    """The pairs by group: the policy rates' areas are in their banks' events."""
    groups: dict[str, list[str]] = {}
    for spec in request.markets:
        if spec.kind is MarketKind.PAIR:
            groups.setdefault(spec.group, []).append(spec.market)
    return groups


def _counts(request: TurnRequest) -> Iterable[Claim]:
    """What the claims of the week come to when they are counted, over all markets and by group."""
    claims = {claim.claim_id: claim for finding in request.findings for claim in finding.claims}
    first_day, _ = window_days(request.assignment.window)
    return week_counts(claims, request.markets, first_day).values()


def _quiet(request: TurnRequest) -> Iterator[dict[str, object]]:
    """The pairs on which nothing happened that matters, with their moves."""
    loud = {event["market"] for event in _events(request)}
    for finding in request.findings:
        moves = [
            claim
            for claim in finding.claims
            if claim.metric is Metric.MOVE and claim.subject == finding.market
        ]
        if moves and finding.market not in loud:
            yield {"market": finding.market, "claims": told_claims(moves[:1])}


def _ahead(request: TurnRequest) -> Iterator[dict[str, object]]:
    """The decisions that lie ahead, each once and in their order."""
    scheduled = {
        (event.event_date, event.area): event
        for finding in request.findings
        for event in finding.events
        if event.event_type is EventType.SCHEDULED_DECISION
        and event.event_date >= request.assignment.window.end.date()
    }
    for (day, area), event in sorted(scheduled.items(), key=lambda item: item[0][0]):
        yield {"day": day.isoformat(), "area": area, "bank": event.central_bank}


def _objections(request: TurnRequest) -> Iterator[dict[str, object]]:
    """What the validators objected to and the evidence does not disprove."""
    events = {e.event_id: e for finding in request.findings for e in finding.events}
    claims = {c.claim_id: c for finding in request.findings for c in finding.claims}
    grounds = ObjectionGrounds(claims, events, BANKS)
    for entry in request.state:
        if not isinstance(entry.result, ValidationResult):
            continue
        for issue in entry.result.issues:
            settled = settled_by(issue, grounds)
            if settled.outcome is not ObjectionOutcome.DISPROVED:
                yield {
                    "market": entry.result.market,
                    "event": issue.event,
                    "severity": issue.severity,
                    "is": settled.outcome,
                    "objection": issue.description,
                }


def _cited(prose: str, claims: dict[str, Claim]) -> Iterator[Claim]:
    return (claims[name] for name in dict.fromkeys(references(prose)) if name in claims)


TASK: Final = ModelTask(
    (prompt("commentary"),), ProposedCommentary, material, result, is_worth_it=is_worth_it
)
