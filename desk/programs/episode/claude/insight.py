"""The insight agent of an episode as a task of Claude: what the figures on the blackboard point to.

The model writes the insights, with the direction and the strength of each. It has no tools: an
insight rests on figures that are on the blackboard, and refers to no others.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Annotated, Final

from pydantic import Field, JsonValue

from desk.agents.program import ModelTask
from desk.contracts.base import Confidence, Contract
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import Finding, Leaning, ResearchResult
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.programs.claude.figures import no_claim
from desk.programs.claude.findings import ClaimName, Statement, Topic, checked, duplicates, found_in
from desk.programs.claude.prompts import prompt
from desk.programs.episode.claude.board import (
    claims_on_board,
    episode_for_model,
    missing_besides,
    sources_behind,
)
from desk.programs.swarm.claude.research import Sayings
from desk.trust.prose import references, unbacked

MOST_INSIGHTS: Final = 12
MOST_CLAIMS: Final = 20
"""The limit of `Finding.claims`."""


class ProposedInsight(Contract):
    """What figures say, its direction and strength, and the claims that it rests on."""

    topic: Topic
    statement: Statement
    leaning: Leaning
    strength: Confidence
    claims: Annotated[tuple[ClaimName, ...], Field(max_length=10)] = ()


class ProposedInsights(Contract):
    """The form of the model's answer."""

    insights: Annotated[tuple[ProposedInsight, ...], Field(max_length=MOST_INSIGHTS)]
    contradictions: Sayings = ()
    confidence: Confidence


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """Formats the blackboard, the claims on it, the findings of each part's agent, and the desk's
    own insights, as JSON."""
    own = found_in(base)
    return json.dumps(
        {
            **episode_for_model(request),
            "missing": missing_besides(request, own.missing),
            "insights_of_the_desk": [_insight_for_model(finding) for finding in own.findings],
        },
        ensure_ascii=False,
    )


def result(request: TurnRequest, base: AgentResult | None, text: str) -> ResearchResult:
    """Returns the model's insights with the claims that they rest on; what is missing is the
    desk's.

    Raises:
        ValidationError: the answer does not have its form, or an insight has no leaning.
        ValueError: an insight rests on nothing on the blackboard or names an unknown claim,
            contradicts its claim, or has the topic of another.
    """
    own, proposed = found_in(base), ProposedInsights.model_validate_json(text)
    known = claims_on_board(request)

    def make() -> ResearchResult:
        findings = tuple(_findings(proposed.insights, known))
        claims = tuple(known[name] for name in _named(findings))
        return own.model_copy(
            update={
                "claims": claims,
                "sources": sources_behind(request, claims),
                "findings": findings,
                "contradictions": proposed.contradictions,
                "confidence": proposed.confidence,
            }
        )

    return checked(_faults(proposed, known), make)


def _insight_for_model(finding: Finding) -> JsonValue:
    """Formats an insight of the desk in the form of the model's insights."""
    return {
        "topic": finding.topic,
        "statement": finding.statement,
        "leaning": finding.leaning,
        "strength": finding.confidence,
        "claims": list(finding.claims),
    }


def _faults(proposed: ProposedInsights, known: Mapping[str, Claim]) -> Iterator[str]:
    """Yields what is wrong and where, without the model's words, which could end up in a report."""
    if known and not proposed.insights:
        yield "insights: there are figures on the blackboard, and nothing is said of them"
    for place, line in enumerate(proposed.insights):
        for number, name in enumerate(line.claims):
            if name not in known:
                yield f"insights.{place}.claims.{number}: {no_claim(name, known)}"
        if not rests_on(line, known):
            yield f"insights.{place}: it rests on nothing: name claims on the blackboard"
        if line.leaning is Leaning.ABSTAINS:
            yield f"insights.{place}.leaning: up, down or neutral; leave out what abstains"
        if unbacked(line.topic) or references(line.topic):
            yield f"insights.{place}.topic: it contains a figure or a reference"
    yield from duplicates("insights", [line.topic.casefold() for line in proposed.insights])


def rests_on(line: ProposedInsight, known: Collection[str]) -> tuple[str, ...]:
    """The known claims that an insight names or refers to, without duplicates."""
    named = dict.fromkeys((*line.claims, *references(line.statement)))
    return tuple(name for name in named if name in known)[:MOST_CLAIMS]


def _named(findings: Iterable[Finding]) -> Iterator[str]:
    """The claims that the insights rest on, without duplicates."""
    yield from dict.fromkeys(name for finding in findings for name in finding.claims)


def _findings(proposed: Iterable[ProposedInsight], known: Collection[str]) -> Iterator[Finding]:
    for line in proposed:
        yield Finding(
            topic=line.topic,
            statement=line.statement,
            confidence=line.strength,
            claims=rests_on(line, known),
            leaning=line.leaning,
        )


TASK: Final = ModelTask((prompt("stock_insight"),), ProposedInsights, material, result)
