"""Reads the entries of a feed (RSS 0.9 to 2.0, RDF, Atom) with `feedparser`."""

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
"""Entries of a feed that are looked at."""

_BYTES_LOOKED_AT = 4_096
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry as the feed has it, nothing of it made safe yet; "" where it has no such field.

    `published` and `updated` are dates as they were written. `source` is who an aggregator says
    wrote it.
    """

    title: str
    link: str
    published: str
    updated: str
    source: str
    summary: str
    identifier: str


def parse_feed(content: bytes) -> tuple[FeedEntry, ...]:
    """The entries of a feed in its own order.

    Raises:
        FeedUnusable: it is empty, a web page, malformed, declares entities of its own (which can
            grow without bound when they are put in) or is no feed.
    """
    _require_xml(content)
    # It takes a tenth of a second to load; a server that is asked for nothing does without.
    import feedparser  # type: ignore[import-untyped]

    # Handed over as a stream: feedparser takes bytes for the name of a file first.
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
    # Asking for `updated` where there is none warns; `in` does not look at stand-ins for it.
    value = found.get(field) if field in found else None
    return value if isinstance(value, str) else ""


KEPT_SECONDS = 600.0
MOST_KEPT = 64

_TURNS = 32
"""Locks by which those who want one feed at once wait for whoever fetches it."""


class FeedReader:
    """Reads feeds, and keeps what it read by address for ten minutes.

    May be used from several threads; of those that ask for one address at once, one fetches it.
    With `reach`, a host that did not answer within the last minute is not asked.
    """

    def __init__(
        self,
        reach: Reach | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        """`clock` counts seconds, for what is kept."""
        self._reach = reach
        self._timeout_seconds = timeout_seconds
        self._kept = KeptAnswers[tuple[FeedEntry, ...]](KEPT_SECONDS, MOST_KEPT, clock)
        self._turns = tuple(threading.Lock() for _ in range(_TURNS))

    def entries(self, url: str) -> tuple[FeedEntry, ...]:
        """The entries of the feed at an address, at most ten minutes old.

        Raises:
            FeedRefused: the source refused.
            FeedUnreachable: there was no answer, now or within the last minute.
            FeedUnusable: there was no feed in the answer.
        """
        kept = self._kept.get(url)
        if kept is not None:
            return kept
        with self._turns[hash(url) % _TURNS]:
            kept = self._kept.get(url)
            if kept is None:
                kept = parse_feed(self._fetched(url))
                self._kept.keep(url, kept)
        return kept

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
