"""Texts as vectors of their meaning, by a model that may not be installed."""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

MOST_KEPT: Final = 20_000
"""Vectors of passages that a process keeps: 30 MB."""

Vector = NDArray[np.float32]
"""Numbers, as many as the model has dimensions; of length 1, so that the product of two is
their cosine."""


class Meaning(Protocol):
    """Turns texts into vectors that are near each other if the texts mean nearly the same."""

    @property
    def model(self) -> str:
        """The model's name. Vectors of different models cannot be compared."""
        ...

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts to be searched."""
        ...

    def question(self, text: str) -> Vector:
        """The vector of a question."""
        ...

    def __hash__(self) -> int:
        """Vectors are kept by the model that made them."""
        ...


FindMeaning = Callable[[], Meaning | None]
"""How one comes by a model; None where none is installed, and words alone are compared."""

WORKERS_MEANING: ContextVar[FindMeaning] = ContextVar("workers_meaning", default=lambda: None)
"""The model of the worker that a turn is taken on; words alone where it has none."""


def by_meaning(question: Vector, vectors: Sequence[tuple[str, Vector]]) -> list[str]:
    """The ids in the order of the cosine of their vectors to the question's, nearest first."""
    if not vectors:
        return []
    cosines = np.stack([vector for _, vector in vectors]) @ question
    pairs = zip(cosines.tolist(), (identity for identity, _ in vectors), strict=True)
    return [identity for _, identity in sorted(pairs, key=lambda pair: (-pair[0], pair[1]))]


@lru_cache(maxsize=MOST_KEPT)
def passage_vector(meaning: Meaning, text: str) -> Vector:
    """The vector of a passage, made once in a process."""
    return meaning.passages([text])[0]
