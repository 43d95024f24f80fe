"""Indicators of a series of prices, written down from their definitions."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from math import log, sqrt
from statistics import stdev


def relative_strength(levels: Sequence[Decimal], days: int = 14) -> float | None:
    """The relative strength index of the last price: 100 - 100 / (1 + gains / losses), both
    averaged as Wilder does (1978): a mean at first, then the old average with a weight of days - 1.
    None where there are too few prices."""
    steps = [float(b - a) for a, b in pairwise(levels)]
    if len(steps) < days:
        return None
    gain = sum(max(step, 0) for step in steps[:days]) / days
    loss = sum(max(-step, 0) for step in steps[:days]) / days
    for step in steps[days:]:
        gain = (gain * (days - 1) + max(step, 0)) / days
        loss = (loss * (days - 1) + max(-step, 0)) / days
    return 100.0 if loss == 0 else 100 - 100 / (1 + gain / loss)


def mean_of_last(levels: Sequence[Decimal], count: int) -> float | None:
    """The mean of the last prices; None where there are fewer."""
    return float(sum(levels[-count:])) / count if len(levels) >= count else None


def place_in_bands(levels: Sequence[Decimal], days: int = 20, width: float = 2.0) -> float | None:
    """Where the last price stands between its Bollinger bands, in percent: the mean of so many
    days with so many standard deviations of the population on either side."""
    mean = mean_of_last(levels, days)
    if mean is None:
        return None
    spread = sqrt(sum((float(each) - mean) ** 2 for each in levels[-days:]) / days) * width
    return None if spread == 0 else (float(levels[-1]) - (mean - spread)) / (2 * spread) * 100


def yearly_volatility(levels: Sequence[Decimal], days: int) -> float | None:
    """The standard deviation of so many last daily log moves, in percent a year of 252 days; None
    where there are fewer."""
    if len(levels) <= days:
        return None
    moves = [log(float(b / a)) for a, b in pairwise(levels[-days - 1 :])]
    return stdev(moves) * sqrt(252) * 100
