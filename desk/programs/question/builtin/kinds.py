"""The kind of a question about banks and markets: it decides which known fact comes first, and what
a yes would mean.

It is the kind with the nearest wording, in meaning and in words, if that is near enough and nearer
than any of another kind. A kind orders the facts of an answer, or says that the desk has no such
fact. It creates no fact. Without an embedding model there is no kind.

The vectors of the wordings are computed once. `tests/unit/programs/accept_wordings.py` writes the
file after a wording has changed.
"""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from desk.analytics.names.mentions import without_other_markets
from desk.analytics.names.name_table import NamedAs
from desk.analytics.names.subjects import by_their_kinds, subjects_asked
from desk.analytics.retrieval.alike import NamedWordings
from desk.analytics.retrieval.frames import without_frame

if TYPE_CHECKING:
    # A command that does not need kinds does not load numpy.
    from desk.analytics.retrieval.meaning import FindEmbeddingModel

FILE: Final = Path(__file__).with_name("kinds.npz")


class QuestionKind(StrEnum):
    """The facts that a question can ask for."""

    NEXT = "the next decision day"
    DECIDED = "the last decision"
    CHANGED = "the last change of the rate"
    RATE = "the policy rate"
    YIELD = "the yield of government bonds"
    MOVE = "the move of a currency"
    LEVEL = "the level of a currency"
    AHEAD = "what a bank will decide"
    MEANING = "what a word means"
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
"""The kinds that ask about a bank or its country, and not about its currency."""

_OF_DECISIONS: Final = OF_A_BANK - {QuestionKind.RATE, QuestionKind.YIELD}

OF_PRICES: Final = frozenset({QuestionKind.MOVE, QuestionKind.LEVEL})
"""What is asked of a currency."""

NOT_KNOWN: Final = frozenset({QuestionKind.AHEAD, QuestionKind.MEANING, QuestionKind.OTHER})
"""What no fact of the desk answers."""

_TOLD_ALIKE: Final = (
    frozenset({QuestionKind.DECIDED, QuestionKind.CHANGED}),
    OF_PRICES,
    NOT_KNOWN,
)
"""Kinds whose answers contain each other's facts: they need not be distinguished."""

OF_RATES: Final = frozenset({QuestionKind.RATE, QuestionKind.YIELD})
"""The kinds among these that may also be asked beside a currency."""

KINDS: Final = NamedWordings(
    Path(__file__).with_name("kinds.toml"), FILE, words_count=0.25, floor=0.55, apart=0.05
)
"""The wordings of each kind, by its name in lower case. Of 79 building questions these thresholds
accept 67, of which 61 are right."""

SIDES: Final = NamedWordings(
    Path(__file__).with_name("sides.toml"), FILE, words_count=1.0, floor=0.95, apart=0.07
)
"""The wordings of each side, and of questions that do not ask for yes or no. Opposites are near in
meaning; the words distinguish them."""


class AskedSide(StrEnum):
    """What a yes to a question would mean, or what a question about several asks for."""

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
"""The further sides of a question about several banks: which of them did not."""

_WHO_DID: Final = {f"who_{side}": side for side in (*OF_CHANGES, *NOT_DONE)}
_LAST_DID: Final = {"since_raised": AskedSide.RAISED, "since_cut": AskedSide.CUT}
_OF_SEVERAL: Final[Mapping[QuestionKind, Mapping[str, AskedSide]]] = {
    QuestionKind.DECIDED: _WHO_DID,
    QuestionKind.CHANGED: {**_WHO_DID, **_LAST_DID},
    QuestionKind.RATE: {side: side for side in (AskedSide.HIGHEST, AskedSide.LOWEST)},
}
"""What is asked about several banks, by the kind of a question and the name of its wordings."""

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
"""The name of the wordings that do not ask for yes or no."""


def wordings_of(kind: QuestionKind) -> tuple[str, ...]:
    """Returns the wordings of a kind."""
    return KINDS.wordings[kind.name.lower()]


def all_wordings() -> tuple[str, ...]:
    """Returns all texts that a question is compared with, without duplicates."""
    return tuple(dict.fromkeys((*KINDS.every(), *SIDES.every())))


def kind_of(
    question: str, find_meaning: "FindEmbeddingModel", besides: Collection[QuestionKind] = ()
) -> QuestionKind | None:
    """Returns the kind of a question by an embedding model; None if none is near enough or nearer
    than the others that have other facts, and without a model. Excludes kinds that cannot be asked
    about what the question names, and the kinds in `besides`."""
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
    """Returns what a question of a kind asks about several, even if it does not ask for yes or no:
    who raised, who is lowest; or which of its changes it asks of one bank. None if that is nothing
    or uncertain, and without a model."""
    meaning, among = find_meaning(), _OF_SEVERAL.get(kind) if kind else None
    if meaning is None or among is None:
        return None
    near = dict[AskedSide, float]()
    for name, value in SIDES.nearness(_compared(question), among, meaning).items():
        near[among[name]] = max(value, near.get(among[name], 0.0))
    first, second = sorted(near, key=near.__getitem__, reverse=True)[:2]
    is_near = near[first] >= _FLOOR_OF_SEVERAL
    return first if is_near and SIDES.is_apart(near[first], near[second]) else None


def since_what(words: str, find_meaning: "FindEmbeddingModel") -> AskedSide | None:
    """Returns the decision of a bank that words like `since the Fed cut` name: its last rise, cut
    or change; None if they name any decision, and without a model."""
    meaning = find_meaning()
    if meaning is None:
        return None
    near = SIDES.nearness(_compared(words), _SINCE, meaning)
    return _SINCE[max(near, key=near.__getitem__)]


def _not_of(question: str) -> frozenset[QuestionKind]:
    """Returns the kinds that cannot be asked about what a question names: no decision of a currency
    alone, no price of a bank alone."""
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
    """Returns the nearest of some kinds to a question, however near other known kinds are. Returns
    the nearest of the unknown kinds if that is about as near. None if none is near enough."""
    near = {_kind(name): value for name, value in _nearness(question, find_meaning).items()}
    if not near:
        return None
    known, unknown = (max(each, key=near.__getitem__) for each in (among, unknown_kinds))
    likely = known if KINDS.is_apart(near[known], near[unknown]) else unknown
    return likely if KINDS.is_near(near[likely]) else None


def side_of(
    question: str, among: Iterable[AskedSide], find_meaning: "FindEmbeddingModel"
) -> AskedSide | None:
    """Returns the one of some sides that a question asks for with a yes-or-no question; None if
    none is near enough or nearer than the others, and without a model."""
    meaning = find_meaning()
    if meaning is None:
        return None
    side = SIDES.decided(SIDES.nearness(_compared(question), (*among, OPEN), meaning))
    return AskedSide(side) if side and side != OPEN else None


def _kind(name: str) -> QuestionKind:
    return QuestionKind[name.upper()]


def _nearness(question: str, find_meaning: "FindEmbeddingModel") -> dict[str, float]:
    """Returns how near a question is to each kind, by its name; empty without a model. Names are
    replaced by what they are: questions about any bank are compared alike."""
    meaning = find_meaning()
    return KINDS.nearness(_compared(question), KINDS.wordings, meaning) if meaning else {}


def _compared(question: str) -> str:
    """Returns a question in the form in which it is compared: without its polite frame, with names
    replaced by what they are."""
    return by_their_kinds(without_other_markets(without_frame(question), "the currency"))
