"""Formats a stock's blackboard for a model, with the surviving claims on it.

What a model writes rests on figures of the blackboard. A figure of an agent's result that is not on
the blackboard, because its part does not include it or sources disagree on it, cannot be used.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from pydantic import JsonValue

from desk.analytics.figures import POSITIONS, print_figure
from desk.analytics.units import UNITS
from desk.contracts.agents.tasks import Query
from desk.contracts.agents.tools import DataSource
from desk.contracts.episode.analysis import MeasuredFigure
from desk.contracts.episode.stock import Blackboard, BoardPart, Insight
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import MOST_SOURCES
from desk.contracts.runs.turns import EpisodeContext, TurnRequest
from desk.programs.claude.figures import claims_for_model
from desk.programs.episode.actions import DATA, PART_FIELDS
from desk.programs.episode.run.assignments import MOST_STEPS
from desk.programs.swarm.claude.material import (
    conflicts_for_model,
    findings_for_model,
    memories_for_model,
    results_in,
    surviving,
)

_ON_THE_BOARD: Final = frozenset({"symbol", "weeks", "as_of", "charges", MOST_STEPS})


def board_of(context: EpisodeContext) -> Blackboard:
    """Returns the blackboard that an agent is shown.

    Raises:
        ValueError: it is shown none.
    """
    if context.board is None:
        raise ValueError("there is no blackboard to work on")
    return context.board


def _parts_of(board: Blackboard) -> dict[str, BoardPart | None]:
    """The parts with figures, by their names on the blackboard; None for a part that was not
    written."""
    return {PART_FIELDS[action]: getattr(board, PART_FIELDS[action]) for action in DATA}


def claims_on_board(request: TurnRequest) -> dict[str, Claim]:
    """Returns the surviving claims whose figures are on the blackboard, by id."""
    board = board_of(request)
    figures = {(each.metric, each.value) for each in _figures(board)}
    return {
        name: claim
        for name, claim in surviving(request).items()
        if claim.subject == board.symbol and (claim.metric, claim.value) in figures
    }


def sources_behind(request: TurnRequest, claims: Iterable[Claim]) -> tuple[DataSource, ...]:
    """Returns the sources of the evidence behind some claims of the parts, without duplicates."""
    evidence = {name for claim in claims for name in claim.evidence}
    listed = (source for result in results_in(request) for source in result.sources)
    found = {source.evidence_id: source for source in listed if source.evidence_id in evidence}
    return tuple(found.values())[:MOST_SOURCES]


def board_for_model(request: TurnRequest, *, with_claims: bool = False) -> dict[str, JsonValue]:
    """Formats the blackboard: each part with its figures and what it lacks, the insights, the
    recommendation, and the actions taken. With `with_claims`, figures are given by name only,
    because the claims are shown separately."""
    board = board_of(request)
    return {
        "symbol": board.symbol,
        "as_of": board.as_of.isoformat(),
        "weeks_ahead": board.weeks,
        "parts": {
            name: _part_for_model(part, with_claims=with_claims)
            for name, part in _parts_of(board).items()
        },
        "insights": [_told_insight(insight) for insight in board.insights],
        "recommendation": _recommendation_for_model(board),
        "evaluated": board.evaluation is not None,
        "taken": list(board.taken),
    }


def episode_for_model(request: TurnRequest) -> dict[str, JsonValue]:
    """Formats what the writers of an episode are shown: the question, the blackboard, the claims on
    it, the findings of each part's agent, the conflicts, and what is remembered."""
    task = request.assignment
    return {
        "question": task.query.question if task.query else None,
        "asked_for": task.instructions,
        "board": board_for_model(request, with_claims=True),
        "claims": {**claims_for_model(claims_on_board(request).values())},
        "findings_of_the_parts": _parts_for_model(request),
        "conflicts": conflicts_for_model(request.conflicts),
        "recalled": memories_for_model(request),
    }


def told_parameters(query: Query | None) -> dict[str, JsonValue]:
    """The parameters of an episode that the blackboard does not have."""
    given = query.parameters if query else {}
    return {name: value for name, value in given.items() if name not in _ON_THE_BOARD}


def missing_besides(request: TurnRequest, missing: Iterable[str]) -> list[JsonValue]:
    """Returns what is missing and not reported by any part."""
    told = {line for result in results_in(request) for line in result.missing}
    return [line for line in missing if line not in told]


def _parts_for_model(request: TurnRequest) -> list[JsonValue]:
    """Formats the findings of the agents of the parts, condensed, or why an agent failed."""
    entries = tuple(entry for entry in request.state if entry.node in DATA)
    return findings_for_model(request.model_copy(update={"state": entries}))


def _figures(board: Blackboard) -> Iterator[MeasuredFigure]:
    for part in _parts_of(board).values():
        yield from part.figures if part else ()


def _part_for_model(part: BoardPart | None, *, with_claims: bool) -> JsonValue:
    if part is None:
        return None
    figures: JsonValue = [figure.metric for figure in part.figures]
    if not with_claims:
        figures = {
            figure.metric: f"{_printed(figure)}; {figure.as_of.isoformat()}"
            for figure in part.figures
        }
    return {
        "figures": figures,
        "lacking": list(part.lacking),
        **({"no_facts_but_generated_by": part.generated} if part.generated else {}),
    }


def _printed(figure: MeasuredFigure) -> str:
    unit = UNITS[figure.metric]
    return print_figure(figure.value, unit, signed=figure.metric not in POSITIONS)


def _told_insight(insight: Insight) -> JsonValue:
    return insight.model_dump(
        mode="json", include={"topic", "statement", "leaning", "strength", "metrics"}
    )


def _recommendation_for_model(board: Blackboard) -> JsonValue:
    if board.recommendation is None:
        return None
    return {
        "action": board.recommendation,
        "confidence": board.confidence,
        "probability": board.probability,
        "reasons_for": list(board.reasons_for),
        "reasons_against": list(board.reasons_against),
    }
