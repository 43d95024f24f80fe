"""The news feeds of central banks: RSS 2.0 at a path for each area, invented releases of 2026-W44.

Format: the banks' feeds hold their latest items, dated by `pubDate`, without a publisher.
"""

from collections.abc import Mapping
from datetime import UTC, datetime

from tests.standins.provider import NOT_FOUND, Ask, Provider, Reply
from tests.support.feed_address import item, rss

RELEASES: Mapping[str, tuple[tuple[str, datetime], ...]] = {
    "US": (
        (
            "Invented: Federal Reserve issues FOMC statement",
            datetime(2026, 10, 28, 18, 0, tzinfo=UTC),
        ),
    ),
    "CA": (
        (
            "Invented: Bank of Canada maintains its policy rate",
            datetime(2026, 10, 28, 13, 45, tzinfo=UTC),
        ),
    ),
    "XM": (("Invented: Monetary policy decisions", datetime(2026, 10, 29, 13, 15, tzinfo=UTC)),),
    "JP": (("Invented: Statement on Monetary Policy", datetime(2026, 10, 30, 3, 30, tzinfo=UTC)),),
    "NZ": (("Invented: OCR lowered", datetime(2026, 10, 28, 1, 0, tzinfo=UTC)),),
}
"""Title and instant, by area."""

_EARLIER = ("Invented: An earlier release", datetime(2026, 9, 1, 9, 0, tzinfo=UTC))


def _answer(ask: Ask) -> Reply:
    told = RELEASES.get(ask.route)
    if told is None:
        return NOT_FOUND
    found = [
        item(title, at, link=f"https://bank.example/{ask.route}/{at:%Y%m%d}")
        for title, at in (*told, _EARLIER)
        if at.date() <= ask.until
    ]
    content = rss(*found).content
    if ask.renamed:
        content = content.replace(b"pubDate>", b"releasedOn>")
    return Reply(content, "application/xml; charset=utf-8")


def _arguments(url: str) -> Mapping[str, tuple[str, ...]]:
    return {"bank_feeds": ("--url", url)}


PROVIDER = Provider("bank_feeds", _answer, _arguments)
