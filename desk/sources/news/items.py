"""Selects the entries of a feed that are news of a time window, and notes what was omitted."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, time
from email.utils import parsedate_to_datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field

from desk.contracts.findings.source_results import NewsItem
from desk.sources.news.feed import FeedEntry
from desk.sources.serving.arguments import FIRST_YEAR, LAST_YEAR

LONGEST_DATE = 64

_END_OF_DAY = time(23, 59)
"""As in the tables of central banks for an announcement whose hour is unknown."""

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].+)?", re.ASCII)
_DAY_ONLY = re.compile(r"(?:[A-Za-z]{3},? +)?\d{1,2} [A-Za-z]{3} \d{4}", re.ASCII)


def published_instant(written: str, zone: ZoneInfo | None) -> datetime | None:
    """Parses a date of RFC 822 or ISO 8601 (RSS and Atom). None if it cannot be parsed.

    `zone` is the publisher's. Feeds write a day without an hour as midnight; a date without an
    offset, without an hour or at midnight is then known at the end of that day in the zone. Without
    a zone a date without an offset cannot be parsed, and midnight is an ordinary hour.
    """
    text = written.strip()
    if not text or len(text) > LONGEST_DATE:
        return None
    try:
        found = _parsed(text)
        if not FIRST_YEAR < found.year < LAST_YEAR:
            return None
        if zone is not None and (found.tzinfo is None or found.time() == time()):
            found = datetime.combine(found.date(), _END_OF_DAY, zone)
        return found.astimezone(UTC) if found.tzinfo is not None else None
    except (ValueError, TypeError, OverflowError):
        return None


def _parsed(text: str) -> datetime:
    if _ISO.fullmatch(text):
        return datetime.fromisoformat(text)
    return parsedate_to_datetime(f"{text} 00:00:00" if _DAY_ONLY.fullmatch(text) else text)


LONGEST_HEADLINE = 500
LONGEST_NAME = 200
MOST_ITEMS = 100
"""The most items of a result (`NewsItems`)."""

Days = Annotated[
    int, Field(ge=1, le=92, description="how many days back from as_of the news may reach")
]
"""The length of a window of news."""


@dataclass(frozen=True, slots=True)
class Window:
    """From `start` to `end`, both included. Excludes what became known after `as_of`."""

    start: datetime
    end: datetime
    as_of: datetime


@dataclass(frozen=True, slots=True)
class DatedEntry:
    """An entry with the instant of its publication and that of its last change."""

    entry: FeedEntry
    published_at: datetime
    known_from: datetime


@dataclass(frozen=True, slots=True)
class Selected:
    """News, newest first. `notes` say what was omitted. `reaches_back_to` is the oldest entry that
    was known at the as-of instant, in or before the window."""

    items: tuple[NewsItem, ...]
    notes: tuple[str, ...]
    reaches_back_to: datetime | None


ReadItem = Callable[[DatedEntry], NewsItem | None]
"""Converts an entry to an item. None if it has no headline."""


def select(
    entries: Iterable[FeedEntry], window: Window, read_item: ReadItem, zone: ZoneInfo | None = None
) -> Selected:
    """The items of a window. Items published or changed after the as-of instant are omitted and not
    mentioned. `zone` is the publisher's, as in `published_instant`."""
    every = tuple(entries)
    dated = tuple(found for entry in every if (found := _dated(entry, zone)) is not None)
    known = tuple(found for found in dated if found.known_from <= window.as_of)
    within = [found for found in known if window.start <= found.published_at <= window.end]
    read = [read_item(found) for found in within]
    items = newest_first(item for item in read if item is not None)
    return Selected(
        items=items,
        notes=tuple(
            _left_out(count, lack)
            for count, lack in (
                (len(every) - len(dated), "a readable date"),
                (read.count(None), "a headline"),
            )
            if count
        ),
        reaches_back_to=min((found.published_at for found in known), default=None),
    )


def newest_first(items: Iterable[NewsItem]) -> tuple[NewsItem, ...]:
    """Each story of a publisher once, the newest first."""
    stories: dict[tuple[str, str], NewsItem] = {}
    for item in sorted(items, key=lambda found: found.published_at, reverse=True):
        stories.setdefault((item.headline, item.publisher), item)
    return tuple(stories.values())


def _dated(entry: FeedEntry, zone: ZoneInfo | None) -> DatedEntry | None:
    published = published_instant(entry.published, zone)
    updated = published_instant(entry.updated, zone)
    came_out = published or updated
    if came_out is None:
        return None
    return DatedEntry(entry, came_out, max(came_out, updated or came_out))


def _left_out(count: int, lack: str) -> str:
    return f"{count} {'item' if count == 1 else 'items'} without {lack} left out."
