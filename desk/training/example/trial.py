"""Compares policies on dates and on stocks on which none of them was trained."""

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
"""Chooses the next actions of concurrent episodes, given their observations, their action masks,
and the number of steps they have taken."""

EARLIER: Final = 0.7
"""The share of the days that come before the split."""

HELD_OUT_EVERY: Final = 4
"""The second of so many stocks, in the order of their symbols, is held out."""


class Training(NamedTuple):
    """The training data: the days of some symbols that can be drawn from `first` on, and how many
    of these `days` have a reward. `first` is the earliest that has one."""

    symbols: tuple[str, ...]
    first: date
    days: int
    rewarded: int


class HeldOutEpisode(NamedTuple):
    """An episode to try policies on: a numbered date of the walk, and the reward of a long position
    regardless of what is known."""

    symbol: str
    day: date
    period: int
    holding: float


class PolicyResults(NamedTuple):
    """A policy's results in episodes, in their order: the reward less the research charges, the
    number of steps, and whether the episode reached an evaluation."""

    rewards: NDArray[np.float64]
    steps: NDArray[np.int64]
    evaluated: NDArray[np.bool_]


def held_out_symbols(symbols: Iterable[str]) -> tuple[str, ...]:
    """Returns the stocks that are held out from training."""
    return tuple(sorted(symbols)[1::HELD_OUT_EVERY])


def split_day(tables: Iterable[StockTable], weeks: int, last: date | None = None) -> date:
    """Returns the last day of training: of the days whose horizon ends by `last`, the share
    `EARLIER` comes before it."""
    days = sorted(
        table.days[at] for table in tables for at in with_a_horizon(table.days, weeks, last=last)
    )
    return days[int(EARLIER * (len(days) - 1))]


def training_days(tables: Iterable[StockTable], weeks: int, cost: Decimal, last: date) -> Training:
    """Returns the training data up to a day, without the symbols that have no reward by then. Days
    before the first policy rate, or before there is a volatility, have no reward.

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


def held_out_episodes(
    tables: Iterable[StockTable], weeks: int, cost: Decimal, first: date
) -> Iterator[HeldOutEpisode]:
    """Yields an episode for every date of the walk from `first` on that has a reward."""
    for table in tables:
        for place in places(table, weeks, first):
            figures, _ = table.evaluation(place.at, 1, weeks, cost) if place.resolved else ({}, {})
            reward = figures.get(Metric.REWARD)
            if reward is not None:
                yield HeldOutEpisode(
                    table.symbol, table.days[place.at], place.period, float(reward)
                )


def choosers(seed: int) -> dict[str, Chooser]:
    """Returns the policies to beat: random allowed actions, the usual order, and that order without
    one of the actions that fetch figures."""
    chance = np.random.default_rng(seed)

    def by_chance(seen: Observation, masks: Mask, step: int) -> Numbers:
        # Among the allowed actions, the one with the largest random number.
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
    """Returns a policy that takes the actions in the given order."""
    indices = [ACTIONS.index(action) for action in order]

    def choose(seen: Observation, masks: Mask, step: int) -> Numbers:
        return np.full(len(masks), indices[min(step, len(indices) - 1)])

    return choose


def play(
    env: StockResearchVectorEnv, episodes: Sequence[HeldOutEpisode], choose: Chooser
) -> PolicyResults:
    """Plays each episode once with a policy and returns the results."""
    batches = [episodes[at : at + env.num_envs] for at in range(0, len(episodes), env.num_envs)]
    found = [_batch(env, batch, choose) for batch in batches]
    rewards, steps, evaluated = (np.concatenate(each) for each in zip(*found, strict=True))
    return PolicyResults(rewards, steps, evaluated)


def _batch(
    env: StockResearchVectorEnv, batch: Sequence[HeldOutEpisode], choose: Chooser
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]:
    """Plays episodes that begin together. The episodes that follow a finished one are ignored."""
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
    own = slice(len(batch))
    return rewards[own], steps[own], evaluated[own]
