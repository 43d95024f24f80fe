"""Stretches of a market's own past that ran like its last one, and what followed them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PATH = 40
"""Closes of a stretch."""

HORIZON = 20
"""Closes that follow it: about four weeks."""

MOST, FEWEST = 20, 8
"""Stretches that are looked at, and without which nothing is told."""

ALIKE = 0.8
"""The correlation of two paths from which on they count as alike."""

_LONGEST_SPAN = timedelta(days=110)
"""From the first close of a stretch to the last that follows it: 60 closes take 84 days, and
above this the series has a hole."""

_FLAT = 1e-9


@dataclass(frozen=True, slots=True)
class Analogues:
    """The stretches, nearest first, by the place of their last close; what followed each, in
    percent; and what followed the others, which are no more alike than chance has it."""

    ends: tuple[int, ...]
    moves: Floats
    other_moves: Floats

    @property
    def rises(self) -> int:
        """After how many of them the price rose."""
        return int(np.count_nonzero(self.moves > 0))

    @property
    def other_rises(self) -> int:
        """After how many of the others the price rose."""
        return int(np.count_nonzero(self.other_moves > 0))

    @property
    def oftener(self) -> bool:
        """Whether it rose oftener after them than after the others."""
        return self.rises * len(self.other_moves) > self.other_rises * len(self.moves)


def find_analogues(days: Sequence[date], closes: Sequence[float]) -> Analogues:
    """The nearest stretches of the past, each with what followed apart from all others.

    Nearness is the distance of the logarithmic paths, each brought to mean 0 and deviation 1; that
    is to say, their correlation. A stretch ends on the first day on which it is alike, as it would
    have been noticed then: to prefer a better one of some days later would be to know what
    followed. What followed is known in full for each.
    """
    logs = np.log(np.asarray(closes, dtype=np.float64))
    # The last stretch begins after every other has ended, and HORIZON is shorter than PATH.
    ends = _candidates(days, len(logs) - 1 - PATH)
    if not len(ends):
        return Analogues((), np.empty(0), np.empty(0))
    paths = _normalised(sliding_window_view(logs, PATH))
    likeness = paths[ends - PATH + 1] @ paths[-1] / PATH
    followed = np.expm1(logs[ends + HORIZON] - logs[ends]) * 100
    alike = _apart(ends, likeness >= ALIKE, PATH + HORIZON)
    chosen = sorted(alike, key=lambda at: -likeness[at])[:MOST]
    free = np.all([np.abs(ends - ends[at]) >= HORIZON for at in alike], axis=0)
    others = _apart(ends, np.broadcast_to(free, ends.shape), HORIZON)
    return Analogues(tuple(int(ends[at]) for at in chosen), followed[chosen], followed[others])


def _candidates(days: Sequence[date], last: int) -> NDArray[np.intp]:
    """The places at which a stretch may end: whole, without a hole, and not in the last one."""
    found = [
        end
        for end in range(PATH - 1, last + 1)
        if days[end + HORIZON] - days[end - PATH + 1] <= _LONGEST_SPAN
    ]
    return np.asarray(found, dtype=np.intp)


def _normalised(paths: Floats) -> Floats:
    """Each path with mean 0 and deviation 1; a flat one is like nothing, and becomes zeros."""
    centred = paths - paths.mean(axis=1, keepdims=True)
    deviation = centred.std(axis=1, keepdims=True)
    flat = deviation < _FLAT
    return np.where(flat, 0.0, centred / np.where(flat, 1.0, deviation))


def _apart(ends: NDArray[np.intp], wanted: NDArray[np.bool_], distance: int) -> list[int]:
    """The places of the wanted ends, earliest first, each so far from the one before."""
    chosen: list[int] = []
    for at in np.flatnonzero(wanted):
        if not chosen or ends[at] - ends[chosen[-1]] >= distance:
            chosen.append(int(at))
    return chosen
