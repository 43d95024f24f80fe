"""`make bench`: a week's wall time beside the engine's floor, measured in turns on one server."""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.table import Table
from temporalio.client import Client

from desk.contracts.agents.config import RunConfig
from desk.contracts.names import Queue, market_run_id
from desk.contracts.runs.week import WeekRequest, WeekResult
from desk.platform.server.embedded import embedded_server
from desk.platform.settings import Settings
from desk.platform.temporal.client import connect
from desk.platform.temporal.history import fetch_history
from desk.programs.week.archive import is_behind
from starters.terminal.logs import configure_logs
from tests.bench.floor import (
    FloorMarket,
    FloorWeekWorkflow,
    floor_of,
    floor_queue,
    floor_workers,
)
from tests.support.processes.homes import home_settings
from workers.hosting import Role, hosted
from workers.tuning import freeze_loaded_objects
from workflows.week.week import WeeklyResearchWorkflow

WEEK = "2026-W44"
GOAL = 1.25
MOST_ACTIVITIES = 330
T = TypeVar("T")


async def main(repetitions: int) -> None:
    """Print both medians and their ratio."""
    with tempfile.TemporaryDirectory(prefix="desk-bench-") as directory:
        settings = home_settings(Path(directory))
        began = time.perf_counter()
        async with embedded_server(settings.home, settings.server):
            server_start = time.perf_counter() - began
            client = await connect(settings)
            async with hosted(client, settings, [Role.ALL]):
                freeze_loaded_objects()
                first = await week(client, settings, "warm-up")
                await _archived(settings)
                shape = floor_of(first[1].record.outcomes)
                weeks, floors = [], []
                async with floor_workers(client, shape):
                    for number in range(repetitions):
                        weeks.append((await week(client, settings, f"bench-{number}"))[0])
                        await _archived(settings)
                        floors.append(await _floor(client, shape, f"floor-{number}"))
                sizes = await _history_sizes(client, "warm-up", first[1])
                activities = await activities_of(client, "warm-up")
    _print(server_start, first[0], weeks, floors, sizes, activities)


async def week(client: Client, settings: Settings, run_id: str) -> tuple[float, WeekResult]:
    """A week that closes as soon as it is published."""
    return await _timed(
        client.execute_workflow(
            WeeklyResearchWorkflow.run,
            WeekRequest(config=_closing_at_once(settings.config), week=WEEK),
            id=run_id,
            task_queue=Queue.DESK,
        )
    )


async def _archived(settings: Settings) -> None:
    """Wait for the archive, which follows a week's report: it is no part of the floor."""
    async with asyncio.timeout(60):
        while is_behind(settings.reports_dir):
            await asyncio.sleep(0.05)


async def _floor(client: Client, shape: list[FloorMarket], run_id: str) -> float:
    taken, _ = await _timed(
        client.execute_workflow(
            FloorWeekWorkflow.run, shape, id=run_id, task_queue=floor_queue(Queue.DESK)
        )
    )
    return taken


def _closing_at_once(config: RunConfig) -> RunConfig:
    deadlines = config.policy.deadlines.model_copy(
        update={"open_for_reruns": timedelta(milliseconds=1)}
    )
    policy = config.policy.model_copy(update={"deadlines": deadlines})
    return config.model_copy(update={"policy": policy})


async def _timed(work: Awaitable[T]) -> tuple[float, T]:
    started = time.perf_counter()
    result = await work
    return time.perf_counter() - started, result


async def _history_sizes(client: Client, run_id: str, result: WeekResult) -> dict[str, int]:
    markets = {o.market: market_run_id(run_id, o.market) for o in result.record.outcomes}
    sizes = {}
    for name, workflow_id in {"the week": run_id, **markets}.items():
        description = await client.get_workflow_handle(workflow_id).describe()
        sizes[name] = description.raw_description.workflow_execution_info.history_size_bytes
    return sizes


async def activities_of(client: Client, workflow_id: str) -> int:
    """The activities in the history of a run and of all that it started."""
    history = await fetch_history(client, workflow_id)
    children = [child.initiated.workflow_id for child in history.children]
    below = await asyncio.gather(*(activities_of(client, child) for child in children))
    return len(history.activities) + sum(below)


def _print(
    server_start: float,
    first: float,
    weeks: list[float],
    floors: list[float],
    sizes: dict[str, int],
    activities: int,
) -> None:
    week, floor = statistics.median(weeks), statistics.median(floors)
    the_week = sizes.pop("the week")
    table = Table("what", "figure", title=f"A week of {len(sizes)} markets")
    table.add_row("activities", f"{activities} (goal {MOST_ACTIVITIES} or fewer)")
    table.add_row("start of the server, new database", f"{server_start:.2f} s")
    table.add_row("the first week, workers cold", f"{first:.2f} s")
    table.add_row(
        f"a week, median of {len(weeks)}", f"{week:.2f} s ({min(weeks):.2f}-{max(weeks):.2f})"
    )
    table.add_row(
        "floor: the same hops, empty", f"{floor:.2f} s ({min(floors):.2f}-{max(floors):.2f})"
    )
    table.add_row("ratio", f"{week / floor:.2f} (goal {GOAL} or less)")
    market, largest = max(sizes.items(), key=lambda item: item[1])
    table.add_row("largest history of a market", f"{largest / 1000:.1f} KB ({market}; limit 50)")
    table.add_row("history of the week", f"{the_week / 1000:.1f} KB")
    Console(width=88).print(table)


if __name__ == "__main__":
    configure_logs("WARNING", as_json=False)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=5)
    asyncio.run(main(parser.parse_args().repetitions))
