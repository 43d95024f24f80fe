"""Whether a market moves otherwise in one month of the year than in the others."""

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from desk.analytics.technical.significance import group_p_values

Floats = NDArray[np.float64]

FEWEST_YEARS = 8
"""Moves of each month without which nothing is told."""

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)

_MIDDLE = timedelta(days=14)
_LAST_WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Season:
    """One month of the year: its moves in percent, oldest first, those of the other months, and
    how likely they rank so far apart by chance alone, adjusted for twelve months tested."""

    month: int
    moves: Floats
    others: Floats
    p_value: float

    @property
    def mean(self) -> float:
        """The mean of its moves, in percent."""
        return float(np.mean(self.moves))

    @property
    def rise_share(self) -> float:
        """The share of its moves that were rises, in percent."""
        return float(np.mean(self.moves > 0)) * 100

    @property
    def higher(self) -> bool:
        """Whether the middle one of its moves is above that of the others."""
        return float(np.median(self.moves)) > float(np.median(self.others))


def coming_month(as_of: datetime) -> int:
    """The month of the year that holds most of the four weeks after an instant."""
    return (as_of.astimezone(UTC).date() + _MIDDLE).month


def season_of(month: int, moves: Sequence[Floats]) -> Season:
    """A month of the year against the others. `moves` are of January to December, two or more of
    each.

    Raises:
        NotInstalled: scipy or statsmodels is not installed.
    """
    others = np.concatenate([group for at, group in enumerate(moves) if at != month - 1])
    return Season(month, moves[month - 1], others, group_p_values(moves)[month - 1])


def monthly_moves(
    days: Sequence[date], closes: Sequence[float], as_of: datetime
) -> tuple[Floats, ...]:
    """The moves of all whole months in percent, for January to December, each oldest first.

    The move of a month runs from the last close of the month before to its own last close; both
    months must be over at the instant and have a close in their last seven days.
    """
    lasts = _month_ends(days, closes, as_of.astimezone(UTC).date())
    found: list[list[float]] = [[] for _ in MONTHS]
    for number, close in lasts.items():
        before = lasts.get(number - 1)
        if before is not None:
            found[number % 12].append((close / before - 1) * 100)
    return tuple(np.asarray(moves, dtype=np.float64) for moves in found)


def _month_ends(days: Sequence[date], closes: Sequence[float], today: date) -> dict[int, float]:
    """The last close of each month that is over and was not left early; months counted from the
    year 0."""
    ends: dict[int, tuple[date, float]] = {}
    for day, close in zip(days, closes, strict=True):
        ends[day.year * 12 + day.month - 1] = (day, close)
    running = today.year * 12 + today.month - 1
    return {
        number: close
        for number, (day, close) in ends.items()
        if number < running and _month_end(day) - day < _LAST_WEEK
    }


def _month_end(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])
