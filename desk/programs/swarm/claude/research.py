"""A specialist of a swarm, asked of Claude: what its tools measured, condensed to a few findings.

The desk asks its own questions first, and its claims stand. The model may ask further ones and take
up what they measured, by name and never by value. It writes the findings, says what in them speaks
against each other and what follows, and which way it leans. The leader reads that and nothing else,
so that it is held short.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Final, NamedTuple

from pydantic import Field, JsonValue, StringConstraints, ValidationError

from desk.agents.program import ModelTask
from desk.contracts.agents.tools import DataSource, SourceTier, ToolResult
from desk.contracts.base import Confidence, Contract, ShortText
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import MOST_SOURCES, Finding, ResearchResult
from desk.contracts.findings.source_results import Provenance, SourceResult
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.programs.claude.findings import (
    MOST_VIEWS,
    MOST_WARNINGS,
    Oddities,
    ProposedView,
    claim_line,
    found_in,
    odd,
    refuse,
    twice,
    view_faults,
    views_of,
)
from desk.programs.claude.news import short_id
from desk.programs.claude.prompts import prompt
from desk.programs.question.claude.knowledge_state import clipped, room_for
from desk.programs.swarm.claude.material import told_memories
from desk.trust.ledger import EvidenceUnusable, attributed, check_result, derive, verified_answer
from desk.trust.prose import references

NO_FIGURE: Final = "there is no such figure in the evidence it names"

OTHERWISE: Final = (
    "the claims have it, or what it is computed from, out of another answer that gives it otherwise"
)

LONGEST_ANSWERS: Final = 12_000
"""Characters of one answer: some 3,000 tokens."""

_AS_CLAIMS: Final = frozenset({"figures", "rates", "decisions"})

_SERIES: Final = frozenset(
    {"days", "values", "closes", "opens", "highs", "lows", "volumes", "averages"}
)

_LEFT_OUT: Final = _AS_CLAIMS | _SERIES | {"as_of", "source"}

RULES: Final = prompt("specialist")
"""What whoever looks at one side of a market is told besides, in a swarm and in an episode."""

MOST_FINDINGS: Final = 8

LONGEST_STATEMENT: Final = 700

MOST_SAYINGS: Final = 5

LONGEST_SAYING: Final = 400

MOST_FIGURES: Final = 40

MOST_CLAIMS: Final = 200
"""The bound of `ResearchResult.claims`."""

Topic = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]

Statement = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_STATEMENT)
]

Saying = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_SAYING)
]

Sayings = Annotated[tuple[Saying, ...], Field(max_length=MOST_SAYINGS)]


class ProposedFigure(Contract):
    """A measured figure that is to be a claim: the answer that gives it, and its name, which is the
    symbol and the metric with a colon between."""

    evidence: ShortText
    claim: ShortText


class NamedFigures(NamedTuple):
    """What became of the figures that a model named: claims, and what is wrong with the others."""

    claims: tuple[Claim, ...]
    faults: tuple[str, ...]


class ProposedFinding(Contract):
    """One thing that was found, how sure it is, and the claims and answers that it rests on."""

    topic: Topic
    statement: Statement
    confidence: Confidence
    claims: Annotated[tuple[ShortText, ...], Field(max_length=10)] = ()
    evidence: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()


class ProposedFindings(Contract):
    """The form of the model's answer."""

    figures: Annotated[tuple[ProposedFigure, ...], Field(max_length=MOST_FIGURES)] = ()
    findings: Annotated[tuple[ProposedFinding, ...], Field(max_length=MOST_FINDINGS)]
    contradictions: Sayings = ()
    recommendations: Sayings = ()
    views: Annotated[tuple[ProposedView, ...], Field(max_length=4)] = ()
    confidence: Confidence
    oddities: Oddities = ()


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """The objective, what is left to others, and what the desk has found so far, as JSON."""
    return json.dumps(told_part(request, base), ensure_ascii=False)


def told_part(request: TurnRequest, base: AgentResult | None) -> dict[str, JsonValue]:
    """What whoever looks at one side of a market is shown of it."""
    task, found = request.assignment, found_in(base)
    return {
        "objective": task.query.question if task.query else None,
        "your_part": task.instructions,
        "stands_in": task.agent is AgentId.RESERVE_SPECIALIST,
        "market": found.market,
        "kind": task.market.kind if task.market else None,
        "areas": list(task.market.areas) if task.market else [],
        "as_of": task.window.end.isoformat(),
        "most_calls_of_tools": task.limits.max_calls,
        "claims": [{**claim_line(claim)} for claim in found.claims],
        "answers": told_answers(request),
        "findings_of_the_desk": _told_findings(found),
        "missing": list(found.missing),
        "warnings": list(found.warnings),
        "recalled": told_memories(request),
    }


def _told_findings(found: ResearchResult) -> dict[str, JsonValue]:
    """The desk's own findings, which the model writes anew."""
    told = {"findings", "contradictions", "recommendations", "views", "confidence"}
    whole: dict[str, JsonValue] = found.model_dump(mode="json", include=told)
    return whole


def told_answers(request: TurnRequest) -> list[JsonValue]:
    """The answers that something can rest on, each under the name by which it is referred to."""
    own = {
        result.evidence_id
        for exchange in request.exchanges
        if not exchange.said
        for result in exchange.results
    }
    answers = {n: answer for n, answer in usable(request).items() if answer.evidence_id in own}
    room = min(LONGEST_ANSWERS, room_for(len(answers)))
    return [
        {
            "evidence": short_id(answer),
            "tool": answer.call.tool,
            "content": clipped(_without_figures(answer.content), room),
        }
        for answer in answers.values()
    ]


def _without_figures(content: JsonValue) -> JsonValue:
    if not isinstance(content, dict):
        return content
    return {name: value for name, value in content.items() if value and name not in _LEFT_OUT}


def result(request: TurnRequest, base: AgentResult | None, text: str) -> ResearchResult:
    """The desk's claims and those that the model takes up, with its findings and views over them.

    Raises:
        ValidationError: the answer does not have its form.
        ValueError: it names a figure, a claim, an answer or a subject that is not there, a finding
            rests on nothing, or a sentence says otherwise than its claim.
    """
    found, proposed = found_in(base), ProposedFindings.model_validate_json(text)
    before = {claim.claim_id: claim for claim in reversed(found.claims)}
    taken = taken_up(request, proposed.figures, before)
    known = {**before, **{claim.claim_id: claim for claim in taken.claims}}
    refuse((*taken.faults, *_faults(request, proposed, known)))
    findings = tuple(_findings(request, proposed, known))
    return found.model_copy(
        update={
            "claims": (*found.claims, *taken.claims)[:MOST_CLAIMS],
            "findings": findings,
            "contradictions": proposed.contradictions,
            "recommendations": proposed.recommendations,
            "views": views_of(found, proposed.views)[:MOST_VIEWS],
            "sources": _sources(request, found, taken, findings),
            "warnings": (*found.warnings, *odd(proposed.oddities))[:MOST_WARNINGS],
            "confidence": proposed.confidence,
        }
    )


def _faults(
    request: TurnRequest, proposed: ProposedFindings, known: Mapping[str, Claim]
) -> Iterator[str]:
    """What does not hold: where, and not in the model's words, which could end up in a report."""
    answers = usable(request)
    if known and not proposed.findings:
        yield "findings: there are claims, and nothing is said of them"
    for place, finding in enumerate(proposed.findings):
        if not known.keys() >= set(finding.claims):
            yield f"findings.{place}: it rests on what is not among the claims"
        if not answers.keys() >= set(finding.evidence):
            yield f"findings.{place}: there is no answer by a name in its evidence"
        if not (finding.claims or finding.evidence or references(finding.statement)):
            yield f"findings.{place}: it rests on nothing: name claims or evidence"
    yield from twice("findings", [finding.statement for finding in proposed.findings])
    yield from twice("views", [(view.kind, view.subject) for view in proposed.views])
    for place, view in enumerate(proposed.views):
        yield from (f"views.{place}: {told}" for told in view_faults(request, view, known))


def _findings(
    request: TurnRequest, proposed: ProposedFindings, known: Mapping[str, Claim]
) -> Iterator[Finding]:
    """The findings, with all claims that they name or refer to."""
    answers = usable(request)
    for line in proposed.findings:
        named = dict.fromkeys((*line.claims, *references(line.statement)))
        yield Finding(
            topic=line.topic,
            statement=line.statement,
            confidence=line.confidence,
            claims=tuple(name for name in named if name in known)[:20],
            evidence=tuple(answers[name].evidence_id for name in dict.fromkeys(line.evidence)),
        )


def _sources(
    request: TurnRequest, found: ResearchResult, taken: NamedFigures, findings: Iterable[Finding]
) -> tuple[DataSource, ...]:
    """The desk's sources, and those that the model found besides."""
    rested_on = [name for claim in taken.claims for name in claim.evidence]
    rested_on += [name for finding in findings for name in finding.evidence]
    return tuple(sources_with(found.sources, rested_on, request))[:MOST_SOURCES]


def taken_up(
    request: TurnRequest, proposed: Iterable[ProposedFigure], known: Mapping[str, Claim]
) -> NamedFigures:
    """The figures that are named, as claims that rest on the answers they are named in, with those
    that they are computed from. One that is `known` already stays as it is."""
    given = {name: _given(request, answer) for name, answer in usable(request).items()}
    claims: dict[str, Claim] = {}
    faults: list[str] = []
    for place, line in enumerate(proposed):
        named = _with_inputs(line.claim, given.get(line.evidence, {}))
        if not named:
            faults.append(f"figures.{place}: {NO_FIGURE}")
        elif all(_agrees(claim, {**claims, **known}) for claim in named):
            claims |= {claim.claim_id: claim for claim in named if claim.claim_id not in known}
        else:
            faults.append(f"figures.{place}: {OTHERWISE}")
    return NamedFigures(tuple(claims.values()), tuple(faults))


def _given(request: TurnRequest, answer: ToolResult) -> dict[str, Claim]:
    """The figures of an answer by name; none where it has another form or was not asked for."""
    task = request.assignment
    specs = {market.market: market for market in (*request.markets, task.market) if market}
    try:
        read = verified_answer(answer, task.window)
        claims = derive(read, specs, task.window, answer.evidence_id) if read else ()
    except EvidenceUnusable:
        return {}
    return {claim.claim_id: claim for claim in reversed(claims)}


def _with_inputs(name: str, given: Mapping[str, Claim]) -> tuple[Claim, ...]:
    """A figure of an answer behind those that it is computed from; nothing where it is not there.

    An input that the answer does not give is not taken: the ledger looks for it elsewhere.
    """
    if name not in given:
        return ()
    inputs = (claim for each in given[name].inputs for claim in _with_inputs(each, given))
    return tuple(dict.fromkeys((*inputs, given[name])))


def _agrees(claim: Claim, others: Mapping[str, Claim]) -> bool:
    """Whether no claim of the same name has another value or another day."""
    before = others.get(claim.claim_id, claim)
    return (before.value, before.as_of) == (claim.value, claim.as_of)


def usable(request: TurnRequest) -> dict[str, ToolResult]:
    """The answers that something can rest on, by the names that a model knows them by: unchanged,
    and of the task's as-of instant."""
    return {short_id(answer): answer for answer in request.results if _is_usable(request, answer)}


def _is_usable(request: TurnRequest, answer: ToolResult) -> bool:
    try:
        check_result(answer, request.assignment.window)
    except EvidenceUnusable:
        return False
    return True


def sources_with(
    sources: Iterable[DataSource], evidence: Iterable[str], request: TurnRequest
) -> Iterator[DataSource]:
    """The sources, and those of further answers that something rests on, by their full names."""
    listed = tuple(sources)
    yield from listed
    wanted = set(evidence) - {source.evidence_id for source in listed}
    for answer in request.results:
        if answer.evidence_id in wanted:
            yield attributed(answer, _published_by(answer))


def _published_by(answer: ToolResult) -> Provenance:
    """Who published an answer; the tool itself where it does not say."""
    try:
        return SourceResult.model_validate(answer.content).source
    except ValidationError:
        name = f"{answer.call.server}.{answer.call.tool}"
        return Provenance(name=name[:200], tier=SourceTier.SECONDARY)


def _texts(proposed: ProposedFindings) -> Iterator[tuple[str, str]]:
    """The prose, each text with its place."""
    for place, finding in enumerate(proposed.findings):
        yield f"findings.{place}.statement", finding.statement
    yield from _numbered("contradictions", proposed.contradictions)
    yield from _numbered("recommendations", proposed.recommendations)


def _numbered(kind: str, texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((f"{kind}.{place}", text) for place, text in enumerate(texts))


def _task(field: str) -> ModelTask:
    """Where a specialist stands, which the reserve is told as well, and about its own field."""
    prompts = (prompt("swarm_specialist"), RULES, prompt(field))
    return ModelTask(prompts, ProposedFindings, material, result)


CONDITIONS: Final = _task("swarm_conditions")

TECHNICALS: Final = _task("swarm_technicals")

FUNDAMENTALS: Final = _task("swarm_fundamentals")

SENTIMENT: Final = _task("swarm_sentiment")

PATTERNS: Final = _task("swarm_patterns")
