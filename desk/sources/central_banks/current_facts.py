"""The tables about central banks with what kept files say besides, as of an instant: the banks'
calendars, and the daily series of policy rates.

Decision days are taken out of the calendars that banks give as iCalendar (RFC 5545), beside the
tables, by this rule:

1. An event of the bank's calendar that announces a decision is a scheduled meeting. It counts as
   known from the instant that the event is stamped with, or from the beginning of its year where
   that is earlier: a year's days are public before it begins. One that a later version of the
   calendar adds is known from when the desk saw it.
2. A meeting of the tables stays, but where the calendar has its day as cancelled.

An event is known by its title, which the bank writes in one way, with the event's own day in it.
Nothing else of its text is read.

Of the banks of the desk the Swiss National Bank gives such a calendar, a file a year, linked from
https://www.snb.ch/en/services-events/digital-services/rss-calendar-feeds. The addresses are
those of public code that reads them. A year without a file here is scheduled by the tables alone.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Final, Self

from desk.sources.central_banks.facts.policy import Area, Meeting, PolicyFacts
from desk.sources.central_banks.facts.tables import ReadOnce
from desk.sources.central_banks.recorded import (
    RATE_SOURCES,
    RecordedRates,
    recorded_rates,
    with_recorded,
)
from desk.sources.serving.daily_series import DailySeries, SeriesFile, files_of
from desk.sources.serving.kept_file import DamagedFile, FileContent, KeptFile


class MeetingStatus(StrEnum):
    """How a calendar has a meeting (RFC 5545, STATUS)."""

    CONFIRMED = "CONFIRMED"
    TENTATIVE = "TENTATIVE"
    CANCELLED = "CANCELLED"


@dataclass(frozen=True, slots=True)
class ListedMeeting:
    """A decision day in a bank's calendar, and the instant that its event is stamped with."""

    day: date
    status: MeetingStatus
    stamped: datetime


@dataclass(frozen=True, slots=True)
class BankCalendar:
    """The decision days of one file, in the order of their days."""

    meetings: Sequence[ListedMeeting]

    def by_datum(self) -> Mapping[str, str]:
        """The status of every meeting by its day. A new stamp alone is no other datum."""
        return {meeting.day.isoformat(): meeting.status for meeting in self.meetings}

    def corrected(self, corrections: Mapping[str, str | None]) -> Self:
        """The same with other states, by day; None takes a day away."""
        stamped = {meeting.day: meeting.stamped for meeting in self.meetings}
        status = {**self.by_datum(), **corrections}
        days = {date.fromisoformat(day): told for day, told in status.items() if told is not None}
        earliest = datetime.min.replace(tzinfo=UTC)
        meetings = [
            ListedMeeting(day, MeetingStatus(told), stamped.get(day, earliest))
            for day, told in sorted(days.items())
        ]
        return replace(self, meetings=meetings)


@dataclass(frozen=True, slots=True)
class CalendarSource:
    """One file of one bank's calendar. `title` is how the bank names the event, with `{day}` where
    it writes its day, as `day_format` says."""

    key: str
    area: str
    year: int
    name: str
    title: str
    day_format: str
    address: str
    path: str

    def kept_file(self, address: str | None = None) -> KeptFile:
        """The file that is kept of it, fetched from its own address or another."""
        return KeptFile(
            source=f"{self.name} {self.year}",
            name=f"calendar-{self.key}-{self.year}.ics",
            url=f"{address or self.address}{self.path}",
            read=self._content,
            published=_always,
            grows=False,
        )

    def read(self, content: bytes) -> BankCalendar:
        """The decision days in a file's content.

        Raises:
            DamagedFile: it is no such calendar, or has no event of the title.
        """
        found = {meeting.day: meeting for meeting in self._meetings(content)}
        if not found:
            raise DamagedFile(f"it has no event named {self.title!r}")
        return BankCalendar([found[day] for day in sorted(found)])

    def titled(self, day: date) -> str:
        """How the bank names the event of a day."""
        return self.title.format(day=day.strftime(self.day_format).lstrip("0"))

    def _content(self, content: bytes) -> FileContent:
        told = self.read(content)
        # Its days lie ahead: none says how old the calendar is.
        return FileContent(None, len(told.meetings), partial(BankCalendar.by_datum, told))

    def _meetings(self, content: bytes) -> Iterator[ListedMeeting]:
        # Here, and not above: it takes a while, and most processes read no calendar.
        from icalendar import Calendar

        try:
            calendar = Calendar.from_ical(content)
            for event in calendar.walk("VEVENT"):
                start = event.decoded("DTSTART")
                day = start.date() if isinstance(start, datetime) else start
                if str(event.get("SUMMARY", "")) == self.titled(day):
                    status = MeetingStatus(str(event.get("STATUS", MeetingStatus.CONFIRMED)))
                    stamped = event.decoded("DTSTAMP")
                    yield ListedMeeting(day, status, stamped.astimezone(UTC))
        except (ValueError, KeyError, AttributeError, TypeError, IndexError) as error:
            raise DamagedFile(f"it is no iCalendar of meetings ({str(error)[:120]})") from error


def _always(_datum: str) -> datetime:
    """A meeting could have been there whenever the desk looked."""
    return datetime.min.replace(tzinfo=UTC)


def _snb(year: int, identifier: str) -> CalendarSource:
    return CalendarSource(
        key="snb",
        area="CH",
        year=year,
        name="SNB calendar feed",
        title="Monetary policy assessment of {day}",
        day_format="%d %B %Y",
        address="https://www.snb.ch",
        path=f"/public/ical/calendar/en/{identifier}.ics",
    )


CALENDAR_SOURCES: Final = (
    _snb(2026, "872f3023-70ea-42a9-8c27-524da3533fb7"),
    _snb(2027, "ac3d067c-1b93-475e-9d22-56045798603d"),
)


def with_calendars(
    facts: PolicyFacts, told: Sequence[tuple[CalendarSource, BankCalendar]]
) -> PolicyFacts:
    """The tables with the meetings that banks' calendars add and without those they cancel."""
    meetings = dict(facts.meetings)
    for source, calendar in told:
        area = facts.areas[source.area]
        rows = {row.day: row for row in meetings.get(source.area, ())}
        for listed in calendar.meetings:
            _take_over(rows, listed, area, source)
        meetings[source.area] = tuple(rows[day] for day in sorted(rows))
    return replace(facts, meetings=meetings)


def _take_over(
    rows: dict[date, Meeting], listed: ListedMeeting, area: Area, source: CalendarSource
) -> None:
    known = rows.get(listed.day)
    if listed.status is MeetingStatus.CANCELLED:
        if known is not None and known.withdrawn_from is None:
            rows[listed.day] = replace(known, withdrawn_from=max(listed.stamped, known.known_from))
    elif known is None:
        beginning = area.beginning_of(date(listed.day.year, 1, 1))
        rows[listed.day] = Meeting(
            area, listed.day, min(listed.stamped, beginning), f"{source.name} {source.year}"
        )


MOST_KEPT = 8
"""Versions of the facts that are held at once: one, but for revisions of a file."""

KEYS = tuple(dict.fromkeys(source.key for source in (*RATE_SOURCES, *CALENDAR_SOURCES)))
"""The providers, by which their addresses are configured."""

_Series = tuple[DailySeries | None, ...]
_Calendars = tuple[BankCalendar | None, ...]


def files_from(addresses: Mapping[str, str] | None = None) -> tuple[KeptFile, ...]:
    """The files that are kept; `addresses` take the place of providers' own, by their keys."""
    return files_of((*RATE_SOURCES, *CALENDAR_SOURCES), addresses)


class CurrentFacts:
    """The tables, read once, joined to the kept files, which are read again when one has changed.

    A file that is not there or not usable adds nothing. What one told otherwise at an instant than
    it does now is told as it was then.
    """

    def __init__(self, tables: ReadOnce[PolicyFacts], cache_dir: Path | None = None) -> None:
        """Without the folder that the files are kept in, only the tables are read."""
        self._tables = tables
        self._series = [source.series_file(cache_dir) for source in RATE_SOURCES]
        self._calendars = [
            SeriesFile(source.kept_file(), cache_dir, source.read) for source in CALENDAR_SOURCES
        ]
        self._lock = Lock()
        self._joined: dict[tuple[int, ...], tuple[object, PolicyFacts]] = {}

    def as_of(self, as_of: datetime) -> PolicyFacts:
        """The tables with the files as they were told at an instant. When a decision or a meeting
        became known is the caller's to heed.

        Raises:
            DamagedTable: a table is missing or malformed.
        """
        tables = self._tables.current()
        series = tuple(file.as_of(as_of) for file in self._series)
        calendars = tuple(file.as_of(as_of) for file in self._calendars)
        told = (*series, *calendars)
        if not any(told):
            return tables
        # What a file tells is the same object until it changes; holding it keeps its id its own.
        key = tuple(map(id, told))
        with self._lock:
            if key not in self._joined:
                if len(self._joined) >= MOST_KEPT:
                    self._joined.clear()
                self._joined[key] = told, _joined(tables, series, calendars)
            return self._joined[key][1]


def _joined(tables: PolicyFacts, series: _Series, calendars: _Calendars) -> PolicyFacts:
    """Calendars first: whether a meeting was a hold needs the meeting."""
    listed = [
        (source, told)
        for source, told in zip(CALENDAR_SOURCES, calendars, strict=True)
        if told is not None
    ]
    return with_recorded(with_calendars(tables, listed), _by_area(series))


def _by_area(series: _Series) -> Mapping[str, Sequence[RecordedRates]]:
    found: dict[str, list[RecordedRates]] = defaultdict(list)
    for source, told in zip(RATE_SOURCES, series, strict=True):
        if told is not None:
            for area, rates in recorded_rates(source, told).items():
                found[area].append(rates)
    return found
