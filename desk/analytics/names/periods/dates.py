"""Parses days by their number and month, and spans between two days, months or years."""

import re
from datetime import datetime
from functools import cache
from typing import Final

import pendulum

from desk.analytics.names.periods.days import (
    MONTHS_OF_A_QUARTER,
    PeriodDays,
    PeriodReading,
    first_of,
    last_begun,
    midnight,
    span,
    utc,
)
from desk.analytics.names.periods.months import (
    NAMED_YEAR,
    WORDS_BESIDES,
    month_names,
    month_number,
)


@cache
def _on_a_day() -> re.Pattern[str]:
    """Matches a day with its month, after a word that shows that the day itself is meant, or with
    its year."""
    month, day = rf"(?:{month_names()})", r"\d{1,2}(?:st|nd|rd|th)?"
    return re.compile(
        r"(?P<meant>\b(?:on|since|as of|as at) (?:the )?)?"
        rf"(?P<named>\b(?:(?P<day>{day})(?: of)? (?P<month>{month})|(?P<month_before>{month})"
        rf" (?P<day_behind>{day}))\b(?:,? (?P<year>{NAMED_YEAR}))?)\b",
        re.I,
    )


_PART: Final = r"(?:(?:the )?(?:start|beginning|end|close)(?: of)? )"
_QUARTER: Final = rf"q[1-4](?:,? {NAMED_YEAR})?"
_ISO_DAY: Final = rf"{NAMED_YEAR}-\d\d-\d\d"
_NOW: Final = frozenset({"now", "today"})


@cache
def _end_of_a_span() -> re.Pattern[str]:
    """Matches a day, a month, a quarter or a year, or the start or end of one, as the limit of a
    span."""
    day = r"\d{1,2}(?:st|nd|rd|th)?"
    dated = rf"(?:{day}(?: of)? (?:{month_names()})|(?:{month_names()}) {day}(?!\d))"
    named = rf"(?:{dated}|{month_names()})(?:,? {NAMED_YEAR})?"
    return re.compile(rf"{_PART}?(?:{_ISO_DAY}|{named}|{_QUARTER}|{NAMED_YEAR})", re.I)


@cache
def _between_two() -> re.Pattern[str]:
    end = _end_of_a_span().pattern
    return re.compile(
        rf"(?<![\w-])(?P<said>(?:between|from) )?(?:the )?(?P<first>{end})"
        rf"(?: (?:and|to|through|until|till) (?:the )?| ?[-–] ?)"
        rf"(?P<last>{end}|{'|'.join(_NOW)})(?![\w/-])",
        re.I,
    )


def read_between(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """Parses a span from a day, or the first one of a month, quarter or year, to another, or the
    last one of another. From the end of a period, it begins after that. A first day or month
    without a year is the latest of its name before the second."""
    for found in _between_two().finditer(words):
        if not found["said"] and WORDS_BESIDES & {found["first"], found["last"]}:
            continue
        try:
            last = _end_named(found["last"], today)
            first = _end_named(found["first"], today, last.start)
        except ValueError:
            continue
        start = first.end if _is_of_its_end(found["first"]) else first.start
        end = last.start.add(days=1) if _is_of_its_start(found["last"]) else last.end
        if start < end and first.start < last.start and utc(start) < as_of:
            return PeriodReading(PeriodDays(start, end), *found.span())
    return None


def _is_of_its_end(written: str) -> bool:
    return re.match(r"(?:the )?(?:end|close)\b", written, re.I) is not None


def _is_of_its_start(written: str) -> bool:
    return re.match(r"(?:the )?(?:start|beginning)\b", written, re.I) is not None


def _end_named(
    written: str, today: pendulum.DateTime, before: pendulum.DateTime | None = None
) -> PeriodDays:
    """The days of a span's limit: a day, a month, a quarter or a year. Without a year it is in the
    year of `before`, or the year before that.

    Raises:
        ValueError: there is no such day.
    """
    bare = re.sub(rf"^{_PART}", "", written, flags=re.I)
    if bare.casefold() in _NOW:
        return span(today.start_of("day"), days=1)
    if re.fullmatch(_ISO_DAY, bare):
        return span(midnight(bare, today), days=1)
    year = re.search(rf"{NAMED_YEAR}$", bare)
    if re.fullmatch(NAMED_YEAR, bare):
        return span(first_of(int(bare), 1, today), years=1)
    quarter = re.fullmatch(_QUARTER, bare, re.I) is not None
    number = (int(bare[1]) - 1) * MONTHS_OF_A_QUARTER + 1 if quarter else _month_in(bare)
    first = first_of(int(year[0]), number, today) if year else last_begun(number, before or today)
    if quarter:
        return span(first, months=MONTHS_OF_A_QUARTER)
    day = re.search(r"\d{1,2}(?!\d)", bare[: year.start()] if year else bare)
    return span(first.set(day=int(day[0])), days=1) if day else span(first, months=1)


def _month_in(written: str) -> int:
    return next(n for each in re.findall(r"[A-Za-z]{3,}", written) if (n := month_number(each)))


def read_day(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """Parses a day by its number and month. A future day of this year is not taken for last
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
