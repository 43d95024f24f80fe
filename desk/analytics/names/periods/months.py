"""Parses named calendar periods: months, quarters, seasons, years."""

import re
from calendar import month_name
from datetime import datetime
from functools import cache
from typing import Final

import pendulum
from babel import Locale
from pendulum import WeekDay

from desk.analytics.names.periods.days import (
    MONTHS_OF_A_QUARTER,
    PeriodReading,
    first_of,
    last_begun,
    span,
    utc,
    week,
)

NAMED_YEAR: Final = r"(?:19|20)\d{2}"
MONTHS: Final = [name.casefold() for name in month_name]
WORDS_BESIDES: Final = frozenset({"may", "mar", "march", "wed", "sat", "sun"})
"""Months and days that are also words. In lower case the preceding word decides."""

_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
"""The first months of the meteorological seasons of the northern hemisphere."""

SEASON: Final = re.compile(
    rf"\b(?:in|of|during|over|for|since|this) (?P<named>(?:the )?(?P<name>{'|'.join(_SEASONS)}))\b",
    re.I,
)
_QUARTERS: Final = ("first", "second", "third", "fourth")
_QUARTER: Final = re.compile(
    rf"\b(?:q(?P<number>[1-4])|(?:the )?(?P<which>{'|'.join(_QUARTERS)}) quarter)"
    rf"(?:(?: of|,)? (?P<year>{NAMED_YEAR}))?(?![\w/-]| of\b| point)",
    re.I,
)
_WEEKS: Final = ("first", "second", "third", "fourth", "last")
_HALF: Final = re.compile(
    r"\b(?:h(?P<number>[12])|(?P<which>first|second) half)"
    rf"(?:(?: of|,)? (?:the year )?(?P<year>{NAMED_YEAR}|this year|last year|the year))?"
    r"(?![\w/-]| of\b)",
    re.I,
)
_MONTHS_OF_A_HALF: Final = 6
DAYS_OF_A_WEEK: Final = 7
_OF_A_YEAR: Final = re.compile(
    rf"(?:\b(?P<part>\w+) )?\b(?:in|of|during|over|for|since|throughout)"
    rf" (?P<named>(?:the year )?(?P<year>{NAMED_YEAR}))(?![\w/-])",
    re.I,
)
_YEAR_END: Final = re.compile(
    rf"\b(?:(?P<before>{NAMED_YEAR}) year[- ]end|year[- ]end (?:of )?(?P<year>{NAMED_YEAR}))\b",
    re.I,
)
_THE_END: Final = frozenset({"end", "close"})
"""Parts of a month or a year that are parsed with it: the last day of the period is its end."""

NUMBER_BESIDE: Final = re.compile(r"\W{0,2}\b(\d{1,2}|(?:19|20)\d{2})(?:st|nd|rd|th)?\b")
NUMBER_BEFORE: Final = re.compile(r"(?<![\d.,])\b(\d{1,2}|(?:19|20)\d{2})(?:st|nd|rd|th)?\W{0,2}$")


_AFTER_A_DETERMINER: Final = r"(?:(?<=\bthe )|(?<=\bits )|(?<=\btheir )|(?<=['’]s ))"


def month_names() -> str:
    """Full month names and their CLDR abbreviations, as a pattern."""
    return "|".join(sorted({*MONTHS[1:], *short_months()}, key=lambda name: (-len(name), name)))


def short_months() -> frozenset[str]:
    """The CLDR's month abbreviations, American and British, in lower case."""
    shortened = (Locale.parse(f"en_{of}").months["format"]["abbreviated"] for of in ("US", "GB"))
    return frozenset(f"{name}".casefold() for names in shortened for name in names.values())


@cache
def _bare_month() -> re.Pattern[str]:
    plain, others = list[str](), list[str]()
    for name in month_names().split("|"):
        (others if name in WORDS_BESIDES else plain).append(name)
    # After an article or a genitive, such a word is not a verb.
    names = f"{'|'.join(plain)}|{_AFTER_A_DETERMINER}(?:{'|'.join(others)})(?! of\\b)"
    return re.compile(rf"\b(?P<named>(?P<name>{names})(?:,? (?P<year>{NAMED_YEAR}))?)\b", re.I)


@cache
def of_a_month() -> re.Pattern[str]:
    """Matches a month after a word that shows it is one, because an abbreviation may be another
    word."""
    return re.compile(
        r"(?:(?P<part>\w+) )?\b(?P<before>in|of|during|over|for|since)"
        rf" (?P<named>(?P<name>{month_names()})(?:,? (?P<year>{NAMED_YEAR}))?)\b",
        re.I,
    )


def read_month(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """Parses a month by its name. In `X of May` it parses the month and not X."""
    found = of_a_month().search(words)
    if found is None:
        return None
    first = _month_named(found, today)
    if utc(first) >= as_of:
        return None
    part = found["part"] if found["before"].casefold() == "of" else None
    whole = part is not None and part.casefold() in {"month", *_THE_END}
    return PeriodReading(
        span(first, months=1),
        *(found.span() if whole else found.span("named")),
        part=None if whole else part,
        may_be_ahead=not found["year"] and first.year < today.year,
        by_its_end=(part or "").casefold() in _THE_END,
    )


@cache
def _week_of_a_month() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:the )?(?P<which>{'|'.join(_WEEKS)}) (?:full )?week of"
        rf" (?P<name>{month_names()})(?:,? (?P<year>{NAMED_YEAR}))?\b",
        re.I,
    )


def read_week_of_month(
    words: str, today: pendulum.DateTime, as_of: datetime
) -> PeriodReading | None:
    """Parses `the last week of August`. A week belongs to the month of its Friday."""
    found = _week_of_a_month().search(words)
    if found is None:
        return None
    first, which = _month_named(found, today), _WEEKS.index(found["which"].casefold())
    friday = first.add(days=(WeekDay.FRIDAY - first.day_of_week) % DAYS_OF_A_WEEK, weeks=which)
    if which == len(_WEEKS) - 1:
        last = first.end_of("month").start_of("day")
        friday = last.subtract(days=(last.day_of_week - WeekDay.FRIDAY) % DAYS_OF_A_WEEK)
    days = week(friday.start_of("week"))
    if utc(days.start) >= as_of:
        return None
    ahead = not found["year"] and first.year < today.year
    return PeriodReading(days, *found.span(), may_be_ahead=ahead)


def _month_named(found: re.Match[str], today: pendulum.DateTime) -> pendulum.DateTime:
    """The first day of a month: of the given year, or of the latest that has begun."""
    number = month_number(found["name"])
    if found["year"]:
        return first_of(int(found["year"]), number, today)
    return last_begun(number, today)


def month_number(name: str) -> int:
    """The number of a month by its full or abbreviated name. 0 for any other word."""
    short = name.casefold()[:3]
    return next((n for n, full in enumerate(MONTHS) if n and full.startswith(short)), 0)


def read_year(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """Parses a year, or its end. Other parts of a year are not
    parsed."""
    if ended := _YEAR_END.search(words):
        first = first_of(int(ended["before"] or ended["year"]), 1, today)
        if utc(first) < as_of:
            return PeriodReading(span(first, years=1), *ended.span(), by_its_end=True)
    for found in _OF_A_YEAR.finditer(words):
        first = first_of(int(found["year"]), 1, today)
        if utc(first) >= as_of:
            continue
        of = re.search(r"\bof $", words[: found.start("named")], re.I) is not None
        part = found["part"] if of else None
        whole = part is not None and part.casefold() in _THE_END
        place = found.span() if whole else found.span("named")
        left = None if whole else part
        return PeriodReading(span(first, years=1), *place, part=left, by_its_end=whole)
    return None


def read_bare_month(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """Parses a month's name alone, as in `the krone's October`. Beside a number it is a day, and is
    skipped."""
    for found in _bare_month().finditer(words):
        before, after = words[: found.start()], words[found.end() :]
        first = _month_named(found, today)
        if NUMBER_BEFORE.search(before) or NUMBER_BESIDE.match(after) or utc(first) >= as_of:
            continue
        ahead = not found["year"] and first.year < today.year
        return PeriodReading(span(first, months=1), *found.span("named"), may_be_ahead=ahead)
    return None


def read_quarter(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """Parses a numbered quarter: of the given year, or the latest that has begun."""
    found = _QUARTER.search(words)
    if found is None:
        return None
    which = found["which"] or ""
    place = _QUARTERS.index(which.casefold()) if which else int(found["number"]) - 1
    number, named = place * MONTHS_OF_A_QUARTER + 1, found["year"]
    first = first_of(int(named), number, today) if named else last_begun(number, today)
    if utc(first) >= as_of:
        return None
    ahead = not named and first.year < today.year
    return PeriodReading(span(first, months=MONTHS_OF_A_QUARTER), *found.span(), may_be_ahead=ahead)


def read_half(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """Parses the first or second half of a year: of the given year, or the latest that has
    begun."""
    found = _HALF.search(words)
    if found is None:
        return None
    second = found["number"] == "2" or (found["which"] or "").casefold() == "second"
    month, named = 1 + second * _MONTHS_OF_A_HALF, (found["year"] or "").casefold()
    if named:
        year = int(named) if named.isdecimal() else today.year - named.startswith("last")
        first = first_of(year, month, today)
    else:
        first = last_begun(month, today)
    if utc(first) >= as_of:
        return None
    return PeriodReading(span(first, months=_MONTHS_OF_A_HALF), *found.span())


def read_season(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """Parses a season: the latest of its name that has begun."""
    found = SEASON.search(words)
    if found is None:
        return None
    first = last_begun(_SEASONS[found["name"].casefold()], today)
    return PeriodReading(span(first, months=MONTHS_OF_A_QUARTER), *found.span("named"))
