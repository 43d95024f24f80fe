"""News items as a model refers to them: by the tool's answer and the item's number in it.

Link, day and publisher are taken from the item, and never from the model.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Final, NamedTuple

from pydantic import Field, StringConstraints

from desk.analytics.links import web_link
from desk.analytics.news.stance_words import TextLeaning
from desk.contracts.agents.tools import ToolResult
from desk.contracts.base import Confidence, Contract, ShortText
from desk.contracts.findings.results import (
    EventType,
    Impact,
    Leaning,
    MarketEvent,
    ResearchResult,
    Tone,
)
from desk.contracts.findings.source_results import NewsItem
from desk.contracts.runs.turns import TurnRequest
from desk.trust.ledger.events import news_in

NEWS_CONFIDENCE: Final = 0.5
"""News have a single publisher, and are not verified."""

MOST_TOLD: Final = 20
"""The most items of one answer that a model is shown at the start."""

MOST_ANSWERS_TOLD: Final = 10

Prose = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1_500)]


class ProposedNews(Contract):
    """A news item that matters for the market, and why."""

    evidence: ShortText
    item: Annotated[int, Field(ge=0, le=99)]
    description: Prose
    impact: Impact


class ProposedTone(Contract):
    """The tone of a news item, as the model reads it."""

    evidence: ShortText
    item: Annotated[int, Field(ge=0, le=99)]
    leaning: Leaning
    confidence: Confidence


class ReferencedItem(NamedTuple):
    """A news item, and the answer that contains it."""

    answer: ToolResult
    item: NewsItem


def news_for_model(request: TurnRequest) -> Iterator[dict[str, object]]:
    """Yields the news that the desk itself has asked for."""
    for exchange in request.exchanges:
        for answer in () if exchange.said else exchange.results:
            news = news_in(answer, request.assignment.window)
            if news is not None:
                yield {
                    "evidence": short_id(answer),
                    "items": [item.model_dump(mode="json") for item in news.items[:MOST_TOLD]],
                }


def short_id(answer: ToolResult) -> str:
    """The name by which a model refers to an answer."""
    return answer.evidence_id.rsplit("/", 1)[-1]


def referenced_item(
    request: TurnRequest, line: ProposedNews | ProposedTone
) -> ReferencedItem | None:
    """Returns the referenced news item and the answer that contains it. Returns None for an unknown
    item, and for one published after the as-of instant, from any server."""
    window = request.assignment.window
    for answer in request.results:
        if short_id(answer) == line.evidence:
            news = news_in(answer, window)
            items = news.items if news else ()
            known = line.item < len(items) and items[line.item].published_at <= window.end
            return ReferencedItem(answer, items[line.item]) if known else None
    return None


def item_ranges(request: TurnRequest) -> str:
    """Says how many news items each answer has."""
    counted = (
        f"{short_id(answer)} has items 0 to {len(news.items) - 1}"
        for answer in request.results
        if (news := news_in(answer, request.assignment.window)) is not None and news.items
    )
    return ", ".join(list(counted)[:MOST_ANSWERS_TOLD]) or "there are no items"


def news_events(
    request: TurnRequest, market: str, proposed: Iterable[ProposedNews]
) -> Iterator[MarketEvent]:
    """Yields an event for each item that the model finds worth reporting.

    Both agents on a market may have an answer of the same name, so the event ids contain the task.
    """
    task = request.assignment.task_type
    for line in proposed:
        meant = referenced_item(request, line)
        if meant is not None:
            yield MarketEvent(
                event_id=f"{market}/{EventType.NEWS}/{task}.{line.evidence}.{line.item}",
                event_type=EventType.NEWS,
                market=market,
                event_date=meant.item.published_at.date(),
                description=line.description,
                impact=line.impact,
                evidence=(meant.answer.evidence_id,),
                source_url=web_link(meant.item.url),
                confidence=NEWS_CONFIDENCE,
            )


def tones_of(
    request: TurnRequest, found: ResearchResult, proposed: Sequence[ProposedTone]
) -> tuple[Tone, ...]:
    """Returns the tones of the news. The model's judgement of an item replaces the desk's."""
    if not proposed:
        return found.tones
    # The word lists take a tenth of a second to load.
    from desk.programs.week.document.sections.tone import banks_in, merged, tone_by_model

    banks, window = banks_in(request.results), request.assignment.window
    judged = (
        tone_by_model(
            meant.answer,
            meant.item,
            TextLeaning(line.leaning, line.confidence),
            found.market,
            banks,
            window,
        )
        for line in proposed
        if (meant := referenced_item(request, line)) is not None
    )
    return merged((*(tone for tone in judged if tone is not None), *found.tones))
