"""The validator, asked of Claude: what else speaks against the findings on a market.

The verdicts on the claims are the desk's: they follow from recomputing and from the sources. The
model reads what was written over them and may object; it can neither verify nor reject a figure.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from desk.agents.program import ModelTask
from desk.contracts.base import Confidence, Contract, ShortText
from desk.contracts.findings.results import Correction, Severity, ValidationIssue, ValidationResult
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.programs.claude.findings import claim_line
from desk.programs.claude.news import Prose
from desk.programs.claude.prompts import prompt
from desk.trust.claims.banks import BANKS
from desk.trust.judging import ObjectionGrounds, recommendation_of, settled_by
from desk.trust.judging.checks import IssueType

MOST_ISSUES: Final = 50
HOLDS: Final[Mapping[IssueType, str]] = {
    IssueType.VALUE: "value",
    IssueType.DIRECTION: "direction",
    IssueType.TIMING_ERROR: "day",
    IssueType.BANK: "area",
}
"""Which field of `holds` an objection of each kind that the evidence can settle has."""


class ProposedIssue(Contract):
    """An objection to what a finding says: to claims, to an event by its id, or to both.

    `holds` is what is true instead, for the kinds that the evidence can settle: the `value` of the
    one claim, the `direction` in which it went, the `day` of the event, the `area` of its bank.
    """

    type: Literal[
        IssueType.VALUE,
        IssueType.DIRECTION,
        IssueType.TIMING_ERROR,
        IssueType.BANK,
        IssueType.CAUSE,
        IssueType.OVERSTATED,
        IssueType.CONTRADICTION,
        IssueType.JUDGEMENT,
    ] = IssueType.JUDGEMENT
    severity: Severity
    description: Prose
    claims: Annotated[tuple[ShortText, ...], Field(max_length=20)] = ()
    event: ShortText | None = None
    holds: Correction | None = None
    recommendation: Prose
    confidence: Confidence

    @model_validator(mode="after")
    def _says_what_is_true_instead(self) -> Self:
        given = [n for n, value in (self.holds or Correction()) if value is not None]
        wanted = [HOLDS[self.type]] if self.type in HOLDS else []
        if given != wanted:
            told = f"holds.{wanted[0]} and nothing else" if wanted else "no holds"
            raise ValueError(f"an objection of type {self.type} has {told}")
        return self

    def issue(self) -> ValidationIssue:
        """The objection as the desk keeps it."""
        return ValidationIssue(issue_type=self.type, **self.model_dump(exclude={"type"}))


class ProposedValidation(Contract):
    """The form of the model's answer."""

    issues: Annotated[tuple[ProposedIssue, ...], Field(max_length=10)] = ()
    confidence: Confidence


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """The findings and the desk's verdicts on them, as JSON."""
    found = _found(base)
    verdicts = {verdict.claim_id: verdict for verdict in found.verdicts}
    claims = {claim.claim_id: claim for f in request.findings for claim in f.claims}
    return json.dumps(
        {
            "week": request.assignment.week,
            "as_of": request.assignment.window.end.isoformat(),
            "market": found.market,
            "claims": [
                {**claim_line(claim), "verdict": verdicts[name].status, "why": verdicts[name].words}
                for name, claim in claims.items()
                if name in verdicts
            ],
            "findings": [
                {
                    "agent": finding.agent,
                    "events": [
                        {
                            "event_id": event.event_id,
                            "day": event.event_date.isoformat(),
                            "description": event.description,
                            "impact": event.impact,
                        }
                        for event in finding.events
                    ],
                    "views": [view.model_dump(mode="json") for view in finding.views],
                    "warnings": finding.warnings,
                    "missing": finding.missing,
                }
                for finding in request.findings
            ],
            "issues": [
                {"type": issue.issue_type, "description": issue.description}
                for issue in found.issues
            ],
        },
        ensure_ascii=False,
    )


def result(request: TurnRequest, base: AgentResult | None, text: str) -> ValidationResult:
    """The desk's verdict with the model's objections; never surer than either of the two.

    Raises:
        ValidationError: the answer does not have its form.
        ValueError: it names a claim or an event that is not there.
    """
    found, proposed = _found(base), ProposedValidation.model_validate_json(text)
    claims = {claim.claim_id: claim for f in request.findings for claim in f.claims}
    events = {event.event_id: event for f in request.findings for event in f.events}
    strange = [
        f"issues.{place}"
        for place, issue in enumerate(proposed.issues)
        if not claims.keys() >= set(issue.claims) or issue.event not in (None, *events)
    ]
    if strange:
        raise ValueError(f"{', '.join(strange)}: it is about what is not among the findings")
    issues = (*found.issues, *(issue.issue() for issue in proposed.issues))[:MOST_ISSUES]
    contested = {v.claim_id for v in found.verdicts if v.status is ClaimStatus.CONTESTED}
    fallen = {v.claim_id for v in found.verdicts if v.status is ClaimStatus.REJECTED}
    sound = {name: claim for name, claim in claims.items() if name not in fallen}
    grounds = ObjectionGrounds(sound, events, BANKS, contested=contested)
    return found.model_copy(
        update={
            "issues": issues,
            "recommendation": recommendation_of(
                {verdict.status for verdict in found.verdicts},
                ((issue.severity, settled_by(issue, grounds).outcome) for issue in issues),
                undecided=any(not conflict.resolved for conflict in found.conflicts),
            ),
            "confidence": min(found.confidence, proposed.confidence),
        }
    )


def _found(base: AgentResult | None) -> ValidationResult:
    if not isinstance(base, ValidationResult):
        raise ValueError("there is no verdict to write about")
    return base


TASK: Final = ModelTask((prompt("validation"),), ProposedValidation, material, result)
