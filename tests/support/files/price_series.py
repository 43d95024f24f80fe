"""Price series for tests, written where a store of prices reads them."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from desk.sources.analysis.prices import PriceStore
from desk.sources.ecb.store import RatesStore
from tests.support.files.rates_files import write_rates

FIRST = date(2000, 1, 3)


def weekdays(count: int, first: date = FIRST) -> tuple[date, ...]:
    """Days from Monday to Friday, one after another."""
    every = (first + timedelta(days=n) for n in range(count * 7 // 5 + 7))
    return tuple(day for day in every if day.weekday() < 5)[:count]


def walk(count: int, seed: int, deviation: float = 0.005) -> NDArray[np.float64]:
    """A random walk from 1 on: logarithmic moves with heavy tails, that have no pattern."""
    moves = np.random.default_rng(seed).standard_t(4, count - 1) * deviation / np.sqrt(2)
    return np.asarray(np.exp(np.concatenate([[0.0], np.cumsum(moves)])))


def store_of(folder: Path, levels: Sequence[float] | NDArray[np.float64]) -> PriceStore:
    """A store that has EUR/USD at these levels, one each weekday from `FIRST` on."""
    rows = {
        day: {"USD": f"{level:.5f}"}
        for day, level in zip(weekdays(len(levels)), levels, strict=True)
    }
    return PriceStore(RatesStore(packaged=write_rates(folder / "rates.zip", rows)), ())


def evening_of(place: int) -> datetime:
    """The evening of the day of a level, when its fixing is known."""
    day = weekdays(place + 1)[-1]
    return datetime(day.year, day.month, day.day, 20, tzinfo=UTC)
