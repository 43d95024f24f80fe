"""The central banks' own news feeds, read as of an instant."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from desk.analytics.links import web_link
from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import NewsItem, NewsItems, Provenance
from desk.sources.central_banks.facts.policy import Area
from desk.sources.news.feed import FeedReader
from desk.sources.news.fetch import FeedRefused, FeedUnreachable, FeedUnusable
from desk.sources.news.items import (
    LONGEST_HEADLINE,
    MOST_ITEMS,
    DatedEntry,
    Selected,
    Window,
    newest_first,
    select,
)
from desk.sources.news.text import plain_text

BANK_FEEDS: Mapping[str, str] = MappingProxyType(
    {
        "AU": "https://www.rba.gov.au/rss/rss-cb-media-releases.xml",
        "CA": "https://www.bankofcanada.ca/content_type/press-releases/feed/",
        "CH": "https://www.snb.ch/public/rss/en/pressrel",
        "GB": "https://www.bankofengland.co.uk/rss/news",
        "HK": "https://www.hkma.gov.hk/eng/other-information/rss/rss_press-release.xml",
        "IN": "https://www.rbi.org.in/pressreleases_rss.xml",
        "JP": "https://www.boj.or.jp/en/rss/whatsnew.xml",
        "KR": "https://www.bok.or.kr/eng/bbs/E0000634/news.rss?menuNo=400069",
        "NO": "https://www.norges-bank.no/en/rss-feeds/Press-releases---Norges-Bank/",
        "NZ": "https://www.rbnz.govt.nz/feeds/news",
        "SE": "https://www.riksbank.se/en-gb/rss/press-releases/",
        "US": "https://www.federalreserve.gov/feeds/press_monetary.xml",
        "XM": "https://www.ecb.europa.eu/rss/press.html",
    }
)
"""The feed of press releases of each bank, in English, by area. Banks without a confirmed feed are
not listed, and their areas answer that there is none."""

LONGEST_SUMMARY = 1_000
_READ_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class _BankFeed:
    """The news of one area's bank, with remarks."""

    items: tuple[NewsItem, ...] = ()
    remarks: tuple[str, ...] = ()
    unreachable_since: datetime | None = None
    read: bool = False


class _Asked(NamedTuple):
    code: str
    bank: Area | None


class BankNews:
    """Reads the feeds of central banks."""

    def __init__(self, feeds: Mapping[str, str], reader: FeedReader | None = None) -> None:
        """`feeds` are addresses by area."""
        self._feeds = feeds
        self._reader = reader or FeedReader()

    def of(
        self, areas: Sequence[str], banks: Mapping[str, Area], as_of: datetime, days: int
    ) -> NewsItems:
        """News of the areas' banks from the days before `as_of`, newest first.

        `banks` are the known ones by area. A bank whose feed cannot be read costs only its own
        news.
        """
        asked = [_Asked(code, banks.get(code)) for code in dict.fromkeys(areas)]
        window = Window(as_of - timedelta(days=days), as_of, as_of)
        with ThreadPoolExecutor(_READ_AT_ONCE) as threads:
            # Each in the context of the call, which records what came from the cache.
            reads = [
                threads.submit(copy_context().run, partial(self._read_feed, one, window=window))
                for one in asked
            ]
        bank_feeds = [read.result() for read in reads]
        items = newest_first(item for one in bank_feeds for item in one.items)
        remarks = [remark for one in bank_feeds for remark in one.remarks]
        if len(items) > MOST_ITEMS:
            remarks.append(f"The {MOST_ITEMS} newest of {len(items)} items.")
        unreached = [
            one.unreachable_since for one in bank_feeds if one.unreachable_since is not None
        ]
        return NewsItems(
            as_of=as_of,
            source=self._source(asked),
            items=items[:MOST_ITEMS],
            missing=_joined(remarks),
            unreachable_since=None
            if any(o.read for o in bank_feeds)
            else min(unreached, default=None),
        )

    def _source(self, asked: Sequence[_Asked]) -> Provenance:
        """One bank is the origin of its news. Several have no single origin."""
        tier = SourceTier.AUTHORITATIVE
        if len(asked) != 1 or (bank := asked[0].bank) is None:
            return Provenance(name="News feeds of central banks", tier=tier)
        url = self._feeds.get(bank.code)
        return Provenance(name=f"News feed of {bank.bank}", tier=tier, origin=bank.bank, url=url)

    def _read_feed(self, asked: _Asked, *, window: Window) -> _BankFeed:
        url = self._feeds.get(asked.code)
        if asked.bank is None or url is None:
            name = asked.bank.bank if asked.bank else "its bank"
            return _BankFeed(remarks=(f"{asked.code}: no news feed of {name} is known here.",))
        try:
            entries = self._reader.entries(url)
        except (FeedRefused, FeedUnusable) as error:
            reason = f"{asked.code}: the news feed of {asked.bank.bank} could not be read: {error}."
            since = error.since if isinstance(error, FeedUnreachable) else None
            return _BankFeed(remarks=(reason,), unreachable_since=since)
        found = select(entries, window, partial(_item, asked.bank.bank), asked.bank.time_zone)
        remarks = _remarks(asked.code, asked.bank.bank, found, window)
        return _BankFeed(found.items, remarks, read=True)


def _item(bank: str, found: DatedEntry) -> NewsItem | None:
    headline = plain_text(found.entry.title, LONGEST_HEADLINE)
    if not headline:
        return None
    return NewsItem(
        headline=headline,
        publisher=bank,
        published_at=found.published_at,
        url=web_link(found.entry.link),
        summary=plain_text(found.entry.summary, LONGEST_SUMMARY) or None,
    )


def _remarks(code: str, bank: str, found: Selected, window: Window) -> tuple[str, ...]:
    """A feed contains only the latest items, so the answer says if it ends within the window."""
    remarks = [f"{code}: {note}" for note in found.notes]
    oldest = found.reaches_back_to
    if oldest is None:
        known = f"the news feed of {bank} has nothing that was published by {window.as_of}"
        remarks.insert(0, f"{code}: {known}; it holds the latest items only.")
    elif oldest > window.start:
        remarks.append(f"{code}: the news feed of {bank} reaches back to {oldest} only.")
    elif not found.items:
        remarks.insert(0, f"{code}: {bank} published nothing from {window.start} on.")
    return tuple(remarks)


def _joined(remarks: Sequence[str]) -> str | None:
    return " ".join(remarks)[:4_000] or None
