"""The form of analyses' results: figures with their precision, strengths of signals, and what is
missing."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final

import numpy as np
from numpy.typing import NDArray

from desk.analytics.figures import level_step
from desk.analytics.formulas import percent_change
from desk.analytics.names.markets import pair_by_name
from desk.analytics.prices.fixings import LONGEST_GAP
from desk.analytics.technical.series import PriceSeries
from desk.analytics.units import UNITS
from desk.contracts.agents.extras import Extra, install_words
from desk.contracts.episode.analysis import Analysis, Hint, MeasuredFigure, Signal
from desk.contracts.findings.claims import Metric, Unit
from desk.contracts.markets import MarketKind

Floats = NDArray[np.float64]

Measure = Callable[[int], float | Decimal]
"""Computes a figure for a day of a series, by the day's index. It uses only that day and those
before it, and raises `Unmeasured` if it cannot be computed."""

CENT: Final = Decimal("0.01")
_PRECISION: Final = {
    Unit.PERCENT: CENT,
    Unit.RATIO: CENT,
    Unit.INDEX: Decimal("0.1"),
    Unit.COUNT: Decimal(1),
}


INSTALL_SWARM: Final = f"run {install_words(Extra.SWARM)}"


class NotInstalled(Exception):
    """A package of the extra `swarm` is not installed. The message names it and the command that
    installs it."""


class Unmeasured(Exception):
    """A figure cannot be computed. The message says why, as a sentence without its full stop."""


def measured(
    series: PriceSeries, measures: Mapping[Metric, Measure]
) -> tuple[list[MeasuredFigure], list[str]]:
    """The figures of the last day of a series, and why the others are missing."""
    figures: list[MeasuredFigure] = []
    missing: list[str] = []
    for metric, measure in measures.items():
        try:
            figures.append(figure(series, metric, measure(len(series.days) - 1)))
        except Unmeasured as reason:
            missing.append(f"{metric}: {reason}.")
    return figures, missing


def figure(series: PriceSeries, metric: Metric, value: float | Decimal) -> MeasuredFigure:
    """A figure of the last day of a series, at the precision of its metric.

    Raises:
        Unmeasured: it is not a finite number.
    """
    at_precision = rounded(series, metric, value)
    return MeasuredFigure(metric=metric, value=at_precision, as_of=series.last_day)


def rounded(series: PriceSeries, metric: Metric, value: float | Decimal) -> Decimal:
    """A figure at the precision of its metric.

    Raises:
        Unmeasured: it is not a finite number.
    """
    exact = Decimal(str(float(value))) if isinstance(value, float) else value
    if not exact.is_finite():
        raise Unmeasured(f"{metric} is no finite number for {series.symbol}")
    unit = UNITS[metric]
    found = exact.quantize(_level_precision(series) if unit is Unit.LEVEL else _PRECISION[unit])
    # No minus zero.
    return found or abs(found)


def _level_precision(series: PriceSeries) -> Decimal:
    """Cents for a stock; for a pair its quoted digits, as in a week's report."""
    if series.kind is MarketKind.STOCK:
        return CENT
    return level_step(series.last, pair_by_name(series.symbol).digits)


def closes_of(series: PriceSeries) -> Floats:
    """The closes as floats, for arithmetic."""
    return floats_of(series.closes)


def floats_of(prices: Iterable[Decimal]) -> Floats:
    """Prices as floats, for arithmetic."""
    return np.array([float(price) for price in prices], dtype=np.float64)


def move_since(series: PriceSeries, at: int, day: date) -> Decimal:
    """The change from the last price up to a day to the price at an index, in percent.

    Raises:
        Unmeasured: there is no price within fourteen days before that day.
    """
    before = bisect_right(series.days, day, hi=at + 1) - 1
    if before < 0 or day - series.days[before] > LONGEST_GAP:
        raise Unmeasured(f"there is no price of {series.symbol} of {day} or shortly before it")
    return percent_change(series.closes[before], series.closes[at])


def months_before(day: date, months: int) -> date:
    """The same day of an earlier month, or that month's last day."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    following = date(year + (month == 11), (month + 1) % 12 + 1, 1)
    return min(
        date(year, month + 1, 1) + timedelta(days=day.day - 1), following - timedelta(days=1)
    )


def share(value: float) -> float:
    """A number limited to 0 to 1 and rounded to two decimals: the strength of a signal."""
    return round(min(1.0, max(0.0, float(value))), 2) if np.isfinite(value) else 0.0


def towards(value: float | Decimal) -> Hint:
    """The hint of a number's sign."""
    return Hint.UP if value > 0 else Hint.DOWN if value < 0 else Hint.NEUTRAL


def needs_swarm(tool: str, what: str) -> str:
    """The message of a tool whose library is not installed."""
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
