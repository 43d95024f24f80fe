"""Who holds what in a conflict between specialists. Light: workflows use it.

A specialist whose findings point neither way may still state where the price is going: its target
is then a vote of its own beside its view (`domain.conflict_targets`). Such a vote stands in its own
name a second time, and is told as its target's.
"""

from contracts.results import ConflictKind, ConflictRecord, Leaning, Position

_LEANS = {Leaning.UP, Leaning.DOWN}


def is_of_target(conflict: ConflictRecord, position: Position) -> bool:
    """Whether a position on a direction is that of its agent's target, whose view leans nowhere."""
    if conflict.kind is not ConflictKind.DIRECTION or position.stated not in _LEANS:
        return False
    return _has_another(conflict, position)


def held_as(conflict: ConflictRecord, position: Position) -> str:
    """`target` or `view` where its agent holds both; empty elsewhere."""
    if is_of_target(conflict, position):
        return "target"
    own = (p for p in conflict.positions if p.agent == position.agent)
    return "view" if any(is_of_target(conflict, other) for other in own) else ""


def _has_another(conflict: ConflictRecord, position: Position) -> bool:
    """Whether the same agent holds a view that leans nowhere, of the same evidence."""
    return position.claim_id is None and any(
        other.agent == position.agent and other.claim_id is None and other.stated not in _LEANS
        for other in conflict.positions
    )
