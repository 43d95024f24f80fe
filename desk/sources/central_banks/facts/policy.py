"""The project's tables about central banks: areas, rate decisions and announced decision days."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from desk.contracts.findings.source_results import DatePrecision
from desk.sources.central_banks.facts.tables import Row, day, figure, read_rows, required_text
from desk.sources.serving.origins import level_origin

FACTS_DIR = Path(__file__).parent
END_OF_DAY = time(23, 59)
"""In the tables: the hour of an announcement is unknown."""

AREA_COLUMNS = (
    "area",
    "bank",
    "bank_short",
    "currency",
    "instrument",
    "announcement_time_local",
    "time_zone",
    "effective_within_days",
    "covered_from",
    "covered_until",
    "meetings_from",
    "note",
)
DECISION_COLUMNS = (
    "area",
    "decision_date",
    "date_precision",
    "announced_at_local",
    "rate_pct",
    "change_bp",
    "rate_low_pct",
    "rate_high_pct",
    "instrument",
    "source",
)
MEETING_COLUMNS = (
    "area",
    "decision_date",
    "announced_from",
    "withdrawn_from",
    "moved_to",
    "source",
)


@dataclass(frozen=True, slots=True)
class Area:
    """One central bank. Without `covered_from` and `covered_until` the tables have no rate of it.

    `announced_at` is the usual local hour of a scheduled announcement, None if it varies. A
    decision takes effect within `effective_within_days` calendar days. From `meetings_from` to the
    end of the coverage the tables have every meeting, including holds.
    """

    code: str
    bank: str
    short_name: str
    instrument: str
    announced_at: time | None
    time_zone: ZoneInfo
    effective_within_days: int | None
    covered_from: date | None
    covered_until: date | None
    meetings_from: date | None
    note: str

    def local_day(self, instant: datetime) -> date:
        """The calendar day at the bank at an instant."""
        return instant.astimezone(self.time_zone).date()

    def beginning_of(self, local_day: date) -> datetime:
        """The first instant of a day at the bank, UTC."""
        return self.at(local_day, time.min)

    def end_of(self, local_day: date) -> datetime:
        """The last minute of a day at the bank, UTC."""
        return self.at(local_day, END_OF_DAY)

    def announcement_on(self, local_day: date) -> datetime:
        """When a scheduled decision of a day is public, in UTC: at the usual hour, or at the end of
        the day if that varies."""
        return self.at(local_day, self.announced_at or END_OF_DAY)

    def at(self, local_day: date, hour: time) -> datetime:
        """An hour of a day at the bank, UTC."""
        return datetime.combine(local_day, hour, self.time_zone).astimezone(UTC)


@dataclass(frozen=True, slots=True)
class Decision:
    """A level set on a day. Without `change` (in basis points) it is not a decision by itself: the
    first level of a table, or an instrument that replaced another. `origin` is who published the
    level, None if the row's source names nobody."""

    area: Area
    day: date
    precision: DatePrecision
    known_from: datetime
    rate: Decimal
    change: Decimal | None
    low: Decimal | None
    high: Decimal | None
    instrument: str
    source: str
    origin: str | None


@dataclass(frozen=True, slots=True)
class Meeting:
    """A scheduled decision day and the instant from which it was public.

    If the bank later cancelled it or moved it to another day, `withdrawn_from` is the instant from
    which that was public. Until then the meeting was in the bank's calendar.
    """

    area: Area
    day: date
    known_from: datetime
    source: str
    withdrawn_from: datetime | None = None

    def stood_at(self, instant: datetime) -> bool:
        """Whether the bank's calendar had this day at an instant."""
        gone = self.withdrawn_from is not None and self.withdrawn_from <= instant
        return self.known_from <= instant and not gone


@dataclass(frozen=True, slots=True)
class PolicyFacts:
    """All three tables, by area code, each area's rows oldest first."""

    areas: Mapping[str, Area]
    decisions: Mapping[str, tuple[Decision, ...]]
    meetings: Mapping[str, tuple[Meeting, ...]]


def read_facts(folder: Path = FACTS_DIR) -> PolicyFacts:
    """The three tables of a folder, validated. Those that ship with the project are read once.

    Raises:
        DamagedTable: a table is missing or a cell of it is malformed.
    """
    return _packaged() if folder == FACTS_DIR else _read(folder)


@cache
def _packaged() -> PolicyFacts:
    return _read(FACTS_DIR)


def _read(folder: Path) -> PolicyFacts:
    areas = {area.code: area for area in map(_area, read_rows(folder / "areas.csv", AREA_COLUMNS))}
    meetings = [
        _meeting(row, areas) for row in read_rows(folder / "decision_calendar.csv", MEETING_COLUMNS)
    ]
    scheduled = {
        (meeting.area.code, meeting.day) for meeting in meetings if meeting.withdrawn_from is None
    }
    decisions = []
    seen: set[tuple[str, date]] = set()
    for row in read_rows(folder / "rate_decisions.csv", DECISION_COLUMNS):
        decision = _decision(row, areas, scheduled)
        if (decision.area.code, decision.day) in seen:
            raise row.damaged("decision_date", f"{decision.area.code} has this day twice")
        seen.add((decision.area.code, decision.day))
        decisions.append(decision)
    return PolicyFacts(areas, _by_area(decisions), _by_area(meetings))


_Dated = TypeVar("_Dated", Decision, Meeting)


def _by_area(rows: Iterable[_Dated]) -> dict[str, tuple[_Dated, ...]]:
    found: dict[str, list[_Dated]] = defaultdict(list)
    for row in sorted(rows, key=lambda dated: dated.day):
        found[row.area.code].append(row)
    return {code: tuple(dated) for code, dated in found.items()}


def _area(row: Row) -> Area:
    hour = row.read_optional("announcement_time_local", _hour)
    return Area(
        code=row.read("area", _area_code),
        bank=row.read("bank", required_text),
        short_name=row.read("bank_short", required_text),
        instrument=row.cells["instrument"],
        announced_at=None if hour == END_OF_DAY else hour,
        time_zone=row.read("time_zone", _zone),
        effective_within_days=row.read_optional("effective_within_days", _days),
        covered_from=row.read_optional("covered_from", day),
        covered_until=row.read_optional("covered_until", day),
        meetings_from=row.read_optional("meetings_from", day),
        note=row.cells["note"],
    )


def _meeting(row: Row, areas: Mapping[str, Area]) -> Meeting:
    area = _known_area(row, areas)
    moved_to, withdrawn = (
        row.read_optional("moved_to", day),
        row.read_optional("withdrawn_from", day),
    )
    if withdrawn is None and moved_to is not None:
        raise row.damaged("withdrawn_from", "a meeting that was moved needs the day of the change")
    return Meeting(
        area=area,
        day=row.read("decision_date", day),
        known_from=area.beginning_of(row.read("announced_from", day)),
        source=row.read("source", required_text),
        withdrawn_from=None if withdrawn is None else area.beginning_of(withdrawn),
    )


def _decision(row: Row, areas: Mapping[str, Area], scheduled: set[tuple[str, date]]) -> Decision:
    area = _known_area(row, areas)
    decided_on = row.read("decision_date", day)
    precision = row.read("date_precision", _precision)
    # An unscheduled decision may have come at any hour.
    at_usual_hour = precision is DatePrecision.DAY and (area.code, decided_on) in scheduled
    usual = area.announcement_on(decided_on) if at_usual_hour else area.end_of(decided_on)
    hour = row.read_optional("announced_at_local", _hour)
    source = row.read("source", required_text)
    return Decision(
        area=area,
        day=decided_on,
        precision=precision,
        known_from=usual if hour is None else area.at(decided_on, hour),
        rate=row.read("rate_pct", figure),
        change=row.read_optional("change_bp", figure),
        low=row.read_optional("rate_low_pct", figure),
        high=row.read_optional("rate_high_pct", figure),
        instrument=row.read("instrument", required_text),
        source=source,
        origin=level_origin(source, area.bank, area.short_name),
    )


def _known_area(row: Row, areas: Mapping[str, Area]) -> Area:
    code = row.cells["area"]
    if code not in areas:
        raise row.damaged("area", f"{code!r} is not in areas.csv")
    return areas[code]


def _area_code(cell: str) -> str:
    if len(cell) == 2 and cell.isascii() and cell.isalpha() and cell.isupper():
        return cell
    raise ValueError("is not an area code such as JP")


def _hour(cell: str) -> time:
    try:
        return time.fromisoformat(cell)
    except ValueError as error:
        raise ValueError("is not an hour such as 14:15") from error


def _days(cell: str) -> int:
    if cell.isascii() and cell.isdecimal():
        return int(cell)
    raise ValueError("is not a number of days")


def _zone(cell: str) -> ZoneInfo:
    try:
        return ZoneInfo(cell)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError("is not an IANA time zone such as Asia/Tokyo") from error


def _precision(cell: str) -> DatePrecision:
    try:
        return DatePrecision(cell)
    except ValueError as error:
        raise ValueError(f"must be one of {', '.join(DatePrecision)}") from error
