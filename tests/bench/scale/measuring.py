"""One size measured: a desk of its own, whose weeks are run side by side and then weighed."""

import asyncio
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final
from urllib.error import URLError
from urllib.request import urlopen

import psutil
from temporalio.client import Client

from desk.contracts.agents.config import RunConfig
from desk.contracts.markets import MarketSpec
from desk.contracts.names import Queue, market_run_id, week_run_id
from desk.contracts.runs.week import WeekRequest, WeekResult
from desk.platform.server.embedded import embedded_server
from desk.platform.settings import Settings, load_settings
from desk.platform.temporal.client import connect
from starters.session import Desk
from tests.bench.processes import all_polled, worker_processes
from tests.bench.scale.histories import Histories, histories_of
from tests.bench.scale.markets import generated, runs_of
from tests.support.processes.command import BINARIES
from tests.support.processes.homes import PROJECT, home_environment
from tests.support.processes.real_desk import closing_at_once
from workers.hosting import Role
from workflows.week.week import WeeklyResearchWorkflow

WEEK: Final = "2026-W44"
PATIENT: Final = timedelta(hours=1)
"""How long a week, and an agent's task, may take: on a desk that has more to do than it can, a
market waits, and that is what is measured."""

EMPTY_SOURCES: Final = (BINARIES / "python", "-m", "tests.bench.scale.sources")
"""Workers of sources that look nothing up."""


@dataclass(frozen=True)
class Size:
    """What a number of markets took. Memory and files beyond what the idle desk had, in MB;
    `processor` in seconds, by process; `covered` is the least of its runs' coverage."""

    markets: int
    runs: int
    seconds: float
    processor: Mapping[str, float]
    memory: Mapping[str, float]
    histories: Histories
    database: float
    requests: float
    stored: float
    published: float
    covered: float

    @property
    def work(self) -> float:
        """Seconds of the processors' time of all processes."""
        return sum(self.processor.values())


@dataclass(frozen=True)
class _Reading:
    """The state of a desk's processes, files and server at a moment."""

    processor: Mapping[str, float]
    memory: Mapping[str, float]
    database: float
    requests: float
    stored: float
    published: float


async def measured(markets: int) -> Size:
    """The weeks of so many markets, on a new server with new workers."""
    with tempfile.TemporaryDirectory(prefix="desk-scale-") as directory:
        environment = home_environment(Path(directory))
        settings = load_settings(PROJECT, environment)
        async with embedded_server(settings.home, settings.server) as server:
            with worker_processes(environment, {Role.SOURCES: EMPTY_SOURCES}) as workers:
                desk = Desk(await connect(settings), settings, hosting=False)
                await all_polled(desk, patience_seconds=300)
                processes = {"server": psutil.Process(server.pid), **workers}
                return await _weighed(desk, processes, markets)


async def _weighed(desk: Desk, processes: Mapping[str, psutil.Process], markets: int) -> Size:
    config = patient(desk.settings.config)
    # What a process loads once, such as what draws, is no part of the law.
    await _week(desk.client, _of(config, generated(1, config.markets)), "first")
    runs = {
        f"part-{number}": _of(config, part)
        for number, part in enumerate(runs_of(generated(markets, config.markets)))
    }
    before = _reading(desk.settings, processes)
    began = time.perf_counter()
    results = await asyncio.gather(*(_week(desk.client, run, part) for part, run in runs.items()))
    seconds = time.perf_counter() - began
    after = _reading(desk.settings, processes)
    weeks = {week_run_id(WEEK, part): run for part, run in runs.items()}
    names = [market_run_id(week, name) for week, run in weeks.items() for name in run.market_names]
    return Size(
        markets=markets,
        runs=len(runs),
        seconds=seconds,
        processor=_more(after.processor, before.processor),
        memory=_more(after.memory, before.memory),
        histories=await histories_of(desk.client, tuple(weeks), names),
        database=after.database - before.database,
        requests=after.requests - before.requests,
        stored=after.stored - before.stored,
        published=after.published - before.published,
        covered=min(result.coverage.share for result in results),
    )


def patient(config: RunConfig) -> RunConfig:
    """The configuration with no deadline that a busy machine would miss, and no time for reruns. A
    worker that is too busy to tell that it is at work is not given up on."""
    policy = config.policy
    retries = policy.retries.model_copy(update={"max_attempts": 20})
    deadlines = policy.deadlines.model_copy(
        update=dict.fromkeys(("week", "task", "turn", "tool_tries", "tool_call"), PATIENT)
    )
    longer = policy.model_copy(update={"deadlines": deadlines, "retries": retries})
    return closing_at_once(config.model_copy(update={"policy": longer}))


def _of(config: RunConfig, markets: Sequence[MarketSpec]) -> RunConfig:
    return config.model_copy(update={"markets": tuple(markets)})


async def _week(client: Client, config: RunConfig, part: str) -> WeekResult:
    return await client.execute_workflow(
        WeeklyResearchWorkflow.run,
        WeekRequest(config=config, week=WEEK, subset=part),
        id=week_run_id(WEEK, part),
        task_queue=Queue.DESK,
    )


def _reading(settings: Settings, processes: Mapping[str, psutil.Process]) -> _Reading:
    times = {name: process.cpu_times() for name, process in processes.items()}
    return _Reading(
        processor={name: float(each.user + each.system) for name, each in times.items()},
        memory={name: process.memory_info().rss / 2**20 for name, process in processes.items()},
        database=_megabytes(settings.home.glob("temporal.db*")),
        requests=_requests(processes["server"]),
        stored=_megabytes(settings.payload_dir.rglob("*")),
        published=_megabytes(settings.reports_dir.rglob("*")),
    )


_COUNTED: Final = re.compile(r'^service_requests\{.*service_name="frontend".*\} (\S+)$', re.M)


def _requests(server: psutil.Process) -> float:
    """The requests that the server's front has taken so far, by its own metrics: it serves them at
    a port that it chose."""
    for connection in server.net_connections(kind="tcp"):
        if connection.status != psutil.CONN_LISTEN:
            continue
        with suppress(URLError, OSError, ValueError):
            address = f"http://127.0.0.1:{connection.laddr.port}/metrics"
            with urlopen(address, timeout=2) as answer:
                counted = _COUNTED.findall(answer.read().decode())
            if counted:
                return sum(map(float, counted))
    return float("nan")


def _more(after: Mapping[str, float], before: Mapping[str, float]) -> dict[str, float]:
    return {name: after[name] - before[name] for name in after}


def _megabytes(files: Iterator[Path]) -> float:
    return sum(file.stat().st_size for file in files if file.is_file()) / 2**20
