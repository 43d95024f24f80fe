"""What publishers reported about a market: their titles as quotations, each story once.

A title stands in the evidence letter by letter; that it is so is its publisher's word. Which market
a title is about is told by the names that it has in it, of the pair, its currencies and its banks.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from desk.analytics.links import web_link
from desk.analytics.names.markets import AREAS, DOLLAR
from desk.analytics.names.subjects import named_subjects, namings
from desk.analytics.news.similar_titles import grouped
from desk.contracts.agents.tools import SourceTier, ToolResult
from desk.contracts.findings.results import MOST_PUBLISHERS, Reported
from desk.contracts.findings.source_results import NewsItem, NewsItems
from desk.contracts.markets import AreaCode, MarketKind, MarketSpec
from desk.contracts.week.report import MarketReport
from desk.contracts.weeks import TimeWindow
from desk.trust.ledger import granted_tier
from desk.trust.ledger.events import news_in
from desk.trust.prose import printable, quotable

MOST_STORIES: Final = 3
"""Stories that are told of one market."""

Banks = Mapping[AreaCode, str]


class _Item(NamedTuple):
    title: str
    item: NewsItem
    evidence_id: str


def with_reported(
    section: MarketReport,
    spec: MarketSpec,
    evidence: Iterable[ToolResult],
    banks: Banks,
    window: TimeWindow,
) -> MarketReport:
    """The section with what was reported about its market, by the tool results of its agents."""
    reported = reported_of(spec, evidence, banks, window)
    return section.model_copy(update={"reported": reported}) if reported else section


def reported_of(
    spec: MarketSpec, evidence: Iterable[ToolResult], banks: Banks, window: TimeWindow
) -> tuple[Reported, ...]:
    """The stories about a market, those that most publishers have first, then the newest.

    A story is told in the words of whoever had it first; the others have it in nearly the same.
    """
    items = sorted(
        _about(spec, evidence, banks, window),
        key=lambda each: (each.item.published_at, each.title, each.item.publisher),
    )
    stories = [
        _story(spec, [items[place] for place in places])
        for places in grouped([each.title for each in items])
    ]
    stories.sort(key=lambda story: (story.publishers, story.published_at), reverse=True)
    return tuple(stories[:MOST_STORIES])


def is_told(story: Reported, result: ToolResult, window: TimeWindow) -> bool:
    """Whether a tool result has the item that a story quotes."""
    news = news_in(result, window)
    return news is not None and any(
        (quotable(item.headline), item.published_at, web_link(item.url))
        == (story.title, story.published_at, story.url)
        for item in news.items
    )


def is_about(title: str, spec: MarketSpec) -> bool:
    """Whether a title names a market: a pair, its currencies other than the dollar, or their banks;
    a policy rate's bank."""
    named = namings(title)
    exact = {naming.subject for naming in named}
    if spec.kind is MarketKind.POLICY_RATE:
        return not exact.isdisjoint(_own(spec))
    return not exact.isdisjoint(_own(spec)) or bool(named_subjects(title, (spec.market,), named))


def _own(spec: MarketSpec) -> frozenset[str]:
    """What a title has to name: the pair, and the areas whose banks tell it from other pairs."""
    dollar = AREAS[DOLLAR]
    if spec.kind is MarketKind.POLICY_RATE:
        return frozenset({spec.market})
    base, _, quote = spec.market.partition("/")
    turned = f"{quote}/{base}"
    return frozenset({spec.market, turned, *(area for area in spec.areas if area != dollar)})


def _about(
    spec: MarketSpec, evidence: Iterable[ToolResult], banks: Banks, window: TimeWindow
) -> Iterator[_Item]:
    """The items of the window that are about a market, each of a publisher once."""
    seen: set[tuple[str, str]] = set()
    for result in evidence:
        news = news_in(result, window)
        for item in news.items if news is not None else ():
            title = quotable(item.headline)
            if title is None or (title, item.publisher) in seen:
                continue
            if not window.start <= item.published_at <= window.end:
                continue
            if is_about(title, spec) or (news and _is_its_bank(spec, result, news, item, banks)):
                seen.add((title, item.publisher))
                yield _Item(title, item, result.evidence_id)


def _is_its_bank(
    spec: MarketSpec, result: ToolResult, news: NewsItems, item: NewsItem, banks: Banks
) -> bool:
    """Whether it is a release of the market's own bank, in an answer of the banks' own words."""
    if granted_tier(result, news.source.tier) is not SourceTier.AUTHORITATIVE:
        return False
    return item.publisher in {banks.get(area) for area in _own(spec)}


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
