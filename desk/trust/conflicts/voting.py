"""Decides a conflict: by the figure's own publisher, by weight, or by a person.

The weight of a position is its confidence, times the weight of its source's tier, times the weight
of its agent. Of the positions from one origin only the heaviest counts. The weights are a
convention of the desk.
"""

from collections.abc import Iterable
from typing import Final

from desk.contracts.agents.config import VotingConfig
from desk.contracts.findings.results import (
    Bounds,
    ConflictKind,
    ConflictRecord,
    DecidedBy,
    Position,
)
from desk.trust.conflicts.positions import agree

NEEDS_A_PERSON: Final = "a person must decide"
MOST_POSITIONS: Final = 8

DECIMALS: Final = 6
"""Weights and spreads are compared at this many decimals. Smaller differences are rounding
errors."""


def new_conflict(
    conflict_id: str,
    market: str,
    kind: ConflictKind,
    positions: Iterable[Position],
    voting: VotingConfig,
    bounds: Bounds | None = None,
) -> ConflictRecord:
    """Returns a new conflict, settled as far as `settle` can. The order of the positions does not
    matter.

    A record has few positions: the first of every side, then the heaviest.
    """
    held = list(dict.fromkeys(positions))
    leaders = [side[0] for side in sides(kind, held, bounds)]
    ranked = dict.fromkeys((*_heaviest_first(leaders), *_heaviest_first(held)))
    kept = sorted(list(ranked)[:MOST_POSITIONS], key=_place)
    unsettled = ConflictRecord(
        conflict_id=conflict_id,
        market=market,
        kind=kind,
        positions=tuple(kept),
        resolution="not settled yet",
        resolved=False,
        bounds=bounds,
    )
    return settle(unsettled, voting)


def settle(conflict: ConflictRecord, voting: VotingConfig) -> ConflictRecord:
    """Decides a conflict for the statement of the figure's own publisher; otherwise for the
    heaviest side, if a vote may decide it.

    It is left to a person if the confidences spread by more than `voting.widest_spread`, not
    counting abstentions, or if two sides have the same weight.
    """
    spread = spread_of(conflict.positions)
    conflict = conflict.model_copy(update={"spread": spread})
    own = publishers_position(conflict)
    if own is not None:
        return decide(conflict, own, DecidedBy.PUBLISHER, None)
    if spread > voting.widest_spread:
        return _left_open(conflict, "The confidences lie too far apart for a vote")
    place = default_position(conflict)
    if place is None:
        return _left_open(conflict, "The sides weigh the same")
    return decide(conflict, place, DecidedBy.VOTE, None)


def decide(
    conflict: ConflictRecord, position: int | None, by: DecidedBy, whom: str | None
) -> ConflictRecord:
    """Decides a conflict for a position, counted from 0, or for none.

    None withholds the figure. So does a position that abstains.

    Raises:
        ValueError: there is no such position.
    """
    if position is not None and not 0 <= position < len(conflict.positions):
        raise ValueError(f"{conflict.conflict_id} has no position {position}")
    reason = {
        DecidedBy.VOTE: "carries the greatest weight",
        DecidedBy.PERSON: f"was chosen by {whom or 'a person'}",
        DecidedBy.DEFAULT: "holds by default, because nobody decided in time",
        DecidedBy.PUBLISHER: "holds, because the figure's own publisher states it",
    }[by]
    if position is None or conflict.positions[position].abstains:
        return _withheld(conflict, by, whom)
    return _decided(conflict, position, by, whom, reason)


def default_position(conflict: ConflictRecord) -> int | None:
    """Returns the index of the position that applies by default: that of the figure's own
    publisher, or else the heaviest position of the heaviest side.

    None if no side is heavier than every other.
    """
    own = publishers_position(conflict)
    if own is not None:
        return own
    found = sides(conflict.kind, conflict.positions, conflict.bounds)
    ranked = sorted(found, key=weight_of_side, reverse=True)
    if not ranked or weight_of_side(ranked[0]) == 0:
        return None
    if len(ranked) > 1 and weight_of_side(ranked[0]) == weight_of_side(ranked[1]):
        return None
    return conflict.positions.index(heaviest_by_origin(ranked[0])[0])


def publishers_position(conflict: ConflictRecord) -> int | None:
    """Returns the index of the heaviest position read from the figure's own publisher. None if
    there is none, or if two of them state different figures."""
    own = _heaviest_first(p for p in conflict.positions if p.publishes and not p.abstains)
    agreed = all(agree(conflict.kind, own[0], each, conflict.bounds) for each in own)
    return conflict.positions.index(own[0]) if own and agreed else None


def sides(
    kind: ConflictKind, positions: Iterable[Position], bounds: Bounds | None = None
) -> list[tuple[Position, ...]]:
    """Returns the positions that count, grouped by what they state. Abstentions are on no side.

    A position joins the heaviest one that it agrees with. Of the positions from one origin only the
    heaviest counts. If positions of one origin with the same weight contradict each other, all of
    them count, and cancel each other out.
    """
    found: list[list[Position]] = []
    for position in _heaviest_first(_heaviest_of_each_origin(positions)):
        side = next((s for s in found if agree(kind, s[0], position, bounds)), None)
        if side is None:
            found.append([position])
        else:
            side.append(position)
    return [tuple(side) for side in found]


def weight_of_side(side: Iterable[Position]) -> float:
    """Returns the weight of a side, with each origin counted once."""
    return round(sum(position.weight for position in heaviest_by_origin(side)), DECIMALS)


def heaviest_by_origin(side: Iterable[Position]) -> tuple[Position, ...]:
    """Returns the heaviest position of each origin, heaviest first. A position without an origin is
    its own origin."""
    heard: dict[object, Position] = {}
    for place, position in enumerate(_heaviest_first(side)):
        heard.setdefault(position.origin or place, position)
    return tuple(heard.values())


def spread_of(positions: Iterable[Position]) -> float:
    """Returns the difference between the highest and lowest confidence, without abstentions."""
    voices = [position.confidence for position in positions if not position.abstains]
    return round(max(voices) - min(voices), DECIMALS) if voices else 0.0


def _heaviest_of_each_origin(positions: Iterable[Position]) -> list[Position]:
    voices = [position for position in positions if not position.abstains]
    heaviest: dict[str, float] = {}
    for voice in voices:
        if voice.origin:
            heaviest[voice.origin] = max(voice.weight, heaviest.get(voice.origin, 0.0))
    return [
        voice
        for voice in voices
        if not voice.origin or round(heaviest[voice.origin] - voice.weight, DECIMALS) == 0
    ]


def _heaviest_first(positions: Iterable[Position]) -> list[Position]:
    return sorted(positions, key=lambda p: (-p.weight, p.stated, p.agent, p.source))


def _place(position: Position) -> tuple[str, str, str, float, str]:
    named = position.claim_id or ""
    return position.agent, named, position.stated, position.confidence, position.source


def _decided(
    conflict: ConflictRecord, place: int, by: DecidedBy, whom: str | None, reason: str
) -> ConflictRecord:
    chosen = conflict.positions[place]
    return conflict.model_copy(
        update={
            "chosen": chosen.stated,
            "decided_by": by,
            "decided_by_whom": whom,
            "resolution": f"{chosen.stated} {reason} {_voice(chosen)}."
            + _dissent(conflict, chosen),
            "resolved": True,
        }
    )


def _withheld(conflict: ConflictRecord, by: DecidedBy, whom: str | None) -> ConflictRecord:
    if by is DecidedBy.PERSON:
        reason = f"{whom or 'A person'} found that no position holds"
    else:
        reason = "Nobody decided in time, and no side is heavier than the others"
    return conflict.model_copy(
        update={
            "chosen": None,
            "decided_by": by,
            "decided_by_whom": whom,
            "resolution": f"{reason}: the figure is withheld.{_dissent(conflict, None)}",
            "resolved": True,
        }
    )


def _left_open(conflict: ConflictRecord, reason: str) -> ConflictRecord:
    held = "; ".join(f"{p.stated} {_voice(p)}" for p in conflict.positions)
    return conflict.model_copy(
        update={
            "chosen": None,
            "decided_by": None,
            "decided_by_whom": None,
            "resolution": f"{reason}: {NEEDS_A_PERSON}. Held: {held}.",
            "resolved": False,
        }
    )


def _dissent(conflict: ConflictRecord, chosen: Position | None) -> str:
    """Describes the positions that state something else, and the abstentions, which are on no
    side."""
    against = _others(conflict, chosen)
    sides = [position for position in against if not position.abstains]
    silent = [position for position in against if position.abstains]
    held = _listed("Held" if chosen is None else "Dissent", sides)
    return held + _listed("Abstaining", silent)


def resolution_in_old_wording(conflict: ConflictRecord) -> str:
    """Returns the resolution as earlier versions worded it, which counted abstentions as dissent.
    Their documents are still verified against that wording."""
    chosen = next((p for p in conflict.positions if p.stated == conflict.chosen), None)
    lead = "Held" if chosen is None else "Dissent"
    resolution = conflict.resolution.removesuffix(_dissent(conflict, chosen))
    return resolution + _listed(lead, _others(conflict, chosen))


def _others(conflict: ConflictRecord, chosen: Position | None) -> list[Position]:
    return [
        position
        for position in conflict.positions
        if chosen is None or not agree(conflict.kind, chosen, position, conflict.bounds)
    ]


def _listed(lead: str, positions: list[Position]) -> str:
    held = "; ".join(f"{position.stated} {_voice(position)}" for position in positions)
    return f" {lead}: {held}." if held else ""


def _voice(position: Position) -> str:
    return f"({position.agent}, {position.source})"
