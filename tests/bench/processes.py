"""A worker process for each role, as an installation has them."""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from desk.contracts.names import Queue, source_queue
from starters.session import Desk, require_workers
from tests.support.processes.command import BINARIES
from tests.support.processes.fleet import ROLES
from tests.support.processes.homes import PROJECT
from workers.hosting import Role


@contextmanager
def worker_processes(
    environment: Mapping[str, str],
    others: Mapping[Role, Sequence[str | Path]] | None = None,
) -> Iterator[Mapping[str, psutil.Process]]:
    """`desk worker` for each role by its name, or another command of `others`; ended at the end."""
    commands = {role: (BINARIES / "desk", "worker", role) for role in ROLES} | dict(others or {})
    started = {
        str(role): psutil.Popen(
            [*command],
            env={**os.environ, **environment},
            cwd=PROJECT,
            stderr=subprocess.DEVNULL,
        )
        for role, command in commands.items()
    }
    try:
        yield started
    finally:
        for process in started.values():
            process.terminate()
        psutil.wait_procs(started.values())


async def all_polled(desk: Desk, *, patience_seconds: float) -> None:
    """Until somebody polls each queue.

    Raises:
        CommandError: nobody does in time.
    """
    sources = (source_queue(name) for name in desk.settings.config.policy.sources)
    for queue in (*Queue, *sources):
        await require_workers(desk, queue, patience_seconds=patience_seconds)
