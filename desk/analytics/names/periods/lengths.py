"""Parses lengths of time, as in a text or in a command's argument."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

import pendulum

from desk.analytics.names.periods.days import MONTHS_OF_A_QUARTER

NUMBERS: Final = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
LENGTHS: Final = {
    "day": 1.0,
    "week": 7.0,
    "month": 30.44,
    "quarter": 91.31,
    "year": 365.25,
    "decade": 3_652.5,
}
_SHORTENED: Final = {"wk": "week", "mth": "month", "qtr": "quarter", "yr": "year"}
"""The CLDR's English abbreviations."""

UNITS: Final = "|".join((*LENGTHS, *_SHORTENED))
"""A pattern of the written units. `unit_of` returns the unit of a match."""

_IN_UNITS_OF_DATES: Final = {"quarter": ("months", MONTHS_OF_A_QUARTER), "decade": ("years", 10)}
SHORT: Final = {"d": "day", "w": "week", "m": "month", "q": "quarter", "y": "year"}
_WRITTEN_SHORT: Final = re.compile(rf"(\d{{1,3}})\s?([{''.join(SHORT)}])", re.IGNORECASE)
_LENGTH: Final = re.compile(
    rf"\b(?:(?P<count>\d{{1,3}}|{'|'.join(NUMBERS)})[ -])?"
    rf"(?P<unit>{UNITS})(?P<many>s?)\b",
    re.IGNORECASE,
)


def unit_of(written: str) -> str:
    """The unit of a match of `UNITS`."""
    return _SHORTENED.get(written.casefold(), written.casefold())


class SpanNamed(NamedTuple):
    """A length of time: a number of units."""

    number: int
    unit: str

    @property
    def days(self) -> float:
        """The length in days."""
        return self.number * LENGTHS[self.unit]

    @property
    def words(self) -> str:
        """`one year`, `six months`, `90 days`; `a quarter`, because `one quarter` may be a
        fraction."""
        if (self.number, self.unit) == (1, "quarter"):
            return "a quarter"
        known = 0 < self.number <= len(NUMBERS)
        count_words = NUMBERS[self.number - 1] if known else str(self.number)
        return f"{count_words} {self.unit}{'' if self.number == 1 else 's'}"

    @property
    def bare(self) -> str:
        """`year`, `six months`: the words after `the last` or `the`."""
        return self.unit if self.number == 1 else self.words

    def before(self, day: date) -> date:
        """The day so long before another.

        Raises:
            ValueError, OverflowError: the calendar has no such day.
        """
        unit, times = _IN_UNITS_OF_DATES.get(self.unit, (f"{self.unit}s", 1))
        found = pendulum.date(day.year, day.month, day.day).subtract(**{unit: times * self.number})
        return date(found.year, found.month, found.day)


def spans_named(words: str) -> tuple[SpanNamed, ...]:
    """The lengths of time that a text names, in order: a unit by itself, or a number of units.
    Omits a bare plural such as `years`, whose number is unknown."""
    return tuple(_spans(words))


def span_given(written: str) -> SpanNamed:
    """Parses a length of time as a command's argument: `1y`, `6m`, `90d`, `two years`.

    Raises:
        ValueError: it is not a length, or it is zero. The message is for the user.
    """
    short = _WRITTEN_SHORT.fullmatch(written.strip())
    named = (SpanNamed(int(short[1]), SHORT[short[2].lower()]),) if short else spans_named(written)
    if len(named) != 1 or named[0].number < 1:
        raise ValueError(f"{written!r} is no length of time; write 1y, 6m, 13w, 90d or two years")
    return named[0]


def _spans(words: str) -> Iterator[SpanNamed]:
    for found in _LENGTH.finditer(words):
        unit, written = unit_of(found["unit"]), (found["count"] or "").casefold()
        if not written and found["many"]:
            continue
        count = NUMBERS.index(written) + 1 if written in NUMBERS else int(written or 1)
        yield SpanNamed(count, unit)
