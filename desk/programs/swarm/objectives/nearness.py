"""How near an objective is to each form: kernel ridge regression on the wordings of all forms.

What is compared are the vectors of the desk's model of meaning and the stems of the words, with
the pairs of neighbours among them. Forms that ask for opposites, or the same of one market and of
several, are one kind. Which of two opposites is meant is a second regression over the wordings of
all such kinds: what says `up` says it of a trend and of a price. Whether it is asked of the first
of several markets alone is a third, and whether several are compared is a fourth. All are solved
once, by `tests/unit/programs/accept_wordings.py`, and only what follows from them is kept.
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

CLOSENESS: Final = 1.5
"""How much more a wording counts that is close in meaning than one that is far."""

RIDGE: Final = 0.1
"""How little the regressions follow a single wording."""

HALF_BYTE: Final = 127
"""What a 1 of a kept vector is stored as."""

Floats = NDArray[np.float32]


class QuestionMeaning(Protocol):
    """Turns what is asked into a vector of length 1, by the model that the wordings' are of."""

    def question(self, text: str) -> Vector:
        """The vector of what is asked."""
        ...


class Nearness(NamedTuple):
    """How near an objective is to each kind of form, by the names of its forms; how far it speaks
    for the first of two opposite ones, below nothing for the second; how far it asks of its first
    market alone; and how far it compares several, below nothing where it asks of each."""

    kinds: Mapping[tuple[str, ...], float]
    side: float
    of_first: float = 0.0
    of_several: float = 0.0


class Fitted(NamedTuple):
    """What the regressions come to.

    `features` are those of the wordings, `weights` how much each counts, `unknown` how much one
    does that no wording has. `meanings` are the vectors of the wordings, in bytes. The others have
    a column for each kind, one for the side and two for how many markets are asked of: what a
    feature adds beside meaning, what each wording adds that is close in meaning, and what a feature
    adds where words alone are compared. `of` tells the wordings by.
    """

    features: NDArray[np.str_]
    weights: Floats
    unknown: Floats
    meanings: NDArray[np.int8]
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
        close = closeness(fitted.meanings.astype(np.float32) @ means / HALF_BYTE)
        scores = counts @ fitted.beside_meaning[places] + close @ fitted.by_meaning
    *each, side, of_first, of_several = scores.tolist()
    return Nearness(dict(zip(kinds_of_forms(), each, strict=True)), side, of_first, of_several)


def closeness(cosines: NDArray[np.floating]) -> NDArray[np.floating]:
    """How close texts are by the cosines of their meanings: 1 of the same."""
    close: NDArray[np.floating] = np.exp(CLOSENESS * (cosines - 1))
    return close


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
    kinds: list[set[str]] = []
    for form in FORMS.values():
        linked = {form.name, form.opposite, form.of_first, form.compares} - {""}
        linked = linked.union(*(kind for kind in kinds if kind & linked))
        kinds = [*(kind for kind in kinds if not kind & linked), linked]
    ordered = [tuple(name for name in FORMS if name in kind) for kind in kinds]
    return (*sorted(ordered, key=lambda kind: [*FORMS].index(kind[0])), (UNDECIDED,))


def side_of_form(name: str) -> int:
    """1 of the first of two opposite forms and -1 of the second; else nothing."""
    other = FORMS[name].opposite if name in FORMS else ""
    order = [*FORMS]
    return 0 if not other else 1 if order.index(name) < order.index(other) else -1


def features_of(text: str) -> set[str]:
    """The stems of a text and the pairs of neighbours, its beginning and its end among them."""
    found = [stem(word) for word in words(text)]
    return {*found, *(f"{first} {then}" for first, then in pairwise(["^", *found, "$"]))}
