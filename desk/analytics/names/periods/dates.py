"""Days by their number and month, and what lies between two days, months or years."""

import re
from datetime import datetime
from functools import cache

import pendulum

from desk.analytics.names.periods.days import (
    PeriodDays,
    PeriodReading,
    first_of,
    last_begun,
    span,
    utc,
)
from desk.analytics.names.periods.months import (
    MONTHS,
    NAMED_YEAR,
    WORDS_BESIDES,
    month_names,
    month_number,
)


@cache
def _on_a_day() -> re.Pattern[str]:
    """A day with its month beside it, behind a word that says that it is meant itself, or with its
    year."""
    month, day = rf"(?:{month_names()})", r"\d{1,2}(?:st|nd|rd|th)?"
    return re.compile(
        r"(?P<meant>\b(?:on|since|as of|as at) (?:the )?)?"
        rf"(?P<named>\b(?:(?P<day>{day})(?: of)? (?P<month>{month})|(?P<month_before>{month})"
        rf" (?P<day_behind>{day}))\b(?:,? (?P<year>{NAMED_YEAR}))?)\b",
        re.I,
    )


@cache
def _end_of_a_span() -> re.Pattern[str]:
    """A day, a month or a year, as a span begins or ends with one."""
    full, day = "|".join(MONTHS[1:]), r"\d{1,2}(?:st|nd|rd|th)?"
    dated = rf"(?:{day}(?: of)? (?:{month_names()})|(?:{month_names()}) {day}(?!\d))"
    return re.compile(rf"(?:(?:{dated}|{full})(?:,? {NAMED_YEAR})?|{NAMED_YEAR})", re.I)


@cache
def _between_two() -> re.Pattern[str]:
    end = _end_of_a_span().pattern
    return re.compile(
        rf"\b(?P<said>(?:between|from) )?(?:the )?(?P<first>{end})"
        rf"(?: (?:and|to|through|until|till) (?:the )?| ?[-–] ?)(?P<last>{end})(?![\w/-])",
        re.I,
    )


def read_between(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """From a day, or the first one of a month or year, to another, or the last one of another. A
    first day or month without a year is the last of its name before the other."""
    for found in _between_two().finditer(words):
        if not found["said"] and WORDS_BESIDES & {found["first"], found["last"]}:
            continue
        try:
            last = _end_named(found["last"], today)
            first = _end_named(found["first"], today, last.start)
        except ValueError:
            continue
        if first.start < last.start and utc(last.start) < as_of:
            return PeriodReading(PeriodDays(first.start, last.end), *found.span())
    return None


def _end_named(
    written: str, today: pendulum.DateTime, before: pendulum.DateTime | None = None
) -> PeriodDays:
    """The days at an end of a span: a day, a month or a year. One without a year is of that in
    which `before` is, or of the year before.

    Raises:
        ValueError: there is no such day.
    """
    year = re.search(rf"{NAMED_YEAR}$", written)
    if re.fullmatch(NAMED_YEAR, written):
        return span(first_of(int(written), 1, today), years=1)
    month = next(each for each in re.findall(r"[A-Za-z]{3,}", written) if month_number(each))
    number = month_number(month)
    day = re.search(r"\d{1,2}(?!\d)", written[: year.start()] if year else written)
    first = first_of(int(year[0]), number, today) if year else last_begun(number, before or today)
    return span(first.set(day=int(day[0])), days=1) if day else span(first, months=1)


def read_day(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """A day by its number and month; one that is still to come this year is not taken for last
    year's."""
    for found in _on_a_day().finditer(words):
        if not found["meant"] and not found["year"]:
            continue
        day = int(re.sub(r"\D", "", found["day"] or found["day_behind"]))
        month = found["month"] or found["month_before"]
        number = month_number(month)
        try:
            first = first_of(int(found["year"] or today.year), number, today).set(day=day)
        except ValueError:
            continue
        if utc(first) < as_of:
            return PeriodReading(span(first, days=1), *found.span("named"))
    return None
