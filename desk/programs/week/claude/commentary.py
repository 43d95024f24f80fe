"""The product manager, asked of Claude: a few sentences over the claims of a week."""

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Final

from pydantic import Field, StringConstraints

from desk.agents.program import ModelTask
from desk.contracts.base import Contract
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import Commentary, Impact
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.programs.claude.findings import claim_line
from desk.programs.claude.prompts import prompt
from desk.trust.claims.week_counts import week_counts
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
    """What the markets brought that matters, as JSON: events with the claims that they refer to."""
    return json.dumps(
        {
            "week": request.assignment.week,
            "as_of": request.assignment.window.end.isoformat(),
            "events": list(_events(request)),
            "counts": [claim_line(count) for count in _counts(request)],
        },
        ensure_ascii=False,
    )


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
            if event.impact in TOLD:
                yield {
                    "market": event.market,
                    "type": event.event_type,
                    "day": event.event_date.isoformat(),
                    "impact": event.impact,
                    "description": event.description,
                    "claims": [claim_line(claim) for claim in _cited(event.description, claims)],
                }


def _counts(request: TurnRequest) -> Iterable[Claim]:
    """What the claims of the week come to when they are counted."""
    claims = {claim.claim_id: claim for finding in request.findings for claim in finding.claims}
    return week_counts(claims).values()


def _cited(prose: str, claims: dict[str, Claim]) -> Iterator[Claim]:
    return (claims[name] for name in dict.fromkeys(references(prose)) if name in claims)


TASK: Final = ModelTask((prompt("commentary"),), ProposedCommentary, material, result)
