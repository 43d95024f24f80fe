"""Entries of a memory for tests, and a model of meaning that needs no package."""

import zlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from desk.analytics.retrieval.meaning import Vector
from desk.contracts.learning.memory import MemoryEntry, MemoryKind, MemoryQuery, Recalled
from desk.platform.memory.embedded import EmbeddedMemory
from desk.platform.memory.meaning import DIMENSIONS

KNOWN_FROM = datetime(2026, 10, 1, 7, tzinfo=UTC)


def entry(
    memory_id: str,
    text: str = "The yen rose as carry positions were closed.",
    *,
    kind: MemoryKind = MemoryKind.FINDINGS,
    markets: tuple[str, ...] = ("USD/JPY",),
    day: int = 0,
    run: str = "swarm-1",
    objective: str = "is the yen carry trade unwinding?",
) -> MemoryEntry:
    """An entry that was known so many days after `KNOWN_FROM`."""
    return MemoryEntry(
        memory_id=memory_id,
        kind=kind,
        objective=objective,
        markets=markets,
        as_of=KNOWN_FROM + timedelta(days=day),
        text=text,
        workflow_id=run,
    )


def asked(text: str, *, day: int = 365, **more: object) -> MemoryQuery:
    """A question with so many days' knowledge."""
    as_of = KNOWN_FROM + timedelta(days=day)
    return MemoryQuery.model_validate({"text": text, "as_of": as_of, **more})


def ids(recalled: Sequence[Recalled]) -> list[str]:
    """Of what was recalled, in its order."""
    return [one.entry.memory_id for one in recalled]


class SameWords:
    """Texts lie near each other as far as they have the same words; of `synonyms`, each counts as
    the word that it stands for."""

    model = "same-words"

    def __init__(self, **synonyms: str) -> None:
        self._synonyms = synonyms
        self.made = 0

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        self.made += len(texts)
        return [self._vector(text) for text in texts]

    def question(self, text: str) -> Vector:
        return self._vector(text)

    def _vector(self, text: str) -> Vector:
        vector = np.full(DIMENSIONS, 1e-6, np.float32)
        for word in text.casefold().replace(".", " ").replace("?", " ").split():
            meant = self._synonyms.get(word, word)
            vector[zlib.crc32(meant.encode()) % DIMENSIONS] += 1
        unit: Vector = vector / np.linalg.norm(vector)
        return unit


def fill(path: Path, name: str, count: int, besides: str = "") -> None:
    """Open a memory, as a process does that comes to it first, and put so many entries there, one
    at a time; with each another text for an entry `besides`, where that is named."""
    store = EmbeddedMemory(path, lambda: None)
    for number in range(count):
        added = [entry(besides, f"{name} {number}")] if besides else []
        store.put([entry(f"{name}-{number}", run=name), *added])
