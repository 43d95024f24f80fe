"""What publishers reported about a market: their titles as quotations, each story once.

A title is quoted letter by letter from the evidence; whether it is true is up to its publisher. A
title is about the markets that it names: the pair, its currencies and its banks.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from typing import Final, NamedTuple

from desk.analytics.links import web_link
from desk.analytics.names.markets import AREAS, DOLLAR
from desk.analytics.names.subjects import named_subjects, namings
from desk.analytics.news.similar_titles import grouped
from desk.contracts.agents.tools import SourceTier, ToolResult
from desk.contracts.findings.results import MOST_PUBLISHERS, EventType, Reported
from desk.contracts.findings.source_results import NewsItem
from desk.contracts.markets import AreaCode, MarketKind, MarketSpec
from desk.contracts.week.report import MarketReport
from desk.contracts.weeks import TimeWindow
from desk.trust.ledger import granted_tier
from desk.trust.ledger.events import news_in
from desk.trust.prose import printable, quotable

MOST_STORIES: Final = 3
"""The most stories that are printed for one market."""

Banks = Mapping[AreaCode, str]

Decided = tuple[AreaCode, date]
"""The area of a bank, and the day on which it decided."""


class _Item(NamedTuple):
    """A news item with its title as it can be quoted. `authoritative` means that it is from the
    bank itself."""

    title: str
    item: NewsItem
    evidence_id: str
    authoritative: bool


def with_reported(
    section: MarketReport,
    spec: MarketSpec,
    evidence: Iterable[ToolResult],
    banks: Banks,
    window: TimeWindow,
) -> MarketReport:
    """Adds what was reported about its market to the section, from the tool results of its
    agents."""
    reported = reported_of(spec, evidence, banks, window, decided_in(section))
    return section.model_copy(update={"reported": reported}) if reported else section


def decided_in(section: MarketReport) -> tuple[Decided, ...]:
    """The decisions that a section reports."""
    return tuple(
        (event.area, event.event_date)
        for event in section.events
        if event.event_type is EventType.RATE_DECISION and event.area
    )


def reported_of(
    spec: MarketSpec,
    evidence: Iterable[ToolResult],
    banks: Banks,
    window: TimeWindow,
    decided: Iterable[Decided] = (),
) -> tuple[Reported, ...]:
    """Returns the stories about a market, those with most publishers first, then the newest. After
    them comes the bank's release on each decision, unless it is among them.

    A story has the title of its first publisher. The others have nearly the same title.
    """
    evidence = tuple(evidence)
    items = sorted(
        _about(spec, evidence, banks, window),
        key=lambda each: (each.item.published_at, each.title, each.item.publisher),
    )
    stories = [
        _story(spec, [items[place] for place in places])
        for places in grouped([each.title for each in items])
    ]
    stories.sort(key=lambda story: (story.publishers, story.published_at), reverse=True)
    told = stories[:MOST_STORIES]
    for area, day in dict.fromkeys(decided):
        release = _release(evidence, banks.get(area), day, window)
        if release is not None and release.title not in {story.title for story in told}:
            told.append(_story(spec, [release]))
    return tuple(told)


def _release(
    evidence: Iterable[ToolResult], bank: str | None, day: date, window: TimeWindow
) -> _Item | None:
    """A bank's first release from the day of its decision to the day after."""
    found = [
        item
        for item in _items(evidence, window)
        if item.authoritative
        and item.item.publisher == bank
        and timedelta(0) <= item.item.published_at.date() - day <= timedelta(days=1)
    ]
    return min(found, key=lambda each: (each.item.published_at, each.title), default=None)


def is_told(story: Reported, result: ToolResult, window: TimeWindow) -> bool:
    """Returns whether a tool result contains the item that a story quotes."""
    news = news_in(result, window)
    return news is not None and any(
        (quotable(item.headline), item.published_at, web_link(item.url))
        == (story.title, story.published_at, story.url)
        for item in news.items
    )


def is_about(title: str, spec: MarketSpec) -> bool:
    """Returns whether a title names a market. For a pair: the pair, a currency of it other than the
    dollar, or their banks. For a policy rate: its bank."""
    named = namings(title)
    exact = {naming.subject for naming in named}
    if spec.kind is MarketKind.POLICY_RATE:
        return not exact.isdisjoint(_own(spec))
    return not exact.isdisjoint(_own(spec)) or bool(named_subjects(title, (spec.market,), named))


def _own(spec: MarketSpec) -> frozenset[str]:
    """The names of which a title must have one: the pair, and the areas whose banks distinguish it
    from other pairs."""
    dollar = AREAS[DOLLAR]
    if spec.kind is MarketKind.POLICY_RATE:
        return frozenset({spec.market})
    base, _, quote = spec.market.partition("/")
    turned = f"{quote}/{base}"
    return frozenset({spec.market, turned, *(area for area in spec.areas if area != dollar)})


def _about(
    spec: MarketSpec, evidence: Iterable[ToolResult], banks: Banks, window: TimeWindow
) -> Iterator[_Item]:
    """The items in the window about a market, each title once for each publisher."""
    seen: set[tuple[str, str]] = set()
    own = {banks.get(area) for area in _own(spec)}
    for found in _items(evidence, window):
        told = (found.title, found.item.publisher)
        is_its_bank = found.authoritative and found.item.publisher in own
        if told not in seen and (is_about(found.title, spec) or is_its_bank):
            seen.add(told)
            yield found


def _items(evidence: Iterable[ToolResult], window: TimeWindow) -> Iterator[_Item]:
    """The items in the window whose titles can be quoted."""
    for result in evidence:
        news = news_in(result, window)
        if news is None:
            continue
        authoritative = granted_tier(result, news.source.tier) is SourceTier.AUTHORITATIVE
        for item in news.items:
            title = quotable(item.headline)
            if title is not None and window.start <= item.published_at <= window.end:
                yield _Item(title, item, result.evidence_id, authoritative)


def _story(spec: MarketSpec, told: list[_Item]) -> Reported:
    first = told[0]
    publishers = dict.fromkeys(each.item.publisher for each in told)
    others = (printable(name) for name in publishers if name != first.item.publisher)
    return Reported(
        subject=spec.market,
        title=first.title,
        publisher=printable(first.item.publisher),
        url=web_link(first.item.url),
        published_at=first.item.published_at,
        evidence_id=first.evidence_id,
        publishers=len(publishers),
        others=tuple(name for name in others if name)[:MOST_PUBLISHERS],
    )
