"""How much the figures of each action say about the later price, when weighted by the past.

    python -m desk.training.example.worth [--seeds N] [--facts known]

The built-in recommender weights figures by fixed rules, which give accounts and tone little weight.
To show whether an action is informative at all, a ridge regression of a long position's reward on
all figures is fitted on earlier dates. On later dates, the position is long where the regression
expects more than the mean, and otherwise short. The same is done without the figures of each
action: the difference in earnings is what they are worth. Both are measured on the building part,
whose days were used to choose the generator of facts, and on later days, which were used for
nothing. `--seeds` averages over that many bundles of facts on the same days, so that less depends
on one seed.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from desk.contracts.episode.actions import StockAction
from desk.contracts.findings.claims import Metric
from desk.programs.episode.actions import DATA, PART_METRICS
from desk.training.company_figures import Facts
from desk.training.example.trial import held_out_symbols, split_day
from desk.training.stock_days import with_a_horizon
from desk.training.tables import StockTable, generated_facts, stock_table, symbols
from desk.training.walk_forward.intervals import Interval, mean_over
from desk.training.walk_forward.table import columns, mean_words

DAY_STRIDE: Final = 5
"""Every fifth day of a series is used."""

PENALTY: Final = 0.01
"""On the squared weights, relative to the mean squared error of standardised figures."""

MOST_DEVIATIONS: Final = 3.0
"""Figures are clipped at this many standard deviations from their mean."""

_LEVELS: Final = frozenset(
    {
        *(Metric.YEAR_HIGH, Metric.YEAR_LOW, Metric.SMA_50, Metric.SMA_200),
        *(Metric.TARGET, Metric.EXPECTED_LOW, Metric.EXPECTED_HIGH),
    }
)
"""Levels, which say nothing by themselves: they count by their distance from the last price, and
are ignored without the action that fetches it."""


class Days(NamedTuple):
    """Days of all stocks: the figures of each action, the rewards of a long and of a short position
    after costs, and the number of the week."""

    figures: Mapping[StockAction, NDArray[np.float64]]
    rewards: NDArray[np.float64]
    shorts: NDArray[np.float64]
    weeks: NDArray[np.int64]


Bundle = Sequence[StockTable]
"""The tables of all stocks, with the facts of one seed."""


def worth(
    bundles: Sequence[Bundle],
    weeks: int,
    cost: Decimal,
    fitted: date,
    until: date | None,
) -> Iterator[tuple[str, Interval | None, Interval | None]]:
    """Yields the earnings on the days after `fitted` whose horizon ends by `until`, with all
    figures and without those of each action: a name, the mean reward, and its difference from the
    mean reward with all. With several bundles, the mean over the bundles counts on each day."""
    parts = [
        (_days(each, weeks, cost, last=fitted), _days(each, weeks, cost, first=fitted, last=until))
        for each in bundles
    ]
    at = list(map(int, parts[0][1].weeks))

    def earned(actions: Sequence[StockAction]) -> NDArray[np.float64]:
        mean: NDArray[np.float64] = np.mean([_earned(*part, actions) for part in parts], axis=0)
        return mean

    whole = earned(DATA)
    yield "all figures", mean_over(at, list(whole)), None
    for action in DATA:
        left = earned([each for each in DATA if each is not action])
        name = f"no {action.lower().removeprefix('fetch_').removeprefix('run_')}"
        yield name, mean_over(at, list(left)), mean_over(at, list(left - whole))


def worth_lines(bundles: Sequence[Bundle], weeks: int, cost: Decimal, split: date) -> Iterator[str]:
    """Yields lines on what each action's figures are worth up to `split`, on the part used for
    making choices, and after it."""
    inner = split_day(bundles[0], weeks, last=split)
    parts = (
        (f"building part, fitted until {inner} and held until {split}", inner, split),
        (f"held out, fitted until {split} and held after it", split, None),
    )
    for title, fitted, until in parts:
        found = worth(bundles, weeks, cost, fitted, until)
        yield ""
        yield f"what each action's figures are worth: {title}"
        rows = [(name, mean_words(mean), mean_words(less)) for name, mean, less in found]
        yield from columns(("", "reward", "less all figures"), rows)


def _earned(earlier: Days, later: Days, actions: Sequence[StockAction]) -> NDArray[np.float64]:
    """Returns the reward of each later day: of the long position where the fitted regression
    expects more than the mean of the earlier days, otherwise of the short one."""
    known, shown = _known_figures(earlier, actions), _known_figures(later, actions)
    means, deviations = np.nanmean(known, axis=0), np.nanstd(known, axis=0)
    deviations = np.where(deviations > 0, deviations, 1.0)
    fitted, tried = (_standardised(each, means, deviations) for each in (known, shown))
    inside = fitted.T @ fitted / len(fitted) + PENALTY * np.eye(fitted.shape[1])
    middle = earlier.rewards.mean()
    weights = np.linalg.solve(inside, fitted.T @ (earlier.rewards - middle) / len(fitted))
    expected = tried @ weights
    earned: NDArray[np.float64] = np.where(expected > 0, later.rewards, later.shorts)
    return earned


def _known_figures(days: Days, actions: Sequence[StockAction]) -> NDArray[np.float64]:
    """Returns what is known on each day after these actions; levels are included only with the last
    price."""
    has_last = StockAction.RUN_TA_BASIC in actions
    return np.hstack([days.figures[action][:, _columns(action, has_last)] for action in actions])


def _columns(action: StockAction, has_last: bool) -> list[int]:
    """Returns the usable columns of an action, with or without the last price."""
    kept = [metric for metric in PART_METRICS[action] if metric is not Metric.LAST]
    return [at for at, metric in enumerate(kept) if has_last or metric not in _LEVELS]


def _standardised(
    figures: NDArray[np.float64], means: NDArray[np.float64], deviations: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Returns the figures in deviations from the mean; a missing figure counts as the mean."""
    scaled = np.clip((figures - means) / deviations, -MOST_DEVIATIONS, MOST_DEVIATIONS)
    return np.nan_to_num(scaled)


def _days(
    tables: Sequence[StockTable],
    weeks: int,
    cost: Decimal,
    first: date | None = None,
    last: date | None = None,
) -> Days:
    rows: dict[StockAction, list[NDArray[np.float64]]] = {action: [] for action in DATA}
    rewards, shorts, at = list[float](), list[float](), list[int]()
    for table in tables:
        own = {action: _relative_to_last(table, action) for action in DATA}
        for place in with_a_horizon(table.days, weeks, first, last)[::DAY_STRIDE]:
            long, short = (
                table.evaluation(place, position, weeks, cost)[0].get(Metric.REWARD)
                for position in (1, -1)
            )
            if long is not None and short is not None:
                rewards.append(float(long))
                shorts.append(float(short))
                at.append(table.days[place].toordinal() // 7)
                for action in DATA:
                    rows[action].append(own[action][place])
    found = {action: np.array(kept, np.float64) for action, kept in rows.items()}
    return Days(found, np.array(rewards), np.array(shorts), np.array(at))


def _relative_to_last(table: StockTable, action: StockAction) -> NDArray[np.float64]:
    """Returns the figures of an action by day, levels as their distance from the last price."""
    basic = PART_METRICS[StockAction.RUN_TA_BASIC].index(Metric.LAST)
    last = table.rows(StockAction.RUN_TA_BASIC)[:, basic]
    columns = table.rows(action).T
    scaled = [
        column / last - 1 if metric in _LEVELS else column
        for metric, column in zip(PART_METRICS[action], columns, strict=True)
        if metric is not Metric.LAST
    ]
    return np.array(scaled).T


WEEKS: Final = 4
COST: Final = Decimal("0.10")


def main() -> None:
    """Prints what each action's figures are worth."""
    parser = argparse.ArgumentParser(prog="python -m desk.training.example.worth")
    parser.add_argument("--facts", type=Facts, choices=[*Facts], default=Facts.GENERATED)
    parser.add_argument("--seeds", type=int, default=0, metavar="N", help="1 to N of the generator")
    chosen = parser.parse_args()
    tables = {name: stock_table(name, facts=chosen.facts) for name in symbols()}
    split = split_day(
        (tables[name] for name in tables if name not in held_out_symbols(tables)), WEEKS
    )
    usual = tuple(tables.values())
    others = map(generated_facts, range(1, chosen.seeds + 1))
    bundles = [tuple(table.beside(facts) for table in usual) for facts in others] or [usual]
    for line in worth_lines(bundles, WEEKS, COST, split):
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
