"""Technical indicators. The figures are TA-Lib's; their interpretation is a convention of the desk.

TA-Lib comes with the extra `swarm` and is imported when a tool needs it.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import cached_property
from importlib import import_module
from importlib.abc import MetaPathFinder
from typing import Any, Final

import numpy as np

from desk.analytics.prices.indicator_marks import FULL_TREND, OVERBOUGHT, OVERSOLD
from desk.analytics.technical.market_data import volatility
from desk.analytics.technical.measures import (
    Floats,
    Measure,
    NotInstalled,
    Unmeasured,
    analysis,
    closes_of,
    floats_of,
    measured,
    needs_swarm,
    share,
    towards,
)
from desk.analytics.technical.series import PriceSeries
from desk.contracts.episode.analysis import Analysis, Hint, Signal
from desk.contracts.findings.claims import Metric

RSI_DAYS: Final = 14
MACD_FAST, MACD_SLOW, MACD_SIGNAL = 12, 26, 9
SHORT_MEAN, LONG_MEAN = 50, 200
ADX_DAYS: Final = 14
BAND_DAYS, BAND_WIDTH = 20, 2.0
LINE_DAYS, AHEAD = 60, 20
"""The regression line fits the last 60 prices and is extrapolated 20 days."""

METHOD = (
    f"TA-Lib {{version}} over the daily prices: RSI({RSI_DAYS}); MACD({MACD_FAST}, {MACD_SLOW}, "
    f"{MACD_SIGNAL}), its histogram in percent of the last price; SMA({SHORT_MEAN}) and "
    f"SMA({LONG_MEAN}); ADX({ADX_DAYS}) of highs, lows and closes; the last price's position in "
    f"BBANDS({BAND_DAYS}, {BAND_WIDTH:g}), from 0 at the lower band to 100 at the upper. target: "
    f"TSF({LINE_DAYS}), the linear regression of the last {LINE_DAYS} prices one day ahead, plus "
    f"{AHEAD - 1} more days at LINEARREG_SLOPE({LINE_DAYS}). Hints of a reversal: RSI above "
    f"{OVERBOUGHT:g} or below {OVERSOLD:g}, a price outside the bands. Hints of a trend: the price "
    f"against SMA({LONG_MEAN}), SMA({SHORT_MEAN}) against SMA({LONG_MEAN}), the sign of the "
    "histogram, the target."
)


def ta_lib(tool: str) -> Any:
    """The TA-Lib module.

    Raises:
        NotInstalled: it is missing; the message names the command that installs it.
    """
    try:
        with _without_frames():
            return import_module("talib")
    except ImportError as error:
        raise NotInstalled(needs_swarm(tool, "TA-Lib")) from error


_HIDDEN: Final[ContextVar[bool]] = ContextVar("hidden", default=False)


class _NoFrames(MetaPathFinder):
    """Finds neither pandas nor polars for who imports in a context in which they are hidden."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """See base class."""
        if _HIDDEN.get() and name in {"pandas", "polars"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextmanager
def _without_frames() -> Iterator[None]:
    """Keeps TA-Lib from importing pandas and polars, which takes 0.4 s and 80 MB. It imports them
    if they are installed, only to accept their series. The desk passes arrays."""
    finder, token = _NoFrames(), _HIDDEN.set(True)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        _HIDDEN.reset(token)


def indicator_calculator(series: PriceSeries, as_of: datetime) -> Analysis:
    """The indicators of a market on its last day, and their interpretation.

    Raises:
        NotInstalled: TA-Lib is not installed.
    """
    board = Indicators(series, ta_lib("indicator_calculator"))
    figures, missing = measured(series, board.measures())
    signals: list[Signal] = []
    for read in board.readings():
        try:
            signals.append(read())
        except Unmeasured:
            continue
    method = METHOD.format(version=board.library.__version__)
    return analysis(series, as_of, method, figures, signals, missing)


class Indicators:
    """The indicators of a series, by the index of their day, and the signals of the last day.

    Figures that cannot be computed raise `Unmeasured`. TA-Lib computes a whole line at once, each
    value only from the days up to its own, so that a truncated line equals that of the shorter
    series.
    """

    def __init__(self, series: PriceSeries, library: Any) -> None:
        self.series = series
        self.library = library
        self.closes = closes_of(series)
        self.last = len(series.days) - 1
        self._lines: dict[tuple[str, int], Floats] = {}

    def measures(self) -> dict[Metric, Measure]:
        """The function that computes each figure of a day."""
        return {
            Metric.RSI: self.rsi,
            Metric.MACD_HISTOGRAM: self.macd_histogram,
            Metric.SMA_50: lambda at: self.mean(at, SHORT_MEAN),
            Metric.SMA_200: lambda at: self.mean(at, LONG_MEAN),
            Metric.ADX: self.adx,
            Metric.BOLLINGER_POSITION: self.band_position,
            Metric.TARGET: self.target,
        }

    def readings(self) -> tuple[Callable[[], Signal], ...]:
        """The functions that interpret the figures of the last day."""
        return (self.stretch, self.momentum, self.trend, self.means, self.bands, self.line)

    def rsi(self, at: int) -> float:
        """The relative strength index. Not measured for a flat price, for which TA-Lib returns
        0."""
        if at >= RSI_DAYS and np.ptp(self.closes[at - RSI_DAYS : at + 1]) == 0:
            raise Unmeasured(f"the price did not move over the last {RSI_DAYS} days")
        return self._at(at, self._line("RSI", RSI_DAYS), RSI_DAYS + 1)

    def macd_histogram(self, at: int) -> float:
        """The histogram in percent of the price."""
        found = self._at(at, self._histogram, MACD_SLOW + MACD_SIGNAL - 1)
        return found / float(self.closes[at]) * 100

    def mean(self, at: int, days: int) -> float:
        """The simple mean of the last prices."""
        return self._at(at, self._line("SMA", days), days)

    def adx(self, at: int) -> float:
        """The average directional index."""
        if not self.series.highs or not self.series.lows:
            raise Unmeasured(
                f"there are no highs and lows of {self.series.symbol}, one price a day"
            )
        return self._at(at, self._strengths, 2 * ADX_DAYS)

    def band_position(self, at: int) -> float:
        """The position of the price between the bands."""
        upper, lower = self._bands
        high, low = self._at(at, upper, BAND_DAYS), self._at(at, lower, BAND_DAYS)
        if high <= low:
            raise Unmeasured(f"the price did not move over the last {BAND_DAYS} days")
        return (float(self.closes[at]) - low) / (high - low) * 100

    def target(self, at: int) -> float:
        """The value of the regression line, extrapolated."""
        ahead = self._at(at, self._line("TSF", LINE_DAYS), LINE_DAYS)
        slope = self._at(at, self._line("LINEARREG_SLOPE", LINE_DAYS), LINE_DAYS)
        target = ahead + (AHEAD - 1) * slope
        if target <= 0:
            raise Unmeasured(f"the line through the last {LINE_DAYS} prices falls below zero")
        return target

    def stretch(self) -> Signal:
        """An extreme RSI points back. Its strength is its distance from the middle."""
        rsi = self.rsi(self.last)
        if rsi > OVERBOUGHT:
            words = "The relative strength index is in overbought territory."
            return _signal("relative strength index", Hint.DOWN, (rsi - 50) / 50, words)
        if rsi < OVERSOLD:
            words = "The relative strength index is in oversold territory."
            return _signal("relative strength index", Hint.UP, (50 - rsi) / 50, words)
        words = "The relative strength index is neither overbought nor oversold."
        return _signal("relative strength index", Hint.NEUTRAL, 1 - abs(rsi - 50) / 20, words)

    def momentum(self) -> Signal:
        """The sign of the histogram. Its strength is its size relative to twice its usual size."""
        last = self._at(self.last, self._histogram, MACD_SLOW + MACD_SIGNAL - 1)
        known = self._histogram[~np.isnan(self._histogram)]
        usual = float(np.mean(np.abs(known[-LINE_DAYS:])))
        side = "above" if last > 0 else "below" if last < 0 else "on"
        words = f"The convergence of the moving averages (MACD) is {side} its signal line."
        strength = abs(last) / (2 * usual) if usual > 0 else 0.0
        return _signal("MACD", towards(last), strength, words)

    def trend(self) -> Signal:
        """The price against its long mean. Its strength is that of ADX, or the distance from the
        mean relative to a year's usual swing."""
        mean = self.mean(self.last, LONG_MEAN)
        distance = (float(self.closes[-1]) / mean - 1) * 100
        try:
            strength = self.adx(self.last) / FULL_TREND
        except Unmeasured:
            swing = volatility(self.series)
            strength = abs(distance) / swing if swing > 0 else 0.0
        side = "above" if distance > 0 else "below" if distance < 0 else "on"
        words = f"The price is {side} its long moving average."
        return _signal("long trend", towards(distance), strength, words)

    def means(self) -> Signal:
        """The short mean against the long one. Its strength is their distance relative to a year's
        swing."""
        apart = self.mean(self.last, SHORT_MEAN) / self.mean(self.last, LONG_MEAN)
        apart = (apart - 1) * 100
        swing = volatility(self.series)
        side = "above" if apart > 0 else "below" if apart < 0 else "on"
        words = f"The shorter moving average is {side} the longer one."
        strength = abs(apart) / swing if swing > 0 else 0.0
        return _signal("moving averages", towards(apart), strength, words)

    def bands(self) -> Signal:
        """A price outside of the bands points back. Its strength is its distance from the
        middle."""
        place = self.band_position(self.last)
        hint, words = Hint.NEUTRAL, "The price is inside its Bollinger bands."
        if place > 100:
            hint, words = Hint.DOWN, "The price is above its upper Bollinger band."
        elif place < 0:
            hint, words = Hint.UP, "The price is below its lower Bollinger band."
        far = abs(place - 50) / 50
        strength = 1 - far if hint is Hint.NEUTRAL else far / 2
        return _signal("Bollinger bands", hint, strength, words)

    def line(self) -> Signal:
        """The target of the regression line against the last price. Its strength is the fit of the
        line (its coefficient of determination)."""
        target = self.target(self.last)
        days = np.arange(self.closes.size, dtype=np.float64)
        fit = self.library.CORREL(self.closes, days, LINE_DAYS)[-1]
        ahead = target - float(self.closes[-1])
        way = "higher" if ahead > 0 else "lower" if ahead < 0 else "no other"
        words = f"The straight line through the recent prices leads to a {way} price."
        if ahead == 0:
            words = "The straight line through the recent prices leads nowhere else."
        return _signal("regression line", towards(ahead), float(fit) ** 2, words)

    @cached_property
    def _histogram(self) -> Floats:
        found: Floats = self.library.MACD(self.closes, MACD_FAST, MACD_SLOW, MACD_SIGNAL)[2]
        return found

    @cached_property
    def _strengths(self) -> Floats:
        highs, lows = floats_of(self.series.highs), floats_of(self.series.lows)
        found: Floats = self.library.ADX(highs, lows, self.closes, ADX_DAYS)
        return found

    @cached_property
    def _bands(self) -> tuple[Floats, Floats]:
        upper, _, lower = self.library.BBANDS(self.closes, BAND_DAYS, BAND_WIDTH, BAND_WIDTH)
        return upper, lower

    def _line(self, function: str, days: int) -> Floats:
        """A TA-Lib function of the closes and a number of days, cached."""
        if (function, days) not in self._lines:
            self._lines[function, days] = getattr(self.library, function)(self.closes, days)
        return self._lines[function, days]

    def _at(self, at: int, line: Floats, needed: int) -> float:
        """TA-Lib's value of a day. It has none for a series that is too short."""
        if at + 1 < needed or not np.isfinite(line[at]):
            raise Unmeasured(
                f"it needs {needed} days with prices, and {at + 1} are known without a hole"
            )
        return float(line[at])


def _signal(name: str, hint: Hint, strength: float, words: str) -> Signal:
    return Signal(name=name, hint=hint, strength=share(strength), words=words)
