"""Embeddings of texts, by a model that may not be installed."""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

CACHED_VECTORS: Final = 20_000
"""Passage vectors that a process caches: 30 MB."""

Vector = NDArray[np.float32]
"""An embedding, with as many numbers as the model has dimensions. It has length 1, so that the
product of two is their cosine."""


class EmbeddingModel(Protocol):
    """An embedding model: its vectors of two texts are close if the texts mean nearly the same."""

    @property
    def model(self) -> str:
        """The model's name. Vectors of different models cannot be compared."""
        ...

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that are searched."""
        ...

    def question(self, text: str) -> Vector:
        """The vector of a question."""
        ...

    def __hash__(self) -> int:
        """Vectors are cached by the model that made them."""
        ...


FindEmbeddingModel = Callable[[], EmbeddingModel | None]
"""Returns the model. None if none is installed: only words are compared then."""

WORKER_EMBEDDING_MODEL: ContextVar[FindEmbeddingModel] = ContextVar(
    "workers_meaning", default=lambda: None
)
"""The model of the worker that runs the turn. By default there is none, and only words are
compared."""


def by_meaning(question: Vector, vectors: Sequence[tuple[str, Vector]]) -> list[str]:
    """The ids in descending order of their vectors' cosine to the question's."""
    if not vectors:
        return []
    cosines = np.stack([vector for _, vector in vectors]) @ question
    pairs = zip(cosines.tolist(), (identity for identity, _ in vectors), strict=True)
    return [identity for _, identity in sorted(pairs, key=lambda pair: (-pair[0], pair[1]))]


@lru_cache(maxsize=CACHED_VECTORS)
def passage_vector(meaning: EmbeddingModel, text: str) -> Vector:
    """The vector of a passage, cached in the process."""
    return meaning.passages([text])[0]
