"""Rate decisions in the window with their outcome, and those announced for the weeks ahead."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Final

from contracts.claims import Claim, Metric, claim_id
from contracts.report import CalendarRow, MarketOutcome
from contracts.results import EventType, MarketEvent
from contracts.source_results import DecisionCalendar, ScheduledDecision
from contracts.weeks import TimeWindow
from domain.figures import print_claim, print_figure
from domain.prose import clip, render_what_is_known
from domain.report_claims import claim_of, returned_by

HORIZON: Final = timedelta(days=42)
"""How far ahead of the as-of instant the calendar looks: past the next meeting of most banks."""

WITHOUT_OUTCOME: Final = "outcome not on record"
"""Of a day that has passed: the bank was to decide, and no source has what it decided."""

DECIDED: Final = ("raised", "cut", "held")
"""The words with which an outcome begins that rests on a claim."""


def calendar_of(
    outcomes: Sequence[MarketOutcome], claims: Mapping[str, Claim], window: TimeWindow
) -> tuple[CalendarRow, ...]:
    """One row for each decision day of an area, earliest first."""
    today, last_day = window.end.date(), (window.end + HORIZON).date()
    rows: dict[tuple[str, date], CalendarRow] = {}
    for event in _rate_events(outcomes, EventType.RATE_DECISION):
        rows.setdefault(_key(event), _decided(event, claims))
    for event in _rate_events(outcomes, EventType.SCHEDULED_DECISION):
        if event.event_date < today:
            rows.setdefault(_key(event), _row(event, WITHOUT_OUTCOME, ahead=False))
    with_outcome = {area for area, _ in rows}
    for scheduled in _scheduled(outcomes):
        key = (scheduled.area, scheduled.day)
        if today <= scheduled.day <= last_day:
            rows.setdefault(key, _ahead(scheduled, claims))
        elif window.start.date() < scheduled.day < today and scheduled.area not in with_outcome:
            rows.setdefault(key, _without_outcome(scheduled))
    for event in _rate_events(outcomes, EventType.SCHEDULED_DECISION):
        if today <= event.event_date <= last_day:
            rows.setdefault(_key(event), _announced(event, claims))
    return tuple(sorted(rows.values(), key=lambda row: (row.day, row.bank, row.area)))


def decision_words(area: str, day: date, claims: Mapping[str, Claim]) -> str | None:
    """What a bank decided: `raised by 25 bp to 4.25 %`. None without a claim on the change."""
    change = claims.get(claim_id(area, Metric.DECISION_CHANGE, day))
    rate = claims.get(claim_id(area, Metric.DECISION_RATE, day))
    if change is None:
        return None
    level = f" {print_claim(rate)}" if rate else ""
    if change.value.is_zero():
        return f"held at{level}" if level else "held"
    verb = "raised" if change.value > 0 else "cut"
    size = print_figure(abs(change.value), change.unit, signed=False)
    return f"{verb} by {size}" + (f" to{level}" if level else "")


def is_decided(row: CalendarRow) -> bool:
    """Whether a row of the window has an outcome that rests on a claim."""
    return not row.ahead and row.outcome.startswith(DECIDED)


def _rate_events(
    outcomes: Sequence[MarketOutcome], event_type: EventType
) -> tuple[MarketEvent, ...]:
    return tuple(
        event
        for outcome in outcomes
        for result in outcome.results
        for event in result.events
        if event.event_type is event_type and event.area is not None
    )


def _scheduled(outcomes: Sequence[MarketOutcome]) -> tuple[ScheduledDecision, ...]:
    answers = returned_by("get_decision_calendar", DecisionCalendar, outcomes)
    return tuple(scheduled for answer in answers for scheduled in answer.scheduled)


def _key(event: MarketEvent) -> tuple[str, date]:
    return event.area or "", event.event_date


def _decided(event: MarketEvent, claims: Mapping[str, Claim]) -> CalendarRow:
    area = event.area or ""
    words = decision_words(area, event.event_date, claims)
    return _row(event, words or _told(event, claims), ahead=False)


def _told(event: MarketEvent, claims: Mapping[str, Claim]) -> str:
    """The event's own words, which go after the bank's name as an outcome does."""
    told = clip(render_what_is_known(event.description, claims))
    return told.removeprefix(event.central_bank or "").strip().removesuffix(".")


def _announced(event: MarketEvent, claims: Mapping[str, Claim]) -> CalendarRow:
    return _row(event, _standing(event.area or "", claims), ahead=True)


def _row(event: MarketEvent, outcome: str, *, ahead: bool) -> CalendarRow:
    area = event.area or ""
    bank = event.central_bank or area
    return CalendarRow(area=area, bank=bank, day=event.event_date, outcome=outcome, ahead=ahead)


def _ahead(scheduled: ScheduledDecision, claims: Mapping[str, Claim]) -> CalendarRow:
    outcome = _standing(scheduled.area, claims)
    if scheduled.announced_at_local is not None and scheduled.time_zone:
        place = scheduled.time_zone.rpartition("/")[2].replace("_", " ")
        outcome = f"{outcome}; at {scheduled.announced_at_local:%H:%M} {place} time"
    return CalendarRow(
        area=scheduled.area, bank=scheduled.bank, day=scheduled.day, outcome=outcome, ahead=True
    )


def _without_outcome(scheduled: ScheduledDecision) -> CalendarRow:
    return CalendarRow(
        area=scheduled.area,
        bank=scheduled.bank,
        day=scheduled.day,
        outcome=WITHOUT_OUTCOME,
        ahead=False,
    )


def _standing(area: str, claims: Mapping[str, Claim]) -> str:
    rate = claim_of(claims, area, Metric.POLICY_RATE)
    return f"now {print_claim(rate)}" if rate else "scheduled"
