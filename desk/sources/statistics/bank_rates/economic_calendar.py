"""Outcomes of decisions on policy rates from an economic calendar, on the day itself.

Nasdaq's calendar (https://www.nasdaq.com/market-activity/economic-calendar) has a page a day, as
JSON, without a key. Its form is known from public code that reads it: a page has the events of the
day before its own by the clock of New York, and its column `gmt` has that clock's hours. A missing
value is a blank. Its operator documents no interface and may block programs.

Its editors enter what a bank announced. So it is a third party's record, like the BIS's, but a
secondary one: it corroborates a decision and contradicts none.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field, TypeAdapter

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import Provenance
from desk.sources.central_banks.facts.policy import PolicyFacts
from desk.sources.serving.daily_series import (
    NO_VALUE,
    DailySeries,
    Publisher,
    parsed_json,
)
from desk.sources.serving.kept_file import DamagedFile

KEY: Final = "nasdaq_calendar"

SOURCE: Final = Provenance(
    name="Nasdaq, economic calendar",
    tier=SourceTier.SECONDARY,
    origin="Nasdaq",
    url="https://www.nasdaq.com/market-activity/economic-calendar",
)

DECIDED, BEFORE = "{} decided", "{} before"
"""Names of the series with an area's rate by decision days, and with the rate before."""

DAYS_BACK: Final = 42
"""How far back pages are cached: older decisions are in other records by then."""

_CLOCK: Final = ZoneInfo("America/New_York")
_BLANK: Final = NO_VALUE | {"&nbsp;"}
_LONGEST: Final = 40


@dataclass(frozen=True, slots=True)
class CalendarEvents:
    """The calendar's names for an area's decisions: its country, and the events' names."""

    country: str
    names: frozenset[str]


def _events(country: str, bank: str | None = None) -> CalendarEvents:
    names = {"Interest Rate Decision"} | ({f"{bank} Interest Rate Decision"} if bank else set())
    return CalendarEvents(country, frozenset(names))


EVENTS: Final[Mapping[str, CalendarEvents]] = {
    "AU": _events("Australia", "RBA"),
    "CA": _events("Canada", "BoC"),
    "CH": _events("Switzerland", "SNB"),
    "GB": _events("United Kingdom", "BoE"),
    "ID": _events("Indonesia"),
    "IN": _events("India"),
    "JP": _events("Japan", "BoJ"),
    "KR": _events("South Korea", "BoK"),
    "MY": _events("Malaysia"),
    "NO": _events("Norway"),
    "NZ": _events("New Zealand", "RBNZ"),
    "PH": _events("Philippines"),
    "SE": _events("Sweden"),
    "TH": _events("Thailand"),
    # The decision named after the bank is on the rate for main refinancing operations.
    "XM": CalendarEvents("Euro Zone", frozenset({"Deposit Facility Rate"})),
}
"""By area. For the US the calendar has the upper end of the range, and the HKMA corroborates it."""


class _Row(BaseModel):
    clock: str = Field(alias="gmt")
    country: str
    name: str = Field(alias="eventName")
    actual: str
    previous: str


class _Rows(BaseModel):
    rows: list[_Row] | None = None


class _Page(BaseModel):
    data: _Rows | None


@dataclass(frozen=True, slots=True)
class _Outcome:
    area: str
    day: date
    rate: Decimal
    before: Decimal | None


def read_page(page: date, zones: Mapping[str, ZoneInfo], content: bytes) -> DailySeries:
    """The decisions on a page of the calendar, by their local days at the banks. `zones` gives the
    time zone of each area. A page without decisions is valid.

    Raises:
        DamagedFile: it is not such a page, or a rate on it is not a number.
    """
    rows = (parsed_json(TypeAdapter(_Page), content).data or _Rows()).rows or []
    series: dict[str, dict[date, Decimal]] = {}
    for outcome in _outcomes(page, zones, rows):
        series.setdefault(DECIDED.format(outcome.area), {})[outcome.day] = outcome.rate
        if outcome.before is not None:
            series.setdefault(BEFORE.format(outcome.area), {})[outcome.day] = outcome.before
    return DailySeries(series, tuple(sorted({day for rates in series.values() for day in rates})))


def _outcomes(
    page: date, zones: Mapping[str, ZoneInfo], rows: Iterable[_Row]
) -> Iterator[_Outcome]:
    for row in rows:
        area = next((area for area, events in EVENTS.items() if _is_of(row, events)), None)
        at = _instant(page, row.clock)
        if area is None or area not in zones or at is None:
            continue
        if (rate := _rate(row.actual)) is not None:
            yield _Outcome(area, at.astimezone(zones[area]).date(), rate, _rate(row.previous))


def _is_of(row: _Row, events: CalendarEvents) -> bool:
    return row.country.strip() == events.country and row.name.strip() in events.names


def _instant(page: date, clock: str) -> datetime | None:
    """The instant of an event. None if the page gives no hour."""
    try:
        hour = datetime.strptime(clock.strip(), "%H:%M").replace(tzinfo=UTC).time()
    except ValueError:
        return None
    return datetime.combine(page - timedelta(days=1), hour, _CLOCK)


def _rate(cell: str) -> Decimal | None:
    """In percent a year. None for a blank."""
    shown = cell.replace("\xa0", " ").strip()
    if shown in _BLANK:
        return None
    try:
        rate = Decimal(shown.removesuffix("%"))
    except InvalidOperation:
        rate = Decimal("NaN")
    if not rate.is_finite():
        raise DamagedFile(f"a rate on it is {shown[:_LONGEST]!r}")
    return rate


def pages(facts: PolicyFacts, today: date) -> tuple[Publisher, ...]:
    """The pages with decisions of the last weeks, by the days in the banks' calendars: a day's
    decision is on its own page or, if it came later, on the next one."""
    zones = {area: facts.areas[area].time_zone for area in EVENTS if area in facts.areas}
    days = {
        meeting.day + timedelta(days=later)
        for area in zones
        for meeting in facts.meetings.get(area, ())
        for later in (0, 1)
        if today - timedelta(days=DAYS_BACK) <= meeting.day <= today
    }
    return tuple(_page(day, zones) for day in sorted(days))


def is_final(page: Publisher, cache_dir: Path) -> bool:
    """Whether the cached copy of a page was fetched at least a day after all its events: then it
    need not be fetched again."""
    looked = page.kept_file().state(cache_dir).looked
    return looked is not None and looked >= page.published(date.min, ()) + timedelta(days=1)


def _page(day: date, zones: Mapping[str, ZoneInfo]) -> Publisher:
    over = datetime.combine(day, time(0), _CLOCK).astimezone(UTC)
    return Publisher(
        key=KEY,
        source=SOURCE.model_copy(update={"name": f"{SOURCE.name}, {day}"}),
        file=f"decisions-{day}.json",
        address="https://api.nasdaq.com",
        path=f"/api/calendar/economicevents?date={day}",
        read=partial(read_page, day, zones),
        published=lambda _day, _days: over,
        rule="within minutes of the announcement; the end of the day in New York is allowed for",
        rule_from=SOURCE.url or "",
        terms="Nasdaq's terms of use: for personal use, not to be passed on in bulk",
        grows=False,
        headers={"Accept": "application/json"},
    )
