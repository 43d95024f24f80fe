"""The week of a run, its as-of instant, and its window."""

from datetime import date, datetime, timedelta

import pendulum

from desk.contracts.agents.config import ScheduleConfig, Weekday
from desk.contracts.weeks import TimeWindow, monday_of, previous_week, week_of

DAYS_BEFORE_MONDAY_AFTER = 8
FRIDAY = 4


def as_of_of(week: str, schedule: ScheduleConfig) -> datetime:
    """The as-of instant of a week: the first scheduled one after it."""
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


def week_ended_before(instant: datetime, schedule: ScheduleConfig) -> str:
    """The last ISO week that had ended at an instant, on the desk's calendar."""
    local = pendulum.instance(instant).in_timezone(schedule.time_zone).date()
    return week_of(date(local.year, local.month, local.day) - timedelta(days=7))


def latest_complete_week(now: datetime, schedule: ScheduleConfig) -> str:
    """The last week whose as-of instant has passed."""
    week = week_ended_before(now, schedule)
    if as_of_of(week, schedule) <= now:
        return week
    return previous_week(week)


def latest_covered_week(now: datetime, covered_to: date, schedule: ScheduleConfig) -> str:
    """The last complete week whose Friday comes no later than `covered_to`, the last day up to
    which no fixing is awaited (`desk.analytics.prices.fixings.covered_to`)."""
    complete = latest_complete_week(now, schedule)
    covered = week_of(covered_to - timedelta(days=FRIDAY))
    return min(complete, covered)


def _utc(moment: pendulum.DateTime) -> datetime:
    return datetime.fromtimestamp(moment.timestamp(), tz=pendulum.UTC)
