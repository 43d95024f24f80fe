"""`python -m tests.bench.episodes`: steps a second of the environment of stock episodes.

One environment in this process takes actions by chance among those that make sense, on days drawn
among all offline series; beginning the next episode is counted in. The figures of the days are
computed beforehand, which is timed apart.
"""

import argparse
import platform
import random
import statistics
import sys
import time
from pathlib import Path
from typing import Final

import gymnasium
from rich.console import Console
from rich.table import Table

from desk.training.stock_env import StockResearchEnv
from desk.training.tables import stock_table, symbols

GOAL: Final = 20_000
SECONDS: Final = 3.0
ROUNDS: Final = 3
MANY: Final = 1_000
"""Steps between two looks at the clock."""


def main(seconds: float) -> bool:
    """Print the figures; whether the goal was met."""
    began = time.perf_counter()
    tables = {symbol: stock_table(symbol) for symbol in symbols()}
    prepared = time.perf_counter() - began
    env = StockResearchEnv(tables=tables)
    rates = [steps_a_second(env, seconds, seed) for seed in range(ROUNDS)]
    days = sum(len(table.days) for table in tables.values())
    title = f"Stock episodes, one core of {processor()}"
    table = Table("what", "figure", "goal", title=title)
    table.add_row(f"figures of {days:,} days of {len(tables)} symbols", f"{prepared:.1f} s", "")
    for rate in rates:
        met = f"{GOAL:,}" if rate >= GOAL else f"MISSED: {GOAL:,}"
        table.add_row("steps a second, resets included", f"{rate:,.0f}", met)
    versions = f"Python {platform.python_version()}, Gymnasium {gymnasium.__version__}"
    Console(width=120).print(table, versions)
    return statistics.median(rates) >= GOAL


def steps_a_second(env: StockResearchEnv, seconds: float, seed: int) -> float:
    """How many steps by chance it takes in a second."""
    chance = random.Random(seed)
    _, info = env.reset(seed=seed)
    steps, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        for _ in range(MANY):
            mask = info["action_mask"].tolist()
            action = chance.choice([index for index, sense in enumerate(mask) if sense])
            _, _, terminated, truncated, info = env.step(action)
            if terminated or truncated:
                _, info = env.reset()
        steps += MANY
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
