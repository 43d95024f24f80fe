"""How a market stands: its last price, its moves, its range and how much it swings."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Final

import numpy as np

from contracts.analysis import Analysis, Hint, MeasuredFigure, Signal
from contracts.claims import Metric
from domain.formulas import SMALLEST_DEVIATION, log_moves, robust_deviation
from domain.series import WEEK
from mcp_servers.analysis_figures import (
    DAYS_A_YEAR,
    Unmeasured,
    analysis,
    closes_of,
    figure,
    months_before,
    move_since,
    share,
    towards,
)
from mcp_servers.analysis_prices import PriceSeries

QUARTER_DAYS: Final = 63
FOUR_WEEKS: Final = 20
"""Days with prices."""

FLAT = 0.5
"""A quarter's move within this share of the usual one is no trend."""

NEAR_AN_END: Final = 0.2
"""The share of the year's range from either end within which a price counts as near it."""

METHOD = (
    "Moves in percent from the price a week, one, three and twelve months before the last day. "
    "High and low of the twelve months up to it. Volatility: the standard deviation of the last "
    f"{QUARTER_DAYS} daily logarithmic moves, times the root of {DAYS_A_YEAR}. Expected range: the "
    f"last price and one robust deviation (median absolute deviation) of the last {DAYS_A_YEAR} "
    f"daily moves, times the root of {FOUR_WEEKS}, on either side. Computed with numpy."
)


def market_data(series: PriceSeries, as_of: datetime) -> Analysis:
    """The figures of a market's standing, and where its trend and its place in the year point."""
    figures: list[MeasuredFigure] = []
    missing: list[str] = []
    for metric, measure in _MEASURES.items():
        try:
            figures.append(figure(series, metric, measure(series)))
        except Unmeasured as reason:
            missing.append(f"{metric}: {reason}.")
    signals = [signal for signal in (_trend(series), _place(series)) if signal is not None]
    return analysis(series, as_of, METHOD, figures, signals, missing)


def quarter_move(series: PriceSeries) -> Decimal:
    """The change over three months up to the last day, in percent.

    Raises:
        Unmeasured: the series does not reach back that far.
    """
    return _move_of_months(series, 3)


def volatility(series: PriceSeries) -> float:
    """The deviation of the daily moves of the last quarter, told for a year, in percent.

    Raises:
        Unmeasured: there are fewer prices.
    """
    moves = log_moves(_last_closes(series, QUARTER_DAYS + 1))
    return float(np.std(moves, ddof=1) * np.sqrt(DAYS_A_YEAR) * 100)


def _move_of_months(series: PriceSeries, months: int) -> Decimal:
    return move_since(series, months_before(series.last_day, months))


def _last_closes(series: PriceSeries, count: int) -> list[float]:
    if len(series.closes) < count:
        raise Unmeasured(
            f"it needs {count} days with prices, and {len(series.closes)} are known without a hole"
        )
    return [float(close) for close in series.closes[-count:]]


def _of_the_year(series: PriceSeries) -> tuple[Decimal, ...]:
    first = months_before(series.last_day, 12)
    if series.days[0] > first:
        raise Unmeasured(f"the prices of {series.symbol} begin on {series.days[0]}")
    return series.between(first, series.last_day).closes


def _expected(series: PriceSeries, side: int) -> float:
    moves = log_moves(_last_closes(series, DAYS_A_YEAR + 1))
    deviation = robust_deviation(moves)
    if deviation < SMALLEST_DEVIATION:
        raise Unmeasured(f"the price of {series.symbol} does not move on most days")
    return float(closes_of(series)[-1] * np.exp(side * deviation * np.sqrt(FOUR_WEEKS)))


_MEASURES: Final[dict[Metric, Callable[[PriceSeries], float | Decimal]]] = {
    Metric.LAST: lambda series: series.last,
    Metric.MOVE: lambda series: move_since(series, series.last_day - WEEK),
    Metric.MONTH_MOVE: lambda series: _move_of_months(series, 1),
    Metric.QUARTER_MOVE: quarter_move,
    Metric.YEAR_MOVE: lambda series: _move_of_months(series, 12),
    Metric.YEAR_HIGH: lambda series: max(_of_the_year(series)),
    Metric.YEAR_LOW: lambda series: min(_of_the_year(series)),
    Metric.VOLATILITY: volatility,
    Metric.EXPECTED_LOW: lambda series: _expected(series, -1),
    Metric.EXPECTED_HIGH: lambda series: _expected(series, 1),
}


def _trend(series: PriceSeries) -> Signal | None:
    """The quarter's move against the usual one; as strong as it is large, twice of it at most."""
    try:
        move, usual = float(quarter_move(series)), volatility(series) / 2
    except Unmeasured:
        return None
    size = abs(move) / usual if usual > 0 else 0.0
    if size < FLAT:
        words = "The price went sideways over the quarter, within its usual swings."
        return Signal(name="trend", hint=Hint.NEUTRAL, strength=share(1 - size), words=words)
    way = "rose" if move > 0 else "fell"
    words = f"The price {way} over the quarter by more than its usual swings explain alone."
    if size < 1:
        words = f"The price {way} over the quarter, by no more than its usual swings."
    return Signal(name="trend", hint=towards(move), strength=share(size / 2), words=words)


def _place(series: PriceSeries) -> Signal | None:
    """Where the price stands in the year's range; as strong as it is far from the middle."""
    try:
        high, low = max(_of_the_year(series)), min(_of_the_year(series))
    except Unmeasured:
        return None
    if high == low:
        return None
    place = float((series.last - low) / (high - low))
    hint, words = Hint.NEUTRAL, "The price stands inside the range of the year."
    if place >= 1 - NEAR_AN_END:
        hint, words = Hint.UP, "The price stands near the high of the year."
    elif place <= NEAR_AN_END:
        hint, words = Hint.DOWN, "The price stands near the low of the year."
    return Signal(name="year range", hint=hint, strength=share(abs(place - 0.5) * 2), words=words)
