"""How far a price moves over four weeks in 68 of 100 cases, given its current volatility.

A day's deviation is that of its daily logarithmic moves, with more weight on newer ones: each
weighs `DECAY` of the one after it (the exponentially weighted moving average of RiskMetrics,
Technical Document, J.P. Morgan, 1996; 0.97 is its factor for a month). The number of such
deviations in a four-week move is not taken from the normal distribution but from the market itself:
the `WITHIN` quantile of its moves, in deviations of the day, after its last `PAST_STARTS` days.
Nothing later than the day itself is used. `desk hypotheses ranges` measures how often it holds.
"""

from bisect import bisect_left, insort
from collections import deque
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from desk.analytics.prices.indicator_marks import WITHIN
from desk.analytics.prices.moves import log_moves
from desk.analytics.technical.measures import Floats

FOUR_WEEKS: Final = 20
"""Days with prices."""

DECAY: Final = 0.97
MOVES: Final = 252
"""Daily moves that a deviation uses. Older ones would weigh less than half a thousandth."""

PAST_STARTS: Final = 1260
"""Days whose following four weeks are used: five years of them. This and `DECAY` are, of 0.94 and
0.97 and of five and ten years, those whose ranges held in nearest to 68 of 100 cases from 2009 to
2021, over the pairs of the ECB. Later data were not used for the choice."""

FEWEST_STARTS: Final = 250
"""With fewer, the quantile of the normal distribution is used."""

_NORMAL: Final = NormalDist().inv_cdf((1 + WITHIN) / 2)


def expected_moves(closes: Floats, first: int) -> Floats:
    """How far the logarithm of a price moves within four weeks of each day from `first` on, in
    `WITHIN` of the cases. At least `MOVES` prices must precede the day `first`.

    The value of a day does not depend on what follows it, or on how many days are requested.
    """
    begin = max(0, first - FOUR_WEEKS - PAST_STARTS - MOVES)
    logs = np.log(closes[begin:])
    deviations = _deviations(closes[begin:])
    gone = np.abs(logs[MOVES + FOUR_WEEKS :] - logs[MOVES:-FOUR_WEEKS])
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = gone / deviations[: len(gone)]
    factors = _factors(scores, first - begin - MOVES, len(deviations))
    found: Floats = factors * deviations[first - begin - MOVES :]
    return found


A_WEEK: Final = 5
FEWEST_MEASURED: Final = 52


def measured_coverage(closes: Floats) -> tuple[int, float] | None:
    """How often such ranges have held: the number of weekly starts of the last five years whose
    four weeks are over, and the share of them, in percent, that ended within the range stated then.
    None if they cover less than a year."""
    last = len(closes) - 1
    first = max(MOVES, last - FOUR_WEEKS - PAST_STARTS)
    if last - FOUR_WEEKS - first < FEWEST_MEASURED * A_WEEK:
        return None
    starts = np.arange(last - FOUR_WEEKS, first - 1, -A_WEEK)
    widths = expected_moves(closes, first)[starts - first]
    gone = np.abs(np.log(closes[starts + FOUR_WEEKS]) - np.log(closes[starts]))
    return len(starts), float(np.mean(gone <= widths) * 100)


def _deviations(closes: Floats) -> Floats:
    """The deviation of each day that has `MOVES` moves up to it."""
    weights = DECAY ** np.arange(MOVES - 1, -1, -1, dtype=np.float64)
    # Contiguous rows are summed exactly as a single row is, to the last bit.
    squares = np.ascontiguousarray(sliding_window_view(log_moves(closes) ** 2, MOVES))
    found: Floats = np.sqrt((squares * weights).sum(axis=1) / weights.sum())
    return found


def _factors(scores: Floats, first: int, days: int) -> Floats:
    """For each day, the quantile of the scores whose four weeks were over by then."""
    held: deque[float] = deque()
    ranked: list[float] = []
    found = np.empty(days - first, dtype=np.float64)
    for day in range(FOUR_WEEKS, days):
        score = float(scores[day - FOUR_WEEKS])
        if np.isfinite(score):
            held.append(score)
            insort(ranked, score)
        if len(held) > PAST_STARTS:
            del ranked[bisect_left(ranked, held.popleft())]
        if day >= first:
            found[day - first] = _quantile(ranked)
    for day in range(first, min(FOUR_WEEKS, days)):
        found[day - first] = _NORMAL * np.sqrt(FOUR_WEEKS)
    return found


def _quantile(ranked: list[float]) -> float:
    """The `WITHIN` quantile of sorted numbers, interpolated between two of them."""
    if len(ranked) < FEWEST_STARTS:
        return float(_NORMAL * np.sqrt(FOUR_WEEKS))
    place = WITHIN * (len(ranked) - 1)
    below = int(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (place - below) * (ranked[above] - ranked[below])
