"""Computes the figures of a pair's fixings over a window, before they become claims.

A fixing that jumps away and comes straight back is treated as bad data, not as an event. It is
suspect when the move to it and the move away from it are opposite, each is more than `LEAP` robust
standard deviations of daily log moves, and the sum of the two is at most `REMAINDER` of the larger
one. The deviation is the largest of three: that of the whole series, that of the `NEAR` moves on
either side (so that a wild month is judged by itself), and a floor (so that the rounding of a
pegged pair's cross rate is not a leap). The last fixing has no successor and can only be
unconfirmed.
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
"""Fewer daily moves than this are too few to establish the usual size."""

SHORTEST_WEEK: Final = timedelta(days=5)
LONGEST_WEEK: Final = timedelta(days=10)
_WEEK_OF_FIXINGS: Final = timedelta(days=6)
"""The days from the first to the last day of a window that counts as a week: a report's runs from a
Sunday to the Monday after it. The move of any other window is not compared with those of weeks."""


def find_suspects(levels: Sequence[float] | Floats) -> tuple[int, ...]:
    """The indices of the suspect fixings in a series of daily levels, oldest first.

    Never the first or the last index. Empty if the series is too short.
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
    """Whether the last fixing jumped, so that only its successor can tell a move from an error."""
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
"""The spans, in months, whose extremes are checked, longest first."""

LATE_START: Final = timedelta(days=7)
"""History may begin this much after a span and still count as covering it."""

LONGEST_BREAK: Final = timedelta(days=14)
"""A fixing older than this is not used as the base of a week's move."""

MOST_REMEMBERED: Final = 64
"""Views that a process caches: the analyst, the validator, the ledger and the report need the same
view of a pair's history."""

LONGEST_WAIT: Final = timedelta(days=4)
"""A last fixing further than this from the end of the window is early: days are missing."""


class Side(StrEnum):
    """Whether a high or a low was broken."""

    HIGH = "high"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Break:
    """A fixing in the window above (or below) every fixing of the `months` before it, which begin
    before the window."""

    side: Side
    months: int
    fixing: Fixing


@dataclass(frozen=True, slots=True)
class PriceView:
    """The figures of a pair over a window. Those that its history does not allow are None or empty.

    `is_week` says whether the window is a week; `z_score`, unrounded, exists only for a week's
    move. `streak` is signed. `higher_before` and `lower_before` are the latest earlier fixings at
    least as high, or as low, as the last. `largest_step` is the fixing with the largest part of the
    move from `previous` to `last`, and that part, where 1 is all. `extreme_days` are the days that
    rose most and fell most, each with the fixing before it. `breaks` has at most one entry a side,
    the longest. `suspects` were excluded from everything else.
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

    None if the window has no fixing left without the suspect ones.
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
    """The same as `view_prices`. If the window has no fixing, an equally long window up to the
    newest, or the week up to it if the window is a week, as far as that has gone."""
    newest, span = fixings.last, last_day - first_day
    if newest is None or newest.day >= first_day:
        return view_prices(fixings, first_day, last_day)
    if timedelta(0) < span <= LONGEST_WEEK:
        span = _WEEK_OF_FIXINGS
    return view_prices(fixings, newest.day - span, newest.day)


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
    """None if the pair did not move. The newest of equal steps."""
    if previous is None or previous.value == window.items[-1].value:
        return None
    whole = window.items[-1].value - previous.value
    steps = pairwise((previous, *window.items))
    parts = [((after.value - before.value) / whole, after) for before, after in steps]
    share, fixing = max(parts, key=lambda part: (part[0], part[1].day))
    return fixing, share


def _extreme_days(previous: Fixing | None, window: Fixings) -> tuple[tuple[Fixing, Fixing], ...]:
    """Empty for a single fixing, one entry for two. The newest of equal moves."""
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
    """Counted from the fixing's own day, so that every window that contains it gives the same
    result."""
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
    """The same day of an earlier month, or that month's last day if it is shorter."""
    earlier = pendulum.date(day.year, day.month, day.day).subtract(months=months)
    return date(earlier.year, earlier.month, earlier.day)
