"""The tables about central banks with what kept files say besides, as of an instant: the banks'
calendars, and the daily series of policy rates."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from threading import Lock

from desk.sources.central_banks.bank_calendars import (
    CALENDAR_SOURCES,
    BankCalendar,
    with_calendars,
)
from desk.sources.central_banks.facts.policy import PolicyFacts
from desk.sources.central_banks.facts.tables import ReadOnce
from desk.sources.central_banks.recorded import (
    RATE_SOURCES,
    RecordedRates,
    recorded_rates,
    with_recorded,
)
from desk.sources.serving.daily_series import DailySeries, SeriesFile, files_of
from desk.sources.serving.kept_file import KeptFile

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
