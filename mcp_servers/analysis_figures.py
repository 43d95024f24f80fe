"""How the analyses write down what they find: figures at their precision, strengths, what lacks."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final

import numpy as np
from numpy.typing import NDArray

from contracts.analysis import Analysis, Hint, MeasuredFigure, Signal
from contracts.claims import Metric, Unit
from contracts.markets import MarketKind
from domain.formulas import percent_change
from domain.units import UNITS
from mcp_servers.analysis_offline import INSTALL_SWARM
from mcp_servers.analysis_prices import PriceSeries

Floats = NDArray[np.float64]

DAYS_A_YEAR: Final = 252
"""Days with prices, by which a daily deviation is told for a year."""

_CENT = Decimal("0.01")
_PRECISION: Final = {
    Unit.PERCENT: _CENT,
    Unit.RATIO: _CENT,
    Unit.INDEX: Decimal("0.1"),
    Unit.COUNT: Decimal(1),
}


class Unmeasured(Exception):
    """A figure cannot be had. The message says why, as a sentence without its full stop."""


def figure(series: PriceSeries, metric: Metric, value: float | Decimal) -> MeasuredFigure:
    """A figure of the last day of a series, at the precision that its metric is told with.

    Raises:
        Unmeasured: it is no finite number.
    """
    exact = Decimal(str(float(value))) if isinstance(value, float) else value
    if not exact.is_finite():
        raise Unmeasured(f"{metric} is no finite number for {series.symbol}")
    unit = UNITS[metric]
    precision = _level_precision(series) if unit is Unit.LEVEL else _PRECISION[unit]
    rounded = exact.quantize(precision)
    # There is no minus nothing.
    return MeasuredFigure(metric=metric, value=rounded or abs(rounded), as_of=series.last_day)


def _level_precision(series: PriceSeries) -> Decimal:
    """The precision of the last price; cents for a stock."""
    if series.kind is MarketKind.STOCK:
        return _CENT
    return Decimal((0, (1,), int(series.last.as_tuple().exponent)))


def closes_of(series: PriceSeries) -> Floats:
    """The prices as floats, for arithmetic."""
    return np.array([float(close) for close in series.closes], dtype=np.float64)


def move_since(series: PriceSeries, day: date) -> Decimal:
    """The change from the last price of a day or before it to the newest price, in percent.

    Raises:
        Unmeasured: there is no price within fourteen days before that day.
    """
    before = [at for at, priced in enumerate(series.days) if priced <= day]
    if not before or day - series.days[before[-1]] > timedelta(days=14):
        raise Unmeasured(f"there is no price of {series.symbol} of {day} or shortly before it")
    return percent_change(series.closes[before[-1]], series.last)


def months_before(day: date, months: int) -> date:
    """The same day of an earlier month, or that month's last day."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    following = date(year + (month == 11), (month + 1) % 12 + 1, 1)
    return min(
        date(year, month + 1, 1) + timedelta(days=day.day - 1), following - timedelta(days=1)
    )


def share(value: float) -> float:
    """A strength: a number brought into 0 to 1, with two decimals."""
    return round(min(1.0, max(0.0, float(value))), 2) if np.isfinite(value) else 0.0


def towards(value: float | Decimal) -> Hint:
    """Up for what is above zero, down for what is below it."""
    return Hint.UP if value > 0 else Hint.DOWN if value < 0 else Hint.NEUTRAL


def needs_swarm(tool: str, what: str) -> str:
    """What a tool says where its library is not installed."""
    return f"{tool} needs {what}, which is not installed here; {INSTALL_SWARM}"


def analysis(
    series: PriceSeries,
    as_of: datetime,
    method: str,
    figures: Iterable[MeasuredFigure],
    signals: Iterable[Signal] = (),
    missing: Iterable[str] = (),
) -> Analysis:
    """The answer of a tool about one market."""
    return Analysis(
        as_of=as_of,
        source=series.source,
        symbol=series.symbol,
        method=method,
        figures=tuple(figures),
        signals=tuple(signals),
        missing=(*missing, *series.notes),
    )
