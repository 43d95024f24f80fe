"""Compares policies on dates and on stocks that none of them was trained on."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from desk.contracts.episode.actions import StockAction
from desk.contracts.findings.claims import Metric
from desk.programs.episode.actions import DATA, ORDER
from desk.programs.episode.encoding import Observation
from desk.training.policies import ACTIONS
from desk.training.stock_days import with_a_horizon
from desk.training.tables import StockTable
from desk.training.vector_env import Mask, Numbers, StockResearchVectorEnv
from desk.training.walk_forward.walk import places

Chooser = Callable[[Observation, Mask, int], Numbers]
"""The next actions of episodes side by side, by what is shown of them, what makes sense, and how
many steps they have taken."""

EARLIER: Final = 0.7
"""The share of the days that come before the split."""

APART: Final = 4
"""Of so many stocks in the order of their symbols the second is held out."""


class Training(NamedTuple):
    """What is trained on: the days of some symbols that can be drawn from `first` on, and how many
    of these `days` have a reward. `first` is the earliest that has one."""

    symbols: tuple[str, ...]
    first: date
    days: int
    rewarded: int


class HeldOut(NamedTuple):
    """An episode that policies are tried on: a date of the walk, with its number, and the reward of
    a long position, whatever is known."""

    symbol: str
    day: date
    period: int
    holding: float


class Played(NamedTuple):
    """What a policy came to in episodes, in their order: the reward less what research was charged,
    how many steps each took, and whether it came to an evaluation."""

    rewards: NDArray[np.float64]
    steps: NDArray[np.int64]
    evaluated: NDArray[np.bool_]


def apart(symbols: Iterable[str]) -> tuple[str, ...]:
    """The stocks that are held out of the training."""
    return tuple(sorted(symbols)[1::APART])


def split_day(tables: Iterable[StockTable], weeks: int, last: date | None = None) -> date:
    """The last day of training: `EARLIER` of the days whose horizon is over by `last` come before
    it."""
    days = sorted(
        table.days[at] for table in tables for at in with_a_horizon(table.days, weeks, last=last)
    )
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


def held_out(
    tables: Iterable[StockTable], weeks: int, cost: Decimal, first: date
) -> Iterator[HeldOut]:
    """Every date of the walk from a day on that has a reward."""
    for table in tables:
        for place in places(table, weeks, first):
            figures, _ = table.evaluation(place.at, 1, weeks, cost) if place.resolved else ({}, {})
            reward = figures.get(Metric.REWARD)
            if reward is not None:
                yield HeldOut(table.symbol, table.days[place.at], place.period, float(reward))


def choosers(seed: int) -> dict[str, Chooser]:
    """The policies to beat: any action that makes sense, the usual order, and that order without
    one of the actions that bring figures."""
    chance = np.random.default_rng(seed)

    def by_chance(seen: Observation, masks: Mask, step: int) -> Numbers:
        # Of those that make sense the one that draws the largest number.
        drawn: Numbers = (masks * (1 + chance.random(masks.shape))).argmax(axis=1)
        return drawn

    without = {
        f"no {action.lower().removeprefix('fetch_').removeprefix('run_')}": in_order(
            [each for each in ORDER if each is not action]
        )
        for action in DATA
    }
    return {"random": by_chance, "in order": in_order(ORDER), **without}


def in_order(order: Sequence[StockAction]) -> Chooser:
    """Some actions one after the other."""
    indices = [ACTIONS.index(action) for action in order]

    def choose(seen: Observation, masks: Mask, step: int) -> Numbers:
        return np.full(len(masks), indices[min(step, len(indices) - 1)])

    return choose


def played(env: StockResearchVectorEnv, episodes: Sequence[HeldOut], choose: Chooser) -> Played:
    """The results of a policy in some episodes, each played once."""
    batches = [episodes[at : at + env.num_envs] for at in range(0, len(episodes), env.num_envs)]
    found = [_batch(env, batch, choose) for batch in batches]
    rewards, steps, evaluated = (np.concatenate(each) for each in zip(*found, strict=True))
    return Played(rewards, steps, evaluated)


def _batch(
    env: StockResearchVectorEnv, batch: Sequence[HeldOut], choose: Chooser
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]:
    """Episodes that are begun together. Those that follow one that is over are not looked at."""
    filled = [*batch, *[batch[-1]] * (env.num_envs - len(batch))]
    asked = {"symbol": [each.symbol for each in filled], "as_of": [each.day for each in filled]}
    seen, info = env.reset(options=asked)
    count = env.num_envs
    rewards, steps = np.zeros(count), np.zeros(count, np.int64)
    evaluated, going, step = np.zeros(count, bool), np.ones(count, bool), 0
    while going.any():
        seen, gained, ended, cut_off, info = env.step(choose(seen, info["action_mask"], step))
        rewards[going] += gained[going]
        steps[going] += 1
        evaluated |= going & ended
        going &= ~(ended | cut_off)
        step += 1
    kept = slice(len(batch))
    return rewards[kept], steps[kept], evaluated[kept]
