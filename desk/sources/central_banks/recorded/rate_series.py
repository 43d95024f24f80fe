"""A published policy rate day by day, and its changes."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Step:
    """A day on which a rate changed, with the levels before and after, in percent a year."""

    day: date
    before: Decimal
    after: Decimal


class RateSeries:
    """The rate of one area by the day on which it was in force, in percent a year.

    Days without a value, such as weekends, have the level of the last day with one.
    """

    def __init__(self, values: Mapping[date, Decimal]) -> None:
        """`values` by day, in any order, at least one.

        Raises:
            ValueError: there is no value.
        """
        if not values:
            raise ValueError("a series needs a value")
        self._values = tuple(sorted(values.items()))
        self._days = tuple(day for day, _ in self._values)
        self.steps = tuple(_steps(self._values))
        """The changes of the level, oldest first."""

    @property
    def first_day(self) -> date:
        """The first day with a value."""
        return self._days[0]

    @property
    def last_day(self) -> date:
        """The last day with a value."""
        return self._days[-1]

    def level_on(self, day: date) -> Decimal | None:
        """The level in force on a day. None before the first value and after the last."""
        if not self.first_day <= day <= self.last_day:
            return None
        return self._values[bisect_right(self._days, day) - 1][1]


def _steps(values: Iterable[tuple[date, Decimal]]) -> Iterator[Step]:
    for (_, before), (day, after) in pairwise(values):
        if after != before:
            yield Step(day, before, after)
