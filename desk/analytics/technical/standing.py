"""Where a market stands in its own past, and a pegged pair in its band."""

from datetime import datetime
from decimal import Decimal
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from desk.analytics.figures import as_number
from desk.analytics.formulas import band_position, percent_change
from desk.analytics.prices.moves import log_moves
from desk.analytics.prices.pegs import Peg, peg_known
from desk.analytics.technical.market_data import QUARTER_DAYS, MarketMeasures
from desk.analytics.technical.measures import (
    CENT,
    Floats,
    Measure,
    Unmeasured,
    analysis,
    closes_of,
    figure,
    measured,
    months_before,
)
from desk.analytics.technical.series import PriceSeries
from desk.contracts.agents.tools import SourceTier
from desk.contracts.episode.analysis import Analysis, MeasuredFigure
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.source_results import Provenance

TABLE: Final = "Pegs and bands as their authorities announced them"

YEARS: Final = 10
FEWEST_YEARS: Final = 3
"""Of a past that is shorter, a place in it says little: a convention."""

QUARTERS_A_DEVIATION: Final = 2
"""A year's volatility is this many times that of a quarter: the root of four."""

METHOD: Final = (
    f"past_rank: the share of the daily prices of the last {YEARS} years, of at least "
    f"{FEWEST_YEARS}, that were below the last one, in percent. volatility_rank: the same of the "
    f"deviation of the {QUARTER_DAYS} daily logarithmic moves up to each day. quarter_swing: that "
    "deviation told for a quarter, in percent. prior_high, prior_low: the highest and lowest of "
    f"the {QUARTER_DAYS} prices before the last. drawdown: the last price from the highest of "
    "twelve months, in percent. Computed with numpy."
)


def standing(series: PriceSeries, as_of: datetime) -> Analysis:
    """Where the last price, and the volatility, stand in the market's own past."""
    market = MarketMeasures(series)
    measures: dict[Metric, Measure] = {
        Metric.LAST: lambda at: series.closes[at],
        Metric.PAST_RANK: lambda at: _rank(closes_of(series)[_from(series, at) : at + 1]),
        Metric.VOLATILITY: market.volatility,
        Metric.VOLATILITY_RANK: lambda at: _rank(_deviations(series, at)),
        Metric.QUARTER_MOVE: lambda at: market.move_of_months(at, 3),
        Metric.QUARTER_SWING: lambda at: market.volatility(at) / QUARTERS_A_DEVIATION,
        Metric.PRIOR_HIGH: lambda at: max(_quarter_before(series, at)),
        Metric.PRIOR_LOW: lambda at: min(_quarter_before(series, at)),
        Metric.YEAR_HIGH: lambda at: max(market.year(at)),
        Metric.DRAWDOWN: lambda at: percent_change(max(market.year(at)), series.closes[at]),
    }
    figures, missing = measured(series, measures)
    return analysis(series, as_of, METHOD, figures, (), missing)


def _from(series: PriceSeries, at: int) -> int:
    """The place of the first day of the past that counts.

    Raises:
        Unmeasured: there is too little of it.
    """
    day = series.days[at]
    if series.days[0] > months_before(day, FEWEST_YEARS * 12):
        raise Unmeasured(
            f"the prices of {series.symbol} begin on {series.days[0]}, and it needs"
            f" {FEWEST_YEARS} years of them"
        )
    first = months_before(day, YEARS * 12)
    return next(place for place, each in enumerate(series.days) if each >= first)


def _rank(values: Floats) -> float:
    """The share of the values that lie below the last one, in percent."""
    return float(np.mean(values[:-1] < values[-1]) * 100)


def _deviations(series: PriceSeries, at: int) -> Floats:
    """The deviation of a quarter's daily moves up to each day of the past that counts."""
    moves = log_moves(closes_of(series)[_from(series, at) : at + 1])
    windows = np.ascontiguousarray(sliding_window_view(moves, QUARTER_DAYS))
    found: Floats = np.std(windows, axis=1, ddof=1)
    return found


def _quarter_before(series: PriceSeries, at: int) -> tuple[Decimal, ...]:
    if at < QUARTER_DAYS:
        raise Unmeasured(
            f"it needs {QUARTER_DAYS + 1} days with prices, and {at + 1} are known without a hole"
        )
    return series.closes[at - QUARTER_DAYS : at]


def peg_band(series: PriceSeries, as_of: datetime) -> Analysis:
    """A pair's band, since when it is known, whether it was given up, and how far the last price is
    from its nearest edge."""
    peg = peg_known(series.symbol, as_of)
    if peg is None:
        nothing = f"The table of pegs has no band of {series.symbol} that was known then."
        return analysis(series, as_of, "Nothing was computed.", (), (), (nothing,))
    gone = peg.ended is not None and peg.ended <= as_of
    url = peg.ended_url if gone else peg.url
    found = analysis(series, as_of, _method(peg, gone=gone), _figures(series, peg, gone=gone))
    source = Provenance(
        name=TABLE, tier=SourceTier.PRIMARY, origin=_capital(peg.authority), url=url
    )
    return found.model_copy(update={"source": source})


def _method(peg: Peg, *, gone: bool) -> str:
    state = "was given up" if gone else "stands"
    return (
        f"The band of {peg.authority}, which {state}: band_low and band_high are its edges, "
        "peg_since and peg_ended the days on which it was announced and given up. edge_distance: "
        "how far the last price is from the nearest edge, in percent of that edge, below nothing "
        "outside of the band. band_position: 0 at the lower edge and 100 at the upper."
    )


def _figures(series: PriceSeries, peg: Peg, *, gone: bool) -> tuple[MeasuredFigure, ...]:
    edges = ((Metric.BAND_LOW, peg.low), (Metric.BAND_HIGH, peg.high))
    told = {metric: value for metric, value in edges if value is not None}
    told[Metric.PEG_SINCE] = as_number(peg.announced.date())
    if gone and peg.ended is not None:
        told[Metric.PEG_ENDED] = as_number(peg.ended.date())
    else:
        told[Metric.EDGE_DISTANCE] = _distance(series.last, peg).quantize(CENT)
        if peg.low is not None and peg.high is not None:
            place = band_position(series.last, peg.low, peg.high)
            told[Metric.BAND_POSITION] = place.quantize(Decimal(1))
    return (
        figure(series, Metric.LAST, series.last),
        *(MeasuredFigure(metric=m, value=v, as_of=series.last_day) for m, v in told.items()),
    )


def _distance(last: Decimal, peg: Peg) -> Decimal:
    to_low = (last / peg.low - 1) * 100 if peg.low is not None else None
    to_high = (1 - last / peg.high) * 100 if peg.high is not None else None
    return min(each for each in (to_low, to_high) if each is not None)


def _capital(words: str) -> str:
    bare = words.removeprefix("the ")
    return bare[:1].upper() + bare[1:]
