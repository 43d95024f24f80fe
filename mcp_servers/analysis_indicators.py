"""Technical indicators by TA-Lib: the figures are its own, what they hint at is a convention here.

TA-Lib comes with the extra `swarm` and is imported when a tool that needs it is asked.
"""

from collections.abc import Callable
from datetime import datetime
from importlib import import_module
from typing import Any, Final

import numpy as np

from contracts.analysis import Analysis, Hint, MeasuredFigure, Signal
from contracts.claims import Metric
from mcp_servers.analysis_figures import (
    Floats,
    Unmeasured,
    analysis,
    closes_of,
    figure,
    needs_swarm,
    share,
    towards,
)
from mcp_servers.analysis_moves import volatility
from mcp_servers.analysis_offline import NotInstalled
from mcp_servers.analysis_prices import PriceSeries

RSI_DAYS: Final = 14
OVERBOUGHT, OVERSOLD = 70.0, 30.0
MACD_FAST, MACD_SLOW, MACD_SIGNAL = 12, 26, 9
SHORT_MEAN, LONG_MEAN = 50, 200
ADX_DAYS: Final = 14
BAND_DAYS, BAND_WIDTH = 20, 2.0
LINE_DAYS, AHEAD = 60, 20
"""The straight line is laid through the last 60 prices and read 20 days on."""

FULL_TREND: Final = 50.0
"""The ADX from which on a trend counts as fully strong."""

METHOD = (
    f"TA-Lib {{version}} over the daily prices: RSI({RSI_DAYS}); MACD({MACD_FAST}, {MACD_SLOW}, "
    f"{MACD_SIGNAL}), its histogram in percent of the last price; SMA({SHORT_MEAN}) and "
    f"SMA({LONG_MEAN}); ADX({ADX_DAYS}) of highs, lows and closes; the place of the last price in "
    f"BBANDS({BAND_DAYS}, {BAND_WIDTH:g}), 0 at the lower band and 100 at the upper; target: "
    f"TSF({LINE_DAYS}), the linear regression of the last {LINE_DAYS} prices one day ahead, and "
    f"{AHEAD - 1} more days at LINEARREG_SLOPE({LINE_DAYS}). Hints: RSI above {OVERBOUGHT:g} or "
    f"below {OVERSOLD:g} and a price outside of the bands point back; the price against "
    f"SMA({LONG_MEAN}), SMA({SHORT_MEAN}) against it, the sign of the histogram and the target "
    "point on."
)


def ta_lib(tool: str) -> Any:
    """TA-Lib itself.

    Raises:
        NotInstalled: it is not there; the message names the command that installs it.
    """
    try:
        return import_module("talib")
    except ImportError as error:
        raise NotInstalled(needs_swarm(tool, "TA-Lib")) from error


def indicator_calculator(series: PriceSeries, as_of: datetime) -> Analysis:
    """The indicators of a market on its last day, and what they hint at.

    Raises:
        NotInstalled: TA-Lib is not there.
    """
    board = _Board(series, ta_lib("indicator_calculator"))
    figures: list[MeasuredFigure] = []
    missing: list[str] = []
    for metric, measure in board.measures().items():
        try:
            figures.append(figure(series, metric, measure()))
        except Unmeasured as reason:
            missing.append(f"{metric}: {reason}.")
    signals: list[Signal] = []
    for read in board.readings():
        try:
            signals.append(read())
        except Unmeasured:
            continue
    method = METHOD.format(version=board.library.__version__)
    return analysis(series, as_of, method, figures, signals, missing)


class _Board:
    """The indicators of one series. What cannot be had raises `Unmeasured`."""

    def __init__(self, series: PriceSeries, library: Any) -> None:
        self.series = series
        self.library = library
        self.closes = closes_of(series)

    def measures(self) -> dict[Metric, Callable[[], float]]:
        """How each figure is had."""
        return {
            Metric.RSI: self.rsi,
            Metric.MACD_HISTOGRAM: self.macd_histogram,
            Metric.SMA_50: lambda: self.mean(SHORT_MEAN),
            Metric.SMA_200: lambda: self.mean(LONG_MEAN),
            Metric.ADX: self.adx,
            Metric.BOLLINGER_POSITION: self.band_position,
            Metric.TARGET: self.target,
        }

    def readings(self) -> tuple[Callable[[], Signal], ...]:
        """What is read out of them."""
        return (self.stretch, self.momentum, self.trend, self.means, self.bands, self.line)

    def rsi(self) -> float:
        """The relative strength index. A price that stood still has none: TA-Lib would say 0."""
        if self.closes.size > RSI_DAYS and np.ptp(self.closes[-RSI_DAYS - 1 :]) == 0:
            raise Unmeasured(f"the price did not move over the last {RSI_DAYS} days")
        return self._last(self.library.RSI(self.closes, RSI_DAYS), RSI_DAYS + 1)

    def macd_histogram(self) -> float:
        """The histogram in percent of the last price."""
        return float(self._histogram()[-1] / self.closes[-1] * 100)

    def mean(self, days: int) -> float:
        """The simple mean of the last prices."""
        return self._last(self.library.SMA(self.closes, days), days)

    def adx(self) -> float:
        """The average directional index."""
        if not self.series.highs or not self.series.lows:
            raise Unmeasured(
                f"there are no highs and lows of {self.series.symbol}, one price a day"
            )
        highs = np.array([float(high) for high in self.series.highs])
        lows = np.array([float(low) for low in self.series.lows])
        return self._last(self.library.ADX(highs, lows, self.closes, ADX_DAYS), 2 * ADX_DAYS)

    def band_position(self) -> float:
        """Where the last price stands between the bands."""
        upper, _, lower = self.library.BBANDS(self.closes, BAND_DAYS, BAND_WIDTH, BAND_WIDTH)
        high, low = self._last(upper, BAND_DAYS), self._last(lower, BAND_DAYS)
        if high <= low:
            raise Unmeasured(f"the price did not move over the last {BAND_DAYS} days")
        return (float(self.closes[-1]) - low) / (high - low) * 100

    def target(self) -> float:
        """The straight line, read ahead."""
        ahead = self._last(self.library.TSF(self.closes, LINE_DAYS), LINE_DAYS)
        slope = self._last(self.library.LINEARREG_SLOPE(self.closes, LINE_DAYS), LINE_DAYS)
        target = ahead + (AHEAD - 1) * slope
        if target <= 0:
            raise Unmeasured(f"the line through the last {LINE_DAYS} prices falls below zero")
        return target

    def stretch(self) -> Signal:
        """RSI far up or down points back; as strong as it is far from its middle."""
        rsi = self.rsi()
        if rsi > OVERBOUGHT:
            words = "The relative strength index is in overbought territory."
            return _signal("relative strength index", Hint.DOWN, (rsi - 50) / 50, words)
        if rsi < OVERSOLD:
            words = "The relative strength index is in oversold territory."
            return _signal("relative strength index", Hint.UP, (50 - rsi) / 50, words)
        words = "The relative strength index is neither overbought nor oversold."
        return _signal("relative strength index", Hint.NEUTRAL, 1 - abs(rsi - 50) / 20, words)

    def momentum(self) -> Signal:
        """The sign of the histogram; as strong as it is large beside twice its usual size."""
        histogram = self._histogram()
        usual = float(np.mean(np.abs(histogram[-LINE_DAYS:])))
        last = float(histogram[-1])
        side = "above" if last > 0 else "below" if last < 0 else "on"
        words = f"The convergence of the moving averages (MACD) is {side} its signal line."
        strength = abs(last) / (2 * usual) if usual > 0 else 0.0
        return _signal("MACD", towards(last), strength, words)

    def trend(self) -> Signal:
        """The price against its long mean; as strong as ADX says, or as it is far from the mean
        beside a year's usual swing."""
        mean = self.mean(LONG_MEAN)
        distance = (float(self.closes[-1]) / mean - 1) * 100
        try:
            strength = self.adx() / FULL_TREND
        except Unmeasured:
            swing = volatility(self.series)
            strength = abs(distance) / swing if swing > 0 else 0.0
        side = "above" if distance > 0 else "below" if distance < 0 else "on"
        words = f"The price is {side} its long moving average."
        return _signal("long trend", towards(distance), strength, words)

    def means(self) -> Signal:
        """The short mean against the long; as strong as they are apart beside a year's swing."""
        apart = (self.mean(SHORT_MEAN) / self.mean(LONG_MEAN) - 1) * 100
        swing = volatility(self.series)
        side = "above" if apart > 0 else "below" if apart < 0 else "on"
        words = f"The shorter moving average is {side} the longer one."
        strength = abs(apart) / swing if swing > 0 else 0.0
        return _signal("moving averages", towards(apart), strength, words)

    def bands(self) -> Signal:
        """A price outside of the bands points back; as strong as it is far from the middle."""
        place = self.band_position()
        hint, words = Hint.NEUTRAL, "The price is inside its Bollinger bands."
        if place > 100:
            hint, words = Hint.DOWN, "The price is above its upper Bollinger band."
        elif place < 0:
            hint, words = Hint.UP, "The price is below its lower Bollinger band."
        far = abs(place - 50) / 50
        strength = 1 - far if hint is Hint.NEUTRAL else far / 2
        return _signal("Bollinger bands", hint, strength, words)

    def line(self) -> Signal:
        """The target against the last price; as strong as the line fits (its determination)."""
        target = self.target()
        days = np.arange(self.closes.size, dtype=np.float64)
        fit = self.library.CORREL(self.closes, days, LINE_DAYS)[-1]
        ahead = target - float(self.closes[-1])
        way = "higher" if ahead > 0 else "lower" if ahead < 0 else "no other"
        words = f"The straight line through the recent prices leads to a {way} price."
        if ahead == 0:
            words = "The straight line through the recent prices leads nowhere else."
        return _signal("regression line", towards(ahead), float(fit) ** 2, words)

    def _histogram(self) -> Floats:
        needed = MACD_SLOW + MACD_SIGNAL - 1
        macd = self.library.MACD(self.closes, MACD_FAST, MACD_SLOW, MACD_SIGNAL)
        self._last(macd[2], needed)
        histogram: Floats = macd[2][~np.isnan(macd[2])]
        return histogram

    def _last(self, values: Floats, needed: int) -> float:
        """The last of what TA-Lib gives; it gives nothing for too short a series."""
        if self.closes.size < needed or not np.isfinite(values[-1]):
            raise Unmeasured(
                f"it needs {needed} days with prices, and {self.closes.size} are known without a "
                "hole"
            )
        return float(values[-1])


def _signal(name: str, hint: Hint, strength: float, words: str) -> Signal:
    return Signal(name=name, hint=hint, strength=share(strength), words=words)
