"""The RSS search of Google News: RSS 2.0, invented headlines of the week 2026-W44.

Format: https://news.google.com/rss/search?q=…, at most 100 items, each with its publisher in
`source`, dated by `pubDate`. A title ends with its publisher.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from tests.standins.provider import NOT_FOUND, Ask, Provider, Reply
from tests.support.feed_address import item, rss

PATH = "rss/search"

HEADLINES: tuple[tuple[str, str, datetime], ...] = (
    (
        "Invented: Yen slips as Bank of Japan holds rate",
        "Invented Wire",
        datetime(2026, 10, 30, 4, 10, tzinfo=UTC),
    ),
    (
        "Invented: Yen slips as the Bank of Japan holds rate, traders say",
        "Invented Post",
        datetime(2026, 10, 30, 4, 40, tzinfo=UTC),
    ),
    (
        "Invented: Dollar rises against yen after Bank of Japan leaves rate unchanged",
        "Invented Times",
        datetime(2026, 10, 30, 5, 0, tzinfo=UTC),
    ),
    (
        "Invented: Euro steady before European Central Bank decision",
        "Invented Wire",
        datetime(2026, 10, 29, 8, 30, tzinfo=UTC),
    ),
    (
        "Invented: Federal Reserve cuts rate by 25 basis points as hiring slows",
        "Invented Wire",
        datetime(2026, 10, 28, 18, 5, tzinfo=UTC),
    ),
    (
        "Invented: The Federal Reserve cuts rate by 25 basis points as hiring slows",
        "Invented Times",
        datetime(2026, 10, 28, 18, 20, tzinfo=UTC),
    ),
    (
        "Invented: Bank of Canada holds rate and says inflation is near its target",
        "Invented Gazette",
        datetime(2026, 10, 28, 14, 0, tzinfo=UTC),
    ),
    (
        "Invented: Kiwi falls after Reserve Bank of New Zealand cuts rate",
        "Invented Herald",
        datetime(2026, 10, 28, 2, 0, tzinfo=UTC),
    ),
    (
        "Invented: Krona and krone gain as oil rises",
        "Invented Wire",
        datetime(2026, 10, 27, 9, 0, tzinfo=UTC),
    ),
)
"""Title, publisher and instant."""

_TERM = re.compile(r'"([^"]+)"|(\S+)')


def _terms(query: str) -> list[str]:
    """The alternatives of a query, without the dates that it is bounded by."""
    words = (quoted or bare for quoted, bare in _TERM.findall(query))
    return [word.lower() for word in words if word != "OR" and ":" not in word]


def _answer(ask: Ask) -> Reply:
    if ask.route != PATH:
        return NOT_FOUND
    terms = _terms(ask.query.get("q", ""))
    found = [
        item(
            f"{title} - {publisher}",
            at,
            source=publisher,
            link=f"https://news.google.com/rss/articles/CBMi{number:04}?oc=5",
        )
        for number, (title, publisher, at) in enumerate(HEADLINES)
        if at.date() <= ask.until and any(term in title.lower() for term in terms)
    ]
    content = rss(*found).content
    if ask.renamed:
        content = content.replace(b"pubDate>", b"releasedOn>")
    return Reply(content, "application/xml; charset=utf-8")


def _arguments(url: str) -> Mapping[str, tuple[str, ...]]:
    return {"google_news": ("--url", url)}


PROVIDER = Provider("google_news", _answer, _arguments)
