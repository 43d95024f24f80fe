"""The tables about central banks with what the kept files of series say besides, kept current."""

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from desk.sources.central_banks.facts_table import ReadOnce
from desk.sources.central_banks.policy_facts import PolicyFacts
from desk.sources.central_banks.recorded_decisions import RecordedRates, with_recorded
from desk.sources.serving.kept_file import DamagedFile, KeptFile

_LOG = logging.getLogger(__name__)

Signature = tuple[int, int, int]
"""What tells one version of a file from the next: inode, size and time of change."""


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """A kept file of daily series: `read` gives them by area, or raises `DamagedFile`."""

    kept: KeptFile
    read: Callable[[bytes], Mapping[str, RecordedRates]]


class CurrentFacts:
    """The tables, read once, joined to the kept files, which are read again when one has changed.

    A file that is not there or not usable adds nothing; an unusable one is logged as a warning.
    """

    def __init__(
        self,
        tables: ReadOnce[PolicyFacts],
        files: Sequence[RecordedFile] = (),
        cache_dir: Path | None = None,
    ) -> None:
        """`files` in the order in which they count; without `cache_dir` there are none."""
        self._tables = tables
        self._files = files if cache_dir is not None else ()
        self._cache_dir = cache_dir or Path()
        self._lock = threading.Lock()
        self._facts: PolicyFacts | None = None
        self._read_with: tuple[Signature | None, ...] = ()

    def current(self) -> PolicyFacts:
        """What is known by now.

        Raises:
            DamagedTable: a table is missing or malformed.
        """
        tables = self._tables.current()
        if not self._files:
            return tables
        with self._lock:
            signatures = tuple(self._signature(file) for file in self._files)
            if self._facts is None or signatures != self._read_with:
                self._facts = with_recorded(tables, self._recorded())
                self._read_with = signatures
            return self._facts

    def _recorded(self) -> Mapping[str, Sequence[RecordedRates]]:
        found: dict[str, list[RecordedRates]] = defaultdict(list)
        for file in self._files:
            for area, rates in self._of(file).items():
                found[area].append(rates)
        return found

    def _of(self, file: RecordedFile) -> Mapping[str, RecordedRates]:
        path = file.kept.path(self._cache_dir)
        try:
            return file.read(path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, DamagedFile) as error:
            _LOG.warning("%s: %s; it is ignored", path, error)
            return {}

    def _signature(self, file: RecordedFile) -> Signature | None:
        try:
            found = file.kept.path(self._cache_dir).stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns
