"""How near a text is to wordings under several names, by their meaning and by their words together.

Opposites are near in meaning. So the words count as well, and which stand beside each other.
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
    # A command that compares nothing loads no numpy.
    from desk.analytics.retrieval.meaning import Meaning


class NamedWordings:
    """Wordings under their names, as a TOML file has them, with the file of their vectors.

    `words_count` is how much the words count beside the meaning, `floor` how near the nearest
    wording of a name has to be, and `apart` how much nearer than any of another name.
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
    def told(self) -> Mapping[str, tuple[str, ...]]:
        """The wordings by their names."""
        read = tomllib.loads(self._written.read_text(encoding="utf-8"))
        return {name: tuple(each) for name, each in read.items()}

    def every(self) -> tuple[str, ...]:
        """All of them, each once."""
        return tuple(dict.fromkeys(each for own in self.told.values() for each in own))

    def nearness(self, text: str, among: Iterable[str], meaning: "Meaning") -> dict[str, float]:
        """By each of some names the nearness of a text to the nearest of its wordings: at most
        1 and what words count. Wordings without a vector are left out."""
        from desk.analytics.retrieval.wordings import kept_vectors

        vectors = kept_vectors(self._vectors)
        asked, own = meaning.question(text), _neighbours(text)
        size = self._squared(own)
        return {
            name: max(
                (
                    float(vectors[each] @ asked) + self._words_count * self._alike(own, size, each)
                    for each in self.told[name]
                    if each in vectors
                ),
                default=0.0,
            )
            for name in among
        }

    def is_near(self, nearness: float) -> bool:
        """Whether that is near enough."""
        return nearness >= self._floor

    def is_apart(self, one: float, other: float) -> bool:
        """Whether the one is near by enough more than the other."""
        return one - other >= self._apart

    def decided(self, near: Mapping[str, float], alike: Iterable[str] = ()) -> str | None:
        """The name that is nearest, where it is near enough and nearer than all others that need to
        be told from it: those that are `alike` need not."""
        best = max(near, key=near.__getitem__)
        beside = {*alike, best} if best in alike else {best}
        other = max((near[name] for name in near.keys() - beside), default=0.0)
        return best if self.is_near(near[best]) and self.is_apart(near[best], other) else None

    @cached_property
    def _neighbours_of(self) -> Mapping[str, frozenset[str]]:
        return {each: _neighbours(each) for each in self.every()}

    @cached_property
    def _weights(self) -> Mapping[str, float]:
        """What words count for: the rarer one is among the wordings, the more."""
        told = [each for own in self.told.values() for each in own]
        held = Counter(found for each in told for found in self._neighbours_of[each])
        return {found: math.log(1 + len(told) / times) for found, times in held.items()}

    @cached_property
    def _sizes(self) -> Mapping[str, float]:
        return {each: self._squared(found) for each, found in self._neighbours_of.items()}

    def _alike(self, own: frozenset[str], size: float, wording: str) -> float:
        """The cosine of a text of some size and of a wording, by their words."""
        shared = self._squared(own & self._neighbours_of[wording])
        return shared / (math.sqrt(size * self._sizes[wording]) or 1)

    def _squared(self, found: frozenset[str]) -> float:
        """The sum of squares of what words count. One that no wording has counts like a common
        one."""
        return sum(self._weights.get(each, 1.0) ** 2 for each in found)


def _neighbours(text: str) -> frozenset[str]:
    """The stems of a text, and each two that stand beside each other, its edges among them."""
    found = [stem(word) for word in words(text)]
    return frozenset((*found, *(f"{one} {then}" for one, then in pairwise(["^", *found, "$"]))))
