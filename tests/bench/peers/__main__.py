"""`make bench`, the engines of others: the same graph of empty steps, and what a kill repeats.

    python -m tests.bench.peers [--python PATH] [--repetitions N]

Engines run in turns, each in a process of its own with a new database; the start of the process and
of a server is not counted. `--python` is the interpreter of the environment that
`make install-peers` makes; the desk's own runs in this one.
"""

import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

from rich.console import Console
from rich.table import Table

from desk.platform.server.embedded import embedded_server
from desk.platform.temporal.client import connect
from tests.bench.floor import FloorMarket, floor_of
from tests.bench.peers.graph import DONE, FIRST, STARTED
from tests.bench.week import week
from tests.support.processes.homes import PROJECT, home_settings
from workers.hosting import Role, hosted

PEERS: Final = PROJECT / ".venv" / "peers" / "bin" / "python"
LATENCIES: Final = (0.0, 0.2)
GOAL: Final = 1.5
"""The desk's engine at the longer latency, at most so many times as long as LangGraph."""

LONGEST: Final = 300
"""Seconds that an engine has for a graph."""


class Engine(NamedTuple):
    """One that runs the graph: its module, and the interpreter that has its libraries."""

    module: str
    python: str

    def command(self, graph: Path, state: Path, latency: float, *more: str) -> list[str]:
        """What runs the graph on it."""
        module = f"tests.bench.peers.{self.module}"
        told = (str(graph), str(state), "--latency", str(latency), *more)
        return [self.python, "-m", module, *told]


class PeersMissing(Exception):
    """An interpreter that cannot run the engines of others."""


def require_peers(python: str) -> None:
    """Returns if an interpreter has the libraries of the engines of others.

    Raises:
        PeersMissing: it has not; the message says what to run.
    """
    has_them = (python, "-c", "import dbos, langgraph.checkpoint.sqlite.aio")
    try:
        subprocess.run(has_them, check=True, stderr=subprocess.DEVNULL, timeout=LONGEST)
    except (OSError, subprocess.SubprocessError):
        raise PeersMissing(
            f"{python} cannot run LangGraph and DBOS: run `make install-peers`, or name an "
            "interpreter that has them with --python"
        ) from None


class Killed(NamedTuple):
    """What became of a run that was killed when half of its steps were done, and started again."""

    done_again: int
    asked_again: int
    missing: int
    seconds: float


async def graph_of_a_week() -> list[FloorMarket]:
    """The steps of a week of all markets, as the desk takes them."""
    with tempfile.TemporaryDirectory(prefix="desk-bench-") as directory:
        settings = home_settings(Path(directory))
        async with embedded_server(settings.home, settings.server):
            client = await connect(settings)
            async with hosted(client, settings, [Role.ALL]):
                _, result = await week(client, settings, "shape")
    return floor_of(result.record.outcomes)


def timed(engine: Engine, graph: Path, latency: float) -> tuple[float, str]:
    """The seconds of one run from its first step to its last, and the engine's version."""
    with tempfile.TemporaryDirectory(prefix="desk-bench-") as state:
        done = subprocess.run(
            engine.command(graph, Path(state), latency),
            cwd=PROJECT,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=LONGEST,
        )
    told = json.loads(done.stdout.splitlines()[-1])
    return told["seconds"], told["version"]


def killed(engine: Engine, graph: Path, latency: float, steps: int) -> Killed:
    """A run whose processes are killed when half of its steps are done, and which is started again
    on what it kept. `seconds` are from the new start to the end."""
    with tempfile.TemporaryDirectory(prefix="desk-bench-") as directory:
        state = Path(directory)
        log = state / "steps.log"
        command = engine.command(graph, state, latency)
        with subprocess.Popen(
            command, cwd=PROJECT, stdout=subprocess.DEVNULL, start_new_session=True
        ) as process:
            while _counted(log)[DONE].total() < steps // 2:
                if process.poll() is not None:
                    raise RuntimeError(f"{engine.module} ended before it was killed")
                time.sleep(0.005)
            os.killpg(process.pid, signal.SIGKILL)
        before = _counted(log)
        began = time.perf_counter()
        again = engine.command(graph, state, latency, "--resume")
        subprocess.run(again, cwd=PROJECT, stdout=subprocess.DEVNULL, check=True, timeout=LONGEST)
        taken, after = time.perf_counter() - began, _counted(log)
    under_way = before[STARTED] - before[DONE]
    since = after[STARTED] - before[STARTED]
    return Killed(
        done_again=(since & before[DONE]).total(),
        asked_again=(since & under_way).total(),
        missing=steps - len(after[DONE]),
        seconds=taken,
    )


def _counted(log: Path) -> dict[str, Counter[str]]:
    """How often each step was started, and done."""
    counted: dict[str, Counter[str]] = {STARTED: Counter(), DONE: Counter()}
    for line in log.read_text().splitlines() if log.exists() else ():
        what, _, name = line.partition(" ")
        counted[what][name] += 1
    return counted


def main(python: str, repetitions: int) -> None:
    """Print the times, side by side, and what each engine repeats."""
    ours = Engine("on_temporal", sys.executable)
    engines = (ours, Engine("on_langgraph", python), Engine("on_dbos", python))
    markets = asyncio.run(graph_of_a_week())
    with tempfile.TemporaryDirectory(prefix="desk-bench-") as directory:
        graph = Path(directory) / "graph.json"
        graph.write_text(json.dumps([market.model_dump() for market in markets]))
        steps = len(FIRST) + sum(market.steps for market in markets) + 1
        times: dict[tuple[Engine, float], list[float]] = {}
        versions = {}
        for _ in range(repetitions):
            for latency in LATENCIES:
                for engine in engines:
                    seconds, versions[engine] = timed(engine, graph, latency)
                    times.setdefault((engine, latency), []).append(seconds)
        kills = {engine: killed(engine, graph, LATENCIES[-1], steps) for engine in engines}
    medians = {key: statistics.median(each) for key, each in times.items()}
    table = Table(
        "engine",
        *(f"{latency:g} s a step" for latency in LATENCIES),
        "done steps done again",
        "steps under way begun again",
        "from the new start to the end",
        title=f"{steps} empty steps of a week, median of {repetitions}; killed when half were done",
    )
    for engine in engines:
        kill = kills[engine]
        table.add_row(
            versions[engine],
            *(f"{medians[engine, latency]:.2f} s" for latency in LATENCIES),
            f"{kill.done_again}" + (f", {kill.missing} never done" if kill.missing else ""),
            f"{kill.asked_again}",
            f"{kill.seconds:.2f} s",
        )
    console = Console(width=110)
    console.print(table)
    ratio = medians[ours, LATENCIES[-1]] / medians[engines[1], LATENCIES[-1]]
    told = f"At {LATENCIES[-1]:g} s a step the desk's engine takes {ratio:.2f} times as long as"
    console.print(f"{told} LangGraph (goal {GOAL} or less).")


def asked_for(arguments: list[str]) -> argparse.Namespace:
    """What a command line asks for. Ends the process with 2 and one line where the engines of
    others are not installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=str(PEERS))
    parser.add_argument("--repetitions", type=int, default=3)
    asked = parser.parse_args(arguments)
    try:
        require_peers(asked.python)
    except PeersMissing as missing:
        parser.exit(2, f"{missing}\n")
    return asked


if __name__ == "__main__":
    asked = asked_for(sys.argv[1:])
    main(asked.python, asked.repetitions)
