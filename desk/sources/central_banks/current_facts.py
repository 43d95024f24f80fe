"""The tables about central banks, extended by cached files as of an instant: the banks' calendars,
and the daily series of policy rates.

Decision days come from the calendars that banks publish as iCalendar (RFC 5545), in addition to the
tables, by this rule:

1. An event of the bank's calendar that announces a decision is a scheduled meeting. It counts as
known from the instant of the event's stamp, or from the beginning of its year if that is earlier: a
year's days are public before it begins. An event that a later version of the calendar adds is known
from when the desk saw it. 2. A meeting of the tables remains, unless the calendar has its day as
cancelled.

An event is recognised by its title, which the bank always writes in the same way, with the event's
own day in it. Nothing else of its text is read.

Of the desk's banks the Swiss National Bank publishes such a calendar, a file a year, linked from
https://www.snb.ch/en/services-events/digital-services/rss-calendar-feeds. The addresses are those
of public code that reads them. For a year without a file here, only the tables have a schedule.
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
    """The status of a meeting in a calendar (RFC 5545, STATUS)."""

    CONFIRMED = "CONFIRMED"
    TENTATIVE = "TENTATIVE"
    CANCELLED = "CANCELLED"


@dataclass(frozen=True, slots=True)
class ListedMeeting:
    """A decision day in a bank's calendar, and the instant of its event's stamp."""

    day: date
    status: MeetingStatus
    stamped: datetime


@dataclass(frozen=True, slots=True)
class BankCalendar:
    """The decision days of one file, in order."""

    meetings: Sequence[ListedMeeting]

    def by_datum(self) -> Mapping[str, str]:
        """The status of every meeting by its day. A new stamp alone does not change the datum."""
        return {meeting.day.isoformat(): meeting.status for meeting in self.meetings}

    def corrected(self, corrections: Mapping[str, str | None]) -> Self:
        """A copy with other statuses, by day. None removes a day."""
        stamped = {meeting.day: meeting.stamped for meeting in self.meetings}
        status = {**self.by_datum(), **corrections}
        days = {
            date.fromisoformat(day): contents
            for day, contents in status.items()
            if contents is not None
        }
        earliest = datetime.min.replace(tzinfo=UTC)
        meetings = [
            ListedMeeting(day, MeetingStatus(contents), stamped.get(day, earliest))
            for day, contents in sorted(days.items())
        ]
        return replace(self, meetings=meetings)


@dataclass(frozen=True, slots=True)
class CalendarSource:
    """One file of one bank's calendar. `title` is the bank's name of the event, with `{day}` for
    its day, in the format `day_format`."""

    key: str
    area: str
    year: int
    name: str
    title: str
    day_format: str
    address: str
    path: str

    def kept_file(self, address: str | None = None) -> KeptFile:
        """The cached file, fetched from its own address or another."""
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
            DamagedFile: it is not such a calendar, or has no event of the title.
        """
        found = {meeting.day: meeting for meeting in self._meetings(content)}
        if not found:
            raise DamagedFile(f"it has no event named {self.title!r}")
        return BankCalendar([found[day] for day in sorted(found)])

    def titled(self, day: date) -> str:
        """The bank's name of the event of a day."""
        return self.title.format(day=day.strftime(self.day_format).lstrip("0"))

    def _content(self, content: bytes) -> FileContent:
        contents = self.read(content)
        # Its days are in the future, so none says how old the calendar is.
        return FileContent(None, len(contents.meetings), partial(BankCalendar.by_datum, contents))

    def _meetings(self, content: bytes) -> Iterator[ListedMeeting]:
        # Imported here because it is slow, and most processes read no calendar.
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
    """A meeting may have been in the calendar whenever the desk looked."""
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
    facts: PolicyFacts, contents: Sequence[tuple[CalendarSource, BankCalendar]]
) -> PolicyFacts:
    """The tables with the meetings that banks' calendars add and without those that they cancel."""
    meetings = dict(facts.meetings)
    for source, calendar in contents:
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


MOST_CACHED = 8
"""Versions of the facts that are cached: usually one, more with revisions of a file."""

KEYS = tuple(dict.fromkeys(source.key for source in (*RATE_SOURCES, *CALENDAR_SOURCES)))
"""The providers, by the keys that configure their addresses."""

_Series = tuple[DailySeries | None, ...]
_Calendars = tuple[BankCalendar | None, ...]


def files_from(addresses: Mapping[str, str] | None = None) -> tuple[KeptFile, ...]:
    """The cached files. `addresses` replace providers' own, by their keys."""
    return files_of((*RATE_SOURCES, *CALENDAR_SOURCES), addresses)


class CurrentFacts:
    """The tables, read once, joined to the cached files, which are read again when one has changed.

    An absent or unusable file adds nothing. If a file's data were different at an instant, the
    earlier data are used.
    """

    def __init__(self, tables: ReadOnce[PolicyFacts], cache_dir: Path | None = None) -> None:
        """Without the folder of the cached files, only the tables are read."""
        self._tables = tables
        self._series = [source.series_file(cache_dir) for source in RATE_SOURCES]
        self._calendars = [
            SeriesFile(source.kept_file(), cache_dir, source.read) for source in CALENDAR_SOURCES
        ]
        self._lock = Lock()
        self._joined: dict[tuple[int, ...], tuple[object, PolicyFacts]] = {}

    def as_of(self, as_of: datetime) -> PolicyFacts:
        """The tables with the files as they were at an instant. The caller checks when a decision
        or a meeting became known.

        Raises:
            DamagedTable: a table is missing or malformed.
        """
        tables = self._tables.current()
        series = tuple(file.as_of(as_of) for file in self._series)
        calendars = tuple(file.as_of(as_of) for file in self._calendars)
        contents = (*series, *calendars)
        if not any(contents):
            return tables
        # A file's content is the same object until it changes; referencing it keeps its id unique.
        key = tuple(map(id, contents))
        with self._lock:
            if key not in self._joined:
                if len(self._joined) >= MOST_CACHED:
                    self._joined.clear()
                self._joined[key] = contents, _joined(tables, series, calendars)
            return self._joined[key][1]


def _joined(tables: PolicyFacts, series: _Series, calendars: _Calendars) -> PolicyFacts:
    """Calendars come first, because finding a hold needs its meeting."""
    listed = [
        (source, contents)
        for source, contents in zip(CALENDAR_SOURCES, calendars, strict=True)
        if contents is not None
    ]
    return with_recorded(with_calendars(tables, listed), _by_area(series))


def _by_area(series: _Series) -> Mapping[str, Sequence[RecordedRates]]:
    found: dict[str, list[RecordedRates]] = defaultdict(list)
    for source, contents in zip(RATE_SOURCES, series, strict=True):
        if contents is not None:
            for area, rates in recorded_rates(source, contents).items():
                found[area].append(rates)
    return found
