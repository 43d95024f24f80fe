"""The conflicts of a week as the report prints them: decided and worded by the rules."""

from collections.abc import Collection, Iterable, Sequence

from desk.contracts.agents.config import VotingConfig
from desk.contracts.findings.results import ConflictRecord, DecidedBy, Position
from desk.programs.week.document.judging.surviving import Sifted, stated_in
from desk.trust.conflicts import (
    decide,
    default_position,
    is_publisher,
    settle,
    sides,
    target_ranges,
    week_conflicts,
)

Stated = tuple[str, str, str]

NOT_COMPARABLE = "What is held cannot be compared: a person must decide."


def conflicts_of(markets: Sequence[Sifted], voting: VotingConfig) -> tuple[ConflictRecord, ...]:
    """Returns every conflict once, in the order of the markets; those between markets come last.

    The record in a market's outcome takes precedence over its validator's, because a person may
    have decided it since. Figures that are rejected by themselves are in no conflict.
    """
    outcomes = [market.outcome for market in markets]
    fallen = frozenset[Stated]().union(*(market.fallen for market in markets))
    fallen -= frozenset().union(*(stated_in(outcome) for outcome in outcomes))
    found: dict[str, ConflictRecord] = {}
    for outcome in outcomes:
        validated = outcome.validation.conflicts if outcome.validation else ()
        for conflict in (*outcome.conflicts, *validated):
            found.setdefault(conflict.conflict_id, conflict)
    ranges = target_ranges(each for outcome in outcomes for each in outcome.evidence)
    for conflict in week_conflicts(outcomes, voting, ranges):
        found.setdefault(conflict.conflict_id, conflict)
    sound = (_of_sound(conflict, fallen) for conflict in found.values())
    return tuple(decided_by_rule(conflict, voting) for conflict in sound if conflict)


def _of_sound(conflict: ConflictRecord, fallen: Collection[Stated]) -> ConflictRecord | None:
    """Restricts the conflict to figures that are sound by themselves. Returns None if none are
    left, or if the position that a person chose is not sound."""
    kept = tuple(
        position
        for position in conflict.positions
        if (position.agent, position.claim_id, position.stated) not in fallen
    )
    if kept == conflict.positions:
        return conflict
    gone = conflict.chosen is not None and all(p.stated != conflict.chosen for p in kept)
    if gone and conflict.decided_by is DecidedBy.PERSON:
        return None
    return (
        conflict.model_copy(update={"positions": kept}) if _is_contested(conflict, kept) else None
    )


def _is_contested(conflict: ConflictRecord, positions: Sequence[Position]) -> bool:
    try:
        return len(sides(conflict.kind, positions, conflict.bounds)) > 1
    except ValueError:
        return True


def withheld_in(conflicts: Iterable[ConflictRecord]) -> frozenset[str]:
    """The claims in conflicts for which nothing was chosen."""
    return frozenset(
        position.claim_id
        for conflict in conflicts
        if conflict.chosen is None
        for position in conflict.positions
        if position.claim_id is not None
    )


def decided_by_rule(conflict: ConflictRecord, voting: VotingConfig) -> ConflictRecord:
    """Applies the weights, the decision and the words of the rules to the record.

    A person's choice stays. If a vote cannot decide it and no person has, it is open; so is a
    conflict whose figures cannot be compared.
    """
    weighed = tuple(_weighed(position, voting) for position in conflict.positions)
    conflict = conflict.model_copy(update={"positions": weighed})
    try:
        return _decided(conflict, settle(conflict, voting))
    except ValueError:
        undecided = {"chosen": None, "decided_by": None, "resolution": NOT_COMPARABLE}
        return conflict.model_copy(update={**undecided, "resolved": False})


def _decided(conflict: ConflictRecord, voted: ConflictRecord) -> ConflictRecord:
    if conflict.decided_by is DecidedBy.DEFAULT:
        return decide(voted, default_position(voted), DecidedBy.DEFAULT, conflict.decided_by_whom)
    if conflict.decided_by is DecidedBy.PERSON:
        place = _place(conflict.positions, conflict.chosen)
        return decide(voted, place, DecidedBy.PERSON, conflict.decided_by_whom)
    return voted


def _weighed(position: Position, voting: VotingConfig) -> Position:
    voice = voting.weight_of(position.agent, position.tier, position.server)
    weight = position.confidence * voice
    return position.model_copy(
        update={
            "weight": 0.0 if position.abstains else round(weight, 6),
            "publishes": is_publisher(position.origin, position.claim_id, voting),
        }
    )


def _place(positions: Iterable[Position], chosen: str | None) -> int | None:
    """Returns the index of the first position with the chosen figure, or None."""
    places = (place for place, position in enumerate(positions) if position.stated == chosen)
    return next(places, None) if chosen is not None else None
