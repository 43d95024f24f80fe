"""How near an objective is to each form: kernel ridge regression on the wordings of all forms.

What is compared are the vectors of the desk's model of meaning and the stems of the words, with
the pairs of neighbours among them. Forms that ask for opposites, or the same of one market and of
several, are one kind. Which of two opposites is meant is a second regression over the wordings of
all such kinds: what says `up` says it of a trend and of a price. Whether it is asked of the first
of several markets alone is a third. All are solved once, by
`tests/unit/programs/accept_wordings.py`, and only what follows from them is kept.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from desk.analytics.retrieval.full_text import stem, words
from desk.analytics.retrieval.meaning import Vector
from desk.programs.swarm.objectives.registry import FORMS

WORDINGS: Final = Path(__file__).with_name("wordings.toml")
FITTED: Final = Path(__file__).with_name("nearness.npz")

UNDECIDED: Final = "undecided"
"""What no form decides, in place of a form's name."""

WORDS_COUNT: Final = 0.5
"""What the likeness of words counts beside that of meaning."""

RIDGE: Final = 0.3
"""How little the regressions follow a single wording."""

Floats = NDArray[np.float32]


class QuestionMeaning(Protocol):
    """Turns what is asked into a vector of length 1, by the model that the wordings' are of."""

    def question(self, text: str) -> Vector:
        """The vector of what is asked."""
        ...


class Nearness(NamedTuple):
    """How near an objective is to each kind of form, by the names of its forms; how far it speaks
    for the first of two opposite ones, below nothing for the second; and how far it asks of its
    first market alone."""

    kinds: Mapping[tuple[str, ...], float]
    side: float
    of_first: float = 0.0


class Fitted(NamedTuple):
    """What the regressions come to.

    `features` are those of the wordings, `weights` how much each counts, `unknown` how much one
    does that no wording has. The others have a column for each kind and two for the side and for
    the first market: what a feature adds beside meaning, what each number of a vector of meaning
    adds, and what a feature adds where words alone are compared. `of` tells the wordings by.
    """

    features: NDArray[np.str_]
    weights: Floats
    unknown: Floats
    beside_meaning: Floats
    by_meaning: Floats
    by_words: Floats
    of: NDArray[np.str_]


@cache
def wordings() -> Mapping[str, tuple[str, ...]]:
    """How somebody may ask for each form, and for what no form decides."""
    read = tomllib.loads(WORDINGS.read_text(encoding="utf-8"))
    return {name: tuple(each) for name, each in read.items()}


def nearness(asked: str, meaning: QuestionMeaning | None) -> Nearness:
    """How near an objective is to the forms, by words alone where there is no model of meaning."""
    fitted, own = _fitted(), features_of(asked)
    places = [_places()[each] for each in own if each in _places()]
    weights = fitted.weights[places]
    unknown = (len(own) - len(places)) * float(fitted.unknown[0]) ** 2
    counts = weights / (np.sqrt(float(weights @ weights) + unknown) or 1)
    if meaning is None:
        scores = counts @ fitted.by_words[places]
    else:
        means = meaning.question(asked).astype(np.float32)
        scores = counts @ fitted.beside_meaning[places] + means @ fitted.by_meaning
    *each, side, of_first = scores.tolist()
    return Nearness(dict(zip(kinds_of_forms(), each, strict=True)), side, of_first)


@cache
def _fitted() -> Fitted:
    with np.load(FITTED) as kept:
        read = {name: kept[name] for name in Fitted._fields}
    return Fitted(
        **{n: v.astype(np.float32) if v.dtype == np.float16 else v for n, v in read.items()}
    )


@cache
def _places() -> Mapping[str, int]:
    return {feature: place for place, feature in enumerate(_fitted().features.tolist())}


@cache
def kinds_of_forms() -> tuple[tuple[str, ...], ...]:
    """The forms by kind, and what no form decides."""
    return tuple(dict.fromkeys(kind_of(name) for name in (*FORMS, UNDECIDED)))


def kind_of(name: str) -> tuple[str, ...]:
    """The forms that are one kind with a form, itself among them, in their order."""
    if name not in FORMS:
        return (name,)
    found = {name}
    for each in FORMS.values():
        linked = {each.name, each.opposite, each.of_first} - {""}
        found |= linked if found & linked else set()
    return tuple(each for each in FORMS if each in found)


def side_of_form(name: str) -> int:
    """1 of the first of two opposite forms and -1 of the second; else nothing."""
    other = FORMS[name].opposite if name in FORMS else ""
    order = [*FORMS]
    return 0 if not other else 1 if order.index(name) < order.index(other) else -1


def features_of(text: str) -> set[str]:
    """The stems of a text and the pairs of neighbours, its beginning and its end among them."""
    found = [stem(word) for word in words(text)]
    return {*found, *(f"{first} {then}" for first, then in pairwise(["^", *found, "$"]))}
