"""The conflicts of a week as the report records them: decided by the rules, and in their words."""

from collections.abc import Iterable, Sequence

from contracts.config import VotingConfig
from contracts.report import MarketOutcome
from contracts.results import ConflictRecord, DecidedBy, Position
from domain.conflicts import decide, default_position, settle, week_conflicts

NOT_COMPARABLE = "What is held cannot be compared: a person must decide."


def conflicts_of(
    outcomes: Sequence[MarketOutcome], voting: VotingConfig
) -> tuple[ConflictRecord, ...]:
    """Every conflict once, in the order of the markets, those between markets last.

    What a market's outcome records goes before what its validator found, because a person may
    have decided it since.
    """
    found: dict[str, ConflictRecord] = {}
    for outcome in outcomes:
        validated = outcome.validation.conflicts if outcome.validation else ()
        for conflict in (*outcome.conflicts, *validated):
            found.setdefault(conflict.conflict_id, conflict)
    for conflict in week_conflicts(outcomes, voting):
        found.setdefault(conflict.conflict_id, conflict)
    return tuple(decided_by_rule(conflict, voting) for conflict in found.values())


def decided_by_rule(conflict: ConflictRecord, voting: VotingConfig) -> ConflictRecord:
    """The record with the weights, the decision and the words that the rules give it.

    What a person chose stays chosen. What a vote cannot decide, and nobody has, is open, as is
    what states no figure that could be compared.
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
    return position.model_copy(update={"weight": 0.0 if position.abstains else round(weight, 6)})


def _place(positions: Iterable[Position], chosen: str | None) -> int | None:
    """The first position that holds what was chosen; None where none does."""
    places = (place for place, position in enumerate(positions) if position.stated == chosen)
    return next(places, None) if chosen is not None else None
