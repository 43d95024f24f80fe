"""How conflicts between the parts of an episode were settled, without the figures that were
rejected."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from desk.analytics.names.listing import listed
from desk.analytics.names.markets import market_in_a_sentence
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import (
    ConflictKind,
    ConflictRecord,
    DecidedBy,
    Leaning,
    Position,
)
from desk.contracts.names import AgentId
from desk.programs.swarm.conclusion.wording import plain
from desk.trust.conflicts import dissent

_LEANINGS: Final[Mapping[ConflictKind, Mapping[str, str]]] = {
    ConflictKind.DIRECTION: {
        Leaning.UP: "up",
        Leaning.DOWN: "down",
        Leaning.NEUTRAL: "neither way",
    },
    ConflictKind.STANCE: {
        Leaning.UP: "tightening",
        Leaning.DOWN: "easing",
        Leaning.NEUTRAL: "neither",
    },
    ConflictKind.RECOMMENDATION: {
        Leaning.UP: "buy",
        Leaning.DOWN: "sell",
        Leaning.NEUTRAL: "hold",
    },
}
_TOPICS: Final = {
    ConflictKind.DIRECTION: "the direction",
    ConflictKind.STANCE: "the stance",
    ConflictKind.RECOMMENDATION: "the recommendation",
    ConflictKind.LEVEL: "a level",
    ConflictKind.DECISION: "a decision",
    ConflictKind.TIMING: "the timing",
}


Named = Callable[[Position], str]


def by_agent(position: Position) -> str:
    """`the technical specialist`: the holder of a position."""
    return f"the {AgentId(position.agent).value.replace('_', ' ')}"


def conflict_statement(
    conflict: ConflictRecord, surviving: Mapping[str, Claim], who: Named = by_agent
) -> str:
    """Describes what was stated, who or what decided, and who dissents. `who` names the holder of
    each position."""
    told = _views_words if _of_views(conflict) else _figures_words
    return " ".join(told(conflict, surviving, who))


def _of_views(conflict: ConflictRecord) -> bool:
    return all(position.claim_id is None for position in conflict.positions)


def _views_words(
    conflict: ConflictRecord, surviving: Mapping[str, Claim], who: Named
) -> Iterator[str]:
    sides: dict[str, list[str]] = {}
    for position in _heard(conflict):
        side = sides.setdefault(_said(conflict, position.stated), [])
        side.append(who(position))
    held = "; ".join(f"{listed(names)} said {said}" for said, names in sides.items())
    on = " for" if conflict.kind is ConflictKind.RECOMMENDATION else " of"
    yield f"On {_TOPICS[conflict.kind]}{on} {market_in_a_sentence(conflict.market)}: {held}."
    if not conflict.resolved:
        yield "Nobody has decided it yet."
        return
    if conflict.chosen is None:
        yield f"{_decided(conflict)} for no side."
        return
    yield f"{_decided(conflict)} for {_said(conflict, conflict.chosen)}."
    yield from _dissent(conflict, who)


def _figures_words(
    conflict: ConflictRecord, surviving: Mapping[str, Claim], who: Named
) -> Iterator[str]:
    what = _metric(conflict)
    holders = listed(who(position) for position in _heard(conflict))
    market = market_in_a_sentence(conflict.market)
    yield f"On {what} of {market}: {holders} stated different figures."
    if not conflict.resolved:
        yield "Nobody has decided which one holds, so none does."
        return
    if conflict.chosen is None:
        yield f"{_decided(conflict)} for none of them, and the figure is withheld."
        return
    names = {p.claim_id for p in conflict.positions if p.stated == conflict.chosen}
    printed = [f"[[{name}]]" for name in sorted(filter(None, names)) if name in surviving]
    winner = next((p for p in conflict.positions if p.stated == conflict.chosen), None)
    of_whom = f"that of {who(winner)}" if winner else "one of them"
    yield f"{_decided(conflict)} for {of_whom}{f' ({listed(printed)})' if printed else ''}."
    yield from _dissent(conflict, who)


def _dissent(conflict: ConflictRecord, who: Named) -> Iterator[str]:
    against = dissent(conflict)
    if against:
        yield f"Dissent: {listed(dict.fromkeys(who(each) for each in against))}."


def _heard(conflict: ConflictRecord) -> Sequence[Position]:
    return [position for position in conflict.positions if not position.abstains]


def _metric(conflict: ConflictRecord) -> str:
    names = [p.claim_id for p in conflict.positions if p.claim_id]
    if not names:
        return _TOPICS[conflict.kind]
    metric = names[0].partition(":")[2].partition("@")[0].replace("_", " ")
    return plain(f"the {metric}", _TOPICS[conflict.kind])


def _said(conflict: ConflictRecord, stated: str) -> str:
    return _LEANINGS.get(conflict.kind, {}).get(stated, stated)


def _decided(conflict: ConflictRecord) -> str:
    match conflict.decided_by:
        case DecidedBy.PERSON:
            who = plain(conflict.decided_by_whom or "", "A person")
            return f"{who} decided"
        case DecidedBy.DEFAULT:
            return "Nobody decided in time, and it was settled"
        case DecidedBy.PUBLISHER:
            return "The word of the figure's own publisher went"
        case _:
            return "The vote went"
