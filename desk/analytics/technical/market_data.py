"""A market's last price, its moves, its range, its volatility, and a pair's carry relative to
that."""

from bisect import bisect_left
from collections.abc import Callable
from datetime import UTC, datetime, time
from decimal import Decimal
from functools import cached_property
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from desk.analytics.formulas import basis_point_difference
from desk.analytics.names.markets import areas_of_pair
from desk.analytics.prices.indicator_marks import FLAT, NEAR_AN_END, WITHIN
from desk.analytics.prices.moves import DAYS_A_YEAR, SMALLEST_DEVIATION, log_moves
from desk.analytics.prices.pegs import peg_known
from desk.analytics.prices.series import WEEK
from desk.analytics.technical.expected_range import (
    DECAY,
    FOUR_WEEKS,
    MOVES,
    expected_moves,
    measured_coverage,
)
from desk.analytics.technical.measures import (
    Floats,
    Measure,
    Unmeasured,
    analysis,
    closes_of,
    figure,
    measured,
    months_before,
    move_since,
    share,
    towards,
)
from desk.analytics.technical.series import PriceSeries
from desk.contracts.episode.analysis import Analysis, Hint, MeasuredFigure, Signal
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.source_results import PolicyRate
from desk.contracts.markets import AreaCode

QUARTER_DAYS: Final = 63
METHOD = (
    "Moves: in percent, from the price one week and one, three and twelve months before the last "
    "day. High and low: of the twelve months up to it. Volatility: the standard deviation of the "
    f"last {QUARTER_DAYS} daily log moves, times the square root of {DAYS_A_YEAR}. Expected range: "
    "the last price plus and minus a multiple of the current deviation, which weights the last "
    f"{MOVES} daily log moves exponentially (decay {DECAY}). The multiple is the one within which "
    f"the price was {FOUR_WEEKS} days later in {100 * WITHIN:.0f} % of the last five years' cases. "
    "The range ends at the edges of an official band. range_held: the percentage of the "
    "range_starts weekly starts of the last five years that ended within the range stated then. "
    "Computed with numpy."
)


CARRY_METHOD = (
    "The policy rate of the first currency minus that of the second, in percent a year, divided by "
    "the pair's volatility: the standard deviation of its daily log moves of the last quarter, "
    "annualised."
)

LEAST_CARRY_RATIO = 0.25
"""A carry below this share of the volatility gives no direction."""

MOST_CARRY_STRENGTH = 0.6


def market_data(series: PriceSeries, as_of: datetime) -> Analysis:
    """The figures of a series on its last day, and the signals of its trend and of its place in the
    year."""
    market = MarketMeasures(series)
    figures, missing = measured(series, market.measures())
    figures += _coverage(series) if any(f.metric is Metric.EXPECTED_HIGH for f in figures) else ()
    signals = [signal for signal in (_trend(market), _place(market)) if signal is not None]
    return analysis(series, as_of, METHOD, figures, signals, missing)


def _coverage(series: PriceSeries) -> tuple[MeasuredFigure, ...]:
    found = measured_coverage(closes_of(series))
    if found is None:
        return ()
    starts, held = found
    return (
        figure(series, Metric.RANGE_STARTS, Decimal(starts)),
        figure(series, Metric.RANGE_HELD, held),
    )


def quarter_move(series: PriceSeries) -> Decimal:
    """The change over three months up to the last day, in percent.

    Raises:
        Unmeasured: the series does not reach back that far.
    """
    market = MarketMeasures(series)
    return market.move_of_months(market.last, 3)


def volatility(series: PriceSeries) -> float:
    """The standard deviation of the daily moves of the last quarter, annualised, in percent.

    Raises:
        Unmeasured: there are fewer prices.
    """
    market = MarketMeasures(series)
    return market.volatility(market.last)


class MarketMeasures:
    """The measures of a market on the days of a series, by the day's index, from `first` on.

    Measures that cannot be computed for a day raise `Unmeasured`.
    """

    def __init__(self, series: PriceSeries, first: int | None = None) -> None:
        """`first` is the earliest day that is asked for, by default the last one."""
        self.series = series
        self.last = len(series.days) - 1
        self._first = self.last if first is None else first

    def measures(self) -> dict[Metric, Measure]:
        """The function that computes each figure of a day."""
        return {
            Metric.LAST: lambda at: self.series.closes[at],
            Metric.MOVE: lambda at: move_since(self.series, at, self.series.days[at] - WEEK),
            Metric.MONTH_MOVE: lambda at: self.move_of_months(at, 1),
            Metric.QUARTER_MOVE: lambda at: self.move_of_months(at, 3),
            Metric.YEAR_MOVE: lambda at: self.move_of_months(at, 12),
            Metric.YEAR_HIGH: lambda at: max(self.year(at)),
            Metric.YEAR_LOW: lambda at: min(self.year(at)),
            Metric.VOLATILITY: self.volatility,
            Metric.EXPECTED_LOW: lambda at: self.expected(at, -1),
            Metric.EXPECTED_HIGH: lambda at: self.expected(at, 1),
        }

    def move_of_months(self, at: int, months: int) -> Decimal:
        """The change over some months, in percent."""
        return move_since(self.series, at, months_before(self.series.days[at], months))

    def year(self, at: int) -> tuple[Decimal, ...]:
        """The prices of the twelve months up to a day."""
        days = self.series.days
        first = months_before(days[at], 12)
        if days[0] > first:
            raise Unmeasured(f"the prices of {self.series.symbol} begin on {days[0]}")
        return self.series.closes[bisect_left(days, first) : at + 1]

    def volatility(self, at: int) -> float:
        """The standard deviation of the daily moves of the quarter, annualised, in percent."""
        row = self._row(at, QUARTER_DAYS)
        return float(self._volatilities[row])

    def expected(self, at: int, side: int) -> float:
        """The upper or lower end of the range expected over four weeks. For a pair that an
        authority keeps within a band, it does not extend beyond the edge."""
        row = self._row(at, MOVES)
        move = self._expected_moves[row]
        if move < SMALLEST_DEVIATION:
            raise Unmeasured(f"the price of {self.series.symbol} does not move on most days")
        price = float(self.series.closes[at])
        end = float(price * np.exp(side * move))
        edge = self._edge(at, side)
        if edge is None or side * price > side * edge:
            return end
        return side * min(side * end, side * edge)

    def _edge(self, at: int, side: int) -> float | None:
        """The edge of the band in force on a day, on one side."""
        known_at = datetime.combine(self.series.days[at], time.max, UTC)
        peg = peg_known(self.series.symbol, known_at)
        if peg is None or (peg.ended is not None and peg.ended <= known_at):
            return None
        edge = peg.high if side > 0 else peg.low
        return None if edge is None else float(edge)

    @cached_property
    def _volatilities(self) -> Floats:
        deviations = np.std(self._moves(QUARTER_DAYS), axis=1, ddof=1)
        found: Floats = deviations * np.sqrt(DAYS_A_YEAR) * 100
        return found

    @cached_property
    def _expected_moves(self) -> Floats:
        return expected_moves(closes_of(self.series), max(self._first, MOVES))

    def _moves(self, count: int) -> Floats:
        """The last `count` daily moves up to each day that has so many, one row a day."""
        start = max(self._first, count) - count
        closes = [float(close) for close in self.series.closes[start:]]
        # Contiguous rows are summed exactly as a single row is, to the last bit.
        return np.ascontiguousarray(sliding_window_view(log_moves(closes), count))

    def _row(self, at: int, count: int) -> int:
        if at < count:
            raise Unmeasured(
                f"it needs {count + 1} days with prices, and {at + 1} are known without a hole"
            )
        return at - max(self._first, count)


def _trend(market: MarketMeasures) -> Signal | None:
    """The quarter's move against the usual one. Full strength at twice the usual move."""
    try:
        move = float(market.move_of_months(market.last, 3))
        usual = market.volatility(market.last) / 2
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


def _place(market: MarketMeasures) -> Signal | None:
    """The position of the price in the year's range. Its strength is its distance from the
    middle."""
    try:
        year = market.year(market.last)
    except Unmeasured:
        return None
    high, low = max(year), min(year)
    if high == low:
        return None
    place = float((market.series.last - low) / (high - low))
    hint, words = Hint.NEUTRAL, "The price stands inside the range of the year."
    if place >= 1 - NEAR_AN_END:
        hint, words = Hint.UP, "The price stands near the high of the year."
    elif place <= NEAR_AN_END:
        hint, words = Hint.DOWN, "The price stands near the low of the year."
    return Signal(name="year range", hint=hint, strength=share(abs(place - 0.5) * 2), words=words)


def carry_of(
    rate_of: Callable[[AreaCode], PolicyRate], series: PriceSeries, as_of: datetime
) -> Analysis:
    """The carry of a pair over its volatility. `rate_of` returns an area's rate as announced by
    then."""
    figures: list[MeasuredFigure] = []
    signals: list[Signal] = []
    missing: list[str] = []
    try:
        base, quote = (
            _rate(rate_of, currency, area, missing)
            for currency, area in zip(
                series.symbol.split("/"), areas_of_pair(series.symbol), strict=True
            )
        )
        swings = volatility(series)
        if swings <= 0:
            raise Unmeasured(f"{series.symbol} did not move in the last quarter")
        ratio = float(basis_point_difference(base, quote)) / 100 / swings
        figures.append(figure(series, Metric.CARRY_TO_VOLATILITY, ratio))
        signals.append(_carry_signal(ratio))
    except Unmeasured as reason:
        missing.append(f"{Metric.CARRY_TO_VOLATILITY}: {str(reason).rstrip('.')}.")
    return analysis(series, as_of, CARRY_METHOD, figures, signals, missing)


def _rate(
    rate_of: Callable[[AreaCode], PolicyRate], currency: str, area: str | None, missing: list[str]
) -> Decimal:
    """The rate in force. Adds a remark if the table ends before the instant."""
    if area is None:
        raise Unmeasured(f"the table has no central bank of {currency}")
    found = rate_of(area)
    if found.rate is None:
        raise Unmeasured(found.missing or f"the table has no rate of {found.bank}")
    if found.stale:
        missing.append(
            f"The table has the decisions of {found.bank} up to {found.covered_until} only; a "
            "later change is not in the carry."
        )
    return found.rate


def _carry_signal(ratio: float) -> Signal:
    """A carry that is large relative to the swings favours the currency that earns it."""
    if abs(ratio) < LEAST_CARRY_RATIO:
        hint, words = Hint.NEUTRAL, "The carry is small for the swings of the pair."
    else:
        side = "first" if ratio > 0 else "second"
        hint = Hint.UP if ratio > 0 else Hint.DOWN
        words = f"The carry favours the {side} currency, and is large for the pair's swings."
    strength = round(min(MOST_CARRY_STRENGTH, abs(ratio) / 2), 2)
    return Signal(name="carry", hint=hint, strength=strength, words=words)
