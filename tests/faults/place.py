"""A desk of a fault's own in a directory: its variables, its files, and the processes run there."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

import psutil

from tests.support.processes.command import BINARIES
from tests.support.processes.homes import PROJECT, home_environment
from tests.support.scenarios.fleet import Effects

T = TypeVar("T")

WITHIN_SECONDS = 120.0
MOST_BYTES = 2_500_000_000
"""A process that takes more is killed: this machine has others to run."""

_COUNTED = ("-m", "tests.support.processes.counted_desk")


class Ended(NamedTuple):
    """How a command ended: its exit status (negative: a signal), and what it said. `peak` is the
    most memory that it had, in bytes."""

    code: int
    out: str
    err: str
    seconds: float
    peak: int

    def told(self, *words: str) -> str:
        """The first line on the terminal that has one of the words, else the last one there is."""
        lines = [line.strip() for line in (self.err + "\n" + self.out).splitlines()]
        found = (line for line in lines if any(word in line for word in words))
        return next(found, last_line(self.err) or last_line(self.out))


class Running:
    """A process of a desk, which writes to files. What it says can be read while it works."""

    def __init__(self, process: "subprocess.Popen[bytes]", out: Path, err: Path) -> None:
        self.process = process
        self.out = out
        self.err = err
        self.began = time.monotonic()
        self.peak = 0

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.process.poll() is not None

    @property
    def said(self) -> str:
        """What it has written to standard error so far."""
        return self.err.read_text(errors="replace")

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, where it still runs."""
        if not self.over:
            self.process.send_signal(number)

    def kill(self) -> None:
        """kill -9."""
        self.signal(signal.SIGKILL)
        self.process.wait()

    def children(self) -> list[psutil.Process]:
        """The processes below it."""
        if self.over:
            return []
        with suppress(psutil.Error):
            return psutil.Process(self.pid).children(recursive=True)
        return []

    def child(self, module: str) -> psutil.Process | None:
        """The process below it that runs a module, such as an MCP server over stdio."""
        for child in self.children():
            with suppress(psutil.Error):
                if child.status() != psutil.STATUS_ZOMBIE and module in child.cmdline():
                    return child
        return None

    def memory(self) -> int:
        """The resident memory that it has now, in bytes; 0 once it has ended."""
        with suppress(psutil.Error):
            return int(psutil.Process(self.pid).memory_info().rss)
        return 0

    async def ended(self, within: float = WITHIN_SECONDS) -> Ended:
        """How it ends. One that does not in time is killed, and has status -9."""
        deadline = time.monotonic() + within
        while not self.over:
            self.peak = max(self.peak, self.memory())
            if self.peak > MOST_BYTES or time.monotonic() > deadline:
                self.kill()
            await asyncio.sleep(0.02)
        seconds = time.monotonic() - self.began
        code = self.process.returncode
        return Ended(code, self.out.read_text(errors="replace"), self.said, seconds, self.peak)

    async def says(self, words: str, within: float = WITHIN_SECONDS) -> None:
        """Wait until it has written words to standard error.

        Raises:
            AssertionError: it ended, or took too long.
        """
        await until(lambda: words in self.said or self.over, f"the words {words!r}", within)
        assert words in self.said, f"it ended with {self.process.returncode}: {self.said[-300:]}"


class Place:
    """A directory with a home and reports, and the variables that put a desk there."""

    def __init__(self, directory: Path, **variables: str) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        log = {"EFFECT_LOG": str(directory / "effects.log"), "EFFECT_PAUSE": "0"}
        self.directory = directory
        self.variables: Mapping[str, str] = home_environment(directory, **{**log, **variables})
        self.started: list[Running] = []

    @property
    def home(self) -> Path:
        """Where the desk keeps what it needs."""
        return Path(self.variables["DESK_HOME"])

    @property
    def reports(self) -> Path:
        """Where reports are published."""
        return Path(self.variables["DESK_REPORTS"])

    @property
    def effects(self) -> Effects:
        """The turns and calls that this desk's workers have made so far."""
        return Effects(Path(self.variables["EFFECT_LOG"]))

    @property
    def address(self) -> str:
        """That of its Temporal server."""
        return f"127.0.0.1:{self.variables['DESK_SERVER_PORT']}"

    def with_variables(self, **variables: str) -> "Place":
        """The same place with other variables."""
        other = Place.__new__(Place)
        other.directory, other.started = self.directory, self.started
        other.variables = {**self.variables, **variables}
        return other

    def start(self, *words: str) -> Running:
        """A `desk` command that writes its effects down."""
        return self.run((sys.executable, *_COUNTED, *words))

    def run(self, command: Sequence[str | Path]) -> Running:
        """Any command, in the project's folder, with the desk's variables."""
        name = self.directory / f"process-{len(self.started)}"
        out, err = name.with_suffix(".out"), name.with_suffix(".err")
        with out.open("wb") as to_out, err.open("wb") as to_err:
            process = subprocess.Popen(
                command,
                cwd=PROJECT,
                env={**os.environ, **self.variables, "PYTHONPATH": str(PROJECT), "COLUMNS": "100"},
                stdin=subprocess.DEVNULL,
                stdout=to_out,
                stderr=to_err,
                preexec_fn=_heeds_interrupts,
            )
        running = Running(process, out, err)
        self.started.append(running)
        return running

    async def desk(self, *words: str, within: float = WITHIN_SECONDS) -> Ended:
        """A `desk` command to its end."""
        return await self.run((BINARIES / "desk", *words)).ended(within)

    async def counted(self, *words: str, within: float = WITHIN_SECONDS) -> Ended:
        """The same, and it writes its effects down."""
        return await self.start(*words).ended(within)

    async def temporal(self, *words: str, within: float = WITHIN_SECONDS) -> Ended:
        """Temporal's own command line at the desk's server."""
        return await self.run((BINARIES / "temporal", *words, "--address", self.address)).ended(
            within
        )

    async def begun(self, effects: int, running: Running) -> None:
        """Wait until so many turns and calls have begun, or a command has ended."""
        await until(lambda: running.over or self.effects.begun() >= effects, f"effect {effects}")

    def terminal(self) -> tuple[str, ...]:
        """What every process wrote to standard error."""
        return tuple(running.said for running in self.started)

    def end(self) -> None:
        """Kill what is left of it, and what that had started."""
        below = [child for running in self.started for child in running.children()]
        for running in self.started:
            running.kill()
        for child in below:
            with suppress(psutil.Error):
                child.kill()


def _heeds_interrupts() -> None:
    """Ctrl-C counts, also where the campaign itself was started in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


async def until(condition: Callable[[], T | None], what: str, within: float = WITHIN_SECONDS) -> T:
    """The first true value of a condition that takes its time.

    Raises:
        AssertionError: there was none in time.
    """
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if value := condition():
            return value
        await asyncio.sleep(0.01)
    raise AssertionError(f"{what} did not happen within {within:.0f} s")


def last_line(text: str) -> str:
    """The last line that has something in it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
