"""Fixings that leap away and come straight back: judged bad data, not events.

A fixing is suspect when the move to it and the move away from it are opposite, each is more than
`LEAP` robust standard deviations of daily log moves, and what is left of the two together is at
most `REMAINDER` of the larger one. The deviation is the largest of three: that of the whole
series, that of the `NEAR` moves on either side (so that a wild month is judged by itself), and a
floor (so that the rounding of a pegged pair's cross rate is no leap). The last fixing has no
successor and can only be unconfirmed.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from desk.analytics.prices.moves import Floats, log_moves, robust_deviation

LEAP: Final = 6.0
REMAINDER: Final = 0.2
FLOOR: Final = 0.0003
"""In log moves: 0.03 percent."""
NEAR: Final = 10
SHORTEST: Final = 60
"""Fewer daily moves than this say too little about what is usual."""


def find_suspects(levels: Sequence[float] | Floats) -> tuple[int, ...]:
    """The positions of the suspect fixings in a series of daily levels, oldest first.

    Never the first or the last position; empty when the series is too short to judge by.
    """
    moves = log_moves(levels)
    if moves.size < SHORTEST:
        return ()
    usual = max(robust_deviation(moves), FLOOR)
    return tuple(
        int(arrival) + 1
        for arrival in _reversals(moves, usual)
        if _stands_out(moves, arrival, usual)
    )


def last_is_unconfirmed(levels: Sequence[float] | Floats) -> bool:
    """Whether the last fixing leapt, so that only its successor can tell a move from an error."""
    moves = log_moves(levels)
    if moves.size < SHORTEST:
        return False
    usual = max(robust_deviation(moves), robust_deviation(moves[-NEAR - 1 : -1]), FLOOR)
    return bool(abs(moves[-1]) > LEAP * usual)


def _reversals(moves: Floats, usual: float) -> list[int]:
    arriving, leaving = moves[:-1], moves[1:]
    sizes = np.abs(np.vstack([arriving, leaving]))
    leaps = (arriving * leaving < 0) & (sizes.min(axis=0) > LEAP * usual)
    reverts = np.abs(arriving + leaving) <= REMAINDER * sizes.max(axis=0)
    return [int(position) for position in np.flatnonzero(leaps & reverts)]


def _stands_out(moves: Floats, arrival: int, usual: float) -> bool:
    near = np.concatenate(
        [moves[max(0, arrival - NEAR) : arrival], moves[arrival + 2 : arrival + 2 + NEAR]]
    )
    deviation = max(usual, robust_deviation(near))
    return bool(min(abs(moves[arrival]), abs(moves[arrival + 1])) > LEAP * deviation)
