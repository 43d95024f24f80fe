"""Rate decisions, taken and scheduled, as events of a market."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from desk.analytics.prices.impact import decision_impact, scheduled_impact
from desk.analytics.prices.rates_view import RatesView
from desk.contracts.agents.tools import DataSource
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import EventType, Impact, MarketEvent
from desk.contracts.findings.source_results import (
    DatePrecision,
    PolicyRate,
    ScheduledDecision,
)
from desk.contracts.markets import MarketKind, MarketSpec
from desk.programs.week.builtin.rates_wording import (
    describe_ahead,
    describe_decision,
    describe_uneventful,
    describe_unresolved,
)

APPROXIMATE_CONFIDENCE = 0.9
"""The most that an event is worth whose day is not the day of the announcement."""


def decision_events(
    market: MarketSpec,
    view: RatesView,
    source: DataSource,
    certainty: float,
    in_a_row: Iterable[Claim] = (),
) -> Iterator[MarketEvent]:
    """One event for each decision in the window, oldest first. `in_a_row` are the claims that say
    the how-manieth of its kind one is."""
    counted = {(claim.subject, claim.as_of): claim for claim in in_a_row}
    for decision in view.decisions:
        count = counted.get((decision.area, decision.decided_on))
        exact = decision.precision is DatePrecision.DAY
        yield MarketEvent(
            event_id=_event_id(market, EventType.RATE_DECISION, decision.area, decision.decided_on),
            event_type=EventType.RATE_DECISION,
            market=market.market,
            currency_pair=_pair(market),
            area=decision.area,
            central_bank=decision.bank,
            event_date=decision.decided_on,
            description=describe_decision(decision, count),
            impact=decision_impact(decision.change),
            claims=tuple(
                claim_id(decision.area, metric, decision.decided_on)
                for metric in (Metric.DECISION_RATE, Metric.DECISION_CHANGE)
            )
            + ((count.claim_id,) if count else ()),
            source_url=source.url,
            confidence=certainty if exact else min(certainty, APPROXIMATE_CONFIDENCE),
        )


def scheduled_events(
    market: MarketSpec,
    view: RatesView,
    source: DataSource,
    certainty: float,
    as_of_day: date,
    standing: Mapping[str, PolicyRate],
) -> tuple[MarketEvent, ...]:
    """The scheduled days, past ones without a recorded outcome included, earliest first.

    `standing` holds the areas' policy rates; an event rests on its area's where there is one.
    """
    described = [
        *((day, describe_unresolved(day), Impact.MEDIUM) for day in view.unresolved),
        *((day, describe_uneventful(day), Impact.MEDIUM) for day in view.uneventful),
        *(
            (
                day,
                describe_ahead(day, as_of_day, standing.get(day.area)),
                scheduled_impact(day.day, as_of_day),
            )
            for day in view.ahead
        ),
    ]
    events = (
        _scheduled(market, day, source, text, impact, certainty, standing)
        for day, text, impact in described
    )
    return tuple(sorted(events, key=lambda event: (event.event_date, event.area or "")))


def _scheduled(
    market: MarketSpec,
    scheduled: ScheduledDecision,
    source: DataSource,
    text: str,
    impact: Impact,
    certainty: float,
    standing: Mapping[str, PolicyRate],
) -> MarketEvent:
    known = standing.get(scheduled.area)
    rate_known = known is not None and known.rate is not None
    return MarketEvent(
        event_id=_event_id(market, EventType.SCHEDULED_DECISION, scheduled.area, scheduled.day),
        event_type=EventType.SCHEDULED_DECISION,
        market=market.market,
        currency_pair=_pair(market),
        area=scheduled.area,
        central_bank=scheduled.bank,
        event_date=scheduled.day,
        description=text,
        impact=impact,
        claims=(claim_id(scheduled.area, Metric.POLICY_RATE),) if rate_known else (),
        source_url=source.url,
        confidence=certainty,
    )


def _event_id(market: MarketSpec, kind: EventType, area: str, day: date) -> str:
    return f"{market.market}/{kind}/{area}/{day.isoformat()}"


def _pair(market: MarketSpec) -> str | None:
    return market.market if market.kind is MarketKind.PAIR else None
