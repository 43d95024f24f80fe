"""The validator, asked of Claude: what else speaks against the findings on a market.

The verdicts on the claims are the desk's: they follow from recomputing and from the sources. The
model reads what was written over them and may object; it can neither verify nor reject a figure.
"""

import json
from typing import Annotated, Final

from pydantic import Field

from agents.claude.news import Prose
from agents.claude.research import claim_line
from contracts.base import Confidence, Contract, ShortText
from contracts.results import Severity, ValidationIssue, ValidationResult
from contracts.turns import AgentResult, TurnRequest

PROMPT: Final = "validation"
MOST_ISSUES: Final = 50
OF_JUDGEMENT: Final = "judgement"
"""The type of an objection that no check of the desk raised."""


class ProposedIssue(Contract):
    """An objection to what a finding says."""

    severity: Severity
    description: Prose
    claims: Annotated[tuple[ShortText, ...], Field(max_length=20)] = ()
    recommendation: Prose
    confidence: Confidence


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
        ValueError: it names a claim that is not there.
    """
    found, proposed = _found(base), ProposedValidation.model_validate_json(text)
    known = {claim.claim_id for finding in request.findings for claim in finding.claims}
    strange = [n for n, issue in enumerate(proposed.issues) if not known.issuperset(issue.claims)]
    if strange:
        places = ", ".join(f"issues.{place}" for place in strange)
        raise ValueError(f"{places}: it is about what is not among the claims")
    own = (
        ValidationIssue(issue_type=OF_JUDGEMENT, **issue.model_dump()) for issue in proposed.issues
    )
    return found.model_copy(
        update={
            "issues": (*found.issues, *own)[:MOST_ISSUES],
            "confidence": min(found.confidence, proposed.confidence),
        }
    )


def _found(base: AgentResult | None) -> ValidationResult:
    if not isinstance(base, ValidationResult):
        raise ValueError("there is no verdict to write about")
    return base
