"""The BIS's policy rates: those of the project's table, and invented decisions after its end.

Format: https://stats.bis.org/api-doc/v2/, data/dataflow/BIS/WS_CBPOL/1.0/KEY with format=csv, which
has a column for each dimension, measure and attribute. A value stands for each working day, NaN for
the others. New data come on Thursdays and reach to the Tuesday before.
"""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from functools import cache

from desk.sources.central_banks.policy_facts import PolicyFacts, read_facts
from desk.sources.central_banks.rate_series import RateSeries
from tests.standins.provider import NOT_FOUND, Ask, Provider, Reply

PREFIX = "data/dataflow/BIS/WS_CBPOL/1.0/"
INVENTED = {
    ("US", date(2026, 10, 28)): Decimal("-0.25"),
    ("JP", date(2026, 10, 30)): Decimal("0.25"),
    ("NZ", date(2026, 10, 28)): Decimal("-0.25"),
    ("ID", date(2026, 11, 18)): Decimal("-0.25"),
}
"""Steps of the meetings after the table's end; every other meeting is a hold."""

_DAYS_TO_EFFECT = {"US": 1, "CA": 1, "AU": 1, "NZ": 1, "XM": 6, "SE": 6}
_SATURDAY, _THURSDAY = 5, 3
_HEADER = "FREQ,REF_AREA,UNIT_MEASURE,UNIT_MULT,COMPILATION,TIME_PERIOD,OBS_VALUE,OBS_STATUS"
_NOTE = '"A note of the compiler, with a comma"'


def policy_rates(area: str, until: date) -> RateSeries | None:
    """The rate of an area by the day on which it was in force; None where there is none."""
    facts = _facts()
    if area not in facts.decisions:
        return None
    steps = {row.day: row.rate for row in facts.decisions[area]}
    level = facts.decisions[area][-1].rate
    for meeting in facts.meetings.get(area, ()):
        if meeting.day > facts.decisions[area][-1].day and meeting.withdrawn_from is None:
            level += INVENTED.get((area, meeting.day), Decimal(0))
            steps[meeting.day] = level
    in_force = {_effective(area, day): rate for day, rate in steps.items()}
    known = {day: rate for day, rate in in_force.items() if day <= until}
    return RateSeries({**known, until: known[max(known)]})


def last_day(until: date, *, late: bool = False) -> date:
    """The last day with a value in what was published by a day."""
    thursday = until - timedelta(days=(until.weekday() - _THURSDAY) % 7 + (7 if late else 0))
    return thursday - timedelta(days=2)


@cache
def _facts() -> PolicyFacts:
    return read_facts()


def _effective(area: str, decided_on: date) -> date:
    day = decided_on + timedelta(days=_DAYS_TO_EFFECT.get(area, 0))
    return day + timedelta(days=max(7 - day.weekday(), 0) if day.weekday() >= _SATURDAY else 0)


def _answer(ask: Ask) -> Reply:
    if not ask.route.startswith(PREFIX) or ask.query.get("format") != "csv":
        return NOT_FOUND
    frequency, _, areas = ask.route.removeprefix(PREFIX).partition(".")
    first = date.fromisoformat(f"{ask.query['startPeriod'][:7]}-01")
    until = last_day(ask.until, late=ask.late)
    rows = [
        row
        for area in areas.split("+")
        for row in _rows(frequency, area, first, until, revised=ask.revised)
    ]
    header = _HEADER.replace("OBS_VALUE", "VALUE") if ask.renamed else _HEADER
    return Reply(("\n".join((header, *rows)) + "\n").encode(), "text/csv; charset=utf-8")


def _rows(frequency: str, area: str, first: date, until: date, *, revised: bool) -> Iterator[str]:
    series = policy_rates(area, until)
    if series is None:
        return
    for period, day in _periods(frequency, first, until):
        level = series.level_on(day)
        if revised and area == "CA" and day > date(2026, 10, 28) and level is not None:
            # A cut that the BIS had entered as a hold.
            level -= Decimal("0.25")
        shown = "NaN" if level is None or _is_closed(frequency, day) else str(level)
        yield f"{frequency},{area},368,0,{_NOTE},{period},{shown},A"


def _periods(frequency: str, first: date, until: date) -> Iterator[tuple[str, date]]:
    """Each period as it is written, with its last day."""
    day = first
    while day <= until:
        tomorrow = day + timedelta(days=1)
        if frequency == "D":
            yield day.isoformat(), day
        elif tomorrow.month != day.month:
            yield f"{day:%Y-%m}", day
        day = tomorrow


def _is_closed(frequency: str, day: date) -> bool:
    return frequency == "D" and day.weekday() >= _SATURDAY


def _arguments(url: str) -> Mapping[str, tuple[str, ...]]:
    return {"central_banks": ("--bis-url", url)}


PROVIDER = Provider("bis", _answer, _arguments)
