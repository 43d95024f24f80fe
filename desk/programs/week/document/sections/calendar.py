"""Rate decisions in the window with their outcome, and those announced for the weeks ahead."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Final, NamedTuple

from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import EventType, MarketEvent
from desk.contracts.findings.source_results import DecisionCalendar, ScheduledDecision
from desk.contracts.markets import MarketGroup
from desk.contracts.week.report import CalendarRow, MarketReport, RateRow, Sentence
from desk.contracts.weeks import TimeWindow
from desk.programs.week.document.judging.claims import claim_of, returned_by
from desk.trust.prose import reference, sentence

HORIZON: Final = timedelta(days=42)
"""How far ahead of the as-of instant the calendar looks: past the next meeting of most banks."""

WITHOUT_OUTCOME: Final = "outcome not on record"
"""The text for a day that has passed, for which no source has the bank's decision."""

LAST_KNOWN: Final = 5
"""The first edition of the rules in which a rate that is known to an earlier day is not called
today's."""

COUNTS_IN_FULL: Final = 6
"""The first edition of the rules in which a headline counts over all currencies, and a row ahead
fits on a line of the page."""

DECIDED: Final = ("raised", "cut", "held")
"""The words that an outcome starts with if it rests on a claim."""


class Undated(NamedTuple):
    """A bank whose next decision day is not known. `ends` is the last day that it is known to have
    announced."""

    area: str
    bank: str
    group: MarketGroup
    ends: date | None


def calendar_of(
    sections: Sequence[MarketReport],
    evidence: Iterable[ToolResult],
    claims: Mapping[str, Claim],
    window: TimeWindow,
    edition: int,
) -> tuple[CalendarRow, ...]:
    """One row for each decision day of an area, earliest first.

    The rows are from the markets' events, whose prose only refers to `claims`, and from the
    calendars in the evidence. `edition` is that of the report's rules.
    """
    today, last_day = window.end.date(), (window.end + HORIZON).date()
    standing = partial(_standing, claims=claims, today=today if edition >= LAST_KNOWN else None)
    rows: dict[tuple[str, date], CalendarRow] = {}
    for event in _rate_events(sections, EventType.RATE_DECISION):
        rows.setdefault(_key(event), _decided(event, claims))
    for event in _rate_events(sections, EventType.SCHEDULED_DECISION):
        if event.event_date < today:
            rows.setdefault(_key(event), _row(event, _plain(WITHOUT_OUTCOME), ahead=False))
    with_outcome = {area for area, _ in rows}
    for scheduled in _scheduled(evidence):
        key = (scheduled.area, scheduled.day)
        if today <= scheduled.day <= last_day:
            outcome = sentence(_ahead(scheduled, standing(scheduled.area), edition), claims)
            rows.setdefault(key, _scheduled_row(scheduled, outcome, ahead=True))
        elif window.start.date() < scheduled.day < today and scheduled.area not in with_outcome:
            rows.setdefault(key, _without_outcome(scheduled))
    for event in _rate_events(sections, EventType.SCHEDULED_DECISION):
        if today <= event.event_date <= last_day:
            outcome = sentence(standing(event.area or ""), claims)
            rows.setdefault(_key(event), _row(event, outcome, ahead=True))
    return tuple(sorted(rows.values(), key=lambda row: (row.day, row.bank, row.area)))


def undated_banks(
    rates: Iterable[RateRow],
    calendar: Iterable[CalendarRow],
    evidence: Iterable[ToolResult],
    today: date | None = None,
) -> tuple[Undated, ...]:
    """The banks with a rate for which no upcoming decision day is on record, in the order in which
    the calendars name them: those that have no day from the window on, and with `today` also those
    whose last announced day has passed."""
    evidence = tuple(evidence)
    ends = announced_to(evidence)
    dated = {row.area for row in calendar if row.ahead}
    rated = {row.area: row for row in rates if row.rate is not None}
    without: dict[str, None] = {}
    for answer in returned_by("get_decision_calendar", DecisionCalendar, evidence):
        passed = (area for area, day in answer.ends.items() if today is not None and day < today)
        without.update(dict.fromkeys((*answer.missing, *passed)))
    return tuple(
        Undated(area, rated[area].bank, rated[area].group, ends.get(area))
        for area in without
        if area in rated and area not in dated
    )


def announced_to(evidence: Iterable[ToolResult]) -> Mapping[str, date]:
    """The last day that each bank is known to have announced, by area, as the calendars say."""
    answers = returned_by("get_decision_calendar", DecisionCalendar, evidence)
    return {area: day for answer in answers for area, day in answer.ends.items()}


def decision_prose(area: str, day: date, claims: Mapping[str, Claim]) -> str | None:
    """What a bank decided, with references: `raised ([[...]]) to [[...]]`, printed as `raised (+25
    bp) to 4.25 %`. None without a claim on the change."""
    change = claims.get(claim_id(area, Metric.DECISION_CHANGE, day))
    rate = claims.get(claim_id(area, Metric.DECISION_RATE, day))
    if change is None:
        return None
    if change.value.is_zero():
        return f"held at {reference(rate)}" if rate else "held"
    verb = "raised" if change.value > 0 else "cut"
    return f"{verb} ({reference(change)})" + (f" to {reference(rate)}" if rate else "")


def is_decided(row: CalendarRow) -> bool:
    """Whether a row in the window has an outcome that rests on a claim."""
    return not row.ahead and row.outcome.prose.startswith(DECIDED)


def printable_name(name: str | None, area: str) -> str:
    """Returns a bank's name as a source gives it, or its area's code if the name contains a digit
    or a bracket, which could be mistaken for a figure."""
    unfit = name is None or any(sign.isdigit() or sign in "[]" for sign in name)
    return area if unfit or not name else name


def _rate_events(
    sections: Sequence[MarketReport], event_type: EventType
) -> tuple[MarketEvent, ...]:
    return tuple(
        event
        for section in sections
        for event in section.events
        if event.event_type is event_type and event.area is not None
    )


def _scheduled(evidence: Iterable[ToolResult]) -> tuple[ScheduledDecision, ...]:
    answers = returned_by("get_decision_calendar", DecisionCalendar, evidence)
    return tuple(scheduled for answer in answers for scheduled in answer.scheduled)


def _key(event: MarketEvent) -> tuple[str, date]:
    return event.area or "", event.event_date


def _decided(event: MarketEvent, claims: Mapping[str, Claim]) -> CalendarRow:
    prose = decision_prose(event.area or "", event.event_date, claims) or _outcome_words(event)
    return _row(event, sentence(prose, claims), ahead=False)


def _outcome_words(event: MarketEvent) -> str:
    """Returns the event's description without the bank's name, to be printed after the name."""
    told = event.description.removeprefix(event.central_bank or "").strip().removesuffix(".")
    return told or WITHOUT_OUTCOME


def _row(event: MarketEvent, outcome: Sentence, *, ahead: bool) -> CalendarRow:
    area = event.area or ""
    bank = printable_name(event.central_bank, area)
    return CalendarRow(
        area=area,
        bank=bank,
        day=event.event_date,
        precision=event.precision,
        outcome=outcome,
        ahead=ahead,
    )


def _ahead(scheduled: ScheduledDecision, standing: str, edition: int) -> str:
    """The current rate, and the time of the announcement."""
    if scheduled.announced_at_local is None or not scheduled.time_zone:
        return standing
    place = scheduled.time_zone.rpartition("/")[2].replace("_", " ")
    at = f"{scheduled.announced_at_local:%H:%M} {place}"
    return f"{standing}, {at}" if edition >= COUNTS_IN_FULL else f"{standing}; at {at} time"


def _without_outcome(scheduled: ScheduledDecision) -> CalendarRow:
    return _scheduled_row(scheduled, _plain(WITHOUT_OUTCOME), ahead=False)


def _scheduled_row(scheduled: ScheduledDecision, outcome: Sentence, *, ahead: bool) -> CalendarRow:
    return CalendarRow(
        area=scheduled.area,
        bank=printable_name(scheduled.bank, scheduled.area),
        day=scheduled.day,
        outcome=outcome,
        ahead=ahead,
    )


def _standing(area: str, claims: Mapping[str, Claim], today: date | None) -> str:
    """The rate before a decision. A rate that is not known up to `today` is the last known one."""
    rate = claim_of(claims, area, Metric.POLICY_RATE)
    if rate is None:
        return "scheduled"
    known = today is None or rate.as_of >= today
    return f"{'now' if known else 'last known'} {reference(rate)}"


def _plain(words: str) -> Sentence:
    return Sentence(prose=words, text=words)
