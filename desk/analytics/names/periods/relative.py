"""Parses periods relative to now: this and last, to date, the past so many, so long ago."""

import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Final

import pendulum
from babel import Locale

from desk.analytics.names.periods.days import (
    MONTHS_OF_A_QUARTER,
    PeriodDays,
    PeriodReading,
    midnight,
    span,
    this_week,
    week,
)
from desk.analytics.names.periods.lengths import NUMBERS, SHORT, UNITS, SpanNamed, unit_of

_OF_THE_CALENDAR: Final = rf"(?!day|decade)(?:{UNITS})"
RELATIVE: Final = re.compile(
    rf"\b(?P<which>(?P<this>this)|last) (?P<unit>{_OF_THE_CALENDAR})(?(this)s?)\b", re.I
)
"""`This weeks` is `this week's` without its apostrophe. `Last weeks` may be several."""
TO_DATE: Final = re.compile(
    rf"\b(?:(?P<unit>{_OF_THE_CALENDAR})[ -]to[ -]date|(?P<short>[wmqy])td"
    rf"|(?:on the|all) (?P<on>{_OF_THE_CALENDAR}))\b",
    re.I,
)
_THE_YEAR: Final = re.compile(r"\b(?:the year\b(?! before\b)|(?<=since )(?:the )?new year\b)", re.I)


_LOOKED_BACK: Final = re.compile(
    rf"\b(?:last|past|over the) (?:(?P<count>\d{{1,3}}|{'|'.join(NUMBERS)})"
    rf" (?P<units>{UNITS})s?(?: to (?:now|today))?"
    rf"|(?<=past )(?P<one>{UNITS}))\b",
    re.I,
)
_AGO: Final = re.compile(
    r"(?P<since>\b(?:since|than|versus|vs\.?|against|from|to|with) (?:(?:it|they) (?:was|were) )?)?"
    rf"\b(?P<named>(?P<count>an?|\d{{1,3}}|{'|'.join(NUMBERS)}) (?P<unit>{UNITS})s?"
    r" (?:ago|earlier))\b",
    re.I,
)
"""So long before now: the day itself, or everything since, if it is compared with now."""


def read_relative(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """Parses this or last week, month, quarter or year."""
    found = RELATIVE.search(words)
    if found is None:
        return None
    unit, last = unit_of(found["unit"]), found["which"].casefold() == "last"
    return PeriodReading(_relative_days(unit, today, last=last), found.start(), found.end())


def read_to_date(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """Parses a week, month, quarter or year to date."""
    found = TO_DATE.search(words)
    if found is None:
        return None
    unit = found["unit"] or found["on"] or SHORT[found["short"].casefold()]
    return PeriodReading(_relative_days(unit_of(unit), today, last=False), *found.span())


def read_the_year(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """Parses `the year`: the current one."""
    found = _THE_YEAR.search(words)
    return (
        PeriodReading(_relative_days("year", today, last=False), *found.span()) if found else None
    )


def _relative_days(unit: str, today: pendulum.DateTime, *, last: bool) -> PeriodDays:
    back = int(last)
    if unit == "week":
        return week(today.start_of("week").subtract(weeks=1)) if last else this_week(today)
    if unit == "year":
        return span(today.start_of("year").subtract(years=back), years=1)
    month = today.start_of("month")
    if unit == "month":
        return span(month.subtract(months=back), months=1)
    first = month.subtract(months=(month.month - 1) % MONTHS_OF_A_QUARTER)
    return span(first.subtract(months=back * MONTHS_OF_A_QUARTER), months=MONTHS_OF_A_QUARTER)


def read_looked_back(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """Parses so many days, weeks, months or years up to now."""
    found = _LOOKED_BACK.search(words)
    if found is None:
        return None
    count, unit = found["count"] or "one", unit_of(found["units"] or found["one"])
    number = NUMBERS.index(count.casefold()) + 1 if not count.isdecimal() else int(count)
    first = SpanNamed(number, unit).before(today.date()) if number else today.date()
    start = midnight(first.isoformat(), today).add(days=1)
    return PeriodReading(PeriodDays(start, today.add(days=1)), *found.span())


def read_ago(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """Parses the day so long before now, or the days since, if a question compares it with now."""
    found = _AGO.search(words)
    if found is None:
        return None
    written = found["count"].casefold()
    count = NUMBERS.index(written) + 1 if written in NUMBERS else 1
    count = int(written) if written.isdecimal() else count
    day = SpanNamed(count, unit_of(found["unit"])).before(today.date())
    start = midnight(day.isoformat(), today)
    if found["since"]:
        # The comparison is with that day's fixing, and a period runs from the fixing before it.
        return PeriodReading(PeriodDays(start.add(days=1), today.add(days=1)), *found.span("named"))
    return PeriodReading(span(start, days=1), *found.span("named"))


@cache
def weekdays() -> Mapping[str, int]:
    """The days of the week, in full and as CLDR abbreviations, in lower case, from Monday on."""
    named = (Locale("en").days["format"][width] for width in ("wide", "abbreviated"))
    return {f"{name}".casefold(): number for names in named for number, name in names.items()}


@cache
def _of_the_week() -> re.Pattern[str]:
    """Matches a day of the week after a word that shows which one is meant. Bare, it may be in the
    future."""
    return re.compile(rf"\b(?:(?P<before>last|since)|on) (?P<name>{'|'.join(weekdays())})\b", re.I)


def read_weekday(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """Parses the latest day of the week of a name. After `on` it may be today; for a bank's
    decision it may be the next one."""
    found = _of_the_week().search(words)
    if found is None:
        return None
    back = (today.weekday() - weekdays()[found["name"].casefold()]) % 7
    if found["before"] and not back:
        back = 7
    start = today.start_of("day").subtract(days=back)
    last = (found["before"] or "").casefold() == "last"
    place = found.start() if last else found.start("name"), found.end()
    return PeriodReading(span(start, days=1), *place, may_be_ahead=not found["before"])


_NOW: Final = re.compile(r"\b(?P<day>today|yesterday)\b", re.I)


def read_now(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """Parses today or yesterday."""
    found = _NOW.search(words)
    if found is None:
        return None
    start = today.start_of("day").subtract(days=int(found["day"].casefold() == "yesterday"))
    return PeriodReading(span(start, days=1), *found.span())
