"""Feeds by their address, each kept for ten minutes."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from mcp.types import ToolAnnotations

from mcp_servers.news_feed import FeedEntry, load_feedparser, parse_feed
from mcp_servers.news_fetch import TIMEOUT_SECONDS, fetch

KEPT_SECONDS = 600.0
MOST_KEPT = 64

READS_THE_WEB = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)
"""What the news tools promise: they change nothing; what they read is out in the world."""


class FeedReader:
    """Reads feeds, and keeps what it read by address. Failures are not kept.

    May be used from several threads; two that ask for one address at once both fetch it.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        """`clock` counts seconds, for what is kept."""
        self._clock = clock
        self._timeout_seconds = timeout_seconds
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, tuple[FeedEntry, ...]]] = OrderedDict()

    def entries(self, url: str) -> tuple[FeedEntry, ...]:
        """The entries of the feed at an address, at most ten minutes old.

        Raises:
            FeedRefused: the source refused.
            FeedUnusable: there was no answer, or no feed in it.
            ToolError: `feedparser` is not installed; nothing was fetched.
        """
        kept = self._fresh(url)
        if kept is not None:
            return kept
        load_feedparser()
        found = parse_feed(fetch(url, self._timeout_seconds))
        with self._lock:
            self._kept[url] = (self._clock(), found)
            self._kept.move_to_end(url)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return found

    def _fresh(self, url: str) -> tuple[FeedEntry, ...] | None:
        with self._lock:
            read_at, found = self._kept.get(url, (0.0, None))
            return found if self._clock() - read_at < KEPT_SECONDS else None
