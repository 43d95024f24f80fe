"""The material that models of a swarm get: findings, markets that they may name, and memories."""

from collections.abc import Iterable, Iterator
from typing import Final

from pydantic import JsonValue, ValidationError

from desk.analytics.names.markets import market_of_symbol
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tools import ToolResult, capability_of
from desk.contracts.episode.analysis import KnownSymbol, KnownSymbols
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import ConflictRecord, ResearchResult
from desk.contracts.markets import MarketSpec
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import StateEntry, SwarmContext, TurnRequest
from desk.contracts.swarm.plan import SwarmPlan
from desk.programs.claude.figures import claims_for_model
from desk.programs.swarm.objectives import line_asked
from desk.programs.swarm.objectives.matching import form_of
from desk.programs.swarm.tasks import asked_now, first_asked
from desk.trust.conflicts import dissent, surviving_claims
from desk.trust.ledger import EvidenceUnusable, check_result
from desk.trust.prose import claims_in, references

LEVELS: Final = (Metric.LAST, Metric.EXPECTED_LOW, Metric.EXPECTED_HIGH)
"""The metrics that a hypothesis on a market is compared with."""


ASKED_NOW: Final = "asked_now"

_OF_A_VIEW: Final = {"kind", "subject", "leaning", "confidence", "probability"}


def objective_for_model(request: TurnRequest) -> dict[str, JsonValue]:
    """Returns the original objective, what this round should find out if that differs, and the
    figure by which code decides it, if it can."""
    query = request.assignment.query
    if query is None:
        return {"objective": None}
    first, now, form = first_asked(query.question), asked_now(query.question), form_of(query).form
    return {
        "objective": first,
        **({ASKED_NOW: now} if now != first else {}),
        **(
            {"decided_by": line_asked(form, first, researched_or_found_markets(request))}
            if form
            else {}
        ),
    }


def measured_by(request: TurnRequest) -> str | None:
    """Returns the specialist with the figure that decides the objective."""
    query = request.assignment.query
    form = form_of(query).form if query else None
    return str(form.agents[0]) if form else None


def researched_or_found_markets(request: TurnRequest) -> list[str]:
    """Returns the markets that were researched, or else those found for the objective."""
    looked_at = dict.fromkeys(result.market for result in results_in(request))
    found = (symbol.symbol for symbol in _found(request, request.results))
    return [*looked_at] or [*dict.fromkeys(found)]


def results_in(context: SwarmContext) -> tuple[ResearchResult, ...]:
    """Returns the specialists' results, in the order of the state."""
    found = (entry.result for entry in context.state)
    return tuple(result for result in found if isinstance(result, ResearchResult))


def surviving(request: TurnRequest) -> dict[str, Claim]:
    """Returns the claims that survive the decided conflicts, by id."""
    return surviving_claims(results_in(request), request.conflicts)


def withheld(request: TurnRequest, texts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yields objections to references to figures on which sources disagree. Each text comes with
    its place."""
    fallen = claims_in(request.state).keys() - surviving(request).keys()
    for place, prose in texts:
        if fallen.intersection(references(prose)):
            yield f"{place}: it refers to a figure that is withheld because its sources disagree"


def surviving_claims_for_model(request: TurnRequest) -> dict[str, str]:
    """Returns the surviving claims that findings and views rest on, and the levels of each
    market."""
    stand, results = surviving(request), results_in(request)
    named = dict.fromkeys(
        (
            *(claim_id(result.market, metric) for result in results for metric in LEVELS),
            *(name for result in results for name in _named(result)),
            *(name for entry in request.state for name in _concluded(entry)),
        )
    )
    return claims_for_model(stand[name] for name in named if name in stand)


def findings_for_model(context: SwarmContext) -> list[JsonValue]:
    """Returns each specialist's result and what was concluded before; for one that failed, the
    reason."""
    return [told for entry in context.state if (told := _entry_for_model(entry)) is not None]


def conflicts_for_model(conflicts: Iterable[ConflictRecord]) -> list[JsonValue]:
    """Returns the conflicts between specialists, with the decision and the dissent on each."""
    return [
        {
            "market": conflict.market,
            "kind": conflict.kind,
            "holds": conflict.chosen,
            "decided_by": conflict.decided_by,
            "spread_of_confidence": conflict.spread,
            "resolution": conflict.resolution,
            "positions": [
                {
                    "agent": position.agent,
                    "claim": position.claim_id,
                    "holds_that": position.stated,
                    "confidence": position.confidence,
                    "dissents": position in dissent(conflict),
                }
                for position in conflict.positions
            ],
        }
        for conflict in conflicts
    ]


def _named(result: ResearchResult) -> Iterator[str]:
    """Yields the claims that a result's words rest on."""
    for finding in result.findings:
        yield from finding.claims
        yield from references(finding.statement)
    for view in result.views:
        yield from view.claims
    for saying in (*result.contradictions, *result.recommendations):
        yield from references(saying)


def _concluded(entry: StateEntry) -> tuple[str, ...]:
    """Returns the claims that the summary of an earlier conclusion refers to."""
    return references(entry.result.summary) if isinstance(entry.result, Synthesis) else ()


def _entry_for_model(entry: StateEntry) -> dict[str, JsonValue] | None:
    placed: dict[str, JsonValue] = {"subagent": entry.node}
    if entry.result is None:
        return {**placed, "error": entry.error}
    if isinstance(entry.result, Synthesis):
        further = entry.result.further
        reason = further.reason if further else None
        return {**placed, "concluded": entry.result.summary, "wanted_further_because": reason}
    if not isinstance(entry.result, ResearchResult):
        return None
    return {**placed, **_result_for_model(entry.result)}


def _result_for_model(result: ResearchResult) -> dict[str, JsonValue]:
    return {
        "agent": result.agent,
        "market": result.market,
        "confidence": result.confidence,
        "findings": [
            finding.model_dump(mode="json", include={"topic", "statement", "confidence"})
            for finding in result.findings
        ],
        "contradictions": list(result.contradictions),
        "recommendations": list(result.recommendations),
        "views": [view.model_dump(mode="json", include=_OF_A_VIEW) for view in result.views],
        "missing": list(result.missing),
        "warnings": list(result.warnings),
    }


def markets_known(request: TurnRequest) -> dict[str, MarketSpec]:
    """Returns every market that can be researched, by symbol: found for the objective, planned
    before, or covered by the desk."""
    planned = (
        spec.market
        for entry in request.state
        if isinstance(entry.result, SwarmPlan)
        for spec in entry.result.subagents
    )
    symbols = _found(request, request.results)
    found = (market_of_symbol(symbol, request.markets) for symbol in symbols)
    known: dict[str, MarketSpec] = {}
    for market in (*planned, *found, *request.markets):
        known.setdefault(market.market, market)
    return known


def symbols_found(request: TurnRequest) -> list[JsonValue]:
    """Returns the symbols found for the objective: those that it names, then the nearest. Symbols
    that a model looks up itself are in its conversation."""
    own = [r for exchange in request.exchanges if not exchange.said for r in exchange.results]
    return [
        {
            "symbol": symbol.symbol,
            "kind": symbol.kind,
            "name": symbol.name,
            "prices_until": symbol.last_day.isoformat() if symbol.last_day else None,
        }
        for symbol in dict.fromkeys(_found(request, own))
    ]


def _found(request: TurnRequest, results: Iterable[ToolResult]) -> Iterator[KnownSymbol]:
    answers = [read for result in results if (read := _read(request, result))]
    for answer in answers:
        yield from answer.named
    for answer in answers:
        yield from answer.nearest


def _read(request: TurnRequest, result: ToolResult) -> KnownSymbols | None:
    if capability_of(result.call) is not Capability.SYMBOLS:
        return None
    try:
        check_result(result, request.assignment.window)
        return KnownSymbols.model_validate(result.content)
    except (EvidenceUnusable, ValidationError):
        return None


MOST_QUOTED: Final = 32_000
"""Characters of all memories together: about 8,000 tokens."""

LONGEST_QUOTED: Final = 4_000


def memories_for_model(request: TurnRequest) -> list[JsonValue]:
    """Returns the recalled memories, nearest first, each with its id and its as-of instant.
    Memories from after the task's instant are omitted."""
    return list(_recalled_entries(request))


def _recalled_entries(request: TurnRequest) -> Iterator[JsonValue]:
    known = [
        recalled.entry
        for recalled in request.recalled
        if recalled.entry.as_of <= request.assignment.window.end
    ]
    room = min(LONGEST_QUOTED, MOST_QUOTED // max(1, len(known)))
    for entry in known:
        yield {
            "memory_id": entry.memory_id,
            "kind": entry.kind,
            "known_as_of": entry.as_of.isoformat(),
            "markets": list(entry.markets),
            "was_for": _clipped(entry.objective, room),
            "quoted": _clipped(entry.text, room),
        }


def _clipped(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[:room]} … cut off: {len(text)} characters in all"
