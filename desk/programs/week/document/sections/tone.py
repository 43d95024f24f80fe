"""The tone of the news about a market: the stance of banks' statements, the polarity of headlines,
and which of them a market's section has."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from desk.analytics.links import web_link
from desk.analytics.news.headline_polarity import polarity_of
from desk.analytics.news.stance_words import TextLeaning, stance_of
from desk.contracts.agents.tools import SourceTier, ToolResult, ToolStatus
from desk.contracts.findings.results import JudgedBy, Leaning, Tone, ToneKind, View, ViewKind
from desk.contracts.findings.source_results import NewsItem, NewsItems
from desk.contracts.findings.verdicts import DroppedSentence
from desk.contracts.markets import AreaCode
from desk.contracts.week.report import MarketOutcome, MarketReport
from desk.contracts.weeks import TimeWindow
from desk.programs.week.document.judging.judgement import MOST_DROPPED
from desk.trust.claims.banks import known_banks
from desk.trust.ledger import granted_tier, usable_answers
from desk.trust.ledger.events import news_in
from desk.trust.prose import clip, printable

MOST_OF_A_KIND: Final = 8
"""The most statements, and the most headlines, for one market."""

_BANK_TOOLS: Final = frozenset({"get_policy_rate", "get_decision_calendar"})

Banks = Mapping[AreaCode, str]


def banks_in(results: Iterable[ToolResult]) -> dict[AreaCode, str]:
    """The central banks by area, as the answers behind the report's tables name them."""
    tables = (
        result
        for result in results
        if result.call.tool in _BANK_TOOLS and result.status is ToolStatus.OK
    )
    return known_banks(answer for _, answer in usable_answers(tables))


def tones_by_words(
    results: Iterable[ToolResult], market: str, banks: Banks, window: TimeWindow
) -> tuple[Tone, ...]:
    """Returns the tones of the news among some results, by word lists: the newest of each kind,
    statements first. Omits items without a listed word."""
    judged = merged(
        tone
        for result in results
        for news in _news(result, window)
        for item in news.items
        for tone in _of_item(result, news, item, market, banks, window)
        if tone.leaning is not Leaning.ABSTAINS
    )
    return tuple(
        tone
        for kind in ToneKind
        for tone in newest_first(t for t in judged if t.kind is kind)[:MOST_OF_A_KIND]
    )


def tone_by_model(
    result: ToolResult,
    item: NewsItem,
    judgement: TextLeaning,
    market: str,
    banks: Banks,
    window: TimeWindow,
) -> Tone | None:
    """Returns a model's tone of a news item. Returns None if the item cannot be printed: it is not
    in the window, or has neither a printable title nor a link."""
    for news in _news(result, window):
        for tone in _of_item(result, news, item, market, banks, window):
            lean, sure = judgement
            update = {"leaning": lean, "confidence": sure, "by": JudgedBy.MODEL}
            return tone.model_copy(update=update)
    return None


def derivable(
    tone: Tone, result: ToolResult, market: str, banks: Banks, window: TimeWindow
) -> Iterator[Tone]:
    """Yields the items of a tool result that have the tone's link or instant. A tone follows from
    the result if it is among these. A model's judgement cannot be derived."""
    for news in _news(result, window):
        for item in news.items:
            same_link = tone.url is not None and web_link(item.url) == tone.url
            if same_link or item.published_at == tone.published_at:
                for own in _of_item(result, news, item, market, banks, window):
                    if tone.by is JudgedBy.MODEL:
                        judged = {n: getattr(tone, n) for n in ("leaning", "confidence", "by")}
                        yield own.model_copy(update=judged)
                    elif own.leaning is not Leaning.ABSTAINS:
                        yield own


def merged(tones: Iterable[Tone]) -> tuple[Tone, ...]:
    """Returns each news item once for a subject: as a model judged it, if one did, otherwise as it
    was judged first."""
    kept: dict[tuple[object, ...], Tone] = {}
    for tone in tones:
        first = kept.setdefault(_matter(tone), tone)
        if (first.by, tone.by) == (JudgedBy.WORDS, JudgedBy.MODEL):
            kept[_matter(tone)] = tone
    return tuple(kept.values())


def word_stances(tones: Iterable[Tone], views: Sequence[View]) -> tuple[View, ...]:
    """A view of each bank's stance by words alone: that of its newest statement.

    None for a bank with a view that does not come from words, or whose newest statement a model
    judged.
    """
    known = {v.subject for v in views if v.kind is ViewKind.STANCE and not v.by_words}
    newest: dict[str, Tone] = {}
    for tone in newest_first(t for t in tones if t.kind is ToneKind.STATEMENT):
        newest.setdefault(tone.subject, tone)
    return tuple(
        View(
            subject=area,
            kind=ViewKind.STANCE,
            leaning=tone.leaning,
            confidence=tone.confidence,
            by_words=True,
        )
        for area, tone in sorted(newest.items())
        if area not in known and tone.by is JudgedBy.WORDS
    )


def newest_first(tones: Iterable[Tone]) -> tuple[Tone, ...]:
    """Sorts tones by the time of their texts, independent of the order in which they came."""
    plain = sorted(tones, key=lambda tone: (tone.url or "", tone.title or "", tone.subject))
    return tuple(sorted(plain, key=lambda tone: tone.published_at, reverse=True))


def _news(result: ToolResult, window: TimeWindow) -> Iterator[NewsItems]:
    news = news_in(result, window)
    if news is not None:
        yield news


def _of_item(
    result: ToolResult,
    news: NewsItems,
    item: NewsItem,
    market: str,
    banks: Banks,
    window: TimeWindow,
) -> Iterator[Tone]:
    """The tone of an item by the word lists, if it can be printed."""
    title, url = printable(item.headline), web_link(item.url)
    if not window.start <= item.published_at <= window.end or not (title or url):
        return
    area = _area_of(result, news, item, banks)
    kind = ToneKind.HEADLINE if area is None else ToneKind.STATEMENT
    judgement = _by_words(item, kind)
    yield Tone(
        subject=area or market,
        kind=kind,
        leaning=judgement.leaning,
        confidence=judgement.confidence,
        publisher=printable(item.publisher),
        title=title,
        url=url,
        published_at=item.published_at,
        evidence_id=result.evidence_id,
    )


def _by_words(item: NewsItem, kind: ToneKind) -> TextLeaning:
    if kind is ToneKind.HEADLINE:
        return polarity_of(item.headline)
    return stance_of(f"{item.headline}. {item.summary or ''}")


def _area_of(result: ToolResult, news: NewsItems, item: NewsItem, banks: Banks) -> AreaCode | None:
    """Returns the area whose bank published an item, in an answer with the banks' own words.
    Returns None for other publishers, even one of the same name."""
    if granted_tier(result, news.source.tier) is not SourceTier.AUTHORITATIVE:
        return None
    return next((area for area, bank in banks.items() if bank == item.publisher), None)


def _matter(tone: Tone) -> tuple[object, ...]:
    if tone.url is not None:
        return tone.subject, tone.url
    return tone.subject, tone.publisher, tone.title, tone.published_at


NO_SUCH_ITEM: Final = "no item of news in its evidence gives it"


def with_tones(
    section: MarketReport, outcome: MarketOutcome, banks: Banks, window: TimeWindow
) -> MarketReport:
    """The section with its tones, and with views of stances by words alone.

    A tone that does not follow from its tool result is dropped, and listed as dropped. If a model
    judged an item, its judgement counts; if it abstained, the item is left out.
    """
    told = [tone for result in outcome.results for tone in result.tones]
    founded = tuple(view for view in section.views if not view.by_words)
    if not told and founded == section.views:
        return section
    evidence = {result.evidence_id: result for result in reversed(outcome.evidence)}
    sound = [tone for tone in told if _follows(tone, evidence, section.market, banks, window)]
    tones = printed(sound)
    return section.model_copy(
        update={
            "tones": tones,
            "views": (*founded, *word_stances(tones, founded)),
            "dropped": (*section.dropped, *_dropped(told, sound))[:MOST_DROPPED],
        }
    )


def printed(tones: Iterable[Tone]) -> tuple[Tone, ...]:
    """The tones in the order of a report: statements before headlines, newest first."""
    kept = newest_first(t for t in merged(tones) if t.leaning is not Leaning.ABSTAINS)
    return tuple(tone for kind in ToneKind for tone in kept if tone.kind is kind)


def _follows(
    tone: Tone,
    evidence: Mapping[str, ToolResult],
    market: str,
    banks: Banks,
    window: TimeWindow,
) -> bool:
    result = evidence.get(tone.evidence_id)
    return result is not None and tone in derivable(tone, result, market, banks, window)


def _dropped(told: Iterable[Tone], sound: Iterable[Tone]) -> tuple[DroppedSentence, ...]:
    kept = set(map(id, sound))
    return tuple(
        DroppedSentence(place=clip(f"tone of {tone.subject}", 200), reason=NO_SUCH_ITEM)
        for tone in told
        if id(tone) not in kept
    )
