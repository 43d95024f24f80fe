"""Findings that cannot all be right, and a first way of settling them. Light: workflows use it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from itertools import combinations
from typing import Final, NamedTuple

from contracts.claims import Claim, Metric, Unit
from contracts.results import ConflictKind, ConflictRecord, Position, ResearchResult

TOLERANCES: Final = {
    Unit.PERCENT: Decimal("0.05"),
    Unit.PERCENT_A_YEAR: Decimal("0.005"),
    Unit.BASIS_POINTS: Decimal("0.5"),
    Unit.STANDARD_DEVIATIONS: Decimal("0.1"),
    Unit.DAYS: Decimal(0),
}
"""How far two figures of one thing may lie apart, in their unit."""

LEVEL_TOLERANCE: Final = Decimal("0.001")
"""The same for levels, as a share of the smaller one: two sources fix at different hours."""

WIDEST_SPREAD: Final = 0.5
"""A wider spread of confidence than this is for a person to judge."""

MOST_POSITIONS: Final = 8

_Topic = tuple[str, Metric, date]


class _Stand(NamedTuple):
    result: ResearchResult
    claim: Claim


def detect_conflicts(market: str, results: Sequence[ResearchResult]) -> tuple[ConflictRecord, ...]:
    """The contradictions between results: one subject, metric and day, claimed differently.

    Each is settled as far as `settle` can. The order of the results does not matter.
    """
    conflicts = (
        settle(_conflict(market, topic, stands))
        for topic, stands in _by_topic(results).items()
        if any(_contradict(one, other) for one, other in combinations(stands, 2))
    )
    return tuple(sorted(conflicts, key=lambda conflict: conflict.conflict_id))


def settle(conflict: ConflictRecord) -> ConflictRecord:
    """The conflict decided for the value that carries the greatest sum of confidence.

    Left to a person when the confidences spread by more than `WIDEST_SPREAD` or two values carry
    the same weight.
    """
    confidences = [position.confidence for position in conflict.positions]
    if round(max(confidences) - min(confidences), 6) > WIDEST_SPREAD:
        return _undecided(conflict, "the agents' confidence differs too much for a vote")
    weights: dict[str, float] = defaultdict(float)
    for position in conflict.positions:
        weights[position.stated] += position.confidence
    ranked = sorted(weights, key=lambda stated: (-round(weights[stated], 6), stated))
    if len(ranked) > 1 and abs(weights[ranked[0]] - weights[ranked[1]]) < 1e-6:
        return _undecided(conflict, "the positions weigh the same")
    return conflict.model_copy(
        update={"resolution": f"{ranked[0]} carries the greater confidence", "resolved": True}
    )


def differs(one: Claim, other: Claim) -> bool:
    """Whether two claims of the same thing lie further apart than their unit tolerates."""
    if one.unit is not other.unit:
        return True
    if one.unit is Unit.LEVEL:
        tolerance = LEVEL_TOLERANCE * min(abs(one.value), abs(other.value))
    else:
        tolerance = TOLERANCES[one.unit]
    return abs(one.value - other.value) > tolerance


def _by_topic(results: Iterable[ResearchResult]) -> dict[_Topic, list[_Stand]]:
    topics: dict[_Topic, list[_Stand]] = defaultdict(list)
    for result in results:
        for claim in result.claims:
            topics[(claim.subject, claim.metric, claim.as_of)].append(_Stand(result, claim))
    return topics


def _contradict(one: _Stand, other: _Stand) -> bool:
    if one.result.result_id == other.result.result_id:
        return False
    return differs(one.claim, other.claim) or _opposed(one.claim, other.claim)


def _opposed(one: Claim, other: Claim) -> bool:
    directions = (Metric.MOVE, Metric.DECISION_CHANGE)
    return one.metric in directions and one.value * other.value < 0


def _kind(stands: Sequence[_Stand]) -> ConflictKind:
    if stands[0].claim.metric in (Metric.DECISION_RATE, Metric.DECISION_CHANGE):
        return ConflictKind.DECISION
    if any(_opposed(one.claim, other.claim) for one, other in combinations(stands, 2)):
        return ConflictKind.DIRECTION
    return ConflictKind.LEVEL


def _conflict(market: str, topic: _Topic, stands: Sequence[_Stand]) -> ConflictRecord:
    subject, metric, day = topic
    positions = sorted((_position(stand) for stand in stands), key=_position_order)
    return ConflictRecord(
        conflict_id=f"{market}/conflict/{subject}:{metric}@{day}",
        market=market,
        kind=_kind(stands),
        positions=tuple(positions[:MOST_POSITIONS]),
        resolution="not settled yet",
        resolved=False,
    )


def _position(stand: _Stand) -> Position:
    sources = {source.evidence_id: source.name for source in stand.result.sources}
    names = (sources.get(evidence, evidence) for evidence in stand.claim.evidence)
    return Position(
        agent=stand.result.agent,
        claim_id=stand.claim.claim_id,
        stated=f"{stand.claim.value.normalize():f} {stand.claim.unit}",
        source=", ".join(dict.fromkeys(names))[:200] or "no source",
        confidence=stand.result.confidence,
    )


def _position_order(position: Position) -> tuple[str, str, float, str]:
    return (position.agent, position.stated, position.confidence, position.source)


def _undecided(conflict: ConflictRecord, reason: str) -> ConflictRecord:
    return conflict.model_copy(
        update={"resolution": f"{reason}: this needs a person", "resolved": False}
    )
