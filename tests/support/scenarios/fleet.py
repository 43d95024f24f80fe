"""A desk of separate processes that a scenario can kill one by one: Temporal server and workers."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import psutil
from temporalio.client import Client

from desk.platform.server.record import ServerRecord
from desk.platform.settings import Settings, load_settings
from desk.platform.temporal.client import connect
from tests.support.processes.counted_worker import hold_up, let_go, read_notes
from tests.support.processes.forks import Fork, forked_server, forked_worker
from tests.support.processes.homes import PROJECT
from workers.hosting import Role

PATIENCE_SECONDS = 60.0
COUNTED = "tests.support.processes.counted_worker"

T = TypeVar("T")


class ScenarioFleet:
    """The processes, each of which can be killed and started again. Workers note their effects.

    Commands begin with `server_inside` or `workers_inside` where they run in namespaces.
    """

    def __init__(
        self,
        variables: Mapping[str, str],
        *,
        server_inside: Sequence[str] = (),
        workers_inside: Sequence[str] = (),
        worker: str = COUNTED,
    ) -> None:
        self.variables = variables
        self.settings: Settings = load_settings(PROJECT, variables)
        self.workers_inside = workers_inside
        self._server_inside = server_inside
        self._module = worker
        self._environment = {**os.environ, **variables, "PYTHONPATH": str(PROJECT)}
        self._server: subprocess.Popen[bytes] | Fork | None = None
        self._worker: subprocess.Popen[bytes] | Fork | None = None

    @property
    def effects(self) -> "Effects":
        """What the workers have done so far."""
        return Effects(Path(self.variables["EFFECT_LOG"]))

    async def client(self) -> Client:
        """A client in this process, for a fleet without namespaces."""
        return await connect(self.settings)

    async def start_server(self) -> None:
        """Start the Temporal server and wait until it answers."""
        out = self.settings.home.parent / "server.out"
        out.write_bytes(b"")
        self._server = server = self._started_server(out)
        await until(
            lambda: server.poll() is not None or "ready" in out.read_text(),
            "a server",
            seconds=2 * PATIENCE_SECONDS,
        )
        assert server.poll() is None, "the Temporal server does not start"

    def _started_server(self, out: Path) -> "subprocess.Popen[bytes] | Fork":
        if not self._server_inside:
            return forked_server(self.variables, out)
        with out.open("wb") as said:
            return subprocess.Popen(
                [*self._server_inside, sys.executable, "-m", "tests.support.scenarios.server"],
                cwd=PROJECT,
                env=self._environment,
                stdout=said,
            )

    def freeze_server(self) -> None:
        """What workers tell the server from now on, it does not hear."""
        record = ServerRecord.load(self.settings.home)
        assert record is not None
        os.kill(record.pid, signal.SIGSTOP)

    def kill_server(self) -> None:
        """kill -9."""
        if self._server is not None:
            _kill(self._server)

    def start_worker(self) -> None:
        """A new worker process of all roles."""
        said = self.settings.home.parent / "worker.log"
        if not self.workers_inside:
            self._worker = forked_worker(self._module, Role.ALL, self.variables, said)
            return
        with said.open("a") as log:
            self._worker = subprocess.Popen(
                [
                    *self.workers_inside,
                    *(sys.executable, "-m", self._module, Role.ALL),
                ],
                cwd=PROJECT,
                env=self._environment,
                stderr=log,
            )

    def kill_worker(self) -> None:
        """kill -9; the MCP servers that it runs end with their input."""
        if self._worker is not None:
            _kill(self._worker)

    def child(self, module: str) -> psutil.Process | None:
        """The process that the worker runs a module in, such as an MCP server over stdio."""
        for child in self._children():
            with suppress(psutil.Error):
                if child.status() != psutil.STATUS_ZOMBIE and module in child.cmdline():
                    return child
        return None

    def _children(self) -> list[psutil.Process]:
        if self._worker is None or self._worker.poll() is not None:
            return []
        return psutil.Process(self._worker.pid).children(recursive=True)

    def end(self) -> None:
        """Kill what is left."""
        children = self._children()
        self.kill_worker()
        self.kill_server()
        for child in children:
            if child.is_running():
                child.kill()


@asynccontextmanager
async def scenario_fleet(
    variables: Mapping[str, str],
    *,
    server_inside: Sequence[str] = (),
    workers_inside: Sequence[str] = (),
    worker: str = COUNTED,
) -> AsyncIterator[ScenarioFleet]:
    """The Temporal server and one worker process of all roles, for the time of a block. `worker` is
    the module that the worker runs."""
    fleet = ScenarioFleet(
        variables, server_inside=server_inside, workers_inside=workers_inside, worker=worker
    )
    try:
        await fleet.start_server()
        fleet.start_worker()
        yield fleet
    finally:
        fleet.end()


class Effects:
    """The notes of counted workers: turns and tool calls that were begun, and those done."""

    def __init__(self, log: Path) -> None:
        self.log = log

    def hold_up(self, words: str) -> None:
        """See `tests.support.processes.counted_worker`."""
        hold_up(self.log, words)

    def let_go(self) -> None:
        """See `tests.support.processes.counted_worker`."""
        let_go(self.log)

    def begun(self, words: str = "") -> int:
        """How many have begun whose key holds the words."""
        return sum(n["stage"] == "started" and words in n["key"] for n in read_notes(self.log))

    def cut_off(self, pid: int) -> frozenset[str]:
        """Those that began in a process, did not end there, and have begun nowhere else since."""
        under_way: dict[str, int] = {}
        for note in read_notes(self.log):
            if note["stage"] == "started":
                under_way[note["key"]] = note["pid"]
            else:
                under_way.pop(note["key"], None)
        return frozenset(key for key, where in under_way.items() if where == pid)

    @property
    def done(self) -> int:
        """How many are done."""
        return sum(note["stage"] == "done" for note in read_notes(self.log))

    def under_way(self, words: str = "") -> int:
        """How many whose key holds the words have begun and are neither done nor given up, as far
        as their workers live."""
        counts = Counter(note["stage"] for note in read_notes(self.log) if words in note["key"])
        return counts["started"] - counts["done"] - counts["given up"]

    @property
    def repeated(self) -> tuple[str, ...]:
        """Those that were begun again although they had been done."""
        return tuple(self._again())

    def _again(self) -> Iterator[str]:
        done: set[str] = set()
        for note in read_notes(self.log):
            if note["stage"] == "done":
                done.add(note["key"])
            elif note["stage"] == "started" and note["key"] in done:
                yield note["key"]


async def until(
    condition: Callable[[], T | None],
    what: str,
    *,
    during: "asyncio.Task[Any] | None" = None,
    seconds: float = PATIENCE_SECONDS,
) -> T:
    """The first true value of a condition that takes its time.

    Raises:
        AssertionError: there was none in time, or while a task was under way.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        assert during is None or not during.done(), f"{what} did not happen: {during.result()}"
        await asyncio.sleep(0.01)
    raise AssertionError(f"{what} did not happen within {seconds:.0f} s")


def _kill(process: "subprocess.Popen[bytes] | Fork") -> None:
    process.kill()
    process.wait()
