"""Parses periods of ISO 8601: days, weeks, months, quarters, and spans of two days."""

import re
from datetime import datetime
from typing import Final

import pendulum

from desk.analytics.names.periods.days import (
    MONTHS_OF_A_QUARTER,
    PeriodDays,
    PeriodReading,
    first_of,
    midnight,
    span,
    utc,
    week,
)
from desk.contracts.weeks import monday_of, parse_week

_DAY: Final = r"\d{4}-\d{2}-\d{2}"
ISO: Final = re.compile(
    rf"(?<![\w/-])(?:(?P<first>{_DAY})/(?P<last>{_DAY})|(?P<day>{_DAY})"
    r"|(?P<week>\d{4}-w\d{2})|(?P<quarter>\d{4}-q[1-4])|(?P<month>\d{4}-(?:0[1-9]|1[0-2])))"
    r"(?![\w/-])",
    re.IGNORECASE,
)
_ON_OR_SINCE: Final = re.compile(r"\b(?:on|since|as of|as at) $", re.I)


def read_iso(words: str, today: pendulum.DateTime, as_of: datetime) -> PeriodReading | None:
    """Parses the first ISO period. Skips a single day unless `on`, `since` or the like precedes it,
    because other words decide whether the day, its eve or its week is meant."""
    for found in ISO.finditer(words):
        if found["day"] and not _ON_OR_SINCE.search(words[: found.start()]):
            continue
        try:
            days = iso_days(found, today)
        except ValueError:
            continue
        if days.start < days.end and utc(days.start) < as_of:
            return PeriodReading(days, found.start(), found.end())
    return None


def iso_days(found: re.Match[str], today: pendulum.DateTime) -> PeriodDays:
    """The days of an ISO period.

    Raises:
        ValueError: there is no such day or week.
    """
    if found["first"]:
        first, last = midnight(found["first"], today), midnight(found["last"], today)
        return PeriodDays(first, last.add(days=1))
    if found["day"]:
        return span(midnight(found["day"], today), days=1)
    if found["week"]:
        monday = midnight(monday_of(parse_week(found["week"])).isoformat(), today)
        return week(monday)
    if found["quarter"]:
        year, quarter = int(found["quarter"][:4]), int(found["quarter"][-1])
        first = first_of(year, (quarter - 1) * MONTHS_OF_A_QUARTER + 1, today)
        return span(first, months=MONTHS_OF_A_QUARTER)
    named, _, month = found["month"].partition("-")
    return span(first_of(int(named), int(month), today), months=1)
