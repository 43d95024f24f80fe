"""The results of research agents for a question, and the moves among them."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from desk.analytics.names.markets import DOLLAR
from desk.analytics.names.subjects import pairs_named
from desk.analytics.prices.series import window_days
from desk.contracts.agents.tasks import Query
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import (
    EventType,
    Impact,
    MarketEvent,
    ResearchResult,
)
from desk.contracts.runs.turns import StateEntry
from desk.contracts.weeks import TimeWindow

MOST_EVENTS: Final = 3
"""The maximum number of events in the summary."""

_ORDER: Final = {Impact.HIGH: 0, Impact.MEDIUM: 1, Impact.LOW: 2}


def research_in(state: Sequence[StateEntry]) -> tuple[ResearchResult, ...]:
    """Returns the results of research agents, in the order of the graph."""
    return tuple(e.result for e in state if isinstance(e.result, ResearchResult))


def of_the_market(results: Iterable[ResearchResult]) -> Iterator[Claim]:
    """Returns the claims on each result's own market: those of a model may be on other markets, and
    days."""
    return (c for result in results for c in result.claims if c.subject == result.market)


def whole_days(window: TimeWindow) -> tuple[date, date]:
    """Returns the first day of a window, and the last one of which it contains more than the first
    instant."""
    before = max(window.start, window.end - timedelta(microseconds=1))
    return window_days(window.model_copy(update={"end": before}))


def ranked(results: Sequence[ResearchResult]) -> list[MarketEvent]:
    """Returns the events of some research, the highest impact first."""
    events = [event for result in results for event in result.events]
    return sorted(events, key=lambda event: _ORDER[event.impact])


def has_events(results: Iterable[ResearchResult]) -> bool:
    """Returns whether some research found a past or future event."""
    return any(result.events for result in results)


def has_levels(results: Iterable[ResearchResult]) -> bool:
    """Returns whether the level of some pair is known."""
    return any(claim.metric is Metric.LAST for claim in of_the_market(results))


def is_move(event: MarketEvent) -> bool:
    """Returns whether an event is the move of a pair."""
    return event.event_type is EventType.FX_MOVEMENT


def is_of_the_dollar(event: MarketEvent) -> bool:
    """Returns whether an event's pair is one against the dollar."""
    return DOLLAR in event.market.split("/")


def is_of_a_bank(results: Sequence[ResearchResult]) -> bool:
    """Returns whether a bank was researched, whose calendar has information even without an
    event."""
    return any("/" not in result.market for result in results)


def volatilities(query: Query, results: Iterable[ResearchResult]) -> list[Claim]:
    """Returns the volatility of each pair that a question names, and of each one with the dollar:
    the cross of two currencies is not one of them."""
    named = pairs_named(query.question)
    of_it = (r for r in results if r.market in named or DOLLAR in r.market.split("/"))
    return [claim for claim in of_the_market(of_it) if claim.metric is Metric.SPAN_VOLATILITY]
