"""What the fixings of some days come to: on how many of them a pair rose or fell or was beyond a
level, their mean, how widely they swing, and how it went by weeks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import groupby, pairwise
from typing import Final

import numpy as np

from desk.analytics.formulas import streak
from desk.analytics.prices.moves import DAYS_A_YEAR, log_moves
from desk.analytics.prices.price_view import MOST_REMEMBERED, find_suspects
from desk.analytics.prices.series import WEEK, Fixing, Fixings

FEWEST_MOVES: Final = 4
"""Of fewer the deviation says nothing."""

SHORTEST: Final = 2 * WEEK
"""A month of so few days has only begun, and is not compared with whole ones."""

FRIDAY: Final = 5
"""As ISO 8601 counts the days of a week."""

Step = tuple[Fixing, Fixing]
"""Two fixings, the later one behind."""


@dataclass(frozen=True)
class CountedDays:
    """A pair's fixings from `first` to `last`, both included, among those up to then."""

    known: Fixings
    first: date
    last: date

    @cached_property
    def within(self) -> Fixings:
        """The fixings of the days."""
        return self.known.since(self.first).before(self.last + timedelta(days=1))

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """From each fixing to the next, the one before the days to their first among them."""
        before = self.known.before(self.first).last
        items = self.within.items
        return tuple(pairwise((before, *items) if before else items))

    def moved(self, way: int) -> int:
        """How many fixings are above the one before them, or below it."""
        return sum(_way(*step) == way for step in self.steps)

    @property
    def mean(self) -> Decimal:
        """The mean of the fixings. Raises an ArithmeticError where there is none."""
        return sum(self.within.values, Decimal(0)) / len(self.within.items)

    @property
    def volatility(self) -> float | None:
        """The standard deviation of the daily log moves, told for a year, in percent; None of too
        few."""
        levels = [float(after.value) for _, after in self.steps]
        if len(levels) < FEWEST_MOVES:
            return None
        moves = log_moves([float(self.steps[0][0].value), *levels])
        return float(np.std(moves, ddof=1) * np.sqrt(DAYS_A_YEAR) * 100)

    def beyond(self, level: Decimal, way: int) -> tuple[Fixing, ...]:
        """The fixings above a level, or below it."""
        return tuple(each for each in self.within.items if (each.value - level) * way > 0)

    @cached_property
    def closes(self) -> tuple[Fixing, ...]:
        """The last fixing of each week that has reached its Friday, up to the last day."""
        by_week: dict[tuple[int, int], Fixing] = {}
        for each in self.known.before(self.last + timedelta(days=1)).items:
            year, week, _ = each.day.isocalendar()
            by_week[year, week] = each
        return tuple(each for each in by_week.values() if _friday(each.day) <= self.last)

    @property
    def week_streak(self) -> int:
        """For how many of the last weeks in a row it went one way, signed by that."""
        return streak([close.value for close in self.closes])

    def longest_run(self, way: int) -> tuple[Step, ...]:
        """The most steps in a row that all rose, or all fell; the newest of several as long. Empty
        if none did."""
        by_way = groupby(self.steps, key=lambda step: _way(*step))
        runs = [tuple(run) for went, run in by_way if went == way]
        return max(reversed(runs), key=len, default=())

    def extreme_weeks(self) -> Iterator[Step]:
        """The week that rose most and the one that fell most, of those whose Friday is within the
        days: from the Friday before, as in the report. None of a single week."""
        yield from self._extremes(self._weeks())

    def extreme_months(self) -> Iterator[Step]:
        """The month that rose most and the one that fell most: from the last fixing of the month
        before, also where the days end in the second half of the last one. None of a single
        month."""
        yield from self._extremes(self._months())

    def _weeks(self) -> list[Step]:
        return [
            (before, after)
            for before, after in pairwise(self.closes)
            if _friday(after.day) >= self.first and _friday(after.day) - _friday(before.day) == WEEK
        ]

    def _months(self) -> list[Step]:
        known = self.known.before(self.last + timedelta(days=1))
        steps = []
        for start in _month_starts(self.first, self.last):
            before, after = known.before(start).last, known.before(_next_month(start)).last
            if before and after and start - before.day <= WEEK and after.day - start > SHORTEST:
                steps.append((before, after))
        return steps

    def _extremes(self, spans: list[Step]) -> Iterator[Step]:
        if len(spans) < 2:
            return
        found = {self._extreme(spans, max), self._extreme(spans, min)}
        yield from sorted(found, key=lambda step: step[1].day)

    @staticmethod
    def _extreme(spans: list[Step], of: Callable[..., Step]) -> Step:
        return of(spans, key=lambda step: (step[1].value / step[0].value, step[1].day))


@lru_cache(MOST_REMEMBERED)
def counted_days(prices: Fixings, first: date, last: date) -> CountedDays:
    """Some days of a history, without the prices that the desk takes for errors."""
    return CountedDays(sound(prices), first, last)


def sound(prices: Fixings) -> Fixings:
    """The prices without those that the desk takes for errors."""
    suspects = find_suspects([float(value) for value in prices.values])
    return prices.without({prices.items[place].day for place in suspects})


def _month_starts(first: date, last: date) -> list[date]:
    """The first days of months within some days."""
    start = first if first.day == 1 else _next_month(first)
    starts = []
    while start <= last:
        starts.append(start)
        start = _next_month(start)
    return starts


def _next_month(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=31)).replace(day=1)


def _way(before: Fixing, after: Fixing) -> int:
    return (after.value > before.value) - (after.value < before.value)


def _friday(day: date) -> date:
    return day + timedelta(days=FRIDAY - day.isoweekday())
