"""Answers from the tables about central banks as of an instant, in the form of the contracts."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import pairwise

from desk.analytics.prices.rates_view import direction
from desk.contracts.findings.source_results import PolicyRate, RateDecision, ScheduledDecision
from desk.sources.central_banks.facts.policy import Area, Decision, Meeting, PolicyFacts

NOT_IN_TABLE = "not in the table"
MOST_BEFORE = 24
"""Meetings of an area from before the range: three years for most banks."""


def policy_rate(facts: PolicyFacts, code: str, as_of: datetime) -> PolicyRate:
    """The last level of an area that had been announced by an instant, or why there is none."""
    area = facts.areas.get(code)
    if area is None:
        reason = _gap(facts, code, as_of.date())
        return PolicyRate(area=code, bank=NOT_IN_TABLE, instrument=NOT_IN_TABLE, missing=reason)
    today = area.local_day(as_of)
    known = [row for row in facts.decisions.get(code, ()) if row.known_from <= as_of]
    missing = _gap(facts, code, today)
    if missing is None and not known:
        missing = f"The table has no level of {area.bank} that was known by {as_of.isoformat()}."
    if missing is not None:
        return PolicyRate(area=code, bank=area.bank, instrument=area.instrument, missing=missing)
    return _in_force(area, known, today)


def rate_decisions(
    facts: PolicyFacts, codes: Iterable[str], start: date, end: date, as_of: datetime
) -> list[RateDecision]:
    """The decisions from one local day to another that were known by an instant, oldest first.

    Rows without a change are levels and not decisions, and are omitted.
    """
    found = [
        listed
        for code in dict.fromkeys(codes)
        for row in facts.decisions.get(code, ())
        if start <= row.day <= end and row.known_from <= as_of and (listed := _listed(row))
    ]
    return sorted(found, key=lambda decision: (decision.decided_on, decision.area))


def decisions_before(
    facts: PolicyFacts, decided: Iterable[RateDecision], start: date
) -> list[RateDecision]:
    """The meetings before a day, back to the last one with another outcome than the newest decision
    of its area among `decided`, oldest first; at most 24 for an area. Empty for an area whose
    meetings are not all listed."""
    newest = {decision.area: decision for decision in decided}
    found = (decision for one in newest.values() for decision in _run_up(facts, one, start))
    return sorted(found, key=lambda decision: (decision.decided_on, decision.area))


def _run_up(facts: PolicyFacts, newest: RateDecision, start: date) -> Iterator[RateDecision]:
    area = facts.areas[newest.area]
    if area.meetings_from is None:
        return
    rows = [d for d in facts.decisions[newest.area] if area.meetings_from <= d.day < start]
    for listed in filter(None, map(_listed, rows[: -MOST_BEFORE - 1 : -1])):
        yield listed
        if direction(listed) != direction(newest):
            return


def scheduled_decisions(
    facts: PolicyFacts, codes: Iterable[str], start: date, end: date, as_of: datetime
) -> list[ScheduledDecision]:
    """The decision days in a range that were in the banks' calendars at an instant, earliest
    first."""
    found = [
        _scheduled(row)
        for code in dict.fromkeys(codes)
        for row in _announced(facts, code, as_of)
        if start <= row.day <= end
    ]
    return sorted(found, key=lambda meeting: (meeting.day, meeting.area))


def decision_gaps(facts: PolicyFacts, codes: Iterable[str], start: date) -> dict[str, str]:
    """Why the table cannot have every decision from a day on, for the areas with a gap."""
    reasons = {code: _gap(facts, code, start) for code in codes}
    return {code: reason for code, reason in reasons.items() if reason is not None}


def calendar_gaps(
    facts: PolicyFacts, codes: Iterable[str], start: date, as_of: datetime
) -> dict[str, str]:
    """Why there are no announced decision days from a day on, for the areas without any."""
    reasons = {
        code: _calendar_gap(facts, code, _announced(facts, code, as_of), start) for code in codes
    }
    return {code: reason for code, reason in reasons.items() if reason is not None}


def calendar_ends(facts: PolicyFacts, codes: Iterable[str], as_of: datetime) -> dict[str, date]:
    """The last decision day that had been announced by an instant, for the areas with any."""
    days = {code: _announced(facts, code, as_of) for code in codes}
    return {code: announced[-1].day for code, announced in days.items() if announced}


def covered_until(facts: PolicyFacts, codes: Iterable[str], as_of: datetime) -> dict[str, date]:
    """The last day up to which every change is known, for the areas covered at an instant.

    Never later than the area's own day at that instant.
    """
    areas = [facts.areas[code] for code in codes if code in facts.areas]
    days = {area.code: _covered_by(area, area.local_day(as_of)) for area in areas}
    return {code: day for code, day in days.items() if day is not None}


def _in_force(area: Area, known: Sequence[Decision], today: date) -> PolicyRate:
    last, first = known[-1], _level_set_by(known)
    return PolicyRate(
        area=area.code,
        bank=area.bank,
        instrument=last.instrument,
        rate=last.rate,
        low=last.low,
        high=last.high,
        since=None if first is known[0] and not first.change else first.day,
        since_precision=first.precision,
        covered_until=_covered_by(area, today),
        stale=area.covered_until is None or today > area.covered_until,
        origin=first.origin,
    )


def _covered_by(area: Area, today: date) -> date | None:
    """The end of an area's coverage as seen on one of its days. None before the coverage begins."""
    if area.covered_from is None or area.covered_until is None or today < area.covered_from:
        return None
    return min(area.covered_until, today)


def _level_set_by(known: Sequence[Decision]) -> Decision:
    """The row that set the last level; the first row if the level is older than the table."""
    for later, earlier in pairwise(reversed(known)):
        if later.rate != earlier.rate:
            return later
    return known[0]


def _announced(facts: PolicyFacts, code: str, as_of: datetime) -> list[Meeting]:
    return [row for row in facts.meetings.get(code, ()) if row.stood_at(as_of)]


def _gap(facts: PolicyFacts, code: str, first_day: date) -> str | None:
    area = facts.areas.get(code)
    if area is None:
        return f"{code} is not among the areas of the table: {', '.join(sorted(facts.areas))}."
    if area.covered_from is None:
        return area.note or f"The table has no rates of {area.bank}."
    if first_day < area.covered_from:
        return f"The table covers {area.bank} from {area.covered_from} on, not from {first_day}."
    return None


def _calendar_gap(
    facts: PolicyFacts, code: str, announced: Sequence[Meeting], start: date
) -> str | None:
    area = facts.areas.get(code)
    if area is None:
        return _gap(facts, code, start)
    if not announced:
        return f"The table has no decision days of {area.bank} that had been announced by then."
    if announced[-1].day < start:
        return (
            f"The announced decision days of {area.bank} in the table end on {announced[-1].day}."
        )
    return None


def _listed(row: Decision) -> RateDecision | None:
    if row.change is None:
        return None
    return RateDecision(
        area=row.area.code,
        bank=row.area.bank,
        decided_on=row.day,
        precision=row.precision,
        known_from=row.known_from,
        rate=row.rate,
        change=row.change,
        instrument=row.instrument,
        source=row.source,
        origin=row.origin,
    )


def _scheduled(row: Meeting) -> ScheduledDecision:
    return ScheduledDecision(
        area=row.area.code,
        bank=row.area.bank,
        day=row.day,
        announced_at_local=row.area.announced_at,
        time_zone=row.area.time_zone.key,
        source=row.source,
    )
