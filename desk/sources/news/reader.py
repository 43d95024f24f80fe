"""Feeds by their address, each kept for ten minutes."""

import time
from collections.abc import Callable

from desk.sources.news.feed import FeedEntry, load_feedparser, parse_feed
from desk.sources.news.fetch import TIMEOUT_SECONDS, fetch
from desk.sources.serving.kept_answers import KeptAnswers

KEPT_SECONDS = 600.0
MOST_KEPT = 64


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
        self._timeout_seconds = timeout_seconds
        self._kept = KeptAnswers[tuple[FeedEntry, ...]](KEPT_SECONDS, MOST_KEPT, clock)

    def entries(self, url: str) -> tuple[FeedEntry, ...]:
        """The entries of the feed at an address, at most ten minutes old.

        Raises:
            FeedRefused: the source refused.
            FeedUnusable: there was no answer, or no feed in it.
            ToolError: `feedparser` is not installed; nothing was fetched.
        """
        kept = self._kept.get(url)
        if kept is not None:
            return kept
        load_feedparser()
        found = parse_feed(fetch(url, self._timeout_seconds))
        self._kept.keep(url, found)
        return found
