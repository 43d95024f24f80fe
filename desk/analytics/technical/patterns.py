"""Patterns in a market's own past: stretches similar to its last one, unusual moves, seasons."""

import math
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_CEILING, Decimal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from desk.analytics.prices.moves import SMALLEST_DEVIATION, Floats, log_moves, robust_deviation
from desk.analytics.technical.measures import INSTALL_SWARM, NotInstalled, analysis, figure
from desk.analytics.technical.series import PriceSeries
from desk.contracts.episode.analysis import Analysis, Hint, MeasuredFigure, Signal
from desk.contracts.findings.claims import Metric

LEVEL = Decimal("0.05")
"""A p value below this counts as significant."""

MOST_STRENGTH = 0.6
"""For results that were significant only in the past: nothing says that they continue."""

_LEAST_STRENGTH, _UNCERTAIN = 0.3, 0.1
_SMALLEST_P = 0.001


def share_p_value(hits: int, trials: int, other_hits: int, other_trials: int) -> float:
    """The probability that a share of hits differs so much from that of the others by chance:
    Fisher's exact two-sided test.

    Raises:
        NotInstalled: SciPy is not installed.
    """
    try:
        from scipy.stats import fisher_exact
    except ImportError as error:
        raise _not_installed() from error
    table = [[hits, trials - hits], [other_hits, other_trials - other_hits]]
    return float(fisher_exact(table)[1])


def group_p_values(groups: Sequence[Floats]) -> tuple[float, ...]:
    """The probability that a group ranks so far from all the others by chance.

    The two-sided test of Mann and Whitney for each group, which is robust against heavy tails,
    adjusted for the number of groups by Benjamini and Hochberg: of the groups below a level, at
    most that share is expected to be there by chance.

    Raises:
        NotInstalled: SciPy is not installed.
    """
    try:
        from scipy.stats import false_discovery_control, mannwhitneyu
    except ImportError as error:
        raise _not_installed() from error
    tested = [
        float(mannwhitneyu(group, np.concatenate([*groups[:at], *groups[at + 1 :]]))[1])
        for at, group in enumerate(groups)
    ]
    # Groups that do not vary have no p value, and count as not significant.
    filled = [1.0 if math.isnan(value) else value for value in tested]
    return tuple(float(value) for value in false_discovery_control(filled))


def printed_p_value(p_value: float) -> Decimal:
    """A p value to three decimals, rounded up: it is never shown as smaller than it is, or as 0."""
    return Decimal(str(p_value)).quantize(Decimal("0.001"), ROUND_CEILING)


def is_significant(p_value: float) -> bool:
    """Whether a p value, as shown, is below the level."""
    return printed_p_value(p_value) < LEVEL


def strength_of(p_value: float) -> float:
    """The strength of a tested result, by convention of these tools: 0.1 if it is not significant,
    else from 0.3 at the level to 0.6 at a p value of 0.001, by its logarithm."""
    if not is_significant(p_value):
        return _UNCERTAIN
    level = float(LEVEL)
    share = math.log(level / max(p_value, _SMALLEST_P)) / math.log(level / _SMALLEST_P)
    return round(_LEAST_STRENGTH + share * (MOST_STRENGTH - _LEAST_STRENGTH), 2)


def _not_installed() -> NotInstalled:
    return NotInstalled(f"the test needs SciPy, not installed here: {INSTALL_SWARM}")


PATH = 40
"""Closes of a stretch."""

HORIZON = 20
"""Closes that follow it: about four weeks."""

MOST, FEWEST = 20, 8
"""The most stretches that are used, and the fewest below which no result is given."""

ALIKE = 0.8
"""The correlation of two paths from which they count as similar."""

_LONGEST_SPAN = timedelta(days=110)
"""The longest span from the first close of a stretch to the last that follows it: 60 closes take 84
days, and a longer one has a gap."""

_FLAT = 1e-9


@dataclass(frozen=True, slots=True)
class Analogues:
    """The similar stretches, nearest first, by the index of their last close; the move that
    followed each, in percent; and the moves that followed the others, which are similar only by
    chance."""

    ends: tuple[int, ...]
    moves: Floats
    other_moves: Floats

    @property
    def rises(self) -> int:
        """The number of them after which the price rose."""
        return int(np.count_nonzero(self.moves > 0))

    @property
    def other_rises(self) -> int:
        """The number of the others after which the price rose."""
        return int(np.count_nonzero(self.other_moves > 0))

    @property
    def rises_more_often(self) -> bool:
        """Whether the price rose more often after them than after the others."""
        return self.rises * len(self.other_moves) > self.other_rises * len(self.moves)


def find_analogues(days: Sequence[date], closes: Sequence[float]) -> Analogues:
    """The nearest stretches of the past, and the moves that followed them, apart from all others.

    Nearness is the distance of the logarithmic paths, each normalised to mean 0 and deviation 1,
    which is their correlation. A stretch ends on the first day on which it is similar, as it would
    have been noticed then: to prefer a better one of some days later would use hindsight. The
    following move is complete for each.
    """
    logs = np.log(np.asarray(closes, dtype=np.float64))
    # The last stretch begins after all others have ended, and HORIZON is shorter than PATH.
    ends = _candidates(days, len(logs) - 1 - PATH)
    if not len(ends):
        return Analogues((), np.empty(0), np.empty(0))
    paths = _normalised(sliding_window_view(logs, PATH))
    likeness = paths[ends - PATH + 1] @ paths[-1] / PATH
    followed = np.expm1(logs[ends + HORIZON] - logs[ends]) * 100
    alike = _apart(ends, likeness >= ALIKE, PATH + HORIZON)
    chosen = sorted(alike, key=lambda at: -likeness[at])[:MOST]
    free = np.all([np.abs(ends - ends[at]) >= HORIZON for at in alike], axis=0)
    others = _apart(ends, np.broadcast_to(free, ends.shape), HORIZON)
    return Analogues(tuple(int(ends[at]) for at in chosen), followed[chosen], followed[others])


def _candidates(days: Sequence[date], last: int) -> NDArray[np.intp]:
    """The indices at which a stretch may end: complete, without a gap, and not in the last one."""
    found = [
        end
        for end in range(PATH - 1, last + 1)
        if days[end + HORIZON] - days[end - PATH + 1] <= _LONGEST_SPAN
    ]
    return np.asarray(found, dtype=np.intp)


def _normalised(paths: Floats) -> Floats:
    """Each path with mean 0 and deviation 1. A flat path is similar to nothing, and becomes
    zeros."""
    centred = paths - paths.mean(axis=1, keepdims=True)
    deviation = centred.std(axis=1, keepdims=True)
    flat = deviation < _FLAT
    return np.where(flat, 0.0, centred / np.where(flat, 1.0, deviation))


def _apart(ends: NDArray[np.intp], wanted: NDArray[np.bool_], distance: int) -> list[int]:
    """The indices of the wanted ends, earliest first, each at least `distance` after the one
    before."""
    chosen: list[int] = []
    for at in np.flatnonzero(wanted):
        if not chosen or ends[at] - ends[chosen[-1]] >= distance:
            chosen.append(int(at))
    return chosen


FEWEST_YEARS = 8
"""The fewest moves of each month below which no result is given."""

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)

_MIDDLE = timedelta(days=14)
_LAST_WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Season:
    """One month of the year: its moves in percent, oldest first, those of the other months, and the
    probability that they rank so far apart by chance, adjusted for twelve tests."""

    month: int
    moves: Floats
    others: Floats
    p_value: float

    @property
    def mean(self) -> float:
        """The mean of its moves, in percent."""
        return float(np.mean(self.moves))

    @property
    def rise_share(self) -> float:
        """The share of its moves that were rises, in percent."""
        return float(np.mean(self.moves > 0)) * 100

    @property
    def higher(self) -> bool:
        """Whether the median of its moves is above that of the others."""
        return float(np.median(self.moves)) > float(np.median(self.others))


def coming_month(as_of: datetime) -> int:
    """The month that contains most of the four weeks after an instant."""
    return (as_of.astimezone(UTC).date() + _MIDDLE).month


def season_of(month: int, moves: Sequence[Floats]) -> Season:
    """A month of the year against the others. `moves` are those of January to December, at least
    two each.

    Raises:
        NotInstalled: SciPy is not installed.
    """
    others = np.concatenate([group for at, group in enumerate(moves) if at != month - 1])
    return Season(month, moves[month - 1], others, group_p_values(moves)[month - 1])


def monthly_moves(
    days: Sequence[date], closes: Sequence[float], as_of: datetime
) -> tuple[Floats, ...]:
    """The moves of all whole months in percent, for January to December, each oldest first.

    The move of a month runs from the last close of the month before to its own last close; both
    months must be over at the instant and have a close in their last seven days.
    """
    lasts = _month_ends(days, closes, as_of.astimezone(UTC).date())
    found: list[list[float]] = [[] for _ in MONTHS]
    for number, close in lasts.items():
        before = lasts.get(number - 1)
        if before is not None:
            found[number % 12].append((close / before - 1) * 100)
    return tuple(np.asarray(moves, dtype=np.float64) for moves in found)


def _month_ends(days: Sequence[date], closes: Sequence[float], today: date) -> dict[int, float]:
    """The last close of each month that is over and has a close near its end. Months are numbered
    from the year 0."""
    ends: dict[int, tuple[date, float]] = {}
    for day, close in zip(days, closes, strict=True):
        ends[day.year * 12 + day.month - 1] = (day, close)
    running = today.year * 12 + today.month - 1
    return {
        number: close
        for number, (day, close) in ends.items()
        if number < running and _month_end(day) - day < _LAST_WEEK
    }


def _month_end(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])


WEEK, YEAR = 5, 252
"""Closes."""

UNUSUAL = 3.0
"""Robust standard deviations from which a move counts as unusual."""

TENTH = Decimal("0.1")

MINING_METHOD = (
    f"Analogues: at most {MOST} stretches of {PATH} closes from the market's own past, "
    f"{PATH + HORIZON} closes apart, whose log path, standardised to mean 0 and deviation 1, has a "
    f"correlation of {ALIKE} or more with that of the last {PATH} closes. Of the {HORIZON} closes "
    "after them: the median move, and the share that rose, tested against the other periods of "
    f"{HORIZON} closes by scipy's exact Fisher test. Anomaly: the move of the last {WEEK} closes "
    f"minus the median of such moves in the {YEAR} closes before, in median absolute deviations "
    "scaled to a standard deviation."
)
SEASONAL = (
    "The month that contains most of the four weeks after as_of: its mean move over the years, the "
    "share of rises, and scipy's Mann-Whitney test against the other months, adjusted for twelve "
    "months by the method of Benjamini and Hochberg (SciPy)."
)


def pattern_miner(series: PriceSeries, as_of: datetime) -> Analysis:
    """Stretches of the past that ran like the last closes, the moves that followed them, and how
    unusual the last week's move is.

    Raises:
        NotInstalled: SciPy is not installed.
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
    return analysis(series, as_of, MINING_METHOD, figures, signals, missing)


def seasonality_detector(series: PriceSeries, as_of: datetime) -> Analysis:
    """How the month with most of the coming four weeks went in earlier years.

    Raises:
        NotInstalled: SciPy is not installed.
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
    """How unusual the last week's move is, or why that is unknown."""
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
    measured_figure = MeasuredFigure(
        metric=Metric.ANOMALY_SCORE,
        value=Decimal(score).quantize(TENTH) + 0,
        as_of=series.last_day,
    )
    return [measured_figure], [_anomaly_signal(score)], []


def _anomaly_signal(score: float) -> Signal:
    """An unusual move has no direction by itself."""
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
    """The direction of the stretches, if they rose or fell more often than the others."""
    others = len(found.other_moves)
    p_value = share_p_value(found.rises, len(found.ends), found.other_rises, others)
    rises = found.rises_more_often
    if not is_significant(p_value) or rises != (float(np.median(found.moves)) > 0):
        words = "What followed similar stretches differs no more from usual than chance explains."
        strength = strength_of(1)
        return Signal(name="analogues", hint=Hint.NEUTRAL, strength=strength, words=words)
    words = f"Similar stretches were followed by a {'rise' if rises else 'fall'} more "
    return Signal(
        name="analogues",
        hint=Hint.UP if rises else Hint.DOWN,
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
    # A month that only has less of the direction of all months gives no direction.
    points = higher == (season.mean > 0)
    hint = (Hint.UP if higher else Hint.DOWN) if points else Hint.NEUTRAL
    words = f"{month} went {'higher' if higher else 'lower'} than the other months, by more than "
    return Signal(
        name=name,
        hint=hint,
        strength=strength_of(season.p_value),
        words=words + "chance explains.",
    )
