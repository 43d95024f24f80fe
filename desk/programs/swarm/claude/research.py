"""A specialist of a swarm as a model: what its tools measured, condensed to a few findings.

The desk makes its own calls first, and the model's result includes their claims. The model may make
further calls. What they measured becomes a claim when the model refers to it, by name and not by
value. It writes the findings, their contradictions, what follows, and its view. The leader reads
only that, so it must be short.
"""

import json
from collections.abc import Iterator
from typing import Annotated, Final

from pydantic import Field, JsonValue, StringConstraints

from desk.agents.program import ModelTask
from desk.contracts.agents.tools import ToolResult
from desk.contracts.base import Confidence, Contract
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import MOST_SOURCES, ResearchResult
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.programs.claude.answers import has_any_answer, own_months
from desk.programs.claude.figures import Figures, claims_for_model, figures_of
from desk.programs.claude.findings import (
    MOST_WARNINGS,
    Oddities,
    ProposedFinding,
    ProposedView,
    Unread,
    calls_without_answer,
    checked,
    contrary_views,
    finding_faults,
    findings_of,
    found_in,
    odd,
    sources_with,
    still_missing,
    unread_in,
    usable,
    views_faults,
    views_of,
)
from desk.programs.claude.news import short_id
from desk.programs.claude.prompts import prompt
from desk.programs.question.claude.knowledge_state import clipped, room_for
from desk.programs.swarm.claude.material import memories_for_model
from desk.programs.swarm.tasks import first_asked
from desk.trust.prose import references

LONGEST_ANSWERS: Final = 12_000
"""Characters of one answer: about 3,000 tokens."""

_AS_CLAIMS: Final = frozenset({"figures", "rates", "decisions"})

_SERIES: Final = frozenset(
    {"days", "values", "closes", "opens", "highs", "lows", "volumes", "averages"}
)

_LEFT_OUT: Final = _AS_CLAIMS | _SERIES | {"as_of", "source", "missing"}
"""Fields of an answer that are omitted; what is missing is listed for all answers together."""

RULES: Final = prompt("specialist")
"""Further rules for an agent that researches one side of a market, in a swarm and in an episode."""

MOST_FINDINGS: Final = 8

MOST_MISSING: Final = 20

MOST_SAYINGS: Final = 5

LONGEST_SAYING: Final = 400

MOST_CLAIMS: Final = 200
"""The limit of `ResearchResult.claims`."""

Saying = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_SAYING)
]

Sayings = Annotated[tuple[Saying, ...], Field(max_length=MOST_SAYINGS)]


class ProposedFindings(Contract):
    """The form of the model's answer."""

    findings: Annotated[tuple[ProposedFinding, ...], Field(max_length=MOST_FINDINGS)]
    contradictions: Sayings = ()
    recommendations: Sayings = ()
    views: Annotated[tuple[ProposedView, ...], Field(max_length=4)] = ()
    confidence: Confidence
    unread: Unread = ()
    oddities: Oddities = ()


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """Returns the objective, what is left to others, and what the desk has found so far, as
    JSON."""
    return json.dumps(part_for_model(request, base), ensure_ascii=False)


def is_worth_it(request: TurnRequest, base: AgentResult | None) -> bool:
    """Returns whether the desk's own calls returned anything to write about."""
    return bool(found_in(base).claims) or has_any_answer(request)


def part_for_model(request: TurnRequest, base: AgentResult | None) -> dict[str, JsonValue]:
    """Returns the material for an agent that researches one side of a market."""
    task, found = request.assignment, found_in(base)
    return {
        "objective": first_asked(task.query.question) if task.query else None,
        "your_part": task.instructions,
        "stands_in": task.agent is AgentId.RESERVE_SPECIALIST or None,
        "market": found.market,
        "kind": task.market.kind if task.market else None,
        "areas": list(task.market.areas) if task.market else [],
        "as_of": task.window.end.isoformat(),
        "calls_left": calls_left(request) if request.tools else None,
        "claims": {**claims_for_model(_own_first(found), own_months(request))},
        "answers": answers_for_model(request),
        "findings_of_the_desk": _findings_for_model(found),
        "missing": list(found.missing),
        "warnings": list(found.warnings),
        "recalled": memories_for_model(request),
    }


def calls_left(request: TurnRequest) -> int | None:
    """Returns how many tool calls a model may make after the desk's own; None without a limit. It
    is the same at every turn, as all of the material is."""
    most = request.assignment.limits.max_calls
    own = (each for each in request.exchanges if not each.said)
    return None if most is None else max(0, most - sum(len(each.results) for each in own))


def _findings_for_model(found: ResearchResult) -> dict[str, JsonValue]:
    """Returns the desk's own findings, which the model rewrites. Their words name their claims."""
    told = {"findings", "contradictions", "recommendations", "views", "confidence"}
    named = {"findings": {"__all__": {"claims"}}, "views": {"__all__": {"claims"}}}
    whole: dict[str, JsonValue] = found.model_dump(
        mode="json", include=told, exclude=named, exclude_defaults=True
    )
    return whole


def answers_for_model(request: TurnRequest) -> list[JsonValue]:
    """Returns the answers that can serve as evidence, each with the name by which it is referred
    to."""
    own = {
        result.evidence_id
        for exchange in request.exchanges
        if not exchange.said
        for result in exchange.results
    }
    answers = {n: answer for n, answer in usable(request).items() if answer.evidence_id in own}
    room = min(LONGEST_ANSWERS, room_for(len(answers)))
    methods: dict[str, str] = {}
    return [
        {
            "evidence": short_id(answer),
            "tool": answer.call.tool,
            "content": clipped(_with_method_once(answer, methods), room),
        }
        for answer in answers.values()
        if _without_figures(answer.content)
    ]


def _with_method_once(answer: ToolResult, methods: dict[str, str]) -> JsonValue:
    """Returns an answer without the method text that an earlier answer already has, which it refers
    to by name."""
    content = _without_figures(answer.content)
    method = content.get("method") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(method, str):
        return content
    first = methods.setdefault(method, short_id(answer))
    return content if first == short_id(answer) else {**content, "method": f"as in {first}"}


def _without_figures(content: JsonValue) -> JsonValue:
    if not isinstance(content, dict):
        return content
    return {name: value for name, value in content.items() if value and name not in _LEFT_OUT}


def _own_first(found: ResearchResult) -> list[Claim]:
    """Returns the claims of a result, those on its own market first."""
    return sorted(found.claims, key=lambda claim: claim.subject != found.market)


def result(request: TurnRequest, base: AgentResult | None, text: str) -> ResearchResult:
    """Returns the desk's claims and the others that the model refers to, with its findings and
    views over them.

    Raises:
        ValidationError: the answer does not match its schema.
        Refused: it names an unknown claim, answer or subject, or a finding has no evidence.
    """
    found, proposed = found_in(base), ProposedFindings.model_validate_json(text)
    figures = figures_of(request, found, text)

    def make() -> ResearchResult:
        taken = figures.taken(_named(proposed))
        findings = tuple(findings_of(request, proposed.findings, figures))
        rested_on = [name for claim in taken for name in claim.evidence]
        rested_on += [name for finding in findings for name in finding.evidence]
        missing = (
            *still_missing(request, found.missing),
            *unread_in(proposed.unread),
            *calls_without_answer(request),
        )
        return found.model_copy(
            update={
                "claims": (*found.claims, *taken)[:MOST_CLAIMS],
                "findings": findings,
                "contradictions": proposed.contradictions,
                "recommendations": proposed.recommendations,
                "views": views_of(found, proposed.views, figures),
                "sources": tuple(sources_with(found.sources, rested_on, request))[:MOST_SOURCES],
                "missing": missing[:MOST_MISSING],
                "warnings": (*found.warnings, *odd(proposed.oddities))[:MOST_WARNINGS],
                "confidence": proposed.confidence,
            }
        )

    return checked(_faults(request, found, proposed, figures), make)


def _named(proposed: ProposedFindings) -> Iterator[str]:
    """Yields the claims that the answer refers to."""
    for finding in proposed.findings:
        yield from (*finding.claims, *references(finding.statement))
    for saying in (*proposed.contradictions, *proposed.recommendations):
        yield from references(saying)
    for view in proposed.views:
        yield from view.claims


def _faults(
    request: TurnRequest, found: ResearchResult, proposed: ProposedFindings, figures: Figures
) -> Iterator[str]:
    """Yields what is wrong and where, without the model's words, which could end up in a report."""
    if figures.own and not proposed.findings:
        yield "findings: there are claims, and nothing is said of them"
    yield from finding_faults(request, proposed.findings, figures)
    yield from views_faults(request, proposed.views, figures)
    yield from contrary_views(found, proposed.views)


def _task(field: str) -> ModelTask:
    """Builds the model task of a specialist: the shared prompt, the rules that the reserve also
    gets, and the prompt of its field."""
    prompts = (prompt("swarm_specialist"), RULES, prompt(field))
    return ModelTask(prompts, ProposedFindings, material, result, is_worth_it=is_worth_it)


CONDITIONS: Final = _task("swarm_conditions")

TECHNICALS: Final = _task("swarm_technicals")

FUNDAMENTALS: Final = _task("swarm_fundamentals")

SENTIMENT: Final = _task("swarm_sentiment")

PATTERNS: Final = _task("swarm_patterns")
