"""The formulas behind derived claims. A claim names the one it was computed with.

Scalar formulas take and return `Decimal`, in the order of the claim's inputs, and are exact up to
the context's 28 digits; whoever makes a claim rounds it. Formulas over series take floats.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MAD_TO_DEVIATION: Final = 1.4826
"""Makes the median absolute deviation of normal data an estimate of its standard deviation.
Source: Rousseeuw and Croux, Alternatives to the Median Absolute Deviation, JASA 1993."""

SMALLEST_DEVIATION: Final = 1e-12
"""Below this, log moves differ by rounding only, and a z-score would divide by nothing."""


def percent_change(previous: Decimal, last: Decimal) -> Decimal:
    """The simple change from one level to another, in percent of the first.

    Raises:
        ValueError: a level is not above zero.
    """
    if previous <= 0 or last <= 0:
        raise ValueError(f"levels are positive, not {previous} and {last}")
    return (last / previous - 1) * 100


def basis_point_difference(rate: Decimal, against: Decimal) -> Decimal:
    """The first rate minus the second, both in percent a year, in basis points."""
    return (rate - against) * 100


def range_position(value: Decimal, low: Decimal, high: Decimal) -> Decimal:
    """Where a value stands between two bounds: 0 percent at the low, 100 percent at the high.

    A value outside the bounds gives a result below 0 or above 100.

    Raises:
        ValueError: the high is not above the low.
    """
    if high <= low:
        raise ValueError(f"a range needs a high above its low, not {low} to {high}")
    return (value - low) / (high - low) * 100


def band_position(value: Decimal, low: Decimal, high: Decimal) -> Decimal:
    """Where a pegged pair stands within its band, as `range_position`; `low` and `high` are the
    edges of the band.

    Raises:
        ValueError: the upper edge is not above the lower.
    """
    return range_position(value, low, high)


def highest(values: Sequence[Decimal]) -> Decimal:
    """The highest of some levels.

    Raises:
        ValueError: there are none.
    """
    return max(values)


def lowest(values: Sequence[Decimal]) -> Decimal:
    """The lowest of some levels.

    Raises:
        ValueError: there are none.
    """
    return min(values)


def streak(values: Sequence[Decimal]) -> int:
    """How many of the last steps of a series, oldest first, went the same way.

    Positive for rises, negative for falls, 0 when the last step went nowhere or there is none.
    """
    directions = [(after > before) - (after < before) for before, after in pairwise(values)]
    if not directions or directions[-1] == 0:
        return 0
    length = 0
    for direction in reversed(directions):
        if direction != directions[-1]:
            break
        length += 1
    return length * directions[-1]


def log_moves(levels: Sequence[float] | Floats) -> Floats:
    """The natural logarithm of each level over the one before it; one shorter than `levels`.

    Raises:
        ValueError: a level is not above zero.
    """
    series = np.asarray(levels, dtype=np.float64)
    if np.any(series <= 0):
        raise ValueError("levels are positive")
    return np.diff(np.log(series))


def z_score(move: float, trailing: Sequence[float] | Floats) -> float | None:
    """A move's distance from the mean of the trailing moves, in their sample standard deviations.

    The standard score, with the n - 1 estimate of the deviation. None with fewer than two
    trailing moves or when they do not vary.
    """
    moves = np.asarray(trailing, dtype=np.float64)
    if moves.size < 2:
        return None
    deviation = float(np.std(moves, ddof=1))
    if deviation < SMALLEST_DEVIATION:
        return None
    return (move - float(np.mean(moves))) / deviation


def robust_deviation(moves: Sequence[float] | Floats) -> float:
    """The median absolute deviation from the median, scaled to a standard deviation.

    Half of the moves can be arbitrarily wrong before it breaks down. 0.0 for no moves.
    """
    series = np.asarray(moves, dtype=np.float64)
    if series.size == 0:
        return 0.0
    return MAD_TO_DEVIATION * float(np.median(np.abs(series - np.median(series))))


CLAIM_FORMULAS: Final[Mapping[str, Callable[..., Decimal]]] = {
    formula.__name__: formula
    for formula in (percent_change, basis_point_difference, range_position)
}
"""The formulas whose inputs are all claims, by the name that claims give. Arguments in the order
of the claim's inputs."""
