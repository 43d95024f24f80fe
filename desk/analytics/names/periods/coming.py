"""Parses the calendar days of a question about the future, such as the decision days of banks. A
week, month, quarter or year includes all its days, past and future."""

import re
from datetime import date, datetime
from typing import Final, NamedTuple

import pendulum

from desk.analytics.names.periods.days import MONTHS_OF_A_QUARTER, first_of
from desk.analytics.names.periods.lengths import UNITS, unit_of
from desk.analytics.names.periods.months import month_number, of_a_month

_UNIT: Final = re.compile(
    rf"\b(?P<which>this|next|coming) (?P<unit>(?!day|decade)(?:{UNITS}))\b", re.I
)
_TOMORROW: Final = re.compile(r"\btomorrow\b", re.I)


class DaysComing(NamedTuple):
    """The first and the last day, and the words that named them."""

    days: tuple[date, date]
    read: str


def days_coming(words: str, as_of: datetime, time_zone: str) -> DaysComing | None:
    """The days that words name: tomorrow, this or the next week, month, quarter or year, or a month
    by its name, which is the first that has not ended unless its year is given. A week runs from
    Monday to Sunday. None if the words name none of these."""
    today = pendulum.instance(as_of).in_timezone(time_zone)
    if found := _TOMORROW.search(words):
        day = today.add(days=1).date()
        return DaysComing((day, day), found[0])
    if found := _UNIT.search(words):
        unit, ahead = unit_of(found["unit"]), found["which"].casefold() != "this"
        return DaysComing(_calendar_days(unit, today, ahead=ahead), found[0])
    if found := of_a_month().search(words):
        return DaysComing(_days_of(_first_of_month(found, today), months=1), found["named"])
    return None


def _calendar_days(unit: str, today: pendulum.DateTime, *, ahead: bool) -> tuple[date, date]:
    if unit == "week":
        return _days_of(today.start_of("week").add(weeks=int(ahead)), days=7)
    if unit == "year":
        return _days_of(today.start_of("year").add(years=int(ahead)), months=12)
    month = today.start_of("month")
    if unit == "month":
        return _days_of(month.add(months=int(ahead)), months=1)
    first = month.subtract(months=(month.month - 1) % MONTHS_OF_A_QUARTER)
    months = MONTHS_OF_A_QUARTER
    return _days_of(first.add(months=months * int(ahead)), months=months)


def _first_of_month(found: re.Match[str], today: pendulum.DateTime) -> pendulum.DateTime:
    number = month_number(found["name"])
    if found["year"]:
        return first_of(int(found["year"]), number, today)
    month = today.start_of("month")
    return month.add(months=(number - month.month) % 12)


def _days_of(first: pendulum.DateTime, *, days: int = 0, months: int = 0) -> tuple[date, date]:
    last = first.add(days=days, months=months).subtract(days=1)
    return first.date(), last.date()
