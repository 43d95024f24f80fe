"""The tables about central banks with what the kept series say besides, as of an instant."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from threading import Lock

from desk.sources.central_banks.facts_table import ReadOnce
from desk.sources.central_banks.policy_facts import PolicyFacts
from desk.sources.central_banks.recorded.decisions import RecordedRates, with_recorded
from desk.sources.central_banks.recorded.sources import RATE_SOURCES
from desk.sources.serving.daily_series import DailySeries, SeriesFile
from desk.sources.serving.kept_file import KeptFile

MOST_KEPT = 8
"""Versions of the facts that are held at once: one, but for revisions of a series."""

_Told = tuple[DailySeries | None, ...]


class CurrentFacts:
    """The tables, read once, joined to the kept series, which are read again when one has changed.

    A file that is not there or not usable adds nothing. What a series told otherwise at an instant
    than it does now is told as it was then.
    """

    def __init__(
        self,
        tables: ReadOnce[PolicyFacts],
        files: Sequence[KeptFile] = (),
        cache_dir: Path | None = None,
    ) -> None:
        """`files` are those of `kept_rates`, or none."""
        self._tables = tables
        self._files = [
            SeriesFile(kept, cache_dir, source.read)
            for source, kept in zip(RATE_SOURCES, files, strict=False)
        ]
        self._lock = Lock()
        self._joined: dict[tuple[int, ...], tuple[_Told, PolicyFacts]] = {}

    def as_of(self, as_of: datetime) -> PolicyFacts:
        """The tables with the series as they were told at an instant. When a decision became known
        is the caller's to heed.

        Raises:
            DamagedTable: a table is missing or malformed.
        """
        tables = self._tables.current()
        told = tuple(file.as_of(as_of) for file in self._files)
        if not any(told):
            return tables
        # A series is the same object until it changes; holding it keeps its id from being reused.
        key = tuple(map(id, told))
        with self._lock:
            if key not in self._joined:
                if len(self._joined) >= MOST_KEPT:
                    self._joined.clear()
                self._joined[key] = told, with_recorded(tables, _by_area(told))
            return self._joined[key][1]


def _by_area(told: _Told) -> Mapping[str, Sequence[RecordedRates]]:
    found: dict[str, list[RecordedRates]] = defaultdict(list)
    for source, series in zip(RATE_SOURCES, told, strict=False):
        if series is not None:
            for area, rates in source.recorded(series).items():
                found[area].append(rates)
    return found
