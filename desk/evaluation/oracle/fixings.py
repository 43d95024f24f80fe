"""Fixings of pairs from the packaged file of the ECB, and the moves between them."""

import csv
import io
import zipfile
from bisect import bisect_right
from datetime import date, timedelta
from decimal import Decimal
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

PACKAGE: Final = "currency_converter"
ARCHIVE: Final = "eurofxref-hist.zip"
EURO: Final = "EUR"
CACHED_PAIRS: Final = 32
"""How many pairs' computed fixings are cached, at a megabyte each."""


class KnownFixings(NamedTuple):
    """The fixings of a pair, oldest first, in units of its second currency for one of its first."""

    days: tuple[date, ...]
    levels: tuple[Decimal, ...]

    def last_by(self, day: date) -> tuple[date, Decimal] | None:
        """Returns the last fixing up to a day; None if there is none."""
        at = bisect_right(self.days, day) - 1
        return (self.days[at], self.levels[at]) if at >= 0 else None

    def until(self, day: date) -> "KnownFixings":
        """Returns the fixings up to a day."""
        at = bisect_right(self.days, day)
        return KnownFixings(self.days[:at], self.levels[:at])


@lru_cache(maxsize=CACHED_PAIRS)
def fixings(pair: str) -> KnownFixings:
    """Returns all fixings of a pair such as `USD/JPY`; none unless the ECB publishes both
    currencies."""
    base, _, quote = pair.partition("/")
    columns = _columns()
    of_base, of_quote = columns.get(base, {}), columns.get(quote, {})
    days = sorted(of_base.keys() & of_quote.keys())
    return KnownFixings(tuple(days), tuple(of_quote[day] / of_base[day] for day in days))


def move(pair: str, first: date, last: date) -> Decimal | None:
    """Returns the move in percent from the last fixing before `first` to the last up to `last`;
    None if either is missing, or if the former is more than two weeks before `first`."""
    series = fixings(pair)
    before, after = series.last_by(first - timedelta(days=1)), series.last_by(last)
    if before is None or after is None or after[0] < first:
        return None
    if first - before[0] > timedelta(days=14):
        return None
    return (after[1] / before[1] - 1) * 100


@cache
def _columns() -> dict[str, dict[date, Decimal]]:
    """Returns the units of each currency for one euro, by day."""
    columns: dict[str, dict[date, Decimal]] = {}
    with zipfile.ZipFile(_folder(PACKAGE) / ARCHIVE) as archive:
        text = io.TextIOWrapper(archive.open(archive.namelist()[0]), encoding="utf-8")
        for row in csv.DictReader(text):
            day = date.fromisoformat(row["Date"])
            columns.setdefault(EURO, {})[day] = Decimal(1)
            for currency, rate in row.items():
                if currency and currency != "Date" and rate not in ("", "N/A", None):
                    columns.setdefault(currency, {})[day] = Decimal(rate)
    return columns


def _folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(f"the package {package} is not installed")
    return Path(spec.submodule_search_locations[0])
