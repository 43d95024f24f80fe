"""How near an objective is to each form: kernel ridge regression on the wordings of all forms.

What is compared are the vectors of the desk's model of meaning and the stems of the words, with
the pairs of neighbours among them. Two forms of which one is the opposite of the other are one
kind, and which of both is meant is a second regression over the wordings of all such kinds: what
says `up` says it of a trend and of a price. The regressions are solved anew in each process, in
some hundredths of a second; the vectors of the wordings are made once, by
`tests/unit/programs/accept_wordings.py`.
"""

import math
import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from desk.analytics.retrieval.full_text import stem, words
from desk.analytics.retrieval.meaning import Vector
from desk.analytics.retrieval.wordings import kept_vectors
from desk.programs.swarm.objectives.registry import FORMS

WORDINGS: Final = Path(__file__).with_name("wordings.toml")
VECTORS: Final = Path(__file__).with_name("wordings.npz")

UNDECIDED: Final = "undecided"
"""What no form decides, in place of a form's name."""

WORDS_COUNT: Final = 0.5
"""What the likeness of words counts beside that of meaning."""

RIDGE: Final = 0.3
"""How little the regressions follow a single wording."""

Floats = NDArray[np.float64]


class QuestionMeaning(Protocol):
    """Turns what is asked into a vector of length 1, by the model that the wordings' are of."""

    def question(self, text: str) -> Vector:
        """The vector of what is asked."""
        ...


class Nearness(NamedTuple):
    """How near an objective is to each kind of form, by the names of its forms, and how far it
    speaks for the first of two opposite ones, below nothing for the second."""

    kinds: Mapping[tuple[str, ...], float]
    side: float


@cache
def wordings() -> Mapping[str, tuple[str, ...]]:
    """How somebody may ask for each form, and for what no form decides."""
    read = tomllib.loads(WORDINGS.read_text(encoding="utf-8"))
    return {name: tuple(each) for name, each in read.items()}


def nearness(asked: str, meaning: QuestionMeaning | None) -> Nearness:
    """How near an objective is to the forms, by words alone where there is no model of meaning."""
    fitted = _fitted(by_meaning=meaning is not None)
    alike = _words_of((asked,)) @ _own_words().T
    if meaning is not None:
        means = np.array(meaning.question(asked), dtype=np.float64)
        alike = WORDS_COUNT * alike + means @ _means().T
    scores = (alike @ fitted)[0]
    kinds = dict(zip(_kinds(), scores[:-1].tolist(), strict=True))
    return Nearness(kinds, float(scores[-1]))


@cache
def _fitted(*, by_meaning: bool) -> Floats:
    """What each wording counts for each kind, and in the last column for the side of two."""
    alike = _own_words() @ _own_words().T
    if by_meaning:
        alike = WORDS_COUNT * alike + _means() @ _means().T
    sides = np.array([_side(form) for form, _ in _rows()], dtype=np.float64)
    kinds = np.array([[form in kind for kind in _kinds()] for form, _ in _rows()], dtype=np.float64)
    sided = np.flatnonzero(sides)
    weights = np.zeros((len(sides), len(_kinds()) + 1))
    weights[:, :-1] = _solved(alike, kinds)
    weights[sided, -1] = _solved(alike[np.ix_(sided, sided)], sides[sided])
    return weights


def _solved(alike: Floats, wanted: Floats) -> Floats:
    found = np.linalg.solve(alike + RIDGE * np.eye(len(alike)), wanted)
    return np.asarray(found, dtype=np.float64)


@cache
def _kinds() -> tuple[tuple[str, ...], ...]:
    """The forms by kind: two that are opposites of each other together."""
    names = (*FORMS, UNDECIDED)
    return tuple(dict.fromkeys(_kind_of(name) for name in names))


def _kind_of(name: str) -> tuple[str, ...]:
    other = FORMS[name].opposite if name in FORMS else ""
    return tuple(each for each in FORMS if each in (name, other)) if other else (name,)


def _side(name: str) -> int:
    """1 of the first of two opposite forms and -1 of the second; else nothing."""
    kind = _kind_of(name)
    return 0 if len(kind) == 1 else 1 - 2 * kind.index(name)


@cache
def _rows() -> tuple[tuple[str, str], ...]:
    return tuple((name, each) for name, own in wordings().items() for each in own)


@cache
def _texts() -> tuple[str, ...]:
    return tuple(wording for _, wording in _rows())


@cache
def _means() -> Floats:
    known = kept_vectors(VECTORS)
    return np.stack([known[text] for text in _texts()]).astype(np.float64)


def _features(text: str) -> set[str]:
    """The stems of a text and the pairs of neighbours, its beginning and its end among them."""
    found = [stem(word) for word in words(text)]
    return {*found, *(f"{first} {then}" for first, then in pairwise(["^", *found, "$"]))}


@cache
def _weights() -> Mapping[str, tuple[int, float]]:
    """The place of each feature of the wordings, and how much it counts: the fewer have it."""
    held = Counter(feature for text in _texts() for feature in _features(text))
    return {
        feature: (place, math.log(1 + len(_texts()) / times))
        for place, (feature, times) in enumerate(held.items())
    }


@cache
def _own_words() -> Floats:
    return _words_of(_texts())


def _words_of(texts: tuple[str, ...]) -> Floats:
    """The words of texts as rows of length 1, to which words that no wording has count as well."""
    known, rare = _weights(), math.log(1 + len(_texts()))
    rows = np.zeros((len(texts), len(known)))
    for row, features in enumerate(map(_features, texts)):
        for place, weight in (known[each] for each in features if each in known):
            rows[row, place] = weight
        unknown = sum(each not in known for each in features) * rare**2
        rows[row] /= math.sqrt(float(rows[row] @ rows[row]) + unknown) or 1
    return rows
