"""Candlestick patterns by TA-Lib: which ones the last days show, and their directions."""

from datetime import datetime
from functools import cached_property
from importlib import import_module
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from desk.analytics.technical.indicators import ta_lib
from desk.analytics.technical.measures import (
    Measure,
    Unmeasured,
    analysis,
    floats_of,
    measured,
    share,
    towards,
)
from desk.analytics.technical.series import PriceSeries
from desk.contracts.episode.analysis import Analysis, Hint, Signal
from desk.contracts.findings.claims import Metric

_Signs = NDArray[np.int64]

RECENT: Final = 10
"""The days with prices that are searched for patterns."""

LONGEST_LOOKBACK: Final = 14
"""The days before the judged one that TA-Lib needs, for the longest of its patterns."""

MOST_SIGNALS: Final = 20
"""The most patterns that are listed one by one. The first signal summarises all of them."""

STRONGEST: Final = 200
"""TA-Lib's value for a confirmed pattern. An unconfirmed one has 100 or 80."""

_UNDECIDED: Final = frozenset(
    {
        "CDLDOJI",
        "CDLDRAGONFLYDOJI",
        "CDLGRAVESTONEDOJI",
        "CDLHIGHWAVE",
        "CDLLONGLEGGEDDOJI",
        "CDLRICKSHAWMAN",
        "CDLSHORTLINE",
        "CDLSPINNINGTOP",
        "CDLTAKURI",
    }
)
"""Candles of indecision: TA-Lib's sources say that their sign is not a direction."""

METHOD = (
    "All {count} candlestick functions (CDL*) of TA-Lib {version}, with their default settings, "
    f"over open, high, low and close. Each pattern counts on each of the last {RECENT} days with "
    "prices. The direction is TA-Lib's sign; candles of indecision have none. The strength is the "
    f"size of TA-Lib's value divided by {STRONGEST}, less for each day since."
)


class _Shown(NamedTuple):
    """One pattern on one day, `age` days with prices ago."""

    name: str
    function: str
    value: int
    age: int

    @property
    def hint(self) -> Hint:
        return Hint.NEUTRAL if self.function in _UNDECIDED else towards(self.value)

    @property
    def strength(self) -> float:
        return share(abs(self.value) / STRONGEST * (1 - self.age / RECENT))


def pattern_detector(series: PriceSeries, as_of: datetime) -> Analysis:
    """The candlestick patterns of the last ten days.

    Raises:
        NotInstalled: TA-Lib is not installed.
    """
    candles = Candles(series, ta_lib("pattern_detector"))
    method = METHOD.format(count=len(candles.functions), version=candles.library.__version__)
    figures, missing = measured(series, candles.measures())
    if not figures:
        return analysis(series, as_of, method, (), missing=missing)
    shown = candles.shown(candles.last)
    signals = (_sum(shown), *(_signal(series, one) for one in shown[:MOST_SIGNALS]))
    left = len(shown) - MOST_SIGNALS
    if left > 0:
        missing.append(f"{left} more patterns are counted and not told one by one.")
    return analysis(series, as_of, method, figures, signals, missing)


class Candles:
    """The candlestick patterns of a series, by the index of their day.

    For each day TA-Lib uses only that day and those before it.
    """

    def __init__(self, series: PriceSeries, library: Any) -> None:
        self.series = series
        self.library = library
        self.last = len(series.days) - 1
        self.functions: list[str] = library.get_function_groups()["Pattern Recognition"]

    def measures(self) -> dict[Metric, Measure]:
        """The function that computes the figure of a day."""
        return {Metric.PATTERN_COUNT: self.count}

    def count(self, at: int) -> float:
        """The number of patterns of the last days. Raises `Unmeasured` if it cannot be computed."""
        if not self._ranged:
            raise Unmeasured(
                f"{self.series.symbol} has one price a day from {self.series.source.name}, and a "
                "candle needs open, high, low and close"
            )
        needed = LONGEST_LOOKBACK + RECENT
        if at + 1 < needed:
            raise Unmeasured(f"it needs {needed} days with prices, and {at + 1} are known")
        return float(self._until[at] - self._until[at - RECENT])

    def shown(self, at: int) -> list[_Shown]:
        """The patterns of the last days: first those with a direction, newest first."""
        found = [
            _Shown(_name(function), function, int(value), age)
            for function, line in self._lines.items()
            for age, value in enumerate(reversed(line[at + 1 - RECENT : at + 1]))
            if value
        ]
        return sorted(found, key=lambda one: (one.hint is Hint.NEUTRAL, one.age, one.name))

    @property
    def _ranged(self) -> bool:
        return bool(self.series.opens and self.series.highs and self.series.lows)

    @cached_property
    def _lines(self) -> dict[str, _Signs]:
        """TA-Lib's value of each pattern on each day. 0 if there is none."""
        series = self.series
        prices = [floats_of(p) for p in (series.opens, series.highs, series.lows, series.closes)]
        return {function: getattr(self.library, function)(*prices) for function in self.functions}

    @cached_property
    def _until(self) -> _Signs:
        """The number of patterns up to each day."""
        found: _Signs = np.cumsum(sum(line != 0 for line in self._lines.values()), dtype=np.int64)
        return found


def _name(function: str) -> str:
    """TA-Lib's own name of a pattern, with its digit spelled out."""
    name: str = import_module("talib.abstract").Function(function).info["display_name"]
    return name.replace("3", "Three").replace("2", "Two")


def _sum(shown: list[_Shown]) -> Signal:
    """A summary of the patterns: the balance of their strengths."""
    up = sum(one.strength for one in shown if one.hint is Hint.UP)
    down = sum(one.strength for one in shown if one.hint is Hint.DOWN)
    balance = (up - down) / (up + down) if up + down else 0.0
    words = "Recent candles point both ways, or neither."
    if balance > 0:
        words = "More and stronger of the recent candle patterns point up."
    elif balance < 0:
        words = "More and stronger of the recent candle patterns point down."
    return Signal(
        name="candles together", hint=towards(balance), strength=share(abs(balance)), words=words
    )


def _signal(series: PriceSeries, one: _Shown) -> Signal:
    undecided = "" if one.hint in (Hint.UP, Hint.DOWN) else ", a candle of indecision"
    return Signal(
        name=one.name,
        hint=one.hint,
        strength=one.strength,
        words=f"The candle pattern {one.name} has formed{undecided}.",
        day=series.days[-1 - one.age],
    )
