"""What the banks decided in the week, and when they decide next."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Final

from desk.analytics.figures import print_day
from desk.analytics.names.central_banks import named_in_a_sentence
from desk.analytics.names.listing import listed
from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.findings.source_results import DatePrecision
from desk.contracts.week.report import CalendarRow
from desk.programs.week.document.sections.calendar import (
    COUNTS_IN_FULL,
    announced_to,
    undated_banks,
)
from desk.programs.week.document.sections.lead.editions import NAMES_ALL_CHANGES, SAYS_NONE_SOON
from desk.programs.week.document.sections.lead.lead_week import LeadWeek
from desk.programs.week.document.sections.lead.movers import sign
from desk.programs.week.document.sections.lead.phrases import few
from desk.trust.claims.week_counts import WEEK

BANKS_NAMED: Final = 3
"""How many banks a sentence names."""

SOON: Final = timedelta(days=14)
"""How far ahead the theme of the banks looks."""

VERBS: Final = {1: "raised", 0: "held", -1: "cut"}
COUNTS: Final = {1: Metric.BANKS_RAISED, 0: Metric.BANKS_HELD, -1: Metric.BANKS_CUT}


def changed_rates(week: LeadWeek) -> list[CalendarRow]:
    """The decisions that changed a rate, those of markets with higher priority first."""
    priorities = {spec.market: spec.priority for spec in week.report.config.markets}
    rows = [row for row in week.decided if rate_change(row, week)]
    return sorted(rows, key=lambda row: priorities.get(row.area, len(priorities)))


def rate_change(row: CalendarRow, week: LeadWeek) -> Decimal:
    """By how much a decision changed the rate, in basis points; 0 if no printed claim has it."""
    claim = week.claims.get(claim_id(row.area, Metric.DECISION_CHANGE, row.day))
    return claim.value if claim else Decimal(0)


def decision_words(row: CalendarRow, week: LeadWeek) -> str:
    """A bank, what it decided, and the day or month: `... on 30 Oct`."""
    within = "in" if row.precision is DatePrecision.MONTH else "on"
    when = print_day(row.day, row.precision)
    return f"{week.bank(row)} {row.outcome.prose} {within} {when}"


def who_changed(
    rows: Sequence[CalendarRow], most: int, week: LeadWeek, *, in_title: bool = False
) -> str | None:
    """Which banks changed their rates, and which way. Many are counted, or in a title called
    central banks. Earlier editions named `most` of them, and left out the others."""
    if week.edition < NAMES_ALL_CHANGES:
        named = (f"{row.bank} {VERBS[sign(rate_change(row, week))]}" for row in rows[:most])
        return ", ".join(named) or None
    sides: dict[int, list[str]] = {}
    for row in rows:
        sides.setdefault(sign(rate_change(row, week)), []).append(week.bank(row))
    parts = (
        (_many_changed(banks, side, week, in_title=in_title) if week.is_shorter else None)
        or f"{few(banks)} {VERBS[side]} rates"
        for side, banks in sides.items()
    )
    return ", ".join(parts) or None


def _many_changed(banks: Sequence[str], side: int, week: LeadWeek, *, in_title: bool) -> str | None:
    """`8 of the 9 banks that decided raised rates, among them the Federal Reserve`; None for few
    banks, and if they were not counted."""
    if len(banks) <= BANKS_NAMED:
        return None
    if in_title:
        return f"central banks {VERBS[side]} rates"
    counted = week.claims.get(claim_id(WEEK, COUNTS[side]))
    if counted is None or counted.value != len(banks):
        return None
    return f"[[{counted.claim_id}]] rates, among them {listed(banks[:BANKS_NAMED])}"


def scheduled(week: LeadWeek, without: str) -> str | None:
    """The decisions scheduled within two weeks."""
    rows = [row for row in week.ahead if row.day <= week.as_of + SOON and row.area != without]
    return f"{listed(next_decision(row, week) for row in rows[:BANKS_NAMED])}." if rows else None


def next_decision(row: CalendarRow, week: LeadWeek) -> str:
    """`Norges Bank decides on 17 Dec`."""
    return f"{week.bank(row)} decides on {print_day(row.day)}"


def none_soon(areas: Sequence[str], week: LeadWeek) -> Iterator[str]:
    """For areas without a decision in the calendar's weeks: which of their banks decide later, and
    which have no day on record. Omits areas without a policy rate."""
    yield from later_than_the_calendar(areas, week)
    later = _banks_later(areas, week)
    unknown = _unknown_words([bank for bank in _banks_rated(areas, week) if bank not in later])
    if unknown:
        yield unknown


def later_than_the_calendar(areas: Sequence[str], week: LeadWeek) -> Iterator[str]:
    """Which banks have announced a day after the calendar's last one; nothing if none has."""
    later = _banks_later(areas, week)
    if later:
        verb = "does" if len(later) == 1 else "do"
        yield f"{listed(map(named_in_a_sentence, later))} {verb} not decide within six weeks"


def _banks_later(areas: Sequence[str], week: LeadWeek) -> list[str]:
    known_to = announced_to(week.report.evidence)
    banks = _banks_rated(areas, week)
    return [name for name, area in banks.items() if known_to.get(area, week.as_of) > week.as_of]


def _banks_rated(areas: Sequence[str], week: LeadWeek) -> dict[str, str]:
    """The banks of some areas that have a policy rate, each with its area."""
    rates = (row for row in week.report.policy_rates if row.rate is not None)
    return {row.bank: row.area for row in rates if row.area in areas}


def unknown_beside(areas: Sequence[str], week: LeadWeek) -> str:
    """`; when Norges Bank decides next is not on record`; empty if a day of all banks is."""
    if week.edition < COUNTS_IN_FULL:
        return ""
    report = week.report
    today = week.as_of if week.edition >= SAYS_NONE_SOON else None
    undated = undated_banks(report.policy_rates, report.calendar, report.evidence, today)
    words = _unknown_words([each.bank for each in undated if each.area in areas])
    return f"; {words}" if words else ""


def _unknown_words(banks: Sequence[str]) -> str | None:
    verb = "decides" if len(banks) == 1 else "decide"
    named = listed(map(named_in_a_sentence, banks))
    return f"when {named} {verb} next is not on record" if banks else None
