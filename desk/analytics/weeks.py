"""Which week a run is about, the instant it knows the world at, and the window it looks at."""

import re
from calendar import month_name
from datetime import date, datetime, timedelta

import pendulum

from desk.contracts.agents.config import ScheduleConfig, Weekday
from desk.contracts.weeks import WEEK_PATTERN, TimeWindow, monday_of, week_of

_MONTHS = [name.casefold() for name in month_name]
_SPOKEN = re.compile(r"\b(this|last) (week|month)\b")
_WEEK_IN_WORDS = re.compile(r"\b\d{4}-w(?:0[1-9]|[1-4]\d|5[0-3])\b")
_MONTH_IN_WORDS = re.compile(rf"\b(?:in|of|during|over|for) ({'|'.join(_MONTHS[1:])})\b")
"""`may` and `march` are words besides: the word before tells."""

DAYS_BEFORE_MONDAY_AFTER = 8
FRIDAY = 4


def parse_week(text: str) -> str:
    """The ISO week that a person wrote, such as `2026-W44` or `2026-w44`.

    Raises:
        ValueError: with a sentence that says what a week looks like.
    """
    week = text.strip().upper()
    if not re.fullmatch(WEEK_PATTERN, week):
        raise ValueError(f"'{text}' is not a week: write the ISO year and week, such as 2026-W44")
    try:
        monday_of(week)
    except ValueError:
        raise ValueError(f"{week[:4]} has no week {week[-2:]}") from None
    return week


def as_of_of(week: str, schedule: ScheduleConfig) -> datetime:
    """The instant at which the desk writes about a week: the first scheduled one after it."""
    day = monday_of(week) + timedelta(days=7 + list(Weekday).index(schedule.weekday))
    local = pendulum.datetime(
        day.year, day.month, day.day, schedule.hour, schedule.minute, tz=schedule.time_zone
    )
    return _utc(local)


def window_of(week: str, schedule: ScheduleConfig, as_of: datetime | None = None) -> TimeWindow:
    """The window of a week: from the Monday after it minus eight days to the as-of instant."""
    day = monday_of(week) + timedelta(days=7 - DAYS_BEFORE_MONDAY_AFTER)
    start = pendulum.datetime(day.year, day.month, day.day, tz=schedule.time_zone)
    end = as_of or as_of_of(week, schedule)
    return TimeWindow(start=_utc(start), end=end, time_zone=schedule.time_zone)


def window_named(words: str, as_of: datetime, time_zone: str) -> TimeWindow:
    """The window of the period that words name, as known at an instant: `this week` (also where
    they name none), `last week`, `this month`, `last month`, a month by its English name, the last
    one that has begun, or an ISO week such as 2026-W44.

    A week is that of the weekly report: its moves run from the Friday before it to its own Friday.
    On a Monday, before the day's fixing, `this week` is the one that has just ended. A month runs
    from the last fixing before it. What has not ended ends at the instant.
    """
    today = pendulum.instance(as_of).in_timezone(time_zone)
    start, end = _period(words.casefold(), today)
    return TimeWindow(start=_utc(start), end=min(_utc(end), as_of), time_zone=time_zone)


def names_period(words: str) -> bool:
    """Whether words name one of the periods that `window_named` knows."""
    plain = words.casefold()
    return bool(
        _SPOKEN.search(plain) or _WEEK_IN_WORDS.search(plain) or _MONTH_IN_WORDS.search(plain)
    )


def _period(words: str, today: pendulum.DateTime) -> tuple[pendulum.DateTime, pendulum.DateTime]:
    """The first instant of a period named, and the first after it."""
    week, month = today.subtract(days=1).start_of("week"), today.start_of("month")
    spoken, named = _SPOKEN.search(words), _MONTH_IN_WORDS.search(words)
    if iso := _WEEK_IN_WORDS.search(words):
        day = monday_of(iso[0].upper())
        week = pendulum.datetime(day.year, day.month, day.day, tz=today.timezone_name or "UTC")
    elif named:
        month = month.subtract(months=(month.month - _MONTHS.index(named[1])) % 12)
        return month, month.add(months=1)
    elif spoken and spoken[0] == "last week":
        week = today.start_of("week").subtract(weeks=1)
    elif spoken and spoken[2] == "month":
        month = month.subtract(months=1) if spoken[1] == "last" else month
        return month, month.add(months=1)
    return week.subtract(days=1), week.add(weeks=1)


def week_ended_before(instant: datetime, schedule: ScheduleConfig) -> str:
    """The last ISO week that had ended at an instant, on the desk's calendar."""
    local = pendulum.instance(instant).in_timezone(schedule.time_zone).date()
    return week_of(date(local.year, local.month, local.day) - timedelta(days=7))


def latest_complete_week(now: datetime, schedule: ScheduleConfig) -> str:
    """The last week whose as-of instant has come."""
    week = week_ended_before(now, schedule)
    if as_of_of(week, schedule) <= now:
        return week
    return week_of(monday_of(week) - timedelta(days=7))


def latest_covered_week(now: datetime, last_day: date, schedule: ScheduleConfig) -> str:
    """The last complete week for which fixings are held up to its Friday."""
    complete = latest_complete_week(now, schedule)
    held = week_of(last_day - timedelta(days=FRIDAY))
    return min(complete, held)


def _utc(moment: pendulum.DateTime) -> datetime:
    return datetime.fromtimestamp(moment.timestamp(), tz=pendulum.UTC)
