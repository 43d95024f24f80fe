"""Seeded random draws that are the same on every machine and in every version of Python and its
libraries."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")


class SeededDraws:
    """Seeded random draws. Each draw is named, so that adding one does not change the others."""

    def __init__(self, seed: int, about: str) -> None:
        """`about` separates the draws of one use of the seed from those of another."""
        self._root = f"{about}/{seed}"

    def number(self, name: str, least: int, most: int, step: int = 1) -> int:
        """Returns a number from `least` to `most` in steps of `step`."""
        return least + step * (self._of(name) % ((most - least) // step + 1))

    def one(self, name: str, of: Sequence[T]) -> T:
        """Returns one of the values."""
        return of[self._of(name) % len(of)]

    def order(self, name: str, of: Sequence[T]) -> list[T]:
        """Returns all values in a random order."""
        places = sorted(range(len(of)), key=lambda place: self._of(f"{name}/{place}"))
        return [of[place] for place in places]

    def some(self, name: str, of: Sequence[T], count: int) -> list[T]:
        """Returns `count` different values, or all of them if there are fewer."""
        return self.order(name, of)[:count]

    def _of(self, name: str) -> int:
        return int.from_bytes(sha256(f"{self._root}/{name}".encode()).digest()[:8], "big")
