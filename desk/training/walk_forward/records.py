"""What a walk forward measured."""

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
"""The policy that is measured: the recommender's, after the fixed order of actions."""

GAINS: Final = (Metric.OVER_CASH, Metric.OVER_HOLDING, Metric.REWARD)
MEASURED: Final = (Metric.FORWARD_MOVE, *GAINS)


@dataclass(frozen=True, slots=True)
class Made:
    """What one policy recommended for one symbol as of one close, and what came of it.

    `period` numbers the dates of the walk. `figures` are those of `desk.analytics.evaluation`; what
    could not be had is not among them, and no gain where a long position has no reward. Only the
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

    `kinds` counts them by what was recommended; `right` of the `decided`, those that were long or
    short of a price that moved, had its direction. A mean is over those that have the figure, None
    without any: moves and returns in percent of a horizon, the reward in units of risk.
    """

    of: str
    made: int
    kinds: Mapping[Recommended, int]
    right: int
    decided: int
    means: Mapping[Metric, Interval | None]


@dataclass(frozen=True, slots=True)
class WalkForward:
    """What the built-in recommender and other policies came to on the same symbols and dates.

    `first` and `last` are the first and the last day of a recommendation; `unresolved` are places
    whose series has no price soon after, or none at the horizon. `policies` are the built-in
    recommender and the others, `by_symbol` and `by_year` are of the built-in recommender only, as
    is the `scorecard` of its probabilities. `base_rate` is how often the price was higher in the
    end, and `base_rate_brier` the score of saying so always, which nobody could have known
    beforehand. `better_than_half` is by how much its Brier score is lower than that of a half.
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
