"""Candlestick patterns by TA-Lib: which of them the last days show, and which way they point."""

from datetime import datetime
from importlib import import_module
from typing import Any, Final, NamedTuple

import numpy as np

from contracts.analysis import Analysis, Hint, Signal
from contracts.claims import Metric
from mcp_servers.analysis_figures import analysis, figure, share, towards
from mcp_servers.analysis_indicators import ta_lib
from mcp_servers.analysis_prices import PriceSeries

RECENT: Final = 10
"""Days with prices in which patterns are looked for."""

LONGEST_LOOKBACK: Final = 14
"""Days that TA-Lib looks at before the one it judges, for the longest of its patterns."""

MOST_TOLD: Final = 20
"""Patterns told one by one; the first signal is what all of them say together."""

STRONGEST: Final = 200
"""What TA-Lib gives for a pattern that was confirmed; an unconfirmed one has 100 or 80."""

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
"""Candles of indecision: the sign that TA-Lib gives is not a direction, as its sources say."""

METHOD = (
    "All {count} candlestick functions (CDL*) of TA-Lib {version} with their own settings over "
    f"open, high, low and close. Counted is each pattern on each of the last {RECENT} days with "
    "prices. TA-Lib's sign is the direction, and none for candles of indecision; the strength is "
    f"its size beside {STRONGEST}, less for each day since."
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
        NotInstalled: TA-Lib is not there.
    """
    library = ta_lib("pattern_detector")
    functions = library.get_function_groups()["Pattern Recognition"]
    method = METHOD.format(count=len(functions), version=library.__version__)
    reason = _lacking(series)
    if reason is not None:
        return analysis(series, as_of, method, (), missing=(f"{Metric.PATTERN_COUNT}: {reason}.",))
    shown = _shown(library, functions, series)
    counted = figure(series, Metric.PATTERN_COUNT, float(len(shown)))
    signals = (_sum(shown), *(_told(series, one) for one in shown[:MOST_TOLD]))
    left = len(shown) - MOST_TOLD
    missing = (f"{left} more patterns are counted and not told one by one.",) if left > 0 else ()
    return analysis(series, as_of, method, (counted,), signals, missing)


def _lacking(series: PriceSeries) -> str | None:
    if not (series.opens and series.highs and series.lows):
        return (
            f"{series.symbol} has one price a day from {series.source.name}, and a candle needs "
            "open, high, low and close"
        )
    needed = LONGEST_LOOKBACK + RECENT
    if len(series.days) < needed:
        return f"it needs {needed} days with prices, and {len(series.days)} are known"
    return None


def _shown(library: Any, functions: list[str], series: PriceSeries) -> list[_Shown]:
    """The patterns of the last days: those with a direction first, of these the newest."""
    prices = [
        np.array([float(price) for price in column], dtype=np.float64)
        for column in (series.opens, series.highs, series.lows, series.closes)
    ]
    found = [
        _Shown(_name(function), function, int(value), age)
        for function in functions
        for age, value in enumerate(reversed(getattr(library, function)(*prices)[-RECENT:]))
        if value
    ]
    return sorted(found, key=lambda one: (one.hint is Hint.NEUTRAL, one.age, one.name))


def _name(function: str) -> str:
    """TA-Lib's own name of a pattern; a digit in it is written out."""
    name: str = import_module("talib.abstract").Function(function).info["display_name"]
    return name.replace("3", "Three").replace("2", "Two")


def _sum(shown: list[_Shown]) -> Signal:
    """What the patterns say together: the balance of their strengths."""
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


def _told(series: PriceSeries, one: _Shown) -> Signal:
    way = {Hint.UP: "which points up", Hint.DOWN: "which points down"}.get(
        one.hint, "a candle of indecision"
    )
    return Signal(
        name=one.name,
        hint=one.hint,
        strength=one.strength,
        words=f"{one.name}, {way}.",
        day=series.days[-1 - one.age],
    )
