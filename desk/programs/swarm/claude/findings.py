"""What a swarm's specialists found, as its leader is shown it: condensed, and no tool's answer."""

from collections.abc import Iterable, Iterator
from typing import Final

from pydantic import JsonValue

from desk.contracts.agents.turns import StateEntry, TurnRequest
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import ConflictRecord, ResearchResult
from desk.contracts.question.knowledge import Synthesis
from desk.programs.week.claude.research import claim_line
from desk.trust.conflicts import surviving_claims
from desk.trust.prose import claims_in, references

LEVELS: Final = (Metric.LAST, Metric.EXPECTED_LOW, Metric.EXPECTED_HIGH)
"""What a hypothesis on a market is held against."""


def results_in(request: TurnRequest) -> tuple[ResearchResult, ...]:
    """What specialists have delivered, in the order of the state."""
    found = (entry.result for entry in request.state)
    return tuple(result for result in found if isinstance(result, ResearchResult))


def standing(request: TurnRequest) -> dict[str, Claim]:
    """The claims that hold once the conflicts are decided, by id."""
    return surviving_claims(results_in(request), request.conflicts)


def withheld(request: TurnRequest, texts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Objects to references to figures that do not stand, because their sources disagree. Each text
    comes with its place."""
    fallen = claims_in(request.state).keys() - standing(request).keys()
    for place, prose in texts:
        if fallen.intersection(references(prose)):
            yield f"{place}: a figure in it is withheld, because its sources disagree"


def told_claims(request: TurnRequest) -> list[JsonValue]:
    """The claims that findings and views rest on, and the levels of each market: those that
    stand."""
    stand, results = standing(request), results_in(request)
    named = dict.fromkeys(
        (
            *(claim_id(result.market, metric) for result in results for metric in LEVELS),
            *(name for result in results for name in _named(result)),
            *(name for entry in request.state for name in _concluded(entry)),
        )
    )
    return [{**claim_line(stand[name])} for name in named if name in stand]


def told_findings(request: TurnRequest) -> list[JsonValue]:
    """What each specialist delivered, and what was concluded of it before; of one that failed,
    why."""
    return [told for entry in request.state if (told := _told_entry(entry)) is not None]


def told_conflicts(conflicts: Iterable[ConflictRecord]) -> list[JsonValue]:
    """The contradictions between specialists, each with what was decided and who dissents."""
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
                    "dissents": conflict.chosen is not None and position.stated != conflict.chosen,
                }
                for position in conflict.positions
            ],
        }
        for conflict in conflicts
    ]


def _named(result: ResearchResult) -> Iterator[str]:
    """The claims that a result's words rest on."""
    for finding in result.findings:
        yield from finding.claims
        yield from references(finding.statement)
    for view in result.views:
        yield from view.claims
    for saying in (*result.contradictions, *result.recommendations):
        yield from references(saying)


def _concluded(entry: StateEntry) -> tuple[str, ...]:
    """The claims that an earlier conclusion refers to, as far as it is told of."""
    return references(entry.result.summary) if isinstance(entry.result, Synthesis) else ()


def _told_entry(entry: StateEntry) -> dict[str, JsonValue] | None:
    placed: dict[str, JsonValue] = {"subagent": entry.node, "round": entry.round}
    if entry.result is None:
        return {**placed, "error": entry.error}
    if isinstance(entry.result, Synthesis):
        further = entry.result.further
        reason = further.reason if further else None
        return {**placed, "concluded": entry.result.summary, "wanted_further_because": reason}
    if not isinstance(entry.result, ResearchResult):
        return None
    return {**placed, **_told_result(entry.result)}


def _told_result(result: ResearchResult) -> dict[str, JsonValue]:
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
        "views": [
            view.model_dump(mode="json", include={"kind", "subject", "leaning", "confidence"})
            for view in result.views
        ],
        "missing": list(result.missing),
        "warnings": list(result.warnings),
    }
