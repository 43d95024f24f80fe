"""News among the answers of tools, and whether an event is told as they have it."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from pydantic import JsonValue, ValidationError

from desk.analytics.links import web_link
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.results import EventType, MarketEvent
from desk.contracts.findings.source_results import NewsItem, NewsItems
from desk.contracts.weeks import TimeWindow
from desk.trust.ledger.evidence import EvidenceUnusable, check_result


def news_in(result: ToolResult, window: TimeWindow) -> NewsItems | None:
    """The news that a tool returned; None when it is none, was changed or is of another instant."""
    content = result.content
    if not isinstance(content, dict) or "items" not in content or "carried" in content:
        return None
    try:
        check_result(result, window)
        return NewsItems.model_validate(content)
    except (EvidenceUnusable, ValidationError):
        return None


def without_later(content: JsonValue, as_of: datetime) -> JsonValue:
    """News without the items that came out after an instant, should a server give any; whatever
    is no news in the desk's own form as it is."""
    items = content.get("items") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(items, list):
        return content
    kept = [item for item in items if not _is_later(item, as_of)]
    return content if len(kept) == len(items) else {**content, "items": kept}


def _is_later(item: JsonValue, as_of: datetime) -> bool:
    try:
        return NewsItem.model_validate(item).published_at > as_of
    except ValidationError:
        return False


def check_event_source(
    event: MarketEvent, evidence: Mapping[str, ToolResult], window: TimeWindow
) -> Iterator[str]:
    """Objects when no item of the news that an event names is of its day and under its link, and
    was out by the as-of instant."""
    if event.event_type is not EventType.NEWS:
        return
    named = (evidence[name] for name in event.evidence if name in evidence)
    answers = (news_in(result, window) for result in named)
    items = (item for news in answers if news for item in news.items)
    if not any(_tells(item, event) for item in items if item.published_at <= window.end):
        yield f"{event.event_id}: no answer that it names has an item of that day under that link"


def _tells(item: NewsItem, event: MarketEvent) -> bool:
    same_day = item.published_at.date() == event.event_date
    return same_day and web_link(item.url) == event.source_url
