"""How much a generated fact knows of the price that came after it.

A fact is made of a score: `correlation` x the later return + noise, with a variance of about 1. The
later return is the logarithmic one over so many closes from that of the fact's day on, over the
usual swing of that time: the deviation of the series' daily returns x the root of the days. Towards
the end of a series fewer closes follow, and the return is that of those.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import sqrt
from random import Random
from statistics import NormalDist
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

GENERATOR: Final = "desk facts of companies, version 1"
"""It changes with anything that changes a generated fact."""

SEED: Final = 2026

LARGEST: Final = 3.0
"""A later return of more than so many usual swings counts as this many."""

_NORMAL: Final = NormalDist()
_LEAST: Final = 1e-9


class Relation(NamedTuple):
    """Over how many closes a fact looks ahead, and its score's correlation with that return."""

    days: int
    correlation: float


TONE, SURPRISE, GROWTH, CHEAPNESS, NOISE = "tone", "surprise", "growth", "cheapness", "noise"

RELATIONS: Final[Mapping[str, Relation]] = MappingProxyType(
    {
        TONE: Relation(20, 0.15),
        SURPRISE: Relation(63, 0.3),
        GROWTH: Relation(252, 0.4),
        CHEAPNESS: Relation(252, 0.2),
        NOISE: Relation(0, 0.0),
    }
)
"""Of the tone of one headline, the surprise of a quarter's earnings, a year's growth of revenue and
how cheap the price is beside earnings. Margins, debt and how much is written are noise. Conventions
of this generator; nothing of it was measured on companies."""


class LaterReturns:
    """The later returns of one series, in usual swings."""

    def __init__(self, closes: Sequence[Decimal]) -> None:
        """`closes` are in the same shares throughout, oldest first."""
        self._levels = np.log(np.array([float(close) for close in closes]))
        steps = np.diff(self._levels)
        self._swing = float(steps.std()) if len(steps) > 1 else 0.0

    def over(self, at: int, days: int) -> float:
        """The return over the next `days` closes, or as many as there are; 0 without any."""
        count = min(days, len(self._levels) - 1 - at)
        if count < 1 or not self._swing:
            return 0.0
        moved = float(self._levels[at + count] - self._levels[at])
        return max(-LARGEST, min(LARGEST, moved / (self._swing * sqrt(count))))


class Draws:
    """What is drawn of one kind of facts of a symbol: always the same, whatever else is drawn."""

    def __init__(self, seed: int, symbol: str, kind: str, returns: LaterReturns) -> None:
        # A text is a seed that Python promises to read alike in every version.
        self._random = Random(f"{GENERATOR}/{seed}/{symbol}/{kind}")  # noqa: S311
        self._returns = returns

    def share(self) -> float:
        """A number from 0 to 1."""
        return self._random.random()

    def score(self, kind: str, at: int) -> float:
        """The score of a fact of the day at a place of the series."""
        days, correlation = RELATIONS[kind]
        later = self._returns.over(at, days) if correlation else 0.0
        return correlation * later + sqrt(1 - correlation**2) * self._noise()

    def _noise(self) -> float:
        return _NORMAL.inv_cdf(min(1 - _LEAST, max(_LEAST, self._random.random())))
