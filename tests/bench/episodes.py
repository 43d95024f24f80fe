"""`python -m tests.bench.episodes`: steps a second of the environments of stock episodes.

In this process, on days drawn among all offline series with generated facts; beginning the next
episode is counted in. Actions are those of the usual order, or by chance among those that make
sense. `one by one` is a single environment; `side by side` the native vectorised one, first on days
that no episode was of yet, with tables that nothing was asked of, then once more on the same days.
The figures of the prices and the generated facts are made beforehand, which is timed apart. Each
round measures all of them in turn, so that a ratio holds on a machine that others use too.
"""

import argparse
import platform
import random
import statistics
import sys
import time
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Final

import gymnasium
import numpy as np
from rich.console import Console
from rich.table import Table

from desk.programs.episode.actions import ORDER
from desk.sources.analysis.generated.facts import SEED, GeneratedFacts
from desk.training.company_figures import COMPANY_ACTIONS
from desk.training.policies import ACTIONS
from desk.training.stock_env import StockResearchEnv
from desk.training.tables import StockTable, generated_facts, stock_table, symbols
from desk.training.vector_env import StockResearchVectorEnv

GOAL: Final = 20_000
SECONDS: Final = 3.0
ROUNDS: Final = 3
MANY: Final = 1_000
"""Steps between two looks at the clock, of a single environment."""

SIDE_BY_SIDE: Final = 256
USUAL: Final = tuple(ACTIONS.index(action) for action in ORDER)


def main(seconds: float) -> bool:
    """Print the figures; whether the goal was met."""
    began = time.perf_counter()
    facts = generated_facts(SEED)
    tables = practice(facts)
    for table, action in product(tables.values(), COMPANY_ACTIONS):
        table.values(action, 0)
    prepared = time.perf_counter() - began
    rates: dict[str, list[float]] = {}
    for seed in range(ROUNDS):
        for name, rate in measured(facts, seconds, seed):
            rates.setdefault(name, []).append(rate)
    days = sum(len(table.days) for table in tables.values())
    title = f"Stock episodes, one process on {processor()}"
    shown = Table("what", "steps a second", "beside one by one", "goal", title=title)
    shown.add_row(f"figures of {days:,} days of {len(tables)} symbols", f"{prepared:.1f} s", "", "")
    for name, found in rates.items():
        order = name.partition(", ")[2].partition(",")[0]
        beside = [a / b for a, b in zip(found, rates[f"one by one, {order}"], strict=True)]
        rate = statistics.median(found)
        goal = "" if name.startswith("one") else f"{'' if rate >= GOAL else 'MISSED: '}{GOAL:,}"
        shown.add_row(name, f"{rate:,.0f}", f"{statistics.median(beside):.1f}x", goal)
    versions = f"Python {platform.python_version()}, Gymnasium {gymnasium.__version__}"
    Console(width=120).print(shown, versions)
    return statistics.median(rates["side by side, usual order, new days"]) >= GOAL


def practice(facts: GeneratedFacts) -> Mapping[str, StockTable]:
    """Tables of all stocks, of whose days nothing was asked yet."""
    return {symbol: stock_table(symbol).beside(facts) for symbol in symbols()}


def measured(facts: GeneratedFacts, seconds: float, seed: int) -> Iterator[tuple[str, float]]:
    """What is measured in a round, in the order of the table, and the steps a second."""
    for usual, order in ((True, "usual order"), (False, "by chance")):
        yield f"one by one, {order}", one_by_one(practice(facts), seconds, seed, usual=usual)
    for usual, order in ((True, "usual order"), (False, "by chance")):
        envs = StockResearchVectorEnv(SIDE_BY_SIDE, tables=practice(facts))
        for days in ("new days", "days again"):
            rate = side_by_side(envs, seconds, seed, usual=usual)
            yield f"side by side, {order}, {days}", rate


def one_by_one(
    tables: Mapping[str, StockTable], seconds: float, seed: int, *, usual: bool
) -> float:
    """How many steps a single environment takes in a second."""
    env, chance = StockResearchEnv(tables=tables), random.Random(seed)
    _, info = env.reset(seed=seed)
    steps, at, began = 0, 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        for _ in range(MANY):
            mask = info["action_mask"].tolist()
            action = USUAL[at] if usual else chance.choice([i for i, one in enumerate(mask) if one])
            _, _, terminated, truncated, info = env.step(action)
            at += 1
            if terminated or truncated:
                _, info = env.reset()
                at = 0
        steps += MANY
    return steps / passed


def side_by_side(env: StockResearchVectorEnv, seconds: float, seed: int, *, usual: bool) -> float:
    """How many steps the vectorised environment takes in a second, all of its episodes together."""
    chance = np.random.default_rng(seed)
    _, info = env.reset(seed=seed)
    steps, at, began = 0, 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        if usual:
            actions = np.full(env.num_envs, USUAL[at % len(USUAL)])
        else:
            # Of those that make sense the one that draws the largest number.
            actions = (info["action_mask"] * chance.random(info["action_mask"].shape)).argmax(1)
        _, _, _, _, info = env.step(actions)
        steps, at = steps + env.num_envs, at + 1
    return steps / passed


def processor() -> str:
    """What the machine says that it computes with."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each round")
    sys.exit(0 if main(parser.parse_args().seconds) else 1)
