"""Parses the period of a question or an objective, and finds the words of time that were not
parsed."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final, NamedTuple

import pendulum

from desk.analytics.names.periods.dates import read_between, read_day
from desk.analytics.names.periods.days import (
    PeriodDays,
    PeriodReading,
    first_of,
    span,
    utc,
    week_so_far,
)
from desk.analytics.names.periods.iso import ISO, iso_days, read_iso
from desk.analytics.names.periods.lengths import unit_of
from desk.analytics.names.periods.months import (
    NAMED_YEAR,
    NUMBER_BEFORE,
    NUMBER_BESIDE,
    SEASON,
    of_a_month,
    read_bare_month,
    read_half,
    read_month,
    read_quarter,
    read_season,
    read_week_of_month,
    read_year,
)
from desk.analytics.names.periods.relative import (
    RELATIVE,
    TO_DATE,
    read_ago,
    read_looked_back,
    read_now,
    read_relative,
    read_the_year,
    read_to_date,
    read_weekday,
)
from desk.analytics.names.periods.time_words import calendar_words
from desk.contracts.weeks import TimeWindow

READ: Final = "period_read"
"""The parameter of a question with the words that named its period."""

UNREAD: Final = "period_unread"
"""The parameter with its other words of time, which were not parsed."""


_SINCE: Final = re.compile(
    r"\bsince (?:the )?(?P<from_its_start>(?:start|beginning) of (?:the )?)?$", re.I
)
_THAN: Final = re.compile(
    r"\bthan (?:(?:it|they) (?:was|were) )?(?:(?:in|at|on) )?(?:the )?$", re.I
)
"""Before a period that now is compared with."""

_AND_NOW: Final = re.compile(r"\b(?:now|today)\b", re.I)

_SINCE_AN_EVENT: Final = re.compile(r"\bsince (?P<event>(?:[^\W\d_][\w'’]*\s){1,3})$", re.I)
"""Before a period that says when something happened: `since its July high`."""

_LIMITED: Final = re.compile(
    r"\b(?P<limit>before|after|until|till|by|mid|early|late|end)\b"
    r"(?: the)?(?: (?:end|close|start) of(?: the)?)?[ -]$",
    re.I,
)
"""Directly before a period: days outside it, or a part of it. Not parsed."""

_LOOKED_BACK_OVER: Final = frozenset({"quarter", "year"})


class Period(NamedTuple):
    """The days of a question.

    `read` are the words, or the argument, that named them. None if there were none: it is then the
    week up to the as-of instant. `unread` are other words of time, which were not parsed: if there
    are any, another period may be meant. `may_be_ahead`: the month is still to come this year, and
    last year's was assumed. `event`: the days of an event since which something is asked, if the
    words that name them do not follow `since` directly; `window` then runs from their start to now.
    """

    window: TimeWindow
    read: str | None = None
    unread: tuple[str, ...] = ()
    may_be_ahead: bool = False
    event: TimeWindow | None = None

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of a question, so that its answer states its days and the words that named
        them."""
        by_name = {READ: self.read, UNREAD: ", ".join(self.unread)}
        return {name: words for name, words in by_name.items() if words}


def period_named(words: str, as_of: datetime, time_zone: str) -> Period:
    """The period that words name, as known at an instant: `this week`, `last month`, quarter or
    year, a month by its English name, which is the latest that has begun unless its year is given,
    or a period of ISO 8601. If they name none, the week up to the instant.

    A week is that of the weekly report: its moves run from the Friday before it to its own Friday.
    On a Monday, before the day's fixing, `this week` is the one that has just ended. A month runs
    from the last fixing before it. A period that has not ended, or is named with `since`, ends at
    the instant.
    """
    return _period_read(words, as_of, time_zone, _READERS)


def periods_named(words: str, as_of: datetime, time_zone: str) -> tuple[Period, ...]:
    """All periods that words name, in order, each with the words of time that none of them parsed.
    Only the one of `period_named` if there are fewer than two."""
    today = pendulum.instance(as_of).in_timezone(time_zone)
    readings, beside, left = list[PeriodReading](), list[str](), words
    while (found := _reading(left, today, as_of, _READERS)) is not None:
        readings.append(found)
        beside += _left_beside(left, found)
        # Blanked, so that later words keep their positions.
        left = f"{left[: found.start]}{' ' * (found.end - found.start)}{left[found.end :]}"
    if len(readings) < 2:
        return (period_named(words, as_of, time_zone),)
    unread = tuple(dict.fromkeys((*beside, *calendar_words(left))))
    return tuple(
        _period(words, each, unread, as_of, time_zone)
        for each in sorted(readings, key=lambda reading: reading.start)
    )


def _period_read(
    words: str, as_of: datetime, time_zone: str, readers: "tuple[_Reader, ...]"
) -> Period:
    today = pendulum.instance(as_of).in_timezone(time_zone)
    found = _reading(words, today, as_of, readers)
    if found is None:
        window = week_so_far(today).window(as_of, time_zone)
        return Period(window, None, tuple(calendar_words(words)))
    rest = (*_left_beside(words, found), *calendar_words(_without(words, found)))
    return _period(words, found, tuple(dict.fromkeys(rest)), as_of, time_zone)


def _reading(
    words: str, today: pendulum.DateTime, as_of: datetime, readers: "tuple[_Reader, ...]"
) -> PeriodReading | None:
    found = next((r for read in readers if (r := read(words, today, as_of))), None)
    return found and _up_to_now(words, found, today)


def _period(
    words: str, found: PeriodReading, unread: tuple[str, ...], as_of: datetime, time_zone: str
) -> Period:
    named, event = words[found.start : found.end], found.event
    window = found.days.window(as_of, time_zone)
    of_event = event.window(as_of, time_zone) if event else None
    return Period(window, named, unread, found.may_be_ahead, of_event)


def objective_window(words: str, as_of: datetime, time_zone: str) -> TimeWindow:
    """The window at whose end an objective is evaluated: that of the week or month that it names. A
    quarter or a year in an objective is the span that it looks back over from the instant, and a
    month or season by its name alone is its subject, not its time. A month that is still to come
    this year is one that the objective looks ahead to from the instant."""
    period = _period_read(words, as_of, time_zone, _READERS_OF_OBJECTIVES)
    relative = RELATIVE.fullmatch(period.read or "")
    looks_back = relative is not None and unit_of(relative["unit"]) in _LOOKED_BACK_OVER
    if looks_back or period.may_be_ahead:
        today = pendulum.instance(as_of).in_timezone(time_zone)
        return week_so_far(today).window(as_of, time_zone)
    return period.window


def period_given(written: str, as_of: datetime, time_zone: str) -> Period:
    """Parses a period of ISO 8601: a day, a week, a month, a year, a span `2026-09-01/2026-09-04`
    including both days, or a quarter as `2026-Q3`.

    Raises:
        ValueError: it is none of these, ends before it begins, or begins after the instant. The
            message is for the user.
    """
    text = written.strip()
    today = pendulum.instance(as_of).in_timezone(time_zone)
    if re.fullmatch(NAMED_YEAR, text):
        days = span(first_of(int(text), 1, today), years=1)
    elif found := ISO.fullmatch(text):
        days = iso_days(found, today)
    else:
        raise ValueError(
            f"{written!r} is no period; write 2026-W36, 2026-09, 2026-Q3, 2026, 2026-09-01 or"
            " 2026-09-01/2026-09-04"
        )
    if days.end <= days.start:
        raise ValueError(f"{written} ends before it begins")
    if utc(days.start) >= as_of:
        raise ValueError(f"{written} has not begun by what is known")
    return Period(days.window(as_of, time_zone), text)


def names_period(words: str) -> bool:
    """Whether words name a period that `period_named` parses."""
    if any(named.search(words) for named in (RELATIVE, TO_DATE, of_a_month(), SEASON)):
        return True
    return any(
        not found["day"] or _SINCE.search(words[: found.start()]) for found in ISO.finditer(words)
    )


_Reader = Callable[[str, pendulum.DateTime, datetime], PeriodReading | None]
_READERS_OF_OBJECTIVES: Final[tuple[_Reader, ...]] = (read_iso, read_relative, read_month)
_READERS: Final[tuple[_Reader, ...]] = (
    read_iso,
    read_between,
    read_day,
    read_weekday,
    read_half,
    read_ago,
    read_week_of_month,
    read_relative,
    read_looked_back,
    read_to_date,
    read_month,
    read_quarter,
    read_season,
    read_bare_month,
    read_year,
    read_the_year,
    read_now,
)


def _up_to_now(words: str, found: PeriodReading, today: pendulum.DateTime) -> PeriodReading:
    """Extends a reading that follows `since` up to now: from its first day, or from its end. Up to
    three words between the two name an event and are not parsed. Returns others unchanged."""
    if _THAN.search(words[: found.start]) and found.days.end <= today:
        # Now is compared with the last of those days.
        days = PeriodDays(found.days.end, today.add(days=1))
        return found._replace(days=days, may_be_ahead=False)
    is_level = found.by_its_end or found.days.end == found.days.start.add(days=1)
    if is_level and found.days.end <= today and _AND_NOW.search(words):
        # The day's own fixing is compared with that of now.
        return found._replace(days=PeriodDays(found.days.end, today.add(days=1)))
    since = _SINCE.search(words[: found.start])
    if since is None:
        return _since_an_event(words, found, today)
    ended = found.by_its_end and found.days.end <= today
    first = found.days.end if ended else found.days.start
    days = PeriodDays(first, today.add(days=1))
    part = None if since["from_its_start"] else found.part
    return found._replace(days=days, start=since.start(), part=part, may_be_ahead=False)


def _since_an_event(words: str, found: PeriodReading, today: pendulum.DateTime) -> PeriodReading:
    since = _SINCE_AN_EVENT.search(words[: found.start])
    if since is None or found.days.end > today:
        return found
    days, part = PeriodDays(found.days.start, today.add(days=1)), since["event"].strip()
    return found._replace(days=days, part=part, event=found.days, may_be_ahead=False)


def _left_beside(words: str, found: PeriodReading) -> Iterator[str]:
    """The unparsed words directly beside a reading: a part of a month, the number of a day, a word
    such as `before` or `after`."""
    if found.part:
        yield found.part
    if limited := _LIMITED.search(words[: found.start]):
        yield limited["limit"]
    before = NUMBER_BEFORE.search(words[: found.start])
    after = NUMBER_BESIDE.match(words[found.end :])
    yield from (number[1] for number in (before, after) if number)


def _without(words: str, found: PeriodReading) -> str:
    since = _SINCE_AN_EVENT.search(words[: found.start]) if found.event else None
    start = since.start() if since else found.start
    return f"{words[:start]} {words[found.end :]}"
