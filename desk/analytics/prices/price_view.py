"""What a pair's fixings say about a window: the figures, before they become claims.

Fixings that leap away and come straight back are judged bad data, not events.

A fixing is suspect when the move to it and the move away from it are opposite, each is more than
`LEAP` robust standard deviations of daily log moves, and what is left of the two together is at
most `REMAINDER` of the larger one. The deviation is the largest of three: that of the whole
series, that of the `NEAR` moves on either side (so that a wild month is judged by itself), and a
floor (so that the rounding of a pegged pair's cross rate is no leap). The last fixing has no
successor and can only be unconfirmed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np
import pendulum

from desk.analytics.formulas import streak
from desk.analytics.prices.moves import Floats, log_moves, robust_deviation, z_score
from desk.analytics.prices.series import Fixing, Fixings, week_closes

LEAP: Final = 6.0
REMAINDER: Final = 0.2
FLOOR: Final = 0.0003
"""In log moves: 0.03 percent."""
NEAR: Final = 10
SHORTEST: Final = 60
"""Fewer daily moves than this say too little about what is usual."""

SHORTEST_WEEK: Final = timedelta(days=5)
LONGEST_WEEK: Final = timedelta(days=10)
"""From the first to the last day of a window that is a week: a report's goes from a Sunday to the
Monday after it. The move of any other is not held against those of weeks."""


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


TRAILING_WEEKS: Final = 52
YEAR: Final = timedelta(weeks=52)
SPANS: Final = (12, 3, 1)
"""Months over which an extreme is looked for, longest first."""

LATE_START: Final = timedelta(days=7)
"""History may begin this much after a span does and still count as covering it."""

LONGEST_BREAK: Final = timedelta(days=14)
"""A fixing older than this is no level to measure a week's move from."""

MOST_REMEMBERED: Final = 64
"""Views that a process remembers: of a pair's history the analyst, the validator, the ledger and
the report want the same one."""

LONGEST_WAIT: Final = timedelta(days=4)
"""A last fixing further from the end of the window than this is early: days are missing."""


class Side(StrEnum):
    """Whether a high or a low was broken."""

    HIGH = "high"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Break:
    """A fixing in the window that is above (or below) every fixing of the `months` before it, which
    begin before the window."""

    side: Side
    months: int
    fixing: Fixing


@dataclass(frozen=True, slots=True)
class PriceView:
    """A pair over a window. What its history does not allow to be said is None or empty.

    `is_week` is whether the window is one, and `z_score`, unrounded, is of a week's move alone;
    `streak` is signed; `higher_before` and `lower_before` are the newest earlier fixings as high or
    higher, as low or lower, than the last; `largest_step` is the fixing that brought most of the
    move from `previous` to `last`, with its part of it, 1 being all; `extreme_days` are the fixings
    before and of the day that rose most and of the one that fell most; `breaks` holds at most one
    entry a side, the longest. `suspects` were left out of everything else.
    """

    last: Fixing
    previous: Fixing | None
    window_high: Fixing
    window_low: Fixing
    year_high: Fixing | None
    year_low: Fixing | None
    is_week: bool
    z_score: float | None
    streak: int
    higher_before: Fixing | None
    lower_before: Fixing | None
    largest_step: tuple[Fixing, Decimal] | None
    extreme_days: tuple[tuple[Fixing, Fixing], ...]
    breaks: tuple[Break, ...]
    suspects: tuple[Fixing, ...]
    unconfirmed_last: bool
    early_last: bool


@lru_cache(MOST_REMEMBERED)
def view_prices(fixings: Fixings, first_day: date, last_day: date) -> PriceView | None:
    """The figures of the window from `first_day` to `last_day`, both included.

    None when no fixing in the window is left after the suspect ones are taken out.
    """
    positions = find_suspects(_levels(fixings))
    suspects = tuple(fixings.items[position] for position in positions)
    clean = fixings.without({fixing.day for fixing in suspects})
    window, past = clean.since(first_day), clean.before(first_day)
    if window.last is None:
        return None
    is_week = SHORTEST_WEEK <= last_day - first_day <= LONGEST_WEEK
    year = _covered(clean, window.last.day - YEAR + timedelta(days=1))
    return PriceView(
        last=window.last,
        previous=_recent(past, first_day),
        window_high=window.highest,
        window_low=window.lowest,
        year_high=year.highest if year else None,
        year_low=year.lowest if year else None,
        is_week=is_week,
        z_score=_weekly_z_score(past, window.last, first_day) if is_week else None,
        streak=streak(clean.values),
        higher_before=_newest(clean, lambda value, last: value >= last),
        lower_before=_newest(clean, lambda value, last: value <= last),
        largest_step=_largest_step(_recent(past, first_day), window),
        extreme_days=_extreme_days(_recent(past, first_day), window),
        breaks=_breaks(window, past),
        suspects=suspects,
        unconfirmed_last=last_is_unconfirmed(_levels(clean)),
        early_last=last_day - window.last.day > LONGEST_WAIT,
    )


def view_newest(fixings: Fixings, first_day: date, last_day: date) -> PriceView | None:
    """As `view_prices`, and where no fixing is in the window, of as many days up to the newest."""
    newest = fixings.last
    if newest is None or newest.day >= first_day:
        return view_prices(fixings, first_day, last_day)
    return view_prices(fixings, newest.day - (last_day - first_day), newest.day)


def _levels(fixings: Fixings) -> Floats:
    return np.array([float(value) for value in fixings.values])


def _recent(past: Fixings, first_day: date) -> Fixing | None:
    last = past.last
    return last if last and first_day - last.day <= LONGEST_BREAK else None


def _covered(fixings: Fixings, since: date) -> Fixings | None:
    """The fixings since a day, if the series reaches back to it."""
    first = fixings.first
    return fixings.since(since) if first and first.day <= since + LATE_START else None


def _weekly_z_score(past: Fixings, last: Fixing, first_day: date) -> float | None:
    closes = week_closes(past, first_day, TRAILING_WEEKS + 1)
    if closes is None:
        return None
    moves = log_moves([float(close.value) for close in (*closes, last)])
    return z_score(float(moves[-1]), moves[:-1])


def _newest(fixings: Fixings, beyond: Callable[[Decimal, Decimal], bool]) -> Fixing | None:
    *earlier, last = fixings.items
    return next((each for each in reversed(earlier) if beyond(each.value, last.value)), None)


def _largest_step(previous: Fixing | None, window: Fixings) -> tuple[Fixing, Decimal] | None:
    """None where the pair is where it was. Of equal steps the newest."""
    if previous is None or previous.value == window.items[-1].value:
        return None
    whole = window.items[-1].value - previous.value
    steps = pairwise((previous, *window.items))
    parts = [((after.value - before.value) / whole, after) for before, after in steps]
    share, fixing = max(parts, key=lambda part: (part[0], part[1].day))
    return fixing, share


def _extreme_days(previous: Fixing | None, window: Fixings) -> tuple[tuple[Fixing, Fixing], ...]:
    """None of a single fixing, and one of two. Of equal moves the newest."""
    days = [*pairwise((previous, *window.items) if previous else window.items)]
    ends = (
        max(days, key=lambda day: (sign * day[1].value / day[0].value, day[1].day), default=None)
        for sign in (1, -1)
    )
    return tuple(dict.fromkeys(filter(None, ends)))


def _breaks(window: Fixings, past: Fixings) -> tuple[Break, ...]:
    candidates = (_longest_break(side, window, past) for side in Side)
    return tuple(found for found in candidates if found)


def _longest_break(side: Side, window: Fixings, past: Fixings) -> Break | None:
    """Counted from the fixing's own day, so that every window that has it says the same of it."""
    extreme = window.highest if side is Side.HIGH else window.lowest
    for months in SPANS:
        before = _covered(past, months_before(extreme.day, months))
        if before and before.items and _is_beyond(side, extreme.value, before):
            return Break(side, months, extreme)
    return None


def _is_beyond(side: Side, value: Decimal, before: Fixings) -> bool:
    if side is Side.HIGH:
        return value > before.highest.value
    return value < before.lowest.value


def months_before(day: date, months: int) -> date:
    """The same day of an earlier month, or that month's last day where it is shorter."""
    earlier = pendulum.date(day.year, day.month, day.day).subtract(months=months)
    return date(earlier.year, earlier.month, earlier.day)
