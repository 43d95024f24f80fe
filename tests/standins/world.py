"""What happened in the stand-ins' world: the decisions of central banks, one story that every
stand-in tells. Rates, calendars, releases and headlines are all made of this table.

Decisions up to the end of the project's table are the true ones; later ones are invented.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cache

from desk.sources.central_banks.facts.policy import PolicyFacts, read_facts

INVENTED: Mapping[tuple[str, date], Decimal] = {
    ("US", date(2026, 10, 28)): Decimal("-0.25"),
    ("JP", date(2026, 10, 30)): Decimal("0.25"),
    ("NZ", date(2026, 10, 28)): Decimal("-0.25"),
    ("ID", date(2026, 11, 18)): Decimal("-0.25"),
    ("HK", date(2026, 9, 17)): Decimal("0.25"),
    ("HK", date(2026, 10, 29)): Decimal("-0.25"),
}
"""Steps of the meetings after the table's end; every other meeting is a hold. Hong Kong follows the
Federal Reserve on the day after, by its formula."""

FROM = date(2026, 1, 1)
"""Decisions are told from here on."""

_HOURS = {"ID": time(14, 20), "JP": time(12), "KR": time(10)}
"""When banks announce that the table gives no hour of; others at noon."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a bank decided at a scheduled meeting. Rates in percent a year; `at` is the instant of
    its announcement."""

    area: str
    bank: str
    short_name: str
    day: date
    at: datetime
    rate: Decimal
    change: Decimal

    @property
    def before(self) -> Decimal:
        """The rate until then."""
        return self.rate - self.change


@cache
def facts() -> PolicyFacts:
    """The project's tables."""
    return read_facts()


def steps(area: str) -> Mapping[date, Decimal]:
    """The rate of an area by the day of each decision, as known and as invented."""
    known = facts().decisions[area]
    told = {row.day: row.rate for row in known}
    level = known[-1].rate
    days = {row.day for row in facts().meetings.get(area, ()) if row.withdrawn_from is None}
    for day in sorted(days | {day for of, day in INVENTED if of == area}):
        if day > known[-1].day:
            level += INVENTED.get((area, day), Decimal(0))
            told[day] = level
    return dict(sorted(told.items()))


@cache
def decisions() -> tuple[Decision, ...]:
    """Every scheduled meeting since `FROM` with its outcome, earliest first."""
    found: list[Decision] = []
    for code, meetings in facts().meetings.items():
        if code not in facts().decisions:
            continue
        rates, area = steps(code), facts().areas[code]
        for day in sorted({row.day for row in meetings if row.withdrawn_from is None}):
            before = [rate for decided, rate in rates.items() if decided < day]
            if day < FROM or day not in rates or not before:
                continue
            hour = area.announced_at or _HOURS.get(code, time(12))
            at = datetime.combine(day, hour, area.time_zone).astimezone(UTC)
            change = rates[day] - before[-1]
            found.append(Decision(code, area.bank, area.short_name, day, at, rates[day], change))
    return tuple(sorted(found, key=lambda each: (each.at, each.area)))
