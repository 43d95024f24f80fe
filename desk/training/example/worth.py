"""What the figures of each action tell of what came, to somebody who weighs them by the past.

The built-in recommender weighs figures by fixed rules, which give accounts and tone little. So that
it can be told whether an action brings anything at all, a ridge regression of the reward of a long
position on all figures is fitted on earlier dates, and holds what it expects on later ones: long,
or short. The same is done without the figures of each action.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from desk.contracts.episode.stock import StockAction
from desk.contracts.findings.claims import Metric
from desk.programs.episode.actions import DATA, PART_METRICS
from desk.training.stock_days import with_a_horizon
from desk.training.tables import StockTable
from desk.training.walk_forward.intervals import Interval, bootstrapped

APART_DAYS: Final = 5
"""Every fifth day of a series is looked at."""

PENALTY: Final = 0.01
"""Of the squared weights, beside the mean squared error of standardised figures."""

MOST_SWINGS: Final = 3.0
"""Figures count as no further from their mean than so many deviations."""

_LEVELS: Final = frozenset(
    {
        *(Metric.YEAR_HIGH, Metric.YEAR_LOW, Metric.SMA_50, Metric.SMA_200),
        *(Metric.TARGET, Metric.EXPECTED_LOW, Metric.EXPECTED_HIGH),
    }
)
"""Levels, which say nothing by themselves: they count by their distance from the last price."""


class Days(NamedTuple):
    """Days of all stocks: the figures of each action, the reward of a long position, and the date
    as the number of its week."""

    figures: Mapping[StockAction, NDArray[np.float64]]
    rewards: NDArray[np.float64]
    weeks: NDArray[np.int64]


def worth(
    tables: Sequence[StockTable], weeks: int, cost: Decimal, split: date, seed: int
) -> Iterator[tuple[str, Interval | None, Interval | None]]:
    """What is earned on later dates with all figures and without those of each action: its name,
    the mean reward, and by how much that is less than with all."""
    earlier = _days(tables, weeks, cost, last=split)
    later = _days(tables, weeks, cost, first=split)
    whole = _earned(earlier, later, DATA)
    at = list(map(int, later.weeks))
    yield "all figures", bootstrapped(at, list(whole), seed), None
    for action in DATA:
        left = [each for each in DATA if each is not action]
        earned = _earned(earlier, later, left)
        name = f"no {action.lower().removeprefix('fetch_').removeprefix('run_')}"
        less = list(earned - whole)
        yield name, bootstrapped(at, list(earned), seed), bootstrapped(at, less, seed)


def _earned(earlier: Days, later: Days, actions: Sequence[StockAction]) -> NDArray[np.float64]:
    """The reward of each later day, long where the fitted figures expect a gain and else short."""
    known = np.hstack([earlier.figures[action] for action in actions])
    shown = np.hstack([later.figures[action] for action in actions])
    means, swings = np.nanmean(known, axis=0), np.nanstd(known, axis=0)
    swings = np.where(swings > 0, swings, 1.0)
    fitted, tried = (_standard(each, means, swings) for each in (known, shown))
    inside = fitted.T @ fitted / len(fitted) + PENALTY * np.eye(fitted.shape[1])
    middle = earlier.rewards.mean()
    weights = np.linalg.solve(inside, fitted.T @ (earlier.rewards - middle) / len(fitted))
    expected = tried @ weights
    earned: NDArray[np.float64] = np.sign(expected) * later.rewards
    return earned


def _standard(
    figures: NDArray[np.float64], means: NDArray[np.float64], swings: NDArray[np.float64]
) -> NDArray[np.float64]:
    """In deviations from the mean; what is lacking counts as the mean."""
    told = np.clip((figures - means) / swings, -MOST_SWINGS, MOST_SWINGS)
    return np.nan_to_num(told)


def _days(
    tables: Sequence[StockTable],
    weeks: int,
    cost: Decimal,
    first: date | None = None,
    last: date | None = None,
) -> Days:
    rows: dict[StockAction, list[NDArray[np.float64]]] = {action: [] for action in DATA}
    rewards, at = list[float](), list[int]()
    for table in tables:
        own = {action: _beside_last(table, action) for action in DATA}
        for place in with_a_horizon(table.days, weeks, first, last)[::APART_DAYS]:
            reward = table.evaluation(place, 1, weeks, cost)[0].get(Metric.REWARD)
            if reward is not None:
                rewards.append(float(reward))
                at.append(table.days[place].toordinal() // 7)
                for action in DATA:
                    rows[action].append(own[action][place])
    found = {action: np.array(kept, np.float64) for action, kept in rows.items()}
    return Days(found, np.array(rewards), np.array(at))


def _beside_last(table: StockTable, action: StockAction) -> NDArray[np.float64]:
    """The figures of an action by day, levels as their distance from the last price."""
    basic = PART_METRICS[StockAction.RUN_TA_BASIC].index(Metric.LAST)
    last = table.rows(StockAction.RUN_TA_BASIC)[:, basic]
    columns = table.rows(action).T
    told = [
        column / last - 1 if metric in _LEVELS else column
        for metric, column in zip(PART_METRICS[action], columns, strict=True)
        if metric is not Metric.LAST
    ]
    return np.array(told).T
