"""Parses the entries of a feed (RSS 0.9 to 2.0, RDF, Atom) with `feedparser`."""

import io
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.sax import SAXException

from desk.sources.news.fetch import (
    TIMEOUT_SECONDS,
    FeedRefused,
    FeedUnreachable,
    FeedUnusable,
    fetch,
)
from desk.sources.serving.kept_answers import KeptAnswers
from desk.sources.serving.reachability import NotReachable, Reach

MOST_ENTRIES = 500
"""The most entries of a feed that are read."""

_BYTES_LOOKED_AT = 4_096
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry exactly as in the feed, not sanitised; "" for an absent field.

    `published` and `updated` are unparsed dates. `source` is the author that an aggregator names.
    """

    title: str
    link: str
    published: str
    updated: str
    source: str
    summary: str
    identifier: str


def parse_feed(content: bytes) -> tuple[FeedEntry, ...]:
    """The entries of a feed, in its order.

    Raises:
        FeedUnusable: it is empty, a web page, malformed, declares entities of its own (which can
            grow without bound when expanded) or is not a feed.
    """
    _require_xml(content)
    # Imported here because it takes a tenth of a second, which an unused server saves.
    import feedparser  # type: ignore[import-untyped]

    # Passed as a stream, because feedparser first tries bytes as the name of a file.
    feed = feedparser.parse(io.BytesIO(content), sanitize_html=False, resolve_relative_uris=False)
    if isinstance(feed.get("bozo_exception"), SAXException):
        raise FeedUnusable("its answer is malformed XML")
    if not feed.version:
        raise FeedUnusable("its answer is no feed (RSS or Atom)")
    return tuple(_entry(found) for found in feed.entries[:MOST_ENTRIES])


def _require_xml(content: bytes) -> None:
    if not content.strip():
        raise FeedUnusable("its answer is empty")
    if _HTML.match(content[:_BYTES_LOOKED_AT]):
        raise FeedUnusable("its answer is a web page (HTML) and no feed")
    if b"<!ENTITY" in content.replace(b"\0", b""):
        raise FeedUnusable("its answer declares XML entities, which are not read")


def _entry(found: Any) -> FeedEntry:
    return FeedEntry(
        title=_text(found, "title"),
        link=_text(found, "link"),
        published=_text(found, "published"),
        updated=_text(found, "updated"),
        source=_text(found.get("source") or {}, "title"),
        summary=_text(found, "summary"),
        identifier=_text(found, "id"),
    )


def _text(found: Any, field: str) -> str:
    # Getting an absent `updated` warns; `in` does not consider substitutes for it.
    value = found.get(field) if field in found else None
    return value if isinstance(value, str) else ""


CACHE_SECONDS = 600.0
MOST_CACHED = 64

_LOCKS = 32
"""Locks by which concurrent callers for one feed wait for the one that fetches it."""


class FeedReader:
    """Reads feeds, and caches them by address for ten minutes.

    Thread-safe: of several concurrent callers for one address, one fetches it. With `reach`, a host
    that did not answer within the last minute is not asked.
    """

    def __init__(
        self,
        reach: Reach | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        """`clock` counts seconds, for the cache."""
        self._reach = reach
        self._timeout_seconds = timeout_seconds
        self._kept = KeptAnswers[tuple[FeedEntry, ...]](CACHE_SECONDS, MOST_CACHED, clock)
        self._locks = tuple(threading.Lock() for _ in range(_LOCKS))

    def entries(self, url: str) -> tuple[FeedEntry, ...]:
        """The entries of the feed at an address, at most ten minutes old.

        Raises:
            FeedRefused: the source refused.
            FeedUnreachable: there was no answer, now or within the last minute.
            FeedUnusable: the answer was not a feed.
        """
        cached = self._kept.get(url)
        if cached is not None:
            return cached
        with self._locks[hash(url) % _LOCKS]:
            cached = self._kept.get(url)
            if cached is None:
                cached = parse_feed(self._fetched(url))
                self._kept.keep(url, cached)
        return cached

    def _fetched(self, url: str) -> bytes:
        reach = self._reach
        if reach is None:
            return fetch(url, self._timeout_seconds)
        try:
            reach.require(url)
            content = fetch(url, self._timeout_seconds)
        except NotReachable as error:
            raise FeedUnreachable(str(error), error.since) from error
        except FeedUnreachable as error:
            raise FeedUnreachable(str(error), reach.note_failure(url, str(error))) from error
        except FeedRefused as error:
            if error.later:
                reach.note_failure(url, str(error))
            raise
        reach.note_success(url)
        return content
