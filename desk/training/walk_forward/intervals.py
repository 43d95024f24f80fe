"""Means with intervals, computed from groups of consecutive dates.

Symbols on one day move together, and consecutive days may be correlated. So the dates are divided
into a few groups of neighbours, each with everything measured on them, and the groups count as
independent: the interval is Student's t over their deviations from the common mean (Bester, Conley
and Hansen, "Inference with dependent data using cluster covariance estimators", Journal of
Econometrics 165, 2011). With G groups, m the mean of all N figures and e(g) the sum of a group's
figures less m each, it is

    m -+ t(G - 1) x sqrt(G / (G - 1) x sum of e(g)^2) / N

The groups have roughly equal numbers of figures, as the formula assumes. From 12 dates on, it
contains the true mean about 95 times in 100 if dates are independent, and 92 to 95 times if each is
correlated with the next by 0.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

COVERED: Final = 95
"""Percent."""

MOST_GROUPS: Final = 10
"""With more, an interval is narrower and contains the mean less often if distant dates are
correlated."""

FEWEST_GROUPS: Final = 6
"""With fewer, there is a mean and no interval."""

DATES_A_GROUP: Final = 2
"""The least average number of dates, so that correlated neighbours are mostly in one group."""

FEWEST_DATES: Final = FEWEST_GROUPS * DATES_A_GROUP


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean of `count` figures and the ends of its confidence interval; None with too few dates,
    or if a few dates have nearly all of the figures."""

    mean: float
    count: int
    low: float | None = None
    high: float | None = None


def mean_over(at: Sequence[int], figures: Sequence[float]) -> Interval | None:
    """Returns the mean of figures with its interval; None without figures.

    Args:
        at: The number of each figure's date.
        figures: As many.
    """
    if not figures:
        return None
    values = np.asarray(figures, dtype=np.float64)
    mean, count = float(values.mean()), len(figures)
    misses = np.bincount(_groups(at), weights=values - mean)
    groups = len(misses)
    if groups < FEWEST_GROUPS:
        return Interval(mean, count)
    error = np.sqrt(groups / (groups - 1) * np.square(misses).sum()) / count
    half = float(stdtrit(groups - 1, (1 + COVERED / 100) / 2) * error)
    return Interval(mean, count, mean - half, mean + half)


def _groups(at: Sequence[int]) -> NDArray[np.int64]:
    """Returns the group of each figure, from 0 on. No group is empty, and no date is split between
    groups."""
    _, dates, counts = np.unique(at, return_inverse=True, return_counts=True)
    wanted = min(MOST_GROUPS, len(counts) // DATES_A_GROUP)
    middles = (np.cumsum(counts) - counts / 2) / len(at)
    _, groups = np.unique((wanted * middles).astype(np.int64), return_inverse=True)
    return groups[dates]


DRAWS: Final = 2_000
BLOCK: Final = 6
"""Consecutive dates that are drawn together: about half a year at four weeks each."""


def bootstrapped(at: Sequence[int], figures: Sequence[float], seed: int) -> Interval | None:
    """Returns the mean of figures with a bootstrap interval; None without figures.

    Dates are drawn with replacement in blocks of `BLOCK` consecutive dates, each with all its
    figures, because the figures of one date belong together and neighbours may be correlated; the
    last date is followed by the first (the circular block bootstrap of Politis and Romano, 1992).
    The ends are percentiles of the means of `DRAWS` draws. There is no interval with fewer than
    `FEWEST_DATES` dates.

    Args:
        at: The number of each figure's date.
        figures: As many.
        seed: Of the draws.
    """
    if not figures:
        return None
    values = np.asarray(figures, dtype=np.float64)
    dates, which = np.unique(at, return_inverse=True)
    if len(dates) < FEWEST_DATES:
        return Interval(float(values.mean()), len(figures))
    sums, counts = np.bincount(which, weights=values), np.bincount(which)
    starts = np.random.default_rng(seed).integers(
        len(dates), size=(DRAWS, -(-len(dates) // BLOCK), 1)
    )
    drawn = ((starts + np.arange(BLOCK)) % len(dates)).reshape(DRAWS, -1)[:, : len(dates)]
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    tail = (100 - COVERED) / 2
    low, high = np.percentile(means, [tail, 100 - tail])
    return Interval(float(values.mean()), len(figures), float(low), float(high))
