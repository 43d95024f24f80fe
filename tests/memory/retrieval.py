"""How well the memory finds what is meant: `python -m tests.memory.retrieval`.

Words alone, meaning alone and both, on questions that nothing was chosen by, and on those by which
one decision was made. It takes half a minute, and needs `make install-memory`.
"""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from desk.analytics.retrieval.meaning import EmbeddingModel, by_meaning
from desk.contracts.agents.extras import Extra, install_words
from desk.contracts.learning.memory import MemoryEntry, MemoryQuery
from desk.platform.memory.embedded import EmbeddedMemory
from desk.platform.memory.meaning import embedded_text, installed_embedding_model
from tests.memory.held import HeldQuestion, Shared, held_set

MOST = 40
"""As many as can be asked for. What comes later counts as not found."""

AS_OF = datetime(2026, 11, 22, tzinfo=UTC)

Find = Callable[[MemoryQuery], Sequence[str]]


@dataclass(frozen=True)
class Quality:
    """Of some questions: the mean of 1 / the place of the first right entry, and the shares of
    questions with a right entry in the first place and among the first five."""

    questions: int
    mean_reciprocal_rank: float
    first: float
    among_five: float


@dataclass(frozen=True)
class Way:
    """A way of finding, with what it found for each question, and how long one took it."""

    name: str
    places: tuple[int | None, ...]
    seconds: float

    def quality(self, questions: Sequence[HeldQuestion], words: Shared | None) -> Quality:
        """Of the questions that share so many words, or of all."""
        pairs = zip(questions, self.places, strict=True)
        return quality([place for one, place in pairs if words in (None, one.words)])


def quality(places: Sequence[int | None]) -> Quality:
    """By the place of the first right entry of each question, counted from 1; None is not found."""
    found = [place for place in places if place is not None]
    return Quality(
        questions=len(places),
        mean_reciprocal_rank=sum(1 / place for place in found) / len(places),
        first=sum(place == 1 for place in found) / len(places),
        among_five=sum(place <= 5 for place in found) / len(places),
    )


def first_right(found: Sequence[str], right: Sequence[str]) -> int | None:
    """The place of the first that is right, counted from 1."""
    return next((place for place, one in enumerate(found, start=1) if one in right), None)


def measured(questions: Sequence[HeldQuestion], name: str, find: Find) -> Way:
    """The way, tried on every question."""
    places: list[int | None] = []
    began = time.perf_counter()
    for question in questions:
        found = find(MemoryQuery(text=question.ask, as_of=AS_OF, most=MOST))
        places.append(first_right(found, question.right))
    return Way(name, tuple(places), (time.perf_counter() - began) / len(questions))


def by_store(store: EmbeddedMemory) -> Find:
    """What the store finds."""
    return lambda query: [one.entry.memory_id for one in store.search(query)]


def by_meaning_alone(meaning: EmbeddingModel, entries: Sequence[MemoryEntry]) -> Find:
    """The order by meaning, as the store makes it and before it is joined with the other."""
    vectors = meaning.passages([embedded_text(entry) for entry in entries])
    placed = list(zip((entry.memory_id for entry in entries), vectors, strict=True))
    return lambda query: by_meaning(meaning.question(query.text), placed)[:MOST]


def lines(title: str, questions: Sequence[HeldQuestion], ways: Mapping[str, Find]) -> Iterator[str]:
    """The table of some questions."""
    yield f"{title:<18} {'words':<6} {'asked':>5}  {'MRR':>5}  {'R@1':>5}  {'R@5':>5}  {'ms':>5}"
    for name, find in ways.items():
        way = measured(questions, name, find)
        for words in (None, Shared.MANY, Shared.FEW):
            one = way.quality(questions, words)
            left, took = (name, f"{way.seconds * 1_000:.0f}") if words is None else ("", "")
            yield (
                f"{left:<18} {words or 'all':<6} {one.questions:>5}  {one.mean_reciprocal_rank:.3f}"
                f"  {one.first:.3f}  {one.among_five:.3f}  {took:>5}"
            ).rstrip()


def main() -> int:
    """Print the tables; 1 without a model."""
    meaning = installed_embedding_model()
    if meaning is None:
        sys.stderr.write(f"there is no model of meaning here: run {install_words(Extra.MEMORY)}\n")
        return 1
    held = held_set()
    entries = [one.entry() for one in held.entries]
    with TemporaryDirectory() as folder:
        words = EmbeddedMemory(Path(folder) / "words.db", lambda: None)
        words.put(entries)
        both = EmbeddedMemory(Path(folder) / "both.db", lambda: meaning)
        began = time.perf_counter()
        both.put(entries)
        to_put = (time.perf_counter() - began) / len(entries)
        ways = {
            "words alone": by_store(words),
            "meaning alone": by_meaning_alone(meaning, entries),
            "words and meaning": by_store(both),
        }
        tables = [*lines("held", held.held, ways), "", *lines("tried", held.tried, ways)]
    sys.stdout.write(f"{len(entries)} entries; to put one takes {to_put * 1_000:.0f} ms\n\n")
    sys.stdout.write("".join(f"{line}\n" for line in tables))
    return 0


if __name__ == "__main__":
    sys.exit(main())
