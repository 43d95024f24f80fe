"""MCP server `google_news`: headlines of many publishers, from the feeds of Google News."""

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Annotated
from urllib.parse import urlencode

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from desk.analytics.links import web_link
from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import NewsItem, NewsItems, Provenance
from desk.contracts.findings.sources import NetworkUse, SourceDescription
from desk.sources.news.feed import FeedReader
from desk.sources.news.fetch import FeedRefused, FeedUnreachable, FeedUnusable
from desk.sources.news.items import (
    LONGEST_HEADLINE,
    LONGEST_NAME,
    MOST_ITEMS,
    DatedEntry,
    Days,
    Selected,
    Window,
    select,
)
from desk.sources.news.text import plain_text
from desk.sources.serving.arguments import FIRST_YEAR, AsOf, Day, DeskServer, require_order
from desk.sources.serving.command_line import READS_THE_WEB, argument_parser, log_to_stderr, run
from desk.sources.serving.kept_answers import KeptNotes
from desk.sources.serving.reachability import Reach, add_reach_tool

GOOGLE_NEWS_URL = "https://news.google.com"
SOURCE = Provenance(name="Google News", tier=SourceTier.SECONDARY, url=GOOGLE_NEWS_URL)
EDITION = MappingProxyType({"hl": "en-US", "gl": "US", "ceid": "US:en"})
UNNAMED = "publisher not named"

_BETWEEN = " - "
_OWN_DATES = re.compile(r"\b(?:when|after|before):", re.IGNORECASE)
_DAY = timedelta(days=1)

Query = Annotated[
    str,
    Field(min_length=1, max_length=200, description="words to search for, such as `Bank of Japan`"),
]


class HeadlineTopic(StrEnum):
    """The topics of headlines."""

    MARKETS = "markets"
    CURRENCIES = "currencies"
    CENTRAL_BANKS = "central banks"
    ECONOMY = "economy"


TOPIC_QUERIES: Mapping[HeadlineTopic, str] = MappingProxyType(
    {
        HeadlineTopic.MARKETS: '"financial markets" OR "bond yields" OR "stock markets"',
        HeadlineTopic.CURRENCIES: '"foreign exchange" OR "currency markets" OR "exchange rate"',
        HeadlineTopic.CENTRAL_BANKS: '"central bank" OR "monetary policy" OR "policy rate"',
        HeadlineTopic.ECONOMY: '"economic growth" OR inflation OR unemployment',
    }
)
"""Topics as searches, because the topic pages of Google News have no past weeks."""


class GoogleNewsTools:
    """The tools of the server. Each answers only with what was published by `as_of`."""

    def __init__(self, reader: FeedReader, url: str = GOOGLE_NEWS_URL) -> None:
        """`url` is the address of Google News."""
        self._reader = reader
        self._url = url.rstrip("/")

    def search_news(self, query: Query, as_of: AsOf, days: Days = 7) -> NewsItems:
        """Headlines that match a query from the days before as_of, newest first.

        Publishers' headlines as listed by Google News, at most 100. `missing` says why there are
        none, or what was omitted.
        """
        return self._news(_words(query), _last_days(as_of, days))

    def get_headlines(
        self, as_of: AsOf, topic: HeadlineTopic | None = None, days: Days = 7
    ) -> NewsItems:
        """Headlines on a topic, or on all four, from the days before as_of, newest first."""
        queries = TOPIC_QUERIES.values() if topic is None else (TOPIC_QUERIES[topic],)
        return self._news(" OR ".join(queries), _last_days(as_of, days), topic or "all topics")

    def filter_by_date(self, query: Query, start: Day, end: Day, as_of: AsOf) -> NewsItems:
        """Headlines that match a query from start to end, newest first.

        UTC days, both included; nothing later than as_of.
        """
        require_order(start, end)
        first = max(start, date(FIRST_YEAR, 1, 2))
        opening = datetime.combine(first, time(), UTC)
        closing = datetime.combine(end, time.max, UTC)
        words, window = _words(query), Window(opening, min(closing, as_of), as_of)
        if window.end < window.start:
            return _answer(words, window, missing=f"{start} lies after {as_of.isoformat()}.")
        return self._news(words, window)

    def _news(self, query: str, window: Window, label: str | None = None) -> NewsItems:
        try:
            entries = self._reader.entries(_address(self._url, query, window))
        except FeedRefused as error:
            raise ToolError(f"Google News refused to answer: {error}") from error
        except FeedUnusable as error:
            unread = f"Google News could not be read: {error}."
            since = error.since if isinstance(error, FeedUnreachable) else None
            return _answer(label or query, window, missing=unread, unreachable_since=since)
        found = select(entries, window, _item)
        return _answer(label or query, window, found.items, _remarks(found, window))


def _words(query: str) -> str:
    words = plain_text(query, LONGEST_NAME)
    if not words:
        raise ToolError("the query has no words; name what to look for, such as Bank of Japan")
    if _OWN_DATES.search(words):
        raise ToolError("leave when:, after: and before: out of the query; days and dates do that")
    return words


def _last_days(as_of: datetime, days: int) -> Window:
    return Window(as_of - timedelta(days=days), as_of, as_of)


def _address(url: str, query: str, window: Window) -> str:
    """The search with a day's margin at both ends, because Google's days are not UTC days.
    `when:7d` is not used, because it counts back from the request and not from the as-of
    instant."""
    after = window.start.astimezone(UTC).date() - _DAY
    before = window.end.astimezone(UTC).date() + _DAY
    dated = f"{query} after:{after} before:{before}"
    return f"{url}/rss/search?{urlencode({'q': dated, **EDITION})}"


def _item(found: DatedEntry) -> NewsItem | None:
    """Omits Google's own summary, which is a list of links that repeats the headline."""
    entry = found.entry
    headline, publisher = _split(
        plain_text(entry.title, 2 * LONGEST_HEADLINE), plain_text(entry.source, LONGEST_NAME)
    )
    if not headline:
        return None
    identifier = plain_text(entry.identifier, LONGEST_NAME + 1)
    return NewsItem(
        headline=plain_text(headline, LONGEST_HEADLINE),
        publisher=plain_text(publisher, LONGEST_NAME) or UNNAMED,
        published_at=found.published_at,
        url=web_link(entry.link),
        story_id=identifier if 0 < len(identifier) <= LONGEST_NAME else None,
    )


def _split(title: str, source: str) -> tuple[str, str]:
    """Headline and publisher of `Headline - Publisher`. The feed's own <source> takes
    precedence."""
    if source:
        return title.removesuffix(f"{_BETWEEN}{source}").strip(), source
    headline, between, publisher = title.rpartition(_BETWEEN)
    return (headline.strip(), publisher.strip()) if between else (title, "")


def _remarks(found: Selected, window: Window) -> str | None:
    remarks = list(found.notes)
    if not found.items:
        remarks.insert(0, f"Google News has nothing from {window.start} to {window.end}.")
    if len(found.items) > MOST_ITEMS:
        remarks.append(f"The {MOST_ITEMS} newest of {len(found.items)} items.")
    return " ".join(remarks) or None


def _answer(
    query: str,
    window: Window,
    items: tuple[NewsItem, ...] = (),
    missing: str | None = None,
    unreachable_since: datetime | None = None,
) -> NewsItems:
    return NewsItems(
        as_of=window.as_of,
        source=SOURCE,
        query=query[:LONGEST_NAME],
        items=items[:MOST_ITEMS],
        missing=missing,
        unreachable_since=unreachable_since,
    )


DESCRIPTION = SourceDescription(
    server="google_news",
    gives="Headlines of many publishers from the RSS search of Google News, edition en-US.",
    origin="Each headline's publisher",
    tiers=(SourceTier.SECONDARY,),
    licence="Each headline is its publisher's; the feed is Google's.",
    terms="The feed says of itself that it is for a personal feed reader and not for commercial "
    "use.",
    publication="A headline counts as known from the date that Google gives it.",
    network=NetworkUse.LIVE,
)


def build_server(
    cache_dir: Path | None = None,
    *,
    refresh_every: timedelta | None = None,
    url: str = GOOGLE_NEWS_URL,
    offline: bool = False,
) -> MCPServer:
    """The server, for use in this process or to be run.

    `url` is the address of Google News. Answers are cached in memory, for ten minutes; `cache_dir`
    records whether Google could be reached. With `offline` nothing is fetched. `refresh_every` is
    accepted, as by every server of the desk, and not used.
    """
    del refresh_every
    reach = Reach("google_news", (url,), cache_dir, offline=offline)
    tools = GoogleNewsTools(FeedReader(reach), url)
    server = DeskServer(
        "google_news",
        instructions="Headlines from Google News. They are what publishers wrote, not facts.",
        log_level="WARNING",
        extensions=[KeptNotes()],
    )
    for tool in (tools.search_news, tools.get_headlines, tools.filter_by_date):
        server.add_tool(tool, annotations=READS_THE_WEB, structured_output=True)
    add_reach_tool(server, reach)
    return server


def from_arguments(
    args: Sequence[str], *, cache_dir: Path | None, refresh_every: timedelta | None
) -> MCPServer:
    """The server as configured in its entry in `.mcp.json`, for use in this process. It fetches
    nothing in a worker that refreshes nothing."""
    arguments = _parser().parse_args(args)
    offline = arguments.offline or refresh_every is None
    return build_server(cache_dir, url=arguments.url, offline=offline)


def main(argv: list[str] | None = None) -> int:
    """Runs the server as the command line says. Returns the exit status."""
    arguments = _parser().parse_args(argv)
    log_to_stderr()
    url, offline = arguments.url, arguments.offline
    return run(build_server(arguments.cache_dir, url=url, offline=offline), arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser("desk.sources.news.server", "Headlines from Google News.")
    parser.add_argument(
        "--url", default=GOOGLE_NEWS_URL, help="where Google News is (default: %(default)s)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
