"""Statistics over the moves of a series, in floats."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


DAYS_A_YEAR: Final = 252
"""Days with prices, by which a daily deviation is told for a year."""

MAD_TO_DEVIATION: Final = 1.4826
"""Makes the median absolute deviation of normal data an estimate of its standard deviation.
Source: Rousseeuw and Croux, Alternatives to the Median Absolute Deviation, JASA 1993."""


SMALLEST_DEVIATION: Final = 1e-12
"""Below this, log moves differ only by rounding, and a z-score would divide by almost zero."""


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

    The standard score, with the n - 1 estimate of the deviation. None with fewer than two trailing
    moves, or if they do not vary.
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
