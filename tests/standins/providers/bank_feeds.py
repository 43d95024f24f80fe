"""The news feeds of central banks: RSS 2.0 at a path for each area, a release of each decision.

Format: the banks' feeds hold their latest items, dated by `pubDate`, without a publisher.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime

from tests.standins.provider import NOT_FOUND, Ask, Provider, Reply
from tests.standins.world import Decision, decisions
from tests.support.addresses.feeds import item, rss

TITLES = {
    "US": "Federal Reserve issues FOMC statement",
    "CA": "Bank of Canada {verb} its policy rate",
    "XM": "Monetary policy decisions",
    "JP": "Statement on Monetary Policy",
    "NZ": "Official Cash Rate {verb}",
}
"""How banks head the release of a decision; the others' feeds are not there."""

VERBS = {
    "CA": {-1: "lowers", 0: "maintains", 1: "increases"},
    "NZ": {-1: "lowered", 0: "unchanged", 1: "raised"},
}
FROM = date(2026, 10, 26)
"""Feeds hold their latest items only."""


def _title(decision: Decision) -> str:
    change = decision.change
    verb = VERBS.get(decision.area, {}).get((change > 0) - (change < 0), "")
    return f"Invented: {TITLES[decision.area].format(verb=verb)}"


RELEASES: Mapping[str, tuple[tuple[str, datetime], ...]] = {
    area: tuple(
        (_title(decision), decision.at)
        for decision in decisions()
        if decision.area == area and decision.day >= FROM
    )
    for area in TITLES
}
"""Title and instant, by area: of each decision of the stand-ins' world."""

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
