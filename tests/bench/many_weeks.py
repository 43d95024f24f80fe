"""`python -m tests.bench.many_weeks`: past weeks chosen at random, on one embedded server.

The weeks go the way of `desk backfill`: through the schedule, some at a time. Each role's worker
is a process of its own, as for running the parts apart: in one process the roles wait for one
another. A seed makes the choice the same every time.
"""

import argparse
import asyncio
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from contracts.names import Queue, source_queue
from contracts.report import ResearchReport
from contracts.weeks import next_week
from domain.audit import audit
from domain.backfill import WeekState
from domain.schedule_spec import backfilled_week
from infra.embedded_server import embedded_server
from infra.settings import Settings, load_settings
from infra.temporal import connect
from starters.backfill import MAX_ACTIVE
from starters.backfill_look import look_at_all
from starters.backfill_progress import shown_backfill
from starters.backfill_runs import PastWeeks
from starters.backfill_table import BackfillTable
from starters.desk_session import Desk, require_workers
from starters.endings import exit_now
from starters.published_files import read_report
from starters.schedule_actions import put_into_force
from tests.support.command import BINARIES
from tests.support.fleet import ROLES
from tests.support.homes import PROJECT, home_environment
from tests.support.real_desk import report_file

FIRST_WEEK, LAST_WEEK = "2006-W10", "2026-W44"
GOAL_SECONDS = 180
GOAL_WEEKS = 50


@dataclass(frozen=True)
class Load:
    """What a process took: seconds of the processors' time, and the most memory in MB."""

    processor: float
    memory: float


@dataclass(frozen=True)
class Figures:
    """What was measured. The processors' time, unlike the wall time, hardly depends on what else
    the machine has to do.
    """

    table: BackfillTable
    seconds: float
    loads: Mapping[str, Load]
    reports: tuple[ResearchReport, ...]


def chosen(count: int, seed: int) -> list[str]:
    """Different weeks, earliest first."""
    weeks = [FIRST_WEEK]
    while weeks[-1] < LAST_WEEK:
        weeks.append(next_week(weeks[-1]))
    return sorted(random.Random(seed).sample(weeks, count))


async def measured(weeks: Sequence[str], max_active: int) -> Figures:
    """Run the weeks in a home of their own."""
    with tempfile.TemporaryDirectory(prefix="desk-weeks-") as directory:
        environment = home_environment(Path(directory))
        settings = load_settings(PROJECT, environment)
        async with embedded_server(settings.home, settings.server) as server:
            with _workers(environment) as workers:
                desk = Desk(await connect(settings), settings, hosting=False)
                await _all_polled(desk)
                await put_into_force(desk.client, settings.config)
                processes = {"server": psutil.Process(server.pid), **workers}
                before = {name: _processor(process) for name, process in processes.items()}
                began = time.perf_counter()
                table = await _backfilled(desk, weeks, max_active)
                seconds = time.perf_counter() - began
                loads = {
                    name: Load(_processor(process) - before[name], _most_memory(process.pid))
                    for name, process in processes.items()
                }
        return Figures(table, seconds, loads, _reports(settings, table))


@contextmanager
def _workers(environment: Mapping[str, str]) -> Iterator[Mapping[str, psutil.Process]]:
    """`desk worker` for each role."""
    started = {
        str(role): psutil.Popen(
            [BINARIES / "desk", "worker", role],
            env={**os.environ, **environment},
            cwd=PROJECT,
            stderr=subprocess.DEVNULL,
        )
        for role in ROLES
    }
    try:
        yield started
    finally:
        for process in started.values():
            process.terminate()
        psutil.wait_procs(started.values())


async def _all_polled(desk: Desk) -> None:
    sources = (source_queue(name) for name in desk.settings.config.policy.sources)
    for queue in (*Queue, *sources):
        await require_workers(desk, queue, patience_seconds=30)


async def _backfilled(desk: Desk, weeks: Sequence[str], max_active: int) -> BackfillTable:
    schedule, reports_dir = desk.settings.config.schedule, desk.settings.reports_dir
    past = [backfilled_week(week, schedule) for week in weeks]
    runs = PastWeeks(past, again=False)
    looks = await look_at_all(desk.client, reports_dir, past)
    with shown_backfill() as progress:
        await runs.bring_to_an_end(desk, looks, max_active=max_active, progress=progress)
    return runs.corrected(await look_at_all(desk.client, reports_dir, past))


def _reports(settings: Settings, table: BackfillTable) -> tuple[ResearchReport, ...]:
    published = [line.week for line in table.weeks if line.state is WeekState.PUBLISHED]
    return tuple(read_report(report_file(settings, week)) for week in published)


def _processor(process: psutil.Process) -> float:
    """The seconds that a process has kept a processor busy, its children not counted."""
    times = process.cpu_times()
    return float(times.user + times.system)


def _most_memory(process: int) -> float:
    """The most memory that a process has held so far, in MB; not known outside Linux."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return float("nan")
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    return int(kilobytes) / 1024


def _print(figures: Figures, seed: int, max_active: int) -> None:
    table, count = figures.table, len(figures.table.weeks)
    shares = [line.coverage.share for line in table.weeks if line.coverage is not None] or [0.0]
    letters = sum(len(report.dead_letters) for report in figures.reports)
    objections = sum(len(audit(report)) for report in figures.reports)
    printed = Table("what", "figure", title=f"{count} past weeks, seed {seed}, {max_active} active")
    printed.add_row("published", f"{table.published} of {count}")
    printed.add_row("failed", f"{table.failed}")
    printed.add_row("dead letters", f"{letters}")
    printed.add_row("found by the audit of the reports", f"{objections}")
    printed.add_row("below the coverage threshold", f"{table.incomplete}")
    printed.add_row("coverage", f"least {min(shares):.0%}, median {statistics.median(shares):.0%}")
    goal = f" (goal {GOAL_SECONDS} or less)" if count == GOAL_WEEKS else ""
    printed.add_row("wall time", f"{figures.seconds:.0f} s{goal}")
    printed.add_row("weeks a minute", f"{60 * count / figures.seconds:.1f}")
    processor = sum(load.processor for load in figures.loads.values())
    printed.add_row("processor time of all", f"{processor:.0f} s")
    for name, load in figures.loads.items():
        printed.add_row(name, f"{load.processor:.0f} s, at most {load.memory:.0f} MB")
    Console(width=88).print(printed)


def main() -> int:
    """Measure and print; 1 when a week failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weeks", type=int, default=GOAL_WEEKS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-active", type=int, default=MAX_ACTIVE)
    asked = parser.parse_args()
    figures = asyncio.run(measured(chosen(asked.weeks, asked.seed), asked.max_active))
    _print(figures, asked.seed, asked.max_active)
    return 1 if figures.table.published < asked.weeks else 0


if __name__ == "__main__":
    exit_now(main())
