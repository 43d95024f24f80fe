"""Policies held against each other on dates that none of them was trained on."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Final, NamedTuple

import numpy as np

from desk.analytics.technical.series import close_known_from
from desk.contracts.episode.stock import Recommended
from desk.contracts.findings.claims import Metric
from desk.programs.episode.encoding import Observation
from desk.training.policies import ACTIONS, fixed_order, random_actions
from desk.training.stock_days import with_a_horizon
from desk.training.stock_env import StockResearchEnv
from desk.training.tables import StockTable
from desk.training.walk_forward.intervals import Interval, mean_over
from desk.training.walk_forward.records import Made
from desk.training.walk_forward.walk import WalkDate, places

Chooser = Callable[[StockResearchEnv, Observation], int]
"""The index of the next action, seeing the environment or only what it shows."""

EARLIER: Final = 0.7
"""The share of the days that come before the split."""

HOLDING: Final = "holding"


class Training(NamedTuple):
    """What is trained on: the days of some symbols that can be drawn from `first` on, and how many
    of these `days` have a reward. `first` is the earliest that has one."""

    symbols: tuple[str, ...]
    first: date
    days: int
    rewarded: int


class Trial(NamedTuple):
    """What each policy did on the held-out dates.

    `made` is for each policy and date what it ended on; an episode that was cut off before an
    evaluation counts as staying out. `steps` are those of its episodes together, `evaluated` how
    many came to an evaluation.
    """

    made: tuple[Made, ...]
    steps: Mapping[str, int]
    evaluated: Mapping[str, int]


def split_day(tables: Iterable[StockTable], weeks: int) -> date:
    """The last day of training: `EARLIER` of the days with a horizon come before it."""
    days = sorted(table.days[at] for table in tables for at in with_a_horizon(table.days, weeks))
    return days[int(EARLIER * (len(days) - 1))]


def training_days(tables: Iterable[StockTable], weeks: int, cost: Decimal, last: date) -> Training:
    """What there is to learn from until a day, without the symbols that have no reward by then.

    Before the first policy rate no day has a reward, nor has one before there is a volatility.

    Raises:
        ValueError: no symbol has a reward.
    """
    rewarded = {table: found for table in tables if (found := _rewarded(table, weeks, cost, last))}
    if not rewarded:
        raise ValueError(f"no day whose {weeks} weeks are over by {last} has a reward")
    first = min(days[0] for days in rewarded.values())
    return Training(
        symbols=tuple(table.symbol for table in rewarded),
        first=first,
        days=sum(len(with_a_horizon(table.days, weeks, first, last)) for table in rewarded),
        rewarded=sum(map(len, rewarded.values())),
    )


def _rewarded(table: StockTable, weeks: int, cost: Decimal, last: date) -> list[date]:
    return [
        table.days[at]
        for at in with_a_horizon(table.days, weeks, last=last)
        if Metric.REWARD in table.evaluation(at, 1, weeks, cost)[0]
    ]


def choosers(seed: int) -> dict[str, Chooser]:
    """The policies to beat: any action that makes sense, and the seed's order."""
    by_chance = random_actions(np.random.default_rng(seed))
    return {
        "random": lambda env, seen: ACTIONS.index(by_chance(env.board)),
        "in order": lambda env, seen: ACTIONS.index(fixed_order(env.board)),
    }


def tried(
    env: StockResearchEnv, tables: Iterable[StockTable], chosen: Mapping[str, Chooser], first: date
) -> Trial:
    """Every policy on every date from a day on that has a reward for each position."""
    made: list[Made] = []
    steps, evaluated = dict.fromkeys(chosen, 0), dict.fromkeys(chosen, 0)
    for table in tables:
        for place in places(table, env.weeks, first):
            holding = _holding(table, place, env) if place.resolved else None
            if holding is None:
                continue
            for name, choose in chosen.items():
                steps[name] += _episode(env, choose, table.symbol, holding.as_of)
                ended = _ended(env, name, holding)
                evaluated[name] += ended is not None
                made.append(ended or _stayed_out(table, place, env, name, holding))
            made.append(holding)
    return Trial(tuple(made), steps, evaluated)


def beside(trial: Trial, own: str, other: str) -> Interval | None:
    """By how much the rewards of one policy are above another's on the same dates."""
    rewards = {
        name: {
            (each.symbol, each.period): float(each.figures[Metric.REWARD])
            for each in trial.made
            if each.policy == name
        }
        for name in (own, other)
    }
    gained = [rewards[own][at] - rewards[other][at] for at in rewards[own]]
    return mean_over([period for _, period in rewards[own]], gained)


def _episode(env: StockResearchEnv, choose: Chooser, symbol: str, as_of: datetime) -> int:
    """Play an episode to its end; how many steps it took."""
    seen, _ = env.reset(options={"symbol": symbol, "as_of": as_of})
    steps, over = 0, False
    while not over:
        seen, _, terminated, truncated, _ = env.step(choose(env, seen))
        steps, over = steps + 1, terminated or truncated
    return steps


def _holding(table: StockTable, place: WalkDate, env: StockResearchEnv) -> Made | None:
    """Buying, whatever is known; None where no reward can be had."""
    figures, days = table.evaluation(place.at, 1, env.weeks, env.cost)
    if Metric.REWARD not in figures:
        return None
    return Made(
        policy=HOLDING,
        symbol=table.symbol,
        period=place.period,
        as_of=close_known_from(table.days[place.at]),
        entry_on=days[Metric.ENTRY],
        exit_on=days[Metric.EXIT],
        recommended=Recommended.BUY,
        probability=None,
        figures=figures,
    )


def _ended(env: StockResearchEnv, name: str, holding: Made) -> Made | None:
    """What an episode came to; None where it came to no evaluation."""
    board = env.board
    if board.evaluation is None or board.recommendation is None:
        return None
    figures = {figure.metric: figure.value for figure in board.evaluation.figures}
    return replace(holding, policy=name, recommended=board.recommendation, figures=figures)


def _stayed_out(
    table: StockTable, place: WalkDate, env: StockResearchEnv, name: str, holding: Made
) -> Made:
    figures, _ = table.evaluation(place.at, 0, env.weeks, env.cost)
    return replace(holding, policy=name, recommended=Recommended.ABSTAIN, figures=figures)
