"""The law by which a figure grows with the number of markets: a power, fitted in logarithms."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

STUDENT: Final = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31)
"""The factor of a 95 % interval, by degrees of freedom from one on."""

TOLERATED: Final = 1.25
"""From what ratio on a market costs more than where it costs least."""


@dataclass(frozen=True)
class Law:
    """`factor * markets ** exponent`; the true exponent is within `margin` of it with 95 %, as far
    as what is left over is chance. `linear_to` is the largest size up to which no market costs a
    quarter more than where it costs least among the sizes below."""

    factor: float
    exponent: float
    margin: float
    linear_to: int

    def at(self, markets: float) -> float:
        """What the law says of a number of markets."""
        return float(self.factor * markets**self.exponent)


def fitted(sizes: Sequence[int], figures: Sequence[float]) -> Law:
    """The law through three points or more, none of them nought or less."""
    x, y = [math.log(size) for size in sizes], [math.log(figure) for figure in figures]
    count = len(x)
    middle, height = sum(x) / count, sum(y) / count
    spread = sum((each - middle) ** 2 for each in x)
    exponent = sum((a - middle) * (b - height) for a, b in zip(x, y, strict=True)) / spread
    start = height - exponent * middle
    left = sum((b - start - exponent * a) ** 2 for a, b in zip(x, y, strict=True))
    margin = STUDENT[count - 3] * math.sqrt(left / (count - 2) / spread)
    return Law(math.exp(start), exponent, margin, _linear_to(sizes, figures))


def _linear_to(sizes: Sequence[int], figures: Sequence[float]) -> int:
    least, reached = figures[0] / sizes[0], sizes[0]
    for size, figure in zip(sizes, figures, strict=True):
        if figure / size > TOLERATED * least:
            break
        least, reached = min(least, figure / size), size
    return reached
