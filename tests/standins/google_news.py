"""The RSS search of Google News: RSS 2.0, invented headlines of the week 2026-W44.

Format: https://news.google.com/rss/search?q=…, at most 100 items, each with its publisher in
`source`, dated by `pubDate`.
"""

from collections.abc import Mapping
from datetime import UTC, datetime

from tests.standins.provider import NOT_FOUND, Ask, Provider, Reply
from tests.support.feed_address import item, rss

PATH = "rss/search"

HEADLINES: Mapping[str, tuple[tuple[str, str, datetime], ...]] = {
    "yen": (
        (
            "Invented: Yen slips as Bank of Japan holds rate",
            "Invented Wire",
            datetime(2026, 10, 30, 4, 10, tzinfo=UTC),
        ),
        (
            "Invented: Dollar rises against yen after Bank of Japan leaves rate unchanged",
            "Invented Times",
            datetime(2026, 10, 30, 5, 0, tzinfo=UTC),
        ),
    ),
    "euro": (
        (
            "Invented: Euro steady before ECB decision",
            "Invented Wire",
            datetime(2026, 10, 29, 8, 30, tzinfo=UTC),
        ),
    ),
}
"""By a word of the query: title, publisher and instant."""


def _answer(ask: Ask) -> Reply:
    if ask.route != PATH:
        return NOT_FOUND
    query = ask.query.get("q", "").lower()
    found = [
        item(f"{title} - {publisher}", at, source=publisher)
        for word, told in HEADLINES.items()
        if word in query
        for title, publisher, at in told
        if at.date() <= ask.until
    ]
    content = rss(*found).content
    if ask.renamed:
        content = content.replace(b"pubDate>", b"published>")
    return Reply(content, "application/xml; charset=utf-8")


def _arguments(url: str) -> Mapping[str, tuple[str, ...]]:
    return {"google_news": ("--url", url)}


PROVIDER = Provider("google_news", _answer, _arguments)
