"""Classifies a text by its similarity to named example wordings, by meaning and by words.

Opposites are close in meaning. So the words count too, and which words are adjacent.
"""

import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from desk.analytics.retrieval.full_text import stem, words

if TYPE_CHECKING:
    # For types only, so that a command that compares nothing does not load numpy.
    from desk.analytics.retrieval.meaning import EmbeddingModel


class NamedWordings:
    """Example wordings by name, from a TOML file, with a file of their embeddings.

    `words_count` is the weight of the words beside the meaning, `floor` the similarity that the
    nearest wording of a name must reach, and `apart` how much nearer it must be than any of another
    name.
    """

    def __init__(
        self, written: Path, vectors: Path, *, words_count: float, floor: float, apart: float
    ) -> None:
        self._written = written
        self._vectors = vectors
        self._words_count = words_count
        self._floor = floor
        self._apart = apart

    @cached_property
    def wordings(self) -> Mapping[str, tuple[str, ...]]:
        """The wordings by name."""
        read = tomllib.loads(self._written.read_text(encoding="utf-8"))
        return {name: tuple(each) for name, each in read.items()}

    def every(self) -> tuple[str, ...]:
        """All wordings, each once."""
        return tuple(dict.fromkeys(each for own in self.wordings.values() for each in own))

    def nearness(
        self, text: str, among: Iterable[str], meaning: "EmbeddingModel"
    ) -> dict[str, float]:
        """The similarity of a text to the nearest wording of each of some names: at most 1 plus the
        weight of the words. Wordings without an embedding are skipped."""
        from desk.analytics.retrieval.wordings import load_vectors

        vectors = load_vectors(self._vectors)
        asked, own = meaning.question(text), _neighbours(text)
        size = self._squared(own)
        return {
            name: max(
                (
                    float(vectors[each] @ asked) + self._words_count * self._alike(own, size, each)
                    for each in self.wordings[name]
                    if each in vectors
                ),
                default=0.0,
            )
            for name in among
        }

    def is_near(self, nearness: float) -> bool:
        """Whether a similarity reaches the floor."""
        return nearness >= self._floor

    def is_apart(self, one: float, other: float) -> bool:
        """Whether one similarity exceeds another by the required distance."""
        return one - other >= self._apart

    def decided(self, near: Mapping[str, float], alike: Iterable[str] = ()) -> str | None:
        """The nearest name, if it is near enough and sufficiently nearer than the others. Names in
        `alike` need not be distinguished from it. None otherwise."""
        best = max(near, key=near.__getitem__)
        beside = {*alike, best} if best in alike else {best}
        other = max((near[name] for name in near.keys() - beside), default=0.0)
        return best if self.is_near(near[best]) and self.is_apart(near[best], other) else None

    @cached_property
    def _neighbours_of(self) -> Mapping[str, frozenset[str]]:
        return {each: _neighbours(each) for each in self.every()}

    @cached_property
    def _weights(self) -> Mapping[str, float]:
        """The weights of words: the rarer a word is among the wordings, the higher."""
        wordings = [each for own in self.wordings.values() for each in own]
        counts = Counter(found for each in wordings for found in self._neighbours_of[each])
        return {found: math.log(1 + len(wordings) / times) for found, times in counts.items()}

    @cached_property
    def _sizes(self) -> Mapping[str, float]:
        return {each: self._squared(found) for each, found in self._neighbours_of.items()}

    def _alike(self, own: frozenset[str], size: float, wording: str) -> float:
        """The cosine of a text of a given size and a wording, by their words."""
        shared = self._squared(own & self._neighbours_of[wording])
        return shared / (math.sqrt(size * self._sizes[wording]) or 1)

    def _squared(self, found: frozenset[str]) -> float:
        """The sum of the squared weights of words. An unknown word has the weight of a common
        one."""
        return sum(self._weights.get(each, 1.0) ** 2 for each in found)


def _neighbours(text: str) -> frozenset[str]:
    """The stems of a text, and each pair of adjacent ones, with its edges."""
    found = [stem(word) for word in words(text)]
    return frozenset((*found, *(f"{one} {then}" for one, then in pairwise(["^", *found, "$"]))))
