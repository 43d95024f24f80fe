"""`make bench`, second part: how soon work goes on after kill -9, and what a worker weighs."""

import asyncio
import os
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from desk.platform.server.embedded import EmbeddedServer
from desk.platform.temporal.client import connect
from starters.terminal.logs import configure_logs
from tests.support.processes.counted_worker import read_notes
from tests.support.processes.fleet import ROLES, Fleet, desk_at, effects, start
from workers.hosting import Role

GOAL_SECONDS = 3.0
LIMIT_MEGABYTES = 300
KILLED_AFTER = {
    Role.ORCHESTRATOR: 12,
    Role.RESEARCH: 4,
    Role.SOURCES: 12,
    Role.VALIDATION: 30,
}

Kill = Callable[[EmbeddedServer, Fleet], None]


async def main() -> None:
    """Print the time from each kill to the next effect, and the memory of each role."""
    recovered = Table("killed", "next effect after", title=f"Goal: {GOAL_SECONDS:.0f} s or less")
    for role, after in KILLED_AFTER.items():
        recovered.add_row(f"worker {role}", f"{await _recovery(_worker(role), after):.2f} s")
    recovered.add_row("server", f"{await _recovery(_server, 8):.2f} s")
    recovered.add_row("server and all workers", f"{await _recovery(_everything, 8):.2f} s")
    console = Console(width=88)
    console.print(recovered)
    console.print(await _memory())


async def _recovery(kill: Kill, after: int) -> float:
    """From the kill, the restart that follows at once included, to the next effect that begins."""
    with tempfile.TemporaryDirectory(prefix="desk-bench-") as directory:
        async with desk_at(Path(directory)) as (settings, server, fleet, log):
            client = await connect(settings)
            await start(client, settings)
            await effects(log, after)
            kill(server, fleet)
            killed_at, before = time.perf_counter(), read_notes(log)
            while not _goes_on(before, read_notes(log)[len(before) :]):
                await asyncio.sleep(0.01)
            return time.perf_counter() - killed_at


def _goes_on(before: list[dict[str, str]], since: list[dict[str, str]]) -> bool:
    """Whether an effect has begun that needed what was killed.

    The other workers end what they hold; a new process, or a beginning after everything that was
    under way has ended, shows that the killed one is back.
    """
    under_way = {n["key"] for n in before if n["stage"] == "started"}
    known = {n["pid"] for n in before}
    for note in before + since:
        if note["stage"] == "done":
            under_way.discard(note["key"])
        elif note in since and (note["pid"] not in known or not under_way):
            return True
        else:
            under_way.add(note["key"])
    return False


def _worker(role: Role) -> Kill:
    def kill(server: EmbeddedServer, fleet: Fleet) -> None:
        fleet.kill(role)
        fleet.start(role)

    return kill


def _server(server: EmbeddedServer, fleet: Fleet) -> None:
    os.kill(server.pid, signal.SIGKILL)


def _everything(server: EmbeddedServer, fleet: Fleet) -> None:
    os.kill(server.pid, signal.SIGKILL)
    for role in ROLES:
        fleet.kill(role)
    for role in ROLES:
        fleet.start(role)


async def _memory() -> Table:
    table = Table("role", "memory after a week", title=f"Limit: {LIMIT_MEGABYTES} MB")
    with tempfile.TemporaryDirectory(prefix="desk-bench-") as directory:
        async with desk_at(Path(directory)) as (settings, _, fleet, _):
            client = await connect(settings)
            await start(client, settings)
            report = settings.reports_dir / "weekly"
            while not list(report.glob("*.html")):
                await asyncio.sleep(0.1)
            for role in ROLES:
                used = psutil.Process(fleet.pid(role)).memory_info().rss / 1_000_000
                table.add_row(role, f"{used:.0f} MB")
    return table


if __name__ == "__main__":
    configure_logs("WARNING", as_json=False)
    asyncio.run(main())
