"""Answers that are kept for a while, so that the same question is asked once."""

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from typing import ClassVar, Generic, TypeVar

Answer = TypeVar("Answer")


class KeptAnswers(Generic[Answer]):
    """Holds the `most` latest answers, each for `seconds`. Safe to use from several threads.

    `looked_up` counts what all of this process were asked for, by whether they had it.
    """

    looked_up: ClassVar[Counter[bool]] = Counter()

    def __init__(self, seconds: float, most: int, clock: Callable[[], float]) -> None:
        """`clock` gives seconds that never run backwards."""
        self._seconds = seconds
        self._most = most
        self._clock = clock
        self._kept: OrderedDict[Hashable, tuple[float, Answer]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, question: Hashable) -> Answer | None:
        """The answer to a question, if there is one that is not too old."""
        with self._lock:
            until, answer = self._kept.get(question, (0.0, None))
            had = answer is not None and self._clock() < until
            self.looked_up[had] += 1
        return answer if had else None

    def keep(self, question: Hashable, answer: Answer) -> None:
        """Keep an answer, and let go of the oldest where there are too many."""
        with self._lock:
            self._kept.pop(question, None)
            self._kept[question] = (self._clock() + self._seconds, answer)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
