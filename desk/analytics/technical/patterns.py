"""Patterns in a market's own past: stretches like its last one, unusual moves, seasons."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

import numpy as np

from desk.analytics.formulas import SMALLEST_DEVIATION, log_moves, robust_deviation
from desk.analytics.technical.analogues import (
    ALIKE,
    FEWEST,
    HORIZON,
    MOST,
    PATH,
    Analogues,
    find_analogues,
)
from desk.analytics.technical.measures import analysis, figure
from desk.analytics.technical.seasons import (
    FEWEST_YEARS,
    MONTHS,
    Season,
    coming_month,
    monthly_moves,
    season_of,
)
from desk.analytics.technical.series import PriceSeries
from desk.analytics.technical.significance import (
    is_significant,
    printed_p_value,
    share_p_value,
    strength_of,
)
from desk.contracts.episode.analysis import Analysis, Hint, MeasuredFigure, Signal
from desk.contracts.findings.claims import Metric

WEEK, YEAR = 5, 252
"""Closes."""

UNUSUAL = 3.0
"""Robust standard deviations from which on a move counts as unusual."""

TENTH = Decimal("0.1")

MINED = (
    f"Analogues: at most {MOST} stretches of {PATH} closes of the market's own past, "
    f"{PATH + HORIZON} closes apart, whose logarithmic path, brought to mean 0 and deviation 1, "
    f"correlates with that of the last {PATH} closes at {ALIKE} or more; the median of what "
    f"followed over {HORIZON} closes, and the share that rose, by scipy's exact test of Fisher "
    f"against the other periods of {HORIZON} closes. Anomaly: the move of the last {WEEK} closes "
    f"less the median of those of the {YEAR} closes before, in their median absolute deviations "
    "scaled to a standard deviation."
)
SEASONAL = (
    "The month that holds most of the four weeks after as_of: its mean move over the years, the "
    "share of rises, and scipy's test of Mann and Whitney against the other months, adjusted for "
    "the twelve months by Benjamini and Hochberg (statsmodels)."
)


def pattern_miner(series: PriceSeries, as_of: datetime) -> Analysis:
    """Stretches of the past that ran like the last closes, what followed them, and how unusual the
    last week's move is.

    Raises:
        NotInstalled: scipy is not there.
    """
    closes = [float(close) for close in series.closes]
    figures, signals, missing = _anomaly(series, closes)
    found = find_analogues(series.days, closes)
    if len(found.ends) < FEWEST:
        missing.append(
            f"{len(found.ends)} earlier stretches of {series.symbol} ran like its last {PATH} "
            f"closes; fewer than {FEWEST} tell nothing."
        )
    else:
        figures += _followed(series, found)
        signals.append(_analogue_signal(found))
    return analysis(series, as_of, MINED, figures, signals, missing)


def seasonality_detector(series: PriceSeries, as_of: datetime) -> Analysis:
    """How the month that holds most of the coming four weeks went in earlier years.

    Raises:
        NotInstalled: scipy or statsmodels is not there.
    """
    moves = monthly_moves(series.days, [float(close) for close in series.closes], as_of)
    fewest = min(len(group) for group in moves)
    if fewest < FEWEST_YEARS:
        missing = (
            f"{fewest} whole years of {series.symbol} are too few; a season needs {FEWEST_YEARS}."
        )
        return analysis(series, as_of, SEASONAL, [], [], [missing])
    season = season_of(coming_month(as_of), moves)
    figures = [
        figure(series, Metric.SEASONAL_MOVE, season.mean),
        figure(series, Metric.SEASONAL_HIT_RATE, season.rise_share),
        MeasuredFigure(
            metric=Metric.SEASONAL_P_VALUE,
            value=printed_p_value(season.p_value),
            as_of=series.last_day,
        ),
    ]
    return analysis(series, as_of, SEASONAL, figures, [_season_signal(season)], [])


def _anomaly(
    series: PriceSeries, closes: Sequence[float]
) -> tuple[list[MeasuredFigure], list[Signal], list[str]]:
    """How unusual the last week's move is, or why that cannot be said."""
    if len(closes) <= YEAR + WEEK:
        few = f"{len(closes)} closes of {series.symbol} are too few for a score of its last move."
        return [], [], [few]
    moves = log_moves(closes[-YEAR - WEEK - 1 :])
    weekly = np.convolve(moves, np.ones(WEEK), "valid")
    earlier = weekly[: YEAR - WEEK + 1]
    deviation = robust_deviation(earlier)
    if deviation < SMALLEST_DEVIATION:
        return [], [], [f"{series.symbol} hardly moved in the year before its last move."]
    score = float((weekly[-1] - np.median(earlier)) / deviation)
    told = MeasuredFigure(
        metric=Metric.ANOMALY_SCORE,
        value=Decimal(score).quantize(TENTH) + 0,
        as_of=series.last_day,
    )
    return [told], [_anomaly_signal(score)], []


def _anomaly_signal(score: float) -> Signal:
    """An unusual move points nowhere by itself."""
    way = "rise" if score > 0 else "fall"
    unusual = abs(score) >= UNUSUAL
    words = (
        f"The last week's {way} is far outside what the year before had."
        if unusual
        else "The last week's move is within what the year before had."
    )
    strength = strength_of(0) if unusual else strength_of(1)
    return Signal(name="anomaly", hint=Hint.NEUTRAL, strength=strength, words=words)


def _followed(series: PriceSeries, found: Analogues) -> list[MeasuredFigure]:
    median = float(np.median(found.moves))
    share = 100 * found.rises / len(found.ends)
    return [
        figure(series, Metric.ANALOGUES, Decimal(len(found.ends))),
        figure(series, Metric.ANALOGUE_MOVE, median),
        figure(series, Metric.ANALOGUE_HIT_RATE, share),
        figure(series, Metric.TARGET, float(series.last) * (1 + median / 100)),
    ]


def _analogue_signal(found: Analogues) -> Signal:
    """Where the stretches point, if they rose or fell more often than any do."""
    others = len(found.other_moves)
    p_value = share_p_value(found.rises, len(found.ends), found.other_rises, others)
    oftener = found.oftener
    if not is_significant(p_value) or oftener != (float(np.median(found.moves)) > 0):
        words = "What followed the stretches like this one points nowhere that chance does not."
        strength = strength_of(1)
        return Signal(name="analogues", hint=Hint.NEUTRAL, strength=strength, words=words)
    words = f"The stretches like this one were followed by a {'rise' if oftener else 'fall'} more "
    return Signal(
        name="analogues",
        hint=Hint.UP if oftener else Hint.DOWN,
        strength=strength_of(p_value),
        words=words + "often than usual, and by more than chance explains.",
    )


def _season_signal(season: Season) -> Signal:
    name, month = "seasonality", MONTHS[season.month - 1]
    if not is_significant(season.p_value):
        words = f"{month} differs from the other months no more than chance explains."
        return Signal(
            name=name, hint=Hint.NEUTRAL, strength=strength_of(season.p_value), words=words
        )
    higher = season.higher
    # A month that only has less of what all months have points nowhere.
    points = higher == (season.mean > 0)
    hint = (Hint.UP if higher else Hint.DOWN) if points else Hint.NEUTRAL
    words = f"{month} went {'higher' if higher else 'lower'} than the other months, by more than "
    return Signal(
        name=name,
        hint=hint,
        strength=strength_of(season.p_value),
        words=words + "chance explains.",
    )
