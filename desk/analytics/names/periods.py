"""Which days a question is about: the period that it names, and which of its words were read.

Read are ISO 8601's weeks, months and spans, `this` and `last` before a unit of time, so many of
them (`the past three months`), what goes to date (`year to date`, `on the month`, `ytd`), `the
year`, so long `ago`, a month, a quarter (`Q3`) or a northern season by its name, a year (`in 2024`,
`at the end of 2024`), a day (`on 5 August 2024`), what lies between two days, months or years, and
`since` or `since the start of` before one of these. No other English is. What else of a question
speaks of time is known by the names that the Unicode CLDR has for units of time, months, quarters
and days of the week, as Babel has it, and by `since`: where one was left over, the days that were
measured may not be those that were meant.
"""

import re
from calendar import month_name
from collections.abc import Callable, Iterator
from datetime import date, datetime
from functools import cache
from typing import Final, NamedTuple

import pendulum
from babel import Locale
from babel.units import format_unit

from desk.analytics.names.subjects import without_subjects
from desk.contracts.weeks import TimeWindow, monday_of, parse_week

READ: Final = "period_read"
"""The parameter of a question with the words that named its period."""

DAYS_ASKED: Final = "period_days"
"""The parameter with the first and the last day that a question about a bank names, as ISO 8601
writes a span: more days are looked at."""

UNREAD: Final = "period_unread"
"""The parameter with other words of it that speak of time and were not read."""

MONTHS_OF_A_QUARTER: Final = 3

_UNITS: Final = ("day", "week", "month", "quarter", "year", "decade", "century")
_MONTHS: Final = [name.casefold() for name in month_name]
_WORDS_BESIDES: Final = frozenset({"may", "march"})
"""Months that are words besides: in small letters the word before tells."""

_DAY: Final = r"\d{4}-\d{2}-\d{2}"
_ISO: Final = re.compile(
    rf"(?<![\w/-])(?:(?P<first>{_DAY})/(?P<last>{_DAY})|(?P<day>{_DAY})"
    r"|(?P<week>\d{4}-w\d{2})|(?P<quarter>\d{4}-q[1-4])|(?P<month>\d{4}-(?:0[1-9]|1[0-2])))"
    r"(?![\w/-])",
    re.IGNORECASE,
)
_YEAR: Final = re.compile(r"(?:19|20)\d{2}")
_SPOKEN: Final = re.compile(r"\b(?P<which>this|last) (?P<unit>week|month|quarter|year)\b", re.I)
_TO_DATE: Final = re.compile(
    r"\b(?:(?P<unit>week|month|quarter|year)[ -]to[ -]date|(?P<short>[wmqy])td"
    r"|on the (?P<on>week|month|quarter|year))\b",
    re.I,
)
_THE_YEAR: Final = re.compile(r"\b(?:the year\b(?! before\b)|(?<=since )(?:the )?new year\b)", re.I)
_SINCE: Final = re.compile(
    r"\bsince (?:the )?(?P<from_its_start>(?:start|beginning) of (?:the )?)?$", re.I
)
_ON_OR_SINCE: Final = re.compile(r"\b(?:on|since|as of|as at) $", re.I)
_SINCE_WHEN: Final = re.compile(r"\bsince(?: [^\W\d_]+){1,3}", re.I)
_LOOKED_BACK_OVER: Final = frozenset({"quarter", "year"})
_NO_WORDS_BESIDES: Final = [name for name in _MONTHS[1:] if name not in _WORDS_BESIDES]
_BARE_MONTH: Final = re.compile(
    rf"\b(?P<named>(?P<name>{'|'.join(_NO_WORDS_BESIDES)})(?:,? (?P<year>(?:19|20)\d{{2}}))?)\b",
    re.I,
)
_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
"""The first months of the meteorological seasons of the northern half of the world."""

_SEASON: Final = re.compile(
    rf"\b(?:in|of|during|over|for|since|this) (?P<named>(?:the )?(?P<name>{'|'.join(_SEASONS)}))\b",
    re.I,
)
_ATTRIBUTE: Final = re.compile(r"\b\w+-(?:month|year)\b", re.I)
"""A length that says of what kind a thing is, such as a ten-year bond: no days of the calendar. How
much something moves within days is of days."""

_NAMED_YEAR: Final = r"(?:19|20)\d{2}"
_QUARTER: Final = re.compile(
    rf"\bq(?P<number>[1-4])(?:,? (?P<year>{_NAMED_YEAR}))?(?![\w/-])", re.I
)
_OF_A_YEAR: Final = re.compile(
    rf"(?:\b(?P<part>\w+) )?\b(?:in|of|during|over|for|since|throughout)"
    rf" (?P<named>(?:the year )?(?P<year>{_NAMED_YEAR}))(?![\w/-])",
    re.I,
)
_THE_END: Final = frozenset({"end"})
"""What of a month or a year is read with it: the last day of the period is its end."""

_NUMBER_BESIDE: Final = re.compile(r"\W{0,2}\b(\d{1,2}|(?:19|20)\d{2})(?:st|nd|rd|th)?\b")
_NUMBER_BEFORE: Final = re.compile(r"\b(\d{1,2}|(?:19|20)\d{2})(?:st|nd|rd|th)?\W{0,2}$")


def _month_names() -> str:
    """Months in full and as the CLDR shortens them."""
    short = (f"{name}" for name in Locale("en").months["format"]["abbreviated"].values())
    return "|".join(sorted({*_MONTHS[1:], *(name.casefold() for name in short)}, key=len)[::-1])


@cache
def _of_a_month() -> re.Pattern[str]:
    """A month behind a word that says that it is one: shortened it may be a word besides."""
    return re.compile(
        r"(?:(?P<part>\w+) )?\b(?P<before>in|of|during|over|for|since)"
        rf" (?P<named>(?P<name>{_month_names()})(?:,? (?P<year>{_NAMED_YEAR}))?)\b",
        re.I,
    )


@cache
def _on_a_day() -> re.Pattern[str]:
    """A day with its month beside it, behind a word that says that it is meant itself, or with its
    year."""
    month, day = rf"(?:{_month_names()})", r"\d{1,2}(?:st|nd|rd|th)?"
    return re.compile(
        r"(?P<meant>\b(?:on|since|as of|as at) (?:the )?)?"
        rf"(?P<named>\b(?:(?P<day>{day})(?: of)? (?P<month>{month})|(?P<month_before>{month})"
        rf" (?P<day_behind>{day}))\b(?:,? (?P<year>{_NAMED_YEAR}))?)\b",
        re.I,
    )


@cache
def _end_of_a_span() -> re.Pattern[str]:
    """A day, a month or a year, as a span begins or ends with one."""
    full, day = "|".join(_MONTHS[1:]), r"\d{1,2}(?:st|nd|rd|th)?"
    dated = rf"(?:{day}(?: of)? (?:{_month_names()})|(?:{_month_names()}) {day}(?!\d))"
    return re.compile(rf"(?:(?:{dated}|{full})(?:,? {_NAMED_YEAR})?|{_NAMED_YEAR})", re.I)


@cache
def _between_two() -> re.Pattern[str]:
    end = _end_of_a_span().pattern
    return re.compile(
        rf"\b(?P<said>(?:between|from) )?(?:the )?(?P<first>{end})"
        rf"(?: (?:and|to|through|until|till) (?:the )?| ?[-–] ?)(?P<last>{end})(?![\w/-])",
        re.I,
    )


class Period(NamedTuple):
    """The days of a question.

    `read` are its words, or what was given, that named them; None where nothing did and it is the
    week up to the as-of instant. `unread` are other words of it that speak of time, and were not
    read: where there are some, another period may be meant. `may_be_ahead`: it is a month that is
    still to come this year, and last year's was taken.
    """

    window: TimeWindow
    read: str | None = None
    unread: tuple[str, ...] = ()
    may_be_ahead: bool = False

    @property
    def parameters(self) -> dict[str, str]:
        """What a question carries along, so that its answer tells its days and what named them."""
        told = {READ: self.read, UNREAD: ", ".join(self.unread)}
        return {name: words for name, words in told.items() if words}


_NUMBERS: Final = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_LENGTHS: Final = {
    "day": 1.0,
    "week": 7.0,
    "month": 30.44,
    "quarter": 91.31,
    "year": 365.25,
    "decade": 3_652.5,
}
_IN_UNITS_OF_DATES: Final = {"quarter": ("months", MONTHS_OF_A_QUARTER), "decade": ("years", 10)}
_SHORT: Final = {"d": "day", "w": "week", "m": "month", "q": "quarter", "y": "year"}
_WRITTEN_SHORT: Final = re.compile(rf"(\d{{1,3}})\s?([{''.join(_SHORT)}])", re.IGNORECASE)
_LENGTH: Final = re.compile(
    rf"\b(?:(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})[ -])?"
    rf"(?P<unit>{'|'.join(_LENGTHS)})(?P<many>s?)\b",
    re.IGNORECASE,
)


_LOOKED_BACK: Final = re.compile(
    rf"\b(?:last|past) (?:(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})"
    rf" (?P<units>{'|'.join(_LENGTHS)})s?"
    rf"|(?<=past )(?P<one>{'|'.join(_LENGTHS)}))\b",
    re.I,
)


_AGO: Final = re.compile(
    r"(?P<since>\b(?:since|than|versus|vs\.?|against|from|to|with) (?:(?:it|they) (?:was|were) )?)?"
    rf"\b(?P<named>(?P<count>an?|\d{{1,3}}|{'|'.join(_NUMBERS)}) (?P<unit>{'|'.join(_LENGTHS)})s?"
    r" (?:ago|earlier))\b",
    re.I,
)
"""So long before now: the day itself, or what goes on since then, where it is compared with now."""


class SpanNamed(NamedTuple):
    """A length of time: so many of a unit."""

    number: int
    unit: str

    @property
    def days(self) -> float:
        """Its length."""
        return self.number * _LENGTHS[self.unit]

    @property
    def words(self) -> str:
        """`one year`, `six months`, `90 days`; `a quarter`, of which one is a fraction as well."""
        if (self.number, self.unit) == (1, "quarter"):
            return "a quarter"
        known = 0 < self.number <= len(_NUMBERS)
        told = _NUMBERS[self.number - 1] if known else str(self.number)
        return f"{told} {self.unit}{'' if self.number == 1 else 's'}"

    @property
    def bare(self) -> str:
        """`year`, `six months`: behind `the last` or `the`."""
        return self.unit if self.number == 1 else self.words

    def before(self, day: date) -> date:
        """The day that lies so long before another.

        Raises:
            ValueError, OverflowError: there is none in the calendar.
        """
        unit, times = _IN_UNITS_OF_DATES.get(self.unit, (f"{self.unit}s", 1))
        found = pendulum.date(day.year, day.month, day.day).subtract(**{unit: times * self.number})
        return date(found.year, found.month, found.day)


def spans_named(words: str) -> tuple[SpanNamed, ...]:
    """The lengths of time that a text names, in its order: a unit by itself, or so many of it. How
    many `years` are, nobody knows."""
    return tuple(_spans(words))


def span_given(written: str) -> SpanNamed:
    """A length of time as it is given to a command: `1y`, `6m`, `90d`, `two years`.

    Raises:
        ValueError: it is none, or nothing; with a sentence for whoever wrote it.
    """
    short = _WRITTEN_SHORT.fullmatch(written.strip())
    named = (SpanNamed(int(short[1]), _SHORT[short[2].lower()]),) if short else spans_named(written)
    if len(named) != 1 or named[0].number < 1:
        raise ValueError(f"{written!r} is no length of time; write 1y, 6m, 13w, 90d or two years")
    return named[0]


def _spans(words: str) -> Iterator[SpanNamed]:
    for found in _LENGTH.finditer(words):
        unit, written = found["unit"].casefold(), (found["count"] or "").casefold()
        if not written and found["many"]:
            continue
        count = _NUMBERS.index(written) + 1 if written in _NUMBERS else int(written or 1)
        yield SpanNamed(count, unit)


class _PeriodDays(NamedTuple):
    """The first instant of a period, and the first after it."""

    start: pendulum.DateTime
    end: pendulum.DateTime

    def window(self, as_of: datetime, time_zone: str) -> TimeWindow:
        """Its end is within its last day: a fixing of the day after is of another period."""
        end = min(_utc(self.end.subtract(seconds=1)), as_of)
        return TimeWindow(start=_utc(self.start), end=end, time_zone=time_zone)


class _PeriodReading(NamedTuple):
    """What was read of a text, where it stands, and what was left of its very words."""

    days: _PeriodDays
    start: int
    end: int
    part: str | None = None
    may_be_ahead: bool = False


def period_named(words: str, as_of: datetime, time_zone: str) -> Period:
    """The period that words name, as known at an instant: `this week`, `last month` or quarter or
    year, a month by its English name, the last one that has begun unless its year is said, or one
    in the form of ISO 8601. Where they name none, the week up to the instant.

    A week is that of the weekly report: its moves run from the Friday before it to its own Friday.
    On a Monday, before the day's fixing, `this week` is the one that has just ended. A month runs
    from the last fixing before it. What has not ended, and what is said to go on `since` then, ends
    at the instant.
    """
    return _period_read(words, as_of, time_zone, _READERS)


def _period_read(
    words: str, as_of: datetime, time_zone: str, readers: "tuple[_Reader, ...]"
) -> Period:
    today = pendulum.instance(as_of).in_timezone(time_zone)
    found = next((r for read in readers if (r := read(words, today, as_of))), None)
    if found is None:
        window = _week_so_far(today).window(as_of, time_zone)
        return Period(window, None, tuple(_calendar_words(words)))
    found = _up_to_now(words, found, today)
    rest = (*_left_beside(words, found), *_calendar_words(_without(words, found)))
    return Period(
        found.days.window(as_of, time_zone),
        words[found.start : found.end],
        tuple(dict.fromkeys(rest)),
        found.may_be_ahead,
    )


def objective_window(words: str, as_of: datetime, time_zone: str) -> TimeWindow:
    """The window at whose end an objective knows the world: that of the week or month that it
    names. A quarter or a year in an objective is what its forms look back over from the instant,
    and a month or season by its name alone is what it asks about, not when."""
    period = _period_read(words, as_of, time_zone, _READERS_OF_OBJECTIVES)
    spoken = _SPOKEN.fullmatch(period.read or "")
    if spoken and spoken["unit"].casefold() in _LOOKED_BACK_OVER:
        today = pendulum.instance(as_of).in_timezone(time_zone)
        return _week_so_far(today).window(as_of, time_zone)
    return period.window


def words_ahead(words: str) -> tuple[str, ...]:
    """The words of a text that speak of time, and may say how far ahead something is asked: what is
    `last`, or goes on `since` then, does not."""
    bare = _SPOKEN.sub(lambda m: " " if m["which"].casefold() == "last" else m[0], words)
    return tuple(dict.fromkeys(_calendar_words(_SINCE_WHEN.sub(" ", bare))))


_LIMIT_WORDS: Final = (
    r" (?P<when>(?:(?:the|this|next) )?(?!(?:the|this|next|an?|how|what|which|whom|far)\b)"
    r"[^\W\d_][\w'’-]*)"
)
_BY: Final = re.compile(rf"\bby{_LIMIT_WORDS}", re.I)
_BEFORE: Final = re.compile(rf"\b(?:before|until|till|in time for){_LIMIT_WORDS}", re.I)


def limits_ahead(words: str) -> tuple[str, ...]:
    """What something is said to happen by, before, until, or in time for: `christmas`, `the
    summit`. Which day that is, nothing here knows. `By` a currency, a country or a bank something
    is done, and by how much is no time."""
    found = (*_BY.finditer(without_subjects(words)), *_BEFORE.finditer(words))
    return tuple(dict.fromkeys(each["when"] for each in found))


def period_given(written: str, as_of: datetime, time_zone: str) -> Period:
    """A period in the form of ISO 8601: a day, a week, a month, a year, a span
    `2026-09-01/2026-09-04` with both days, or a quarter as `2026-Q3`.

    Raises:
        ValueError: it is none of these, ends before it begins, or begins after the instant; with a
            sentence for whoever wrote it.
    """
    text = written.strip()
    today = pendulum.instance(as_of).in_timezone(time_zone)
    if _YEAR.fullmatch(text):
        days = _span(_first_of(int(text), 1, today), years=1)
    elif found := _ISO.fullmatch(text):
        days = _iso_days(found, today)
    else:
        raise ValueError(
            f"{written!r} is no period; write 2026-W36, 2026-09, 2026-Q3, 2026, 2026-09-01 or"
            " 2026-09-01/2026-09-04"
        )
    if days.end <= days.start:
        raise ValueError(f"{written} ends before it begins")
    if _utc(days.start) >= as_of:
        raise ValueError(f"{written} has not begun by what is known")
    return Period(days.window(as_of, time_zone), text)


def names_period(words: str) -> bool:
    """Whether words name one of the periods that `period_named` reads."""
    if any(named.search(words) for named in (_SPOKEN, _TO_DATE, _of_a_month(), _SEASON)):
        return True
    return any(
        not found["day"] or _SINCE.search(words[: found.start()]) for found in _ISO.finditer(words)
    )


def _iso(words: str, today: pendulum.DateTime, as_of: datetime) -> _PeriodReading | None:
    """A single day is left where it is not said that something was `on` it, or went on since: the
    words before it say whether it is meant, or its eve, or its week."""
    for found in _ISO.finditer(words):
        if found["day"] and not _ON_OR_SINCE.search(words[: found.start()]):
            continue
        try:
            days = _iso_days(found, today)
        except ValueError:
            continue
        if days.start < days.end and _utc(days.start) < as_of:
            return _PeriodReading(days, found.start(), found.end())
    return None


def _iso_days(found: re.Match[str], today: pendulum.DateTime) -> _PeriodDays:
    """The days of a period in ISO's form.

    Raises:
        ValueError: there is no such day or week.
    """
    if found["first"]:
        first, last = _midnight(found["first"], today), _midnight(found["last"], today)
        return _PeriodDays(first, last.add(days=1))
    if found["day"]:
        return _span(_midnight(found["day"], today), days=1)
    if found["week"]:
        monday = _midnight(monday_of(parse_week(found["week"])).isoformat(), today)
        return _week(monday)
    if found["quarter"]:
        year, quarter = int(found["quarter"][:4]), int(found["quarter"][-1])
        first = _first_of(year, (quarter - 1) * MONTHS_OF_A_QUARTER + 1, today)
        return _span(first, months=MONTHS_OF_A_QUARTER)
    named, _, month = found["month"].partition("-")
    return _span(_first_of(int(named), int(month), today), months=1)


def _spoken(words: str, today: pendulum.DateTime, as_of: datetime) -> _PeriodReading | None:
    found = _SPOKEN.search(words)
    if found is None:
        return None
    unit, last = found["unit"].casefold(), found["which"].casefold() == "last"
    return _PeriodReading(_spoken_days(unit, today, last=last), found.start(), found.end())


def _to_date(words: str, today: pendulum.DateTime, as_of: datetime) -> _PeriodReading | None:
    found = _TO_DATE.search(words)
    if found is None:
        return None
    unit = found["unit"] or found["on"] or _SHORT[found["short"].casefold()]
    return _PeriodReading(_spoken_days(unit.casefold(), today, last=False), *found.span())


def _the_year(words: str, today: pendulum.DateTime, as_of: datetime) -> _PeriodReading | None:
    found = _THE_YEAR.search(words)
    return _PeriodReading(_spoken_days("year", today, last=False), *found.span()) if found else None


def _spoken_days(unit: str, today: pendulum.DateTime, *, last: bool) -> _PeriodDays:
    back = int(last)
    if unit == "week":
        return _week(today.start_of("week").subtract(weeks=1)) if last else _this_week(today)
    if unit == "year":
        return _span(today.start_of("year").subtract(years=back), years=1)
    month = today.start_of("month")
    if unit == "month":
        return _span(month.subtract(months=back), months=1)
    first = month.subtract(months=(month.month - 1) % MONTHS_OF_A_QUARTER)
    return _span(first.subtract(months=back * MONTHS_OF_A_QUARTER), months=MONTHS_OF_A_QUARTER)


def _month(words: str, today: pendulum.DateTime, as_of: datetime) -> _PeriodReading | None:
    """A month by its name; one `of` which something is meant is read, and that thing is not."""
    found = _of_a_month().search(words)
    if found is None:
        return None
    first = _month_named(found, today)
    if _utc(first) >= as_of:
        return None
    part = found["part"] if found["before"].casefold() == "of" else None
    whole = part is not None and part.casefold() in {"month", *_THE_END}
    return _PeriodReading(
        _span(first, months=1),
        *(found.span() if whole else found.span("named")),
        part=None if whole else part,
        may_be_ahead=not found["year"] and first.year < today.year,
    )


def _month_named(found: re.Match[str], today: pendulum.DateTime) -> pendulum.DateTime:
    """The first day of a month: of the year that is said, or of the last one that has begun."""
    number = _month_number(found["name"])
    if found["year"]:
        return _first_of(int(found["year"]), number, today)
    return _last_begun(number, today)


def _last_begun(number: int, today: pendulum.DateTime) -> pendulum.DateTime:
    month = today.start_of("month")
    return month.subtract(months=(month.month - number) % 12)


def _between(words: str, today: pendulum.DateTime, as_of: datetime) -> _PeriodReading | None:
    """From a day, or the first one of a month or year, to another, or the last one of another. A
    first day or month without a year is the last of its name before the other."""
    for found in _between_two().finditer(words):
        if not found["said"] and _WORDS_BESIDES & {found["first"], found["last"]}:
            continue
        try:
            last = _end_named(found["last"], today)
            first = _end_named(found["first"], today, last.start)
        except ValueError:
            continue
        if first.start < last.start and _utc(last.start) < as_of:
            return _PeriodReading(_PeriodDays(first.start, last.end), *found.span())
    return None


def _end_named(
    written: str, today: pendulum.DateTime, before: pendulum.DateTime | None = None
) -> _PeriodDays:
    """The days at an end of a span: a day, a month or a year. One without a year is of that in
    which `before` is, or of the year before.

    Raises:
        ValueError: there is no such day.
    """
    year = re.search(rf"{_NAMED_YEAR}$", written)
    if _YEAR.fullmatch(written):
        return _span(_first_of(int(written), 1, today), years=1)
    month = next(each for each in re.findall(r"[A-Za-z]{3,}", written) if _month_number(each))
    number = _month_number(month)
    day = re.search(r"\d{1,2}(?!\d)", written[: year.start()] if year else written)
    first = _first_of(int(year[0]), number, today) if year else _last_begun(number, before or today)
    return _span(first.set(day=int(day[0])), days=1) if day else _span(first, months=1)


def _month_number(name: str) -> int:
    """The number of a month by its name, in full or shortened; 0 of another word."""
    short = name.casefold()[:3]
    return next((n for n, full in enumerate(_MONTHS) if n and full.startswith(short)), 0)


def _on_day(words: str, today: pendulum.DateTime, as_of: datetime) -> _PeriodReading | None:
    """A day by its number and month; one that is still to come this year is not taken for last
    year's."""
    for found in _on_a_day().finditer(words):
        if not found["meant"] and not found["year"]:
            continue
        day = int(re.sub(r"\D", "", found["day"] or found["day_behind"]))
        month = found["month"] or found["month_before"]
        number = _month_number(month)
        try:
            first = _first_of(int(found["year"] or today.year), number, today).set(day=day)
        except ValueError:
            continue
        if _utc(first) < as_of:
            return _PeriodReading(_span(first, days=1), *found.span("named"))
    return None


def _looked_back(words: str, today: pendulum.DateTime, as_of: datetime) -> _PeriodReading | None:
    """So many days, weeks, months or years up to now."""
    found = _LOOKED_BACK.search(words)
    if found is None:
        return None
    count, unit = found["count"] or "one", (found["units"] or found["one"]).casefold()
    number = _NUMBERS.index(count.casefold()) + 1 if not count.isdecimal() else int(count)
    first = SpanNamed(number, unit).before(today.date()) if number else today.date()
    start = _midnight(first.isoformat(), today).add(days=1)
    return _PeriodReading(_PeriodDays(start, today.add(days=1)), *found.span())


def _ago(words: str, today: pendulum.DateTime, as_of: datetime) -> _PeriodReading | None:
    """The day so long before now, or the days since, where a question compares it with now."""
    found = _AGO.search(words)
    if found is None:
        return None
    written = found["count"].casefold()
    count = _NUMBERS.index(written) + 1 if written in _NUMBERS else 1
    count = int(written) if written.isdecimal() else count
    day = SpanNamed(count, found["unit"].casefold()).before(today.date())
    start = _midnight(day.isoformat(), today)
    if found["since"]:
        # What was compared with is the fixing of that day, and a period runs from the one before.
        return _PeriodReading(
            _PeriodDays(start.add(days=1), today.add(days=1)), *found.span("named")
        )
    return _PeriodReading(_span(start, days=1), *found.span("named"))


def _of_a_year(words: str, today: pendulum.DateTime, as_of: datetime) -> _PeriodReading | None:
    """A year, or its end; another part of it is not read."""
    for found in _OF_A_YEAR.finditer(words):
        first = _first_of(int(found["year"]), 1, today)
        if _utc(first) >= as_of:
            continue
        of = re.search(r"\bof $", words[: found.start("named")], re.I) is not None
        part = found["part"] if of else None
        whole = part is not None and part.casefold() in _THE_END
        place = found.span() if whole else found.span("named")
        return _PeriodReading(_span(first, years=1), *place, part=None if whole else part)
    return None


def _bare_month(words: str, today: pendulum.DateTime, as_of: datetime) -> _PeriodReading | None:
    """A month by its name alone, as in `the krone's October`; beside a number it is one of its
    days."""
    for found in _BARE_MONTH.finditer(words):
        before, after = words[: found.start()], words[found.end() :]
        first = _month_named(found, today)
        if _NUMBER_BEFORE.search(before) or _NUMBER_BESIDE.match(after) or _utc(first) >= as_of:
            continue
        ahead = not found["year"] and first.year < today.year
        return _PeriodReading(_span(first, months=1), *found.span("named"), may_be_ahead=ahead)
    return None


def _quarter(words: str, today: pendulum.DateTime, as_of: datetime) -> _PeriodReading | None:
    """A quarter by its number: of the year that is said, or the last one that has begun."""
    found = _QUARTER.search(words)
    if found is None:
        return None
    number = (int(found["number"]) - 1) * MONTHS_OF_A_QUARTER + 1
    named = found["year"]
    first = _first_of(int(named), number, today) if named else _last_begun(number, today)
    if _utc(first) >= as_of:
        return None
    ahead = not named and first.year < today.year
    return _PeriodReading(
        _span(first, months=MONTHS_OF_A_QUARTER), *found.span(), may_be_ahead=ahead
    )


def _season(words: str, today: pendulum.DateTime, as_of: datetime) -> _PeriodReading | None:
    """The last season of a name that has begun."""
    found = _SEASON.search(words)
    if found is None:
        return None
    first = _last_begun(_SEASONS[found["name"].casefold()], today)
    return _PeriodReading(_span(first, months=MONTHS_OF_A_QUARTER), *found.span("named"))


_Reader = Callable[[str, pendulum.DateTime, datetime], _PeriodReading | None]
_READERS_OF_OBJECTIVES: Final[tuple[_Reader, ...]] = (_iso, _spoken, _month)
_READERS: Final[tuple[_Reader, ...]] = (
    _iso,
    _between,
    _on_day,
    _ago,
    _spoken,
    _looked_back,
    _to_date,
    _month,
    _quarter,
    _season,
    _bare_month,
    _of_a_year,
    _the_year,
)


def _up_to_now(words: str, found: _PeriodReading, today: pendulum.DateTime) -> _PeriodReading:
    """A reading as it is, or what goes on since its first day."""
    since = _SINCE.search(words[: found.start])
    if since is None:
        return found
    days = _PeriodDays(found.days.start, today.add(days=1))
    part = None if since["from_its_start"] else found.part
    return found._replace(days=days, start=since.start(), part=part, may_be_ahead=False)


def _left_beside(words: str, found: _PeriodReading) -> Iterator[str]:
    """What was not read right beside what was: a part of a month, the number of a day."""
    if found.part:
        yield found.part
    before = _NUMBER_BEFORE.search(words[: found.start])
    after = _NUMBER_BESIDE.match(words[found.end :])
    yield from (number[1] for number in (before, after) if number)


def _without(words: str, found: _PeriodReading) -> str:
    return f"{words[: found.start]} {words[found.end :]}"


def _calendar_words(words: str) -> Iterator[str]:
    """The words of a text that the CLDR has for units of time, months, quarters and days, what is
    written as a date or a year, and since when something is said to go on."""
    yield from (found[0] for found in _SINCE_WHEN.finditer(words))
    yield from (found[0] for found in _ISO.finditer(words))
    dated = _ATTRIBUTE.sub(" ", _ISO.sub(" ", words))
    for word in re.findall(r"[A-Za-z]+\d?|\b(?:19|20)\d{2}\b", dated):
        if word not in _WORDS_BESIDES and _is_of_time(word):
            yield word


def _is_of_time(word: str) -> bool:
    known = word.casefold() in _calendar() or word in _abbreviated()
    return known or _YEAR.fullmatch(word) is not None


@cache
def _calendar() -> frozenset[str]:
    english = Locale("en")
    units = (
        format_unit(count, f"duration-{unit}", locale=english).split()[-1]
        for unit in _UNITS
        for count in (1, 2)
    )
    names = (*english.months["format"]["wide"].values(), *english.days["format"]["wide"].values())
    quarters = english.quarters["format"]["abbreviated"].values()
    return frozenset(name.casefold() for name in (*units, *names, *quarters))


@cache
def _abbreviated() -> frozenset[str]:
    """Short names of months as they are written; in small letters some are words."""
    return frozenset(Locale("en").months["format"]["abbreviated"].values())


def _this_week(today: pendulum.DateTime) -> _PeriodDays:
    return _week(today.subtract(days=1).start_of("week"))


def _week_so_far(today: pendulum.DateTime) -> _PeriodDays:
    """This week up to now: on a Monday with the day's fixing, if that is known."""
    return _PeriodDays(_this_week(today).start, today.add(days=1))


def _week(monday: pendulum.DateTime) -> _PeriodDays:
    """A week from its Sunday on, so that the Friday before it is the last fixing before."""
    return _PeriodDays(monday.subtract(days=1), monday.add(weeks=1))


def _span(
    first: pendulum.DateTime, *, days: int = 0, months: int = 0, years: int = 0
) -> _PeriodDays:
    return _PeriodDays(first, first.add(days=days, months=months, years=years))


def _first_of(year: int, month: int, today: pendulum.DateTime) -> pendulum.DateTime:
    return pendulum.datetime(year, month, 1, tz=today.timezone_name or "UTC")


def _midnight(day: str, today: pendulum.DateTime) -> pendulum.DateTime:
    read = datetime.fromisoformat(day)
    return pendulum.datetime(read.year, read.month, read.day, tz=today.timezone_name or "UTC")


def _utc(moment: pendulum.DateTime) -> datetime:
    return datetime.fromtimestamp(moment.timestamp(), tz=pendulum.UTC)
