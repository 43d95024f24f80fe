"""Which entries of a feed are news of a window of time, and what is to be said of the others."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field

from desk.contracts.findings.source_results import NewsItem
from desk.sources.news.dates import published_instant
from desk.sources.news.feed import FeedEntry

LONGEST_HEADLINE = 500
LONGEST_NAME = 200
MOST_ITEMS = 100
"""What a result holds (`NewsItems`)."""

Days = Annotated[
    int, Field(ge=1, le=92, description="how many days back from as_of the news may reach")
]
"""The length of a window of news."""


@dataclass(frozen=True, slots=True)
class Window:
    """From `start` to `end`, both included; nothing first known after `as_of`."""

    start: datetime
    end: datetime
    as_of: datetime


@dataclass(frozen=True, slots=True)
class DatedEntry:
    """An entry with the instant it came out and the one from which it stood as it is now."""

    entry: FeedEntry
    published_at: datetime
    known_from: datetime


@dataclass(frozen=True, slots=True)
class Selected:
    """News newest first; `notes` say what was left out; `reaches_back_to` is the oldest entry
    that was known at the as-of instant, in or before the window."""

    items: tuple[NewsItem, ...]
    notes: tuple[str, ...]
    reaches_back_to: datetime | None


ReadItem = Callable[[DatedEntry], NewsItem | None]
"""Makes an item of an entry; None when it has no headline."""


def select(
    entries: Iterable[FeedEntry], window: Window, read_item: ReadItem, zone: ZoneInfo | None = None
) -> Selected:
    """The items of a window. What came out, or was changed, after the as-of instant is not there
    and not spoken of. `zone` is the publisher's, as in `published_instant`."""
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
