"""ISO weeks and the time window of a report."""

import re
from datetime import date, timedelta
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from desk.contracts.base import Contract, Instant, ShortText

WEEK_PATTERN = r"^\d{4}-W(0[1-9]|[1-4]\d|5[0-3])$"


def monday_of(week: str) -> date:
    """Returns the Monday on which an ISO week starts.

    Raises:
        ValueError: the text is not a week, or the year has no such week.
    """
    year, _, number = week.partition("-W")
    return date.fromisocalendar(int(year), int(number), 1)


def _existing(week: str) -> str:
    monday_of(week)
    return week


IsoWeek = Annotated[str, Field(pattern=WEEK_PATTERN), AfterValidator(_existing)]
"""An ISO week such as `2026-W44` that exists in its year."""


def parse_week(text: str) -> str:
    """Parses an ISO week that a person wrote, such as `2026-W44` or `2026-w44`.

    Raises:
        ValueError: with a sentence that describes the format of a week.
    """
    week = text.strip().upper()
    if not re.fullmatch(WEEK_PATTERN, week):
        raise ValueError(f"'{text}' is not a week: write the ISO year and week, such as 2026-W44")
    try:
        monday_of(week)
    except ValueError:
        raise ValueError(f"{week[:4]} has no week {week[-2:]}") from None
    return week


def week_of(day: date) -> str:
    """The ISO week that a day belongs to."""
    year, number, _ = day.isocalendar()
    return f"{year:04d}-W{number:02d}"


def next_week(week: str) -> str:
    """The ISO week after this one."""
    return week_of(monday_of(week) + timedelta(days=7))


def previous_week(week: str) -> str:
    """The ISO week before this one."""
    return week_of(monday_of(week) - timedelta(days=7))


class TimeWindow(Contract):
    """The time span of a report: from `start` to the as-of instant `end`, both included.

    `time_zone` is the IANA name of the zone in which the desk's days begin.
    """

    start: Instant
    end: Instant
    time_zone: ShortText

    @model_validator(mode="after")
    def _runs_forward(self) -> Self:
        if self.end < self.start:
            raise ValueError(f"the window ends at {self.end} before it starts at {self.start}")
        return self
