"""The days of a period, computed in a time zone."""

from datetime import datetime
from typing import Final, NamedTuple

import pendulum

from desk.contracts.weeks import TimeWindow

MONTHS_OF_A_QUARTER: Final = 3


class PeriodDays(NamedTuple):
    """The first instant of a period, and the first after it."""

    start: pendulum.DateTime
    end: pendulum.DateTime

    def window(self, as_of: datetime, time_zone: str) -> TimeWindow:
        """The window of the period. It ends within its last day, because the fixing of the next day
        belongs to another period."""
        end = min(utc(self.end.subtract(seconds=1)), as_of)
        return TimeWindow(start=utc(self.start), end=end, time_zone=time_zone)


class PeriodReading(NamedTuple):
    """A period parsed from a text, with its position, and the unparsed part beside it.
    `by_its_end`: the text named the end of the period. `event`: the days of an event, if the period
    runs from them to now."""

    days: PeriodDays
    start: int
    end: int
    part: str | None = None
    may_be_ahead: bool = False
    by_its_end: bool = False
    event: PeriodDays | None = None


def this_week(today: pendulum.DateTime) -> PeriodDays:
    """The week of the last day that has ended. On a Monday, the previous week."""
    return week(today.subtract(days=1).start_of("week"))


def week_so_far(today: pendulum.DateTime) -> PeriodDays:
    """This week up to now. On a Monday it includes the day's fixing, if that is known."""
    return PeriodDays(this_week(today).start, today.add(days=1))


def week(monday: pendulum.DateTime) -> PeriodDays:
    """A week from its Sunday on, so that the preceding Friday has the last fixing before it."""
    return PeriodDays(monday.subtract(days=1), monday.add(weeks=1))


def span(first: pendulum.DateTime, *, days: int = 0, months: int = 0, years: int = 0) -> PeriodDays:
    """The period of so many days, months or years from a first day on."""
    return PeriodDays(first, first.add(days=days, months=months, years=years))


def first_of(year: int, month: int, today: pendulum.DateTime) -> pendulum.DateTime:
    """The first instant of a month, in today's time zone."""
    return pendulum.datetime(year, month, 1, tz=today.timezone_name or "UTC")


def midnight(day: str, today: pendulum.DateTime) -> pendulum.DateTime:
    """The first instant of an ISO day, in today's time zone."""
    read = datetime.fromisoformat(day)
    return pendulum.datetime(read.year, read.month, read.day, tz=today.timezone_name or "UTC")


def utc(moment: pendulum.DateTime) -> datetime:
    """An instant in UTC, as a plain `datetime`."""
    return datetime.fromtimestamp(moment.timestamp(), tz=pendulum.UTC)


def last_begun(number: int, today: pendulum.DateTime) -> pendulum.DateTime:
    """The first day of the latest month with a given number, 1 to 12, that has begun."""
    month = today.start_of("month")
    return month.subtract(months=(month.month - number) % 12)
