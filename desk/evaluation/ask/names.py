"""Invented names and values, drawn by a seed, each once."""

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from itertools import chain, product
from typing import Final

from desk.evaluation.ask.phrases import (
    CAUSES,
    ENDS,
    FIRST_NAMES,
    MIDDLES,
    STARTS,
    TOWN_ENDS,
    Measure,
)
from desk.evaluation.draws import SeededDraws

FIRST_DAY: Final = date(2019, 1, 7)
MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)


class Names:
    """Names and values by a seed. None comes twice, so that a value stands for one fact alone."""

    def __init__(self, draws: SeededDraws) -> None:
        self._draws = draws
        roots = draws.order("roots", list(product(STARTS, MIDDLES, ENDS)))
        self._roots = ("".join(parts) for parts in roots)
        self._values = {measure: self._series(measure) for measure in Measure}

    def root(self) -> str:
        """An invented word, such as `Korvane`."""
        return next(self._roots)

    def person(self) -> str:
        """A first name that is one and a family name that is invented."""
        return self.value(Measure.PERSON)

    def value(self, measure: Measure) -> str:
        """A value as sources write it, such as `4,730 euros`."""
        return next(self._values[measure])

    def _series(self, measure: Measure) -> Iterator[str]:
        match measure:
            case Measure.PERSON:
                return self._persons()
            case Measure.TOWN:
                return self._towns()
            case Measure.CAUSE:
                return chain(self._draws.order("causes", CAUSES))
            case Measure.DAY:
                return (written_day(day) for day in self._days())
            case Measure.TIME:
                return self._numbers(measure, 60, 1_380, 1, lambda n: f"{n // 60:02}:{n % 60:02}")
            case _:
                return self._numbers(measure, *_RANGES[measure])

    def _numbers(
        self, name: str, least: int, most: int, step: int, written: Callable[[int], str]
    ) -> Iterator[str]:
        return map(written, self._draws.order(name, range(least, most, step)))

    def _persons(self) -> Iterator[str]:
        for number, first in enumerate(self._draws.order("first names", FIRST_NAMES * 5)):
            yield f"{first} {next(self._roots)}{'sen' if number % 3 == 0 else ''}"

    def _towns(self) -> Iterator[str]:
        for start, end in self._draws.order("towns", list(product(STARTS, TOWN_ENDS))):
            yield f"{start}{end}"

    def _days(self) -> Iterator[date]:
        for number in self._draws.order("days", range(2_300)):
            yield FIRST_DAY + timedelta(days=number)


_RANGES: Final = {
    Measure.MINUTES: (4, 180, 1, lambda n: f"{n} minutes"),
    Measure.HOURS: (2, 72, 1, lambda n: f"{n} hours"),
    Measure.DAYS: (8, 400, 1, lambda n: f"{n} days"),
    Measure.EUROS: (410, 19_990, 10, lambda n: f"{n:,} euros"),
    Measure.PERCENT: (15, 245, 5, lambda n: f"{n / 10:.1f} percent"),
    Measure.MESSAGES: (1_200, 98_000, 100, lambda n: f"{n:,} messages"),
}


def written_day(day: date) -> str:
    """`14 March 2025`."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"
