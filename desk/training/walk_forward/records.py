"""The results of a walk forward."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Final

from desk.contracts.episode.stock import Recommended
from desk.contracts.findings.claims import Metric
from desk.contracts.learning.lessons import Scorecard
from desk.training.walk_forward.intervals import Interval

BUILT_IN: Final = "built-in"
"""The measured policy: the recommender's, after the fixed order of actions."""

GAINS: Final = (Metric.OVER_CASH, Metric.OVER_HOLDING, Metric.REWARD)
MEASURED: Final = (Metric.FORWARD_MOVE, *GAINS)


@dataclass(frozen=True, slots=True)
class MadeRecommendation:
    """What one policy recommended for one symbol as of one close, and the outcome.

    `period` numbers the dates of the walk. `figures` are those of `desk.analytics.evaluation`,
    without the unavailable ones, and without gains if a long position has no reward. Only the
    built-in recommender gives a `probability`.
    """

    policy: str
    symbol: str
    period: int
    as_of: datetime
    entry_on: date
    exit_on: date
    recommended: Recommended
    probability: float | None
    figures: Mapping[Metric, Decimal]


@dataclass(frozen=True, slots=True)
class PerformanceRow:
    """How some recommendations did. `of` is a policy, a symbol, a year or `all`.

    `kinds` counts them by recommended action; `decided` counts those that were long or short of a
    price that moved, and `right` those of them with the right direction. A mean is over the
    recommendations that have the figure, None without any: moves and returns in percent of a
    horizon, the reward in units of risk.
    """

    of: str
    made: int
    kinds: Mapping[Recommended, int]
    right: int
    decided: int
    means: Mapping[Metric, Interval | None]


@dataclass(frozen=True, slots=True)
class WalkForward:
    """The results of the built-in recommender and other policies on the same symbols and dates.

    `first` and `last` are the first and the last day of a recommendation; `unresolved` counts the
    places whose series has no price soon after, or none at the horizon. `policies` are the built-in
    recommender and the others; `by_symbol`, `by_year` and the `scorecard` of probabilities are of
    the built-in recommender only. `base_rate` is how often the price was higher at the horizon, and
    `base_rate_brier` the score of always saying so, which could not have been known beforehand.
    `better_than_half` is by how much the recommender's Brier score is lower than that of always
    saying one half.
    """

    weeks: int
    cost: Decimal
    first: date
    last: date
    symbols: tuple[str, ...]
    unresolved: int
    policies: tuple[PerformanceRow, ...]
    by_symbol: tuple[PerformanceRow, ...]
    by_year: tuple[PerformanceRow, ...]
    scorecard: Scorecard
    better_than_half: Interval | None
    base_rate: float
    base_rate_brier: float
