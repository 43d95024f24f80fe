"""Checks the day of an event against the claims that it rests on and against the sources."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date, datetime

from pydantic import JsonValue, ValidationError

from desk.analytics.figures import print_full_day
from desk.analytics.links import web_link
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import EventType, MarketEvent
from desk.contracts.findings.source_results import (
    DecisionCalendar,
    NewsItem,
    NewsItems,
    SourceResult,
)
from desk.contracts.weeks import TimeWindow
from desk.trust.ledger import EvidenceUnusable, check_result

DECIDED = frozenset({Metric.DECISION_RATE, Metric.DECISION_CHANGE})


def check_event_day(event: MarketEvent, claims: Mapping[str, Claim]) -> Iterator[str]:
    """Objects if a decision is not dated on the day of its claims, or a pair's move on the day of
    its last fixing. An event without such claims is not checked."""
    days = days_of(event, claims)
    if days and event.event_date not in days:
        when = " or ".join(print_full_day(day) for day in sorted(days))
        yield f"{event.event_id}: it is dated {print_full_day(event.event_date)}, and was of {when}"


def scheduled_days(answers: Iterable[SourceResult]) -> dict[str, frozenset[date]]:
    """Returns the decision days by area, from the calendars among the answers."""
    days: defaultdict[str, set[date]] = defaultdict(set)
    for answer in answers:
        if isinstance(answer, DecisionCalendar):
            for scheduled in answer.scheduled:
                days[scheduled.area].add(scheduled.day)
    return {area: frozenset(known) for area, known in days.items()}


def check_scheduled_day(
    event: MarketEvent, scheduled: Mapping[str, Collection[date]]
) -> Iterator[str]:
    """Objects if a scheduled decision is on a day that its bank's calendar does not have. A bank
    without a calendar is not checked."""
    days = scheduled.get(event.area or "")
    ahead = event.event_type is EventType.SCHEDULED_DECISION
    if ahead and days and event.event_date not in days:
        printed = print_full_day(event.event_date)
        yield f"{event.event_id}: {printed} is no decision day of the calendar of {event.area}"


def days_of(event: MarketEvent, claims: Mapping[str, Claim]) -> set[date]:
    """Returns the possible days of an event, by the claims that it rests on; empty if these give
    none."""
    rests_on = [claims[name] for name in event.claims if name in claims]
    match event.event_type:
        case EventType.RATE_DECISION:
            return {c.as_of for c in rests_on if c.metric in DECIDED and c.subject == event.area}
        case EventType.FX_MOVEMENT:
            pair = event.currency_pair or event.market
            return {c.as_of for c in rests_on if c.metric is Metric.LAST and c.subject == pair}
        case _:
            return set()


def news_in(result: ToolResult, window: TimeWindow) -> NewsItems | None:
    """Returns the news in a tool result. None if it contains none, was changed, or is for another
    instant."""
    content = result.content
    if not isinstance(content, dict) or "items" not in content or "carried" in content:
        return None
    try:
        check_result(result, window)
        return NewsItems.model_validate(content)
    except (EvidenceUnusable, ValidationError):
        return None


def without_later(content: JsonValue, as_of: datetime) -> JsonValue:
    """Removes news items published after an instant, in case a server returns any. Anything but
    news in the desk's own form is returned unchanged."""
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
    """Objects if none of the news items that an event names has its day and its link and was
    published by the as-of instant."""
    if event.event_type is not EventType.NEWS:
        return
    named = (evidence[name] for name in event.evidence if name in evidence)
    answers = (news_in(result, window) for result in named)
    items = (item for news in answers if news for item in news.items)
    if not any(_matches_event(item, event) for item in items if item.published_at <= window.end):
        yield f"{event.event_id}: no answer that it names has an item of that day under that link"


def _matches_event(item: NewsItem, event: MarketEvent) -> bool:
    same_day = item.published_at.date() == event.event_date
    return same_day and web_link(item.url) == event.source_url
