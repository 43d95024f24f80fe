"""Of what kind a question about banks and markets is: which of the facts that are known goes first,
and what would be so if its answer were yes.

It is the kind with the nearest wording, in meaning and in words, where that is near enough and
nearer than any of another kind. A kind orders what is told, and says that what is asked is none of
the desk's facts. It makes no fact, and without a model of meaning there is none.

The vectors of the wordings are made once. `tests/unit/programs/accept_wordings.py` writes the file
after a wording has changed.
"""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from desk.analytics.names.currency_mentions import without_other_markets
from desk.analytics.names.subjects import NamedAs, by_their_kinds, subjects_asked
from desk.analytics.retrieval.alike import NamedWordings
from desk.analytics.retrieval.frames import without_frame

if TYPE_CHECKING:
    # A command that asks for no kind loads no numpy.
    from desk.analytics.retrieval.meaning import FindEmbeddingModel

FILE: Final = Path(__file__).with_name("kinds.npz")


class QuestionKind(StrEnum):
    """What a question asks for, of what the desk knows of banks and markets."""

    NEXT = "the next decision day"
    DECIDED = "the last decision"
    CHANGED = "the last change of the rate"
    RATE = "the policy rate"
    YIELD = "the yield of government bonds"
    MOVE = "the move of a currency"
    LEVEL = "the level of a currency"
    AHEAD = "what a bank will decide"
    OTHER = "what the desk does not know"


OF_A_BANK: Final = frozenset(
    {
        QuestionKind.NEXT,
        QuestionKind.DECIDED,
        QuestionKind.CHANGED,
        QuestionKind.RATE,
        QuestionKind.YIELD,
    }
)
"""What is asked of a bank or its country, and not of its currency."""

_OF_DECISIONS: Final = OF_A_BANK - {QuestionKind.RATE, QuestionKind.YIELD}

OF_PRICES: Final = frozenset({QuestionKind.MOVE, QuestionKind.LEVEL})
"""What is asked of a currency."""

NOT_KNOWN: Final = frozenset({QuestionKind.AHEAD, QuestionKind.OTHER})
"""What no fact of the desk answers."""

_TOLD_ALIKE: Final = (
    frozenset({QuestionKind.DECIDED, QuestionKind.CHANGED}),
    OF_PRICES,
    NOT_KNOWN,
)
"""Kinds of which each is answered with the facts of the other: they need not be told apart."""

OF_RATES: Final = frozenset({QuestionKind.RATE, QuestionKind.YIELD})
"""What of that is asked of it beside a currency as well."""

KINDS: Final = NamedWordings(
    Path(__file__).with_name("kinds.toml"), FILE, words_count=0.25, floor=0.55, apart=0.05
)
"""How somebody may ask for each kind, by its name in small letters. Of 79 building questions its
distances take 67, of which 61 are right."""

SIDES: Final = NamedWordings(
    Path(__file__).with_name("sides.toml"), FILE, words_count=1.0, floor=0.95, apart=0.07
)
"""How somebody may ask for each side, and for something else than yes or no. Opposites are near in
meaning, and the words tell them apart."""


class AskedSide(StrEnum):
    """What would be so if the answer to a question were yes, or what a question of several asks
    for."""

    UP = "up"
    DOWN = "down"
    ABOVE = "above"
    BELOW = "below"
    LEVEL = "level"
    RAISED = "raised"
    CUT = "cut"
    MOVED = "moved"
    HELD = "held"
    NOT_RAISED = "not_raised"
    NOT_CUT = "not_cut"
    EARLIER = "earlier"
    LATER = "later"
    HIGHEST = "highest"
    LOWEST = "lowest"


OF_CHANGES: Final = (AskedSide.RAISED, AskedSide.CUT, AskedSide.MOVED, AskedSide.HELD)
"""What a bank may have done with its rate."""

NOT_DONE: Final = (AskedSide.NOT_RAISED, AskedSide.NOT_CUT)
"""What several banks may be told apart by as well: which of them did not."""

_WHO_DID: Final = {f"who_{side}": side for side in (*OF_CHANGES, *NOT_DONE)}
_OF_SEVERAL: Final[Mapping[QuestionKind, Mapping[str, AskedSide]]] = {
    QuestionKind.DECIDED: _WHO_DID,
    QuestionKind.CHANGED: _WHO_DID,
    QuestionKind.RATE: {side: side for side in (AskedSide.HIGHEST, AskedSide.LOWEST)},
}
"""What is asked for of several banks, by the kind of a question and the name of its wordings."""

_SINCE: Final[Mapping[str, AskedSide | None]] = {
    "since_raised": AskedSide.RAISED,
    "since_cut": AskedSide.CUT,
    "since_moved": AskedSide.MOVED,
    "since_decided": None,
}
"""Since which decision something is asked, by the name of its wordings."""

_FLOOR_OF_SEVERAL: Final = 0.6
"""How near the nearest of these wordings has to be."""

OPEN: Final = "open"
"""The name of the wordings that ask for something else than yes or no."""


def wordings_of(kind: QuestionKind) -> tuple[str, ...]:
    """How somebody may ask for a kind."""
    return KINDS.wordings[kind.name.lower()]


def all_wordings() -> tuple[str, ...]:
    """All that a question is compared with, each once."""
    return tuple(dict.fromkeys((*KINDS.every(), *SIDES.every())))


def kind_of(
    question: str, find_meaning: "FindEmbeddingModel", besides: Collection[QuestionKind] = ()
) -> QuestionKind | None:
    """The kind of a question by a model of meaning; None where none is near enough or nearer than
    the others that have other facts, and without a model. It is none that cannot be asked of what
    the question names, and none of those `besides`."""
    left_out = {*besides, *_not_of(question)}
    near = {n: v for n, v in _nearness(question, find_meaning).items() if _kind(n) not in left_out}
    if not near:
        return None
    best = max(near, key=near.__getitem__)
    alike = next((kinds for kinds in _TOLD_ALIKE if _kind(best) in kinds), frozenset())
    decided = KINDS.decided(near, {kind.name.lower() for kind in alike})
    return _kind(decided) if decided else None


def side_of_several(
    question: str, kind: QuestionKind | None, find_meaning: "FindEmbeddingModel"
) -> AskedSide | None:
    """What a question of a kind asks for of several, also where it asks for something else than yes
    or no: who raised, who is lowest. None where that is nothing or not sure, and without a
    model."""
    meaning, among = find_meaning(), _OF_SEVERAL.get(kind) if kind else None
    if meaning is None or among is None:
        return None
    near = SIDES.nearness(_compared(question), among, meaning)
    first, second = sorted(near, key=near.__getitem__, reverse=True)[:2]
    is_near = near[first] >= _FLOOR_OF_SEVERAL
    return among[first] if is_near and SIDES.is_apart(near[first], near[second]) else None


def since_what(words: str, find_meaning: "FindEmbeddingModel") -> AskedSide | None:
    """Which decision of a bank words name since which something is asked: its last rise, its last
    cut or its last change; None where they name any, and without a model."""
    meaning = find_meaning()
    if meaning is None:
        return None
    near = SIDES.nearness(_compared(words), _SINCE, meaning)
    return _SINCE[max(near, key=near.__getitem__)]


def _not_of(question: str) -> frozenset[QuestionKind]:
    """The kinds that cannot be asked of what a question names: of a currency alone no decision, of
    a bank alone no price."""
    named = {subject.kind for subject in subjects_asked(question)}
    if named == {NamedAs.CURRENCY}:
        return _OF_DECISIONS
    return OF_PRICES if named == {NamedAs.BANK} else frozenset()


def likeliest(
    question: str,
    among: Collection[QuestionKind],
    find_meaning: "FindEmbeddingModel",
    unknown_kinds: Collection[QuestionKind] = NOT_KNOWN,
) -> QuestionKind | None:
    """Of some kinds the nearest to a question, however near others are that the desk knows too. Of
    what it does not know the nearest, where that is about as near. None where none is near
    enough."""
    near = {_kind(name): value for name, value in _nearness(question, find_meaning).items()}
    if not near:
        return None
    known, unknown = (max(each, key=near.__getitem__) for each in (among, unknown_kinds))
    likely = known if KINDS.is_apart(near[known], near[unknown]) else unknown
    return likely if KINDS.is_near(near[likely]) else None


def side_of(
    question: str, among: Iterable[AskedSide], find_meaning: "FindEmbeddingModel"
) -> AskedSide | None:
    """Of some sides the one that a question asks for, so that it is answered with yes or no; None
    where none is near enough or nearer than the others, and without a model."""
    meaning = find_meaning()
    if meaning is None:
        return None
    side = SIDES.decided(SIDES.nearness(_compared(question), (*among, OPEN), meaning))
    return AskedSide(side) if side and side != OPEN else None


def _kind(name: str) -> QuestionKind:
    return QuestionKind[name.upper()]


def _nearness(question: str, find_meaning: "FindEmbeddingModel") -> dict[str, float]:
    """By the name of a kind how near a question is to it; empty without a model. A name counts as
    what it is: all banks are asked about alike."""
    meaning = find_meaning()
    return KINDS.nearness(_compared(question), KINDS.wordings, meaning) if meaning else {}


def _compared(question: str) -> str:
    """A question as it is compared: without its polite frame, with what each name is."""
    return by_their_kinds(without_other_markets(without_frame(question), "the currency"))
