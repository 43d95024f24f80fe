"""The arguments that tools share: the as-of instant, days, and how they must be written."""

import re
from datetime import date, datetime
from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field

FIRST_YEAR = 1900
LAST_YEAR = 2199

_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def _iso_instant(value: object) -> object:
    # pydantic reads digits alone as seconds since 1970, which would answer for another time.
    if isinstance(value, datetime) or (isinstance(value, str) and _ISO_DAY.match(value)):
        return value
    raise ValueError("write it as an ISO 8601 instant with offset, such as 2026-11-02T07:00:00Z")


def _iso_day(value: object) -> object:
    if isinstance(value, date) or (isinstance(value, str) and _ISO_DAY.fullmatch(value)):
        return value
    raise ValueError("write it as an ISO 8601 day, such as 2026-10-30")


def _within_the_calendar(instant: datetime) -> datetime:
    if FIRST_YEAR <= instant.year <= LAST_YEAR:
        return instant
    raise ValueError(f"the year must lie between {FIRST_YEAR} and {LAST_YEAR}")


AsOf = Annotated[
    AwareDatetime,
    BeforeValidator(_iso_instant),
    AfterValidator(_within_the_calendar),
    Field(description="ISO 8601 instant with offset; nothing published later is returned"),
]
"""The instant that a tool answers for."""

Day = Annotated[date, BeforeValidator(_iso_day)]
"""A calendar day written `2026-10-30`."""


def require_order(start: date, end: date | None) -> None:
    """Refuse a range that runs backwards.

    Raises:
        ToolError: `end` lies before `start`.
    """
    if end is not None and end < start:
        raise ToolError(f"end {end} lies before start {start}; swap them")
