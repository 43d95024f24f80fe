"""Whether an event is dated as the claims that it rests on."""

from collections.abc import Iterator, Mapping
from datetime import date

from contracts.claims import Claim, Metric
from contracts.results import EventType, MarketEvent
from domain.figures import print_full_day

DECIDED = frozenset({Metric.DECISION_RATE, Metric.DECISION_CHANGE})


def check_event_day(event: MarketEvent, claims: Mapping[str, Claim]) -> Iterator[str]:
    """Objects when a decision is not of the day of its claims, or a pair's move not of the day of
    its last fixing. Of an event that rests on no such claim nothing can be said."""
    days = _days(event, claims)
    if days and event.event_date not in days:
        told = " or ".join(print_full_day(day) for day in sorted(days))
        yield f"{event.event_id}: it is dated {print_full_day(event.event_date)}, and was of {told}"


def _days(event: MarketEvent, claims: Mapping[str, Claim]) -> set[date]:
    rests_on = [claims[name] for name in event.claims if name in claims]
    match event.event_type:
        case EventType.RATE_DECISION:
            return {c.as_of for c in rests_on if c.metric in DECIDED and c.subject == event.area}
        case EventType.FX_MOVEMENT:
            pair = event.currency_pair or event.market
            return {c.as_of for c in rests_on if c.metric is Metric.LAST and c.subject == pair}
        case _:
            return set()
