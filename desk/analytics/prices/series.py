"""A series of daily fixings, and its division into weeks and windows."""

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple, Self
from zoneinfo import ZoneInfo

from desk.contracts.findings.source_results import History
from desk.contracts.weeks import TimeWindow

WEEK = timedelta(days=7)


class Fixing(NamedTuple):
    """One day's reference rate, in quote currency for one unit of the base."""

    day: date
    value: Decimal


@dataclass(frozen=True, slots=True)
class Fixings:
    """Daily fixings, oldest first, at most one a day."""

    items: tuple[Fixing, ...]

    @classmethod
    def of(cls, history: History) -> Self:
        """The fixings of a tool result.

        Raises:
            ValueError: days and values differ in number, or the days are not ascending.
        """
        try:
            return cls.from_days(history.days, history.values)
        except ValueError as error:
            raise ValueError(f"{history.symbol}: {error}") from error

    @classmethod
    def from_days(cls, days: Sequence[date], values: Sequence[Decimal]) -> Self:
        """The fixings of some days, oldest first.

        Raises:
            ValueError: days and values differ in number, or the days are not ascending.
        """
        if any(after <= before for before, after in pairwise(days)):
            raise ValueError("the days do not run forward")
        return cls(tuple(Fixing(day, value) for day, value in zip(days, values, strict=True)))

    @property
    def values(self) -> tuple[Decimal, ...]:
        """The levels without their days."""
        return tuple(fixing.value for fixing in self.items)

    @property
    def last(self) -> Fixing | None:
        """The newest fixing."""
        return self.items[-1] if self.items else None

    @property
    def first(self) -> Fixing | None:
        """The oldest fixing."""
        return self.items[0] if self.items else None

    @property
    def highest(self) -> Fixing:
        """The highest fixing, the newest of equal ones. Raises ValueError if there is none."""
        return max(self.items, key=lambda fixing: (fixing.value, fixing.day))

    @property
    def lowest(self) -> Fixing:
        """The lowest fixing, the newest of equal ones. Raises ValueError if there is none."""
        return min(self.items, key=lambda fixing: (fixing.value, -fixing.day.toordinal()))

    def since(self, day: date) -> "Fixings":
        """The fixings on and after a day."""
        return Fixings(self.items[self._place(day) :])

    def before(self, day: date) -> "Fixings":
        """The fixings before a day."""
        return Fixings(self.items[: self._place(day)])

    def _place(self, day: date) -> int:
        """The number of fixings before a day."""
        return bisect_left(self.items, day, key=lambda fixing: fixing.day)

    def without(self, days: Collection[date]) -> "Fixings":
        """The fixings of all other days."""
        return Fixings(tuple(fixing for fixing in self.items if fixing.day not in days))


def window_days(window: TimeWindow) -> tuple[date, date]:
    """The first and the last calendar day of a window, in its time zone."""
    zone = ZoneInfo(window.time_zone)
    return window.start.astimezone(zone).date(), window.end.astimezone(zone).date()


def week_closes(fixings: Fixings, before: date, count: int) -> tuple[Fixing, ...] | None:
    """The last fixing of each of the `count` seven-day spans that end before a day, oldest first.

    None if a span has no fixing, because a move over a gap is not a week's move.
    """
    closes: dict[int, Fixing] = {}
    for fixing in fixings.before(before).since(before - count * WEEK).items:
        closes[(before - fixing.day - timedelta(days=1)) // WEEK] = fixing
    if any(span not in closes for span in range(count)):
        return None
    return tuple(closes[span] for span in reversed(range(count)))
