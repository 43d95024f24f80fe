"""How near an objective is to each form: kernel ridge regression on the wordings of all forms.

It compares the vectors of the desk's embedding model, and the stems of the words with the pairs of
neighbouring stems. Forms that ask for opposites, or for the same of one market and of several, are
one kind. A second regression over the wordings of all such kinds decides between two opposites:
words like `up` mean the same for a trend and for a price. A third decides whether only the first of
several markets is asked about, and a fourth whether several are compared. All are solved once, by
`tests/unit/programs/accept_wordings.py`, and only the result is stored.
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
"""The name for objectives that no form decides, in place of a form's name."""

WORDS_COUNT: Final = 0.5
"""The weight of the similarity of words beside that of meaning."""

CLOSENESS: Final = 1.5
"""How much more a wording that is close in meaning counts than one that is far."""

RIDGE: Final = 0.1
"""The ridge parameter: how little the regressions follow a single wording."""

HALF_BYTE: Final = 127
"""The integer that stands for 1 in a stored vector."""

Floats = NDArray[np.float32]


class QuestionMeaning(Protocol):
    """Turns a question into a vector of length 1, by the model that embedded the wordings."""

    def question(self, text: str) -> Vector:
        """Returns the vector of a question."""
        ...


class Nearness(NamedTuple):
    """How near an objective is to each kind of form, by the names of its forms; how much it favours
    the first of two opposite forms (negative: the second); how much it asks about its first market
    alone; and how much it compares several (negative: it asks about each)."""

    kinds: Mapping[tuple[str, ...], float]
    side: float
    of_first: float = 0.0
    of_several: float = 0.0


class Fitted(NamedTuple):
    """The fitted regressions.

    `features` are those of the wordings, `weights` the weight of each, `unknown` the weight of a
    feature that no wording has. `meanings` are the vectors of the wordings, in bytes. The others
    have a column for each kind, one for the side and two for the number of markets: what a feature
    adds to the meaning, what each wording that is close in meaning adds, and what a feature adds if
    only words are compared. `of` identifies the wordings.
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
    """Returns the known wordings for each form, and those that no form decides."""
    read = tomllib.loads(WORDINGS.read_text(encoding="utf-8"))
    return {name: tuple(each) for name, each in read.items()}


def nearness(asked: str, meaning: QuestionMeaning | None) -> Nearness:
    """Returns how near an objective is to the forms, by words alone if there is no embedding
    model."""
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
    """Returns how close texts are by the cosines of their embeddings: 1 for equal texts."""
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
    """Returns the forms by kind, and the kind that no form decides."""
    kinds: list[set[str]] = []
    for form in FORMS.values():
        linked = {form.name, form.opposite, form.of_first, form.compares} - {""}
        linked = linked.union(*(kind for kind in kinds if kind & linked))
        kinds = [*(kind for kind in kinds if not kind & linked), linked]
    ordered = [tuple(name for name in FORMS if name in kind) for kind in kinds]
    return (*sorted(ordered, key=lambda kind: [*FORMS].index(kind[0])), (UNDECIDED,))


def side_of_form(name: str) -> int:
    """Returns 1 for the first of two opposite forms, -1 for the second, otherwise 0."""
    other = FORMS[name].opposite if name in FORMS else ""
    order = [*FORMS]
    return 0 if not other else 1 if order.index(name) < order.index(other) else -1


def features_of(text: str) -> set[str]:
    """Returns the stems of a text and the pairs of neighbouring stems, including its start and its
    end."""
    found = [stem(word) for word in words(text)]
    return {*found, *(f"{first} {then}" for first, then in pairwise(["^", *found, "$"]))}
