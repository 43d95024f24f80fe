"""Whether an event is dated as the claims that it rests on, or as the calendar of its bank."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date

from desk.analytics.figures import print_full_day
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import EventType, MarketEvent
from desk.contracts.findings.source_results import DecisionCalendar, SourceResult

DECIDED = frozenset({Metric.DECISION_RATE, Metric.DECISION_CHANGE})


def check_event_day(event: MarketEvent, claims: Mapping[str, Claim]) -> Iterator[str]:
    """Objects when a decision is not of the day of its claims, or a pair's move not of the day of
    its last fixing. Of an event that rests on no such claim nothing can be said."""
    days = days_of(event, claims)
    if days and event.event_date not in days:
        told = " or ".join(print_full_day(day) for day in sorted(days))
        yield f"{event.event_id}: it is dated {print_full_day(event.event_date)}, and was of {told}"


def scheduled_days(answers: Iterable[SourceResult]) -> dict[str, frozenset[date]]:
    """The decision days by area, as far as the answers hold a calendar of it."""
    days: defaultdict[str, set[date]] = defaultdict(set)
    for answer in answers:
        if isinstance(answer, DecisionCalendar):
            for scheduled in answer.scheduled:
                days[scheduled.area].add(scheduled.day)
    return {area: frozenset(known) for area, known in days.items()}


def check_scheduled_day(
    event: MarketEvent, scheduled: Mapping[str, Collection[date]]
) -> Iterator[str]:
    """Objects when a scheduled decision is of a day that its bank's calendar does not have. Of a
    bank without a calendar nothing can be said."""
    days = scheduled.get(event.area or "")
    ahead = event.event_type is EventType.SCHEDULED_DECISION
    if ahead and days and event.event_date not in days:
        told = print_full_day(event.event_date)
        yield f"{event.event_id}: {told} is no decision day of the calendar of {event.area}"


def days_of(event: MarketEvent, claims: Mapping[str, Claim]) -> set[date]:
    """The days of which an event can be, by the claims that it rests on; none where these do not
    say."""
    rests_on = [claims[name] for name in event.claims if name in claims]
    match event.event_type:
        case EventType.RATE_DECISION:
            return {c.as_of for c in rests_on if c.metric in DECIDED and c.subject == event.area}
        case EventType.FX_MOVEMENT:
            pair = event.currency_pair or event.market
            return {c.as_of for c in rests_on if c.metric is Metric.LAST and c.subject == pair}
        case _:
            return set()
