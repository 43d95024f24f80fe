"""`python -m tests.bench.many_weeks`: past weeks chosen at random, on one embedded server.

The weeks go the way of `desk backfill`: in order, each with what was learned of those before it, or
with `--no-learning` side by side. Each role's worker is a process of its own, as for running the
parts apart: in one process the roles wait for one another. A seed makes the choice the same every
time; `--first WEEK` takes the weeks from there on instead, as a user's backfill would.
"""

import argparse
import asyncio
import compileall
import random
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from desk.contracts.learning.lessons import Advice
from desk.contracts.learning.record import LearnedView, RecordQuery
from desk.contracts.names import LEARNING_SYSTEM_ID, Message
from desk.contracts.week.report import ResearchReport
from desk.contracts.weeks import next_week
from desk.platform.server.embedded import embedded_server
from desk.platform.settings import Settings, load_settings
from desk.platform.temporal.client import connect
from desk.programs.week.document.audit.report import audit
from desk.runs.schedule.backfill import WeekState
from desk.runs.schedule.schedule_spec import backfilled_week
from starters.published.published_files import read_report
from starters.session import Desk
from starters.terminal.exit_status import exit_now
from starters.terminal.logs import configure_logs
from starters.weeks.backfill.command import (
    MAX_ACTIVE,
    BackfillProgress,
    BackfillStatus,
    PastWeeks,
    shown_backfill,
)
from starters.weeks.backfill.weeks import BackfillTable, states_of_weeks
from starters.weeks.schedule import apply_schedule_config
from tests.bench.processes import all_polled, worker_processes
from tests.support.processes.homes import PROJECT, home_environment
from tests.support.processes.real_desk import report_file

FIRST_WEEK, LAST_WEEK = "2006-W10", "2026-W44"
GOALS = {50: 120, 104: 300}
"""So many weeks in so many seconds, on two quiet cores."""

MOST_MEMORY = 300
"""The MB that no worker is to exceed, however many weeks it has seen."""

ROWS = 8
"""Stretches of weeks that are told apart, to see what grows."""


@dataclass(frozen=True)
class Load:
    """What a process took: seconds of the processors' time, and the most memory in MB."""

    processor: float
    memory: float


@dataclass(frozen=True)
class Standing:
    """What the processes had taken by the time that so many weeks had ended."""

    weeks: int
    loads: Mapping[str, Load]


@dataclass(frozen=True)
class Figures:
    """What was measured. The processors' time, unlike the wall time, hardly depends on what else
    the machine has to do.
    """

    table: BackfillTable
    seconds: float
    standings: Sequence[Standing]
    reports: tuple[ResearchReport, ...]
    learned: Advice | None


@dataclass(frozen=True)
class Asked:
    """What the command line asks for."""

    weeks: int
    seed: int
    first: str | None
    max_active: int
    learn: bool

    @property
    def chosen(self) -> list[str]:
        """Different weeks, earliest first."""
        if self.first is None:
            return chosen(self.weeks, self.seed)
        weeks = [self.first]
        while len(weeks) < self.weeks:
            weeks.append(next_week(weeks[-1]))
        return weeks

    @property
    def title(self) -> str:
        """What the figures are of."""
        which = f"seed {self.seed}" if self.first is None else f"from {self.first}"
        how = "in order, learning" if self.learn else f"{self.max_active} side by side"
        return f"{self.weeks} past weeks, {which}, {how}"


class Watched:
    """A display of progress that also notes what the processes have taken whenever weeks end."""

    def __init__(self, shown: BackfillProgress, processes: Mapping[str, psutil.Process]) -> None:
        self._shown = shown
        self._processes = processes
        self.standings = [self._standing(0)]

    def update(self, status: BackfillStatus) -> None:
        """Show it, and note what has been taken where a week has ended since."""
        if status.done > self.standings[-1].weeks:
            self.standings.append(self._standing(status.done))
        self._shown.update(status)

    def note(self, text: str) -> None:
        """Show it."""
        self._shown.note(text)

    def _standing(self, weeks: int) -> Standing:
        return Standing(weeks, {name: _load(one) for name, one in self._processes.items()})


def chosen(count: int, seed: int) -> list[str]:
    """Different weeks, earliest first."""
    weeks = [FIRST_WEEK]
    while weeks[-1] < LAST_WEEK:
        weeks.append(next_week(weeks[-1]))
    return sorted(random.Random(seed).sample(weeks, count))


async def measured(asked: Asked) -> Figures:
    """Run the weeks in a home of their own."""
    # As an installation has it: what the sandbox loads for every run is not compiled for each.
    compileall.compile_dir(PROJECT / "workflows", quiet=1)
    with tempfile.TemporaryDirectory(prefix="desk-weeks-") as directory:
        environment = home_environment(Path(directory))
        settings = load_settings(PROJECT, environment)
        async with embedded_server(settings.home, settings.server) as server:
            with worker_processes(environment) as workers:
                desk = Desk(await connect(settings), settings, hosting=False)
                await all_polled(desk, patience_seconds=30)
                await apply_schedule_config(desk.client, settings.config)
                processes = {"server": psutil.Process(server.pid), **workers}
                with shown_backfill() as shown:
                    progress = Watched(shown, processes)
                    began = time.perf_counter()
                    table = await _backfilled(desk, asked, progress)
                    seconds = time.perf_counter() - began
                learned = await _learned(desk) if asked.learn else None
        return Figures(table, seconds, progress.standings, _reports(settings, table), learned)


async def _backfilled(desk: Desk, asked: Asked, progress: BackfillProgress) -> BackfillTable:
    schedule, reports_dir = desk.settings.config.schedule, desk.settings.reports_dir
    past = [backfilled_week(week, schedule) for week in asked.chosen]
    runs = PastWeeks(past, again=False, learn=asked.learn)
    looks = await states_of_weeks(desk.client, reports_dir, past)
    await runs.run_all(desk, looks, max_active=asked.max_active, progress=progress)
    return runs.corrected(await states_of_weeks(desk.client, reports_dir, past))


async def _learned(desk: Desk) -> Advice:
    """What a run of now would be told."""
    entity = desk.client.get_workflow_handle(LEARNING_SYSTEM_ID)
    question = RecordQuery(as_of=datetime.now(UTC))
    view: LearnedView = await entity.query(Message.LEARNED, question, result_type=LearnedView)
    return view.advice


def _reports(settings: Settings, table: BackfillTable) -> tuple[ResearchReport, ...]:
    published = [line.week for line in table.weeks if line.state is WeekState.PUBLISHED]
    return tuple(read_report(report_file(settings, week)) for week in published)


def _load(process: psutil.Process) -> Load:
    return Load(_processor(process), _most_memory(process.pid))


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


def _print(figures: Figures, asked: Asked) -> None:
    table, count = figures.table, len(figures.table.weeks)
    shares = [line.coverage.share for line in table.weeks if line.coverage is not None] or [0.0]
    letters = sum(len(report.dead_letters) for report in figures.reports)
    objections = sum(len(audit(report)) for report in figures.reports)
    printed = Table("what", "figure", title=asked.title)
    printed.add_row("published", f"{table.published} of {count}")
    printed.add_row("failed", f"{table.failed}")
    printed.add_row("dead letters", f"{letters}")
    printed.add_row("found by the audit of the reports", f"{objections}")
    printed.add_row("below the coverage threshold", f"{table.incomplete}")
    printed.add_row("coverage", f"least {min(shares):.0%}, median {statistics.median(shares):.0%}")
    goal = f" (goal {GOALS[count]} or less)" if count in GOALS else ""
    printed.add_row("wall time", f"{figures.seconds:.0f} s{goal}")
    printed.add_row("weeks a minute", f"{60 * count / figures.seconds:.1f}")
    first, last = figures.standings[0], figures.standings[-1]
    taken = _between(first, last)
    printed.add_row("processor time of all", f"{sum(taken.values()):.0f} s")
    for name, seconds in taken.items():
        goal = "" if name == "server" else f" (goal {MOST_MEMORY} or less)"
        most = f"at most {last.loads[name].memory:.0f} MB{goal}"
        printed.add_row(name, f"{seconds:.0f} s, {most}")
    Console(width=88).print(printed)
    _print_growth(figures.standings)
    if figures.learned is not None:
        _print_learned(figures.learned)


def _between(earlier: Standing, later: Standing) -> dict[str, float]:
    """The seconds that each process kept a processor busy meanwhile."""
    return {
        name: load.processor - earlier.loads[name].processor for name, load in later.loads.items()
    }


def _print_growth(standings: Sequence[Standing]) -> None:
    """What a week takes early and late, and the most memory by then: whatever grows with the number
    of weeks stands out."""
    names = list(standings[0].loads)
    printed = Table("weeks", "all", *names, title="a week's processor seconds, most MB by then")
    step = max(1, -(-(len(standings) - 1) // ROWS))
    marks = [*standings[:-1:step], standings[-1]]
    for earlier, later in pairwise(marks):
        weeks = later.weeks - earlier.weeks
        each = {name: seconds / weeks for name, seconds in _between(earlier, later).items()}
        cells = (f"{each[name]:.2f}, {later.loads[name].memory:.0f}" for name in names)
        span = f"{earlier.weeks + 1} to {later.weeks}"
        printed.add_row(span, f"{sum(each.values()):.2f}", *cells)
    Console(width=110).print(printed)


def _print_learned(advice: Advice) -> None:
    printed = Table("what", "figure", title=f"learned from {advice.weeks} weeks")
    scorecard = advice.scorecard.backtest if advice.scorecard else None
    for row in scorecard.rows if scorecard else ():
        if row.of == "all":
            carry = f", carry {row.carry:.4f}" if row.carry is not None else ""
            printed.add_row("forecasts scored", f"{row.scored}, {row.hits} of {row.decided} right")
            printed.add_row("Brier score", f"{row.brier:.4f}, walk {row.random_walk:.4f}{carry}")
    if scorecard is not None:
        printed.add_row("forecasts open, void", f"{scorecard.open}, {scorecard.void}")
    for weight in advice.weights:
        printed.add_row(
            f"weight of {weight.name}", f"{weight.factor:.3f} on {weight.outcomes} outcomes"
        )
    for advised in advice.recommendations:
        printed.add_row("advised", advised.reason)
    Console(width=88).print(printed)


def main() -> int:
    """Measure and print; 1 when a week failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weeks", type=int, default=min(GOALS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", metavar="WEEK")
    parser.add_argument("--max-active", type=int, default=MAX_ACTIVE)
    parser.add_argument("--no-learning", dest="learn", action="store_false")
    asked = Asked(**vars(parser.parse_args()))
    figures = asyncio.run(measured(asked))
    _print(figures, asked)
    return 1 if figures.table.published < asked.weeks else 0


if __name__ == "__main__":
    configure_logs("WARNING", as_json=False)
    exit_now(main())
