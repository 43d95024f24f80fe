"""Parses daily series from a provider's file, and dates the instant from which each value is
known."""

import csv
import io
import re
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from functools import lru_cache, partial
from pathlib import Path
from typing import Final, Generic, NamedTuple, Protocol, Self, TypeAlias, TypeVar
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter, ValidationError

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import Provenance
from desk.sources.serving.kept_file import (
    DamagedFile,
    FileContent,
    KeptFile,
)
from desk.sources.serving.vintages import Correctable, FileAsOf, FileSignature, signature_of

Series: TypeAlias = Mapping[date, Decimal]
"""The values of the days that have one, oldest first."""

NOT_FETCHED: Final = "Not fetched: it needs a network."
"""The reason for a publisher whose file is absent."""

NO_VALUE = frozenset({"", ".", "..", "ND", "NA", "N/A", "NaN", "-", "n/a", "Bank holiday"})
"""The forms in which providers write that a day has no value."""

CACHED_DAYS = 2**15
"""Days whose parsed form is cached, those of ninety years: each is in every series of a file, in
all its versions, and parsing it takes ten times as long as the value."""

_ISO: Final = "%Y-%m-%d"
_ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DAMAGED_LENGTH = 60


@dataclass(frozen=True, slots=True)
class DailySeries:
    """The series of one file by name, each oldest first.

    `days` are the days on which the provider worked: those on which any series has a value.
    """

    series: Mapping[str, Series]
    days: Sequence[date]

    def content(self) -> FileContent:
        """The content of the file, in the form that file caching needs."""
        newest = max((day for values in self.series.values() for day in values), default=None)
        count = sum(len(values) for values in self.series.values())
        return FileContent(newest=newest, count=count, values=self.by_datum)

    def by_datum(self) -> dict[str, str]:
        """Every value by its day and series, such as "2026-10-30 USD"."""
        return {
            f"{day} {name}": str(value)
            for name, values in self.series.items()
            for day, value in values.items()
        }

    def corrected(self, corrections: Mapping[str, str | None]) -> Self:
        """A copy with other values, by the names of `by_datum`. None removes a value."""
        series = {name: dict(values) for name, values in self.series.items()}
        for datum, value in corrections.items():
            written, _, name = datum.partition(" ")
            day, values = date.fromisoformat(written), series.setdefault(name, {})
            if value is None:
                values.pop(day, None)
            else:
                values[day] = Decimal(value)
        sorted_series = {name: dict(sorted(values.items())) for name, values in series.items()}
        days = sorted({day for values in sorted_series.values() for day in values})
        return replace(self, series=sorted_series, days=tuple(days))


_Content = TypeVar("_Content", bound=Correctable)
_Form = TypeVar("_Form")


class SeriesFile(Generic[_Content]):
    """The content of a cached file, read once, and again only when the file has changed.

    Thread-safe.
    """

    def __init__(
        self, sorted_series: KeptFile, cache_dir: Path | None, read: Callable[[bytes], _Content]
    ) -> None:
        self._file = sorted_series.path(cache_dir) if cache_dir is not None else None
        self._as_seen = (
            FileAsOf[_Content](sorted_series.name, cache_dir) if cache_dir is not None else None
        )
        self._read = read
        self._lock = threading.Lock()
        self._read_with: FileSignature | None = None
        self._series: _Content | None = None

    def current(self) -> _Content | None:
        """The content of the cached file. None if there is no usable one."""
        with self._lock:
            return self._current()

    def as_of(self, as_of: datetime) -> _Content | None:
        """The content as the file had it at an instant: changes of later versions are undone. The
        caller omits values that were published after the instant."""
        with self._lock:
            series = self._current()
            if series is None or self._as_seen is None:
                return series
            return self._as_seen.known_at(series, as_of)

    def _current(self) -> _Content | None:
        signature = signature_of(self._file)
        if signature != self._read_with:
            self._series = self._usable()
            self._read_with = signature
        return self._series

    def _usable(self) -> _Content | None:
        try:
            return self._read(self._file.read_bytes()) if self._file else None
        except (OSError, DamagedFile):
            return None


class Line(NamedTuple):
    """A line of a table, with the number of its last line in the file."""

    number: int
    cells: Sequence[str]

    def damaged(self, reason: str) -> DamagedFile:
        """The error to raise for this line."""
        return DamagedFile(f"line {self.number}: {reason}")

    def add_to(self, values: dict[date, Decimal], day: date, cell: str) -> None:
        """Adds the value of a day in one of its cells, if there is one.

        Raises:
            DamagedFile: it is not a finite number.
        """
        if cell in NO_VALUE:
            return
        try:
            value = Decimal(cell)
        except InvalidOperation:
            value = None
        if value is None or not value.is_finite():
            raise self.damaged(f"the value of {day} is {cell[:_DAMAGED_LENGTH]!r}")
        values[day] = value


def csv_lines(content: bytes, *, whole_text: bool = False) -> list[Line]:
    """The lines of a CSV, each cell stripped, without empty lines. The separator is a comma, or a
    semicolon if the first line has more of those. `whole_text`: its provider ends every line and
    writes UTF-8, so that anything else is an incomplete file.

    Raises:
        DamagedFile: it is a page of HTML, not CSV, or incomplete.
    """
    text = _decoded(content, strictly=whole_text)
    if text.lstrip()[:1] == "<":
        raise DamagedFile("it is a page of HTML or XML in place of data")
    if whole_text and not text.endswith("\n"):
        raise DamagedFile(f"it ends within a line; it begins with {text[:80]!r}")
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        return [
            Line(reader.line_num, [cell.strip() for cell in cells])
            for cells in reader
            if any(cells)
        ]
    except csv.Error as error:
        raise DamagedFile(f"line {reader.line_num}: it is no CSV ({error})") from error


def _decoded(content: bytes, *, strictly: bool) -> str:
    try:
        return content.decode("utf-8-sig", errors="strict" if strictly else "replace")
    except UnicodeDecodeError as error:
        raise DamagedFile(f"it is no UTF-8 text ({error.reason})") from error


def wide_table(
    first_column: str,
    columns: Mapping[str, str],
    pattern: str = _ISO,
    *,
    whole_text: bool = False,
) -> Callable[[bytes], DailySeries]:
    """A reader of CSV with a line a day and a column a series, and days in the format `pattern`.
    See `read_wide` and `csv_lines`."""
    return lambda content: read_wide(
        csv_lines(content, whole_text=whole_text), first_column, columns, day_as(pattern)
    )


def read_wide(
    lines: Iterable[Line],
    first_column: str,
    columns: Mapping[str, str],
    read_day: Callable[[str], date | None],
) -> DailySeries:
    """The series of a table with a line a day and a column a series.

    `first_column` is the first cell of the header line, `columns` the name here of each wanted
    column. `read_day` returns None for a line that is a note.

    Raises:
        DamagedFile: a column is missing, a line has too few cells, a value is not a number, a day
            occurs twice, or there is no value at all.
    """
    found: dict[str, dict[date, Decimal]] = {name: {} for name in columns.values()}
    days: set[date] = set()
    places: dict[str, int] | None = None
    for line in lines:
        if places is None:
            if line.cells[0] == first_column:
                places = _places(line.cells, columns)
            continue
        day = read_day(line.cells[0])
        if day is None:
            continue
        if len(line.cells) <= max(places.values()):
            raise line.damaged(f"that of {day} ends after {len(line.cells)} cells")
        if day in days:
            raise line.damaged(f"{day} stands in it twice")
        days.add(day)
        for name, place in places.items():
            line.add_to(found[name], day, line.cells[place])
    if places is None:
        raise DamagedFile(f"it has no line that begins with {first_column!r}")
    return whole(found)


SDMX_DAY, SDMX_VALUE = "TIME_PERIOD", "OBS_VALUE"
"""Columns of SDMX-CSV, the text format of statistical services."""


def long_table(
    key: Sequence[str],
    series: Mapping[str, str],
    *,
    day: str = SDMX_DAY,
    value: str = SDMX_VALUE,
    pattern: str = _ISO,
    whole_text: bool = False,
) -> Callable[[bytes], DailySeries]:
    """A reader of CSV with a line a value.

    The cells of the columns `key`, joined by dots as in SDMX ("D.AU"), name the line's series;
    `series` gives the name here of each wanted one, and lines of others are skipped. `day` and
    `value` name their columns. See `csv_lines`.

    The reader raises `DamagedFile`: a column is missing, a line has another number of cells than
    the header, a day is not in the format `pattern` or occurs twice in a series, a value is not a
    number, or there is no value at all.
    """
    columns, read_day = (*key, day, value), day_as(pattern)

    def read(content: bytes) -> DailySeries:
        found: dict[str, dict[date, Decimal]] = {name: {} for name in series.values()}
        for line, cells in _below(csv_lines(content, whole_text=whole_text), columns):
            name = ".".join(cells[:-2])
            if name not in series:
                continue
            on = read_day(cells[-2])
            if on is None:
                raise line.damaged(f"{cells[-2][:_DAMAGED_LENGTH]!r} in {day} is no day")
            values = found[series[name]]
            if on in values:
                raise line.damaged(f"{on} stands in {name} twice")
            line.add_to(values, on, cells[-1])
        return whole(found)

    return read


def _below(lines: Iterable[Line], columns: Sequence[str]) -> Iterator[tuple[Line, Sequence[str]]]:
    """Each line below the header, with its cells of some columns."""
    at: list[int] | None = None
    length = 0
    for line in lines:
        if at is None:
            if all(column in line.cells for column in columns):
                at, length = [line.cells.index(column) for column in columns], len(line.cells)
            continue
        if len(line.cells) != length:
            raise line.damaged(f"{len(line.cells)} cells where {length} belong")
        yield line, [line.cells[place] for place in at]
    if at is None:
        raise DamagedFile(f"it has no columns {', '.join(columns)}")


def parsed_json(form: TypeAdapter[_Form], content: bytes) -> _Form:
    """Parses a JSON file.

    Raises:
        DamagedFile: it has another form. The message says where.
    """
    try:
        return form.validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise DamagedFile(f"it is not the JSON expected ({place}: {first['msg']})") from error


def whole(found: Mapping[str, Mapping[date, Decimal]]) -> DailySeries:
    """The series sorted by day.

    Raises:
        DamagedFile: there is no value at all.
    """
    series = {name: dict(sorted(values.items())) for name, values in found.items()}
    days = sorted({day for values in series.values() for day in values})
    if not days:
        raise DamagedFile("it has no value")
    return DailySeries(series, tuple(days))


def day_as(pattern: str) -> Callable[[str], date | None]:
    """A reader of days in a `strptime` format. None for any other text."""
    return partial(_day_as, pattern)


@lru_cache(maxsize=CACHED_DAYS)
def _day_as(pattern: str, cell: str) -> date | None:
    try:
        if pattern == _ISO and _ISO_DAY.fullmatch(cell):
            # The same result as `strptime`, in a twentieth of the time.
            return date.fromisoformat(cell)
        return datetime.strptime(cell, pattern).replace(tzinfo=UTC).date()
    except ValueError:
        return None


def _places(header: Sequence[str], columns: Mapping[str, str]) -> dict[str, int]:
    missing = [column for column in columns if column not in header]
    if missing:
        raise DamagedFile(f"it has no column {', '.join(missing)[:200]}")
    return {name: header.index(column) for column, name in columns.items()}


PublicationRule: TypeAlias = Callable[[date, Sequence[date]], datetime]
"""The instant, in UTC, from which the value of a day counts as known. The days on which the
provider worked, as its file shows them, distinguish a following holiday from a working day."""


def on_the_day(at: time, zone: str) -> PublicationRule:
    """Published on the day itself at a local time."""
    return lambda day, _: _instant(day, at, zone)


def next_working_day(at: time, zone: str) -> PublicationRule:
    """Published at a local time on the next day on which the provider worked, or on the next
    weekday if the file ends with the day."""

    def rule(day: date, days: Sequence[date]) -> datetime:
        return _instant(_next_worked(day, days) or next_weekday(day), at, zone)

    return rule


def weekly(weekday: int, at: time, zone: str) -> PublicationRule:
    """Published for a whole week at a local time on a weekday (Monday is 0) of the next week, or on
    the day after if that is a holiday."""

    def rule(day: date, days: Sequence[date]) -> datetime:
        due = day - timedelta(days=day.weekday()) + timedelta(weeks=1, days=weekday)
        worked = _next_worked(due - timedelta(days=1), days)
        return _instant(due if worked in (None, due) else next_weekday(due), at, zone)

    return rule


def months_later(months: int) -> PublicationRule:
    """Published by the first day, UTC, of the month some months after that of the day."""

    def rule(day: date, _: Sequence[date]) -> datetime:
        number = day.year * 12 + day.month - 1 + months
        return datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC)

    return rule


def next_weekday(day: date) -> date:
    """The next day that is not on a weekend."""
    return day + timedelta(days=max(1, 7 - day.weekday()) if day.weekday() > 3 else 1)


def _next_worked(day: date, days: Sequence[date]) -> date | None:
    at = bisect_right(days, day)
    return days[at] if at < len(days) else None


def _instant(day: date, at: time, zone: str) -> datetime:
    return datetime.combine(day, at, ZoneInfo(zone)).astimezone(UTC)


def authoritative(name: str, origin: str, url: str) -> Provenance:
    """The provenance of figures from their own publisher."""
    return Provenance(name=name, tier=SourceTier.AUTHORITATIVE, origin=origin, url=url)


@dataclass(frozen=True, slots=True)
class Publisher:
    """A publisher of a file of daily series: address, publication time, format and terms.

    `key` names it on the command line; the file is cached as `file`. `path` is added to `address`,
    the scheme and host, which configuration may replace. `published` says from when a value counts
    as known; `rule` says it in words, and `rule_from` is the source of that. `terms` are the terms
    of use. A file that does not grow starts over, such as each month; one that rolls always has the
    same number of rows.
    """

    key: str
    source: Provenance
    file: str
    address: str
    path: str
    read: Callable[[bytes], DailySeries]
    published: PublicationRule
    rule: str
    rule_from: str
    terms: str
    grows: bool = True
    rolls: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)

    def kept_file(self, address: str | None = None) -> KeptFile:
        """The cached file, fetched from its own address or from another."""
        return KeptFile(
            source=self.source.name,
            name=self.file,
            url=f"{address or self.address}{self.path}",
            read=self._content,
            published=self._published,
            grows=self.grows,
            rolls=self.rolls,
            headers=self.headers,
        )

    def series_file(self, cache_dir: Path | None) -> SeriesFile[DailySeries]:
        """The series of the cached file in a folder."""
        return SeriesFile(self.kept_file(), cache_dir, self.read)

    def _content(self, content: bytes) -> FileContent:
        return self.read(content).content()

    def _published(self, datum: str) -> datetime:
        return self.published(date.fromisoformat(datum.partition(" ")[0]), ())


class Provider(Protocol):
    """A provider of a cached file. `key` names it in the configuration of its address."""

    @property
    def key(self) -> str:
        """Its name on the command line."""

    def kept_file(self, address: str | None = None) -> KeptFile:
        """The file, fetched from its own address or from another."""


def files_of(
    providers: Iterable[Provider], addresses: Mapping[str, str] | None = None
) -> tuple[KeptFile, ...]:
    """The files of providers. `addresses` replace their own, by their keys."""
    given = addresses or {}
    return tuple(each.kept_file(given.get(each.key)) for each in providers)
