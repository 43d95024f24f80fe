"""The `desk` command: a process of its own, as its users have it, but forked from one that has the
imports (`forks`). A test of the start itself runs `BINARIES / "desk"`."""

import asyncio
import copy
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import filterfalse
from pathlib import Path
from typing import Any

import httpx2
from temporalio.client import Client

from tests.support.processes.forks import Fork, forked_command
from tests.support.processes.homes import PROJECT, home_environment

BINARIES = Path(sys.executable).parent
PATIENCE_SECONDS = 100
WAITS = re.compile(r"(?:desk:| s ) waiting for ")


@dataclass(frozen=True)
class Answer:
    """How a command ended and what it said, but for the reports of waits, which depend on how busy
    the machine is."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be one JSON document."""
        return json.loads(self.out)


class DeskCommand:
    """`desk` in a home of the test's own."""

    def __init__(self, directory: Path, **variables: str) -> None:
        self.directory = directory
        self.variables: Mapping[str, str] = home_environment(directory, **variables)

    def __call__(self, *arguments: str) -> Answer:
        """Run a command line to its end."""
        return answered(arguments, {**self.variables, "COLUMNS": "100"})

    def asked_with(self, **variables: str) -> "DeskCommand":
        """The same desk, asked from an environment with other variables."""
        asked = copy.copy(self)
        asked.variables = {**self.variables, **variables}
        return asked

    def until(self, holds: Callable[[Answer], bool], *arguments: str) -> Answer:
        """The first answer of a command for which something holds: the server lists what has
        begun or ended a moment later."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not holds(answer := self(*arguments)):
            assert time.monotonic() < deadline, answer
        return answer

    @property
    def address(self) -> str:
        """The embedded server's."""
        return f"127.0.0.1:{self.variables['DESK_SERVER_PORT']}"

    def temporal(self, *arguments: str) -> Answer:
        """Run the Temporal command line against the desk's server."""
        done = subprocess.run(
            [BINARIES / "temporal", *arguments, "--address", self.address],
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def listed(self, query: str, least: int = 1) -> None:
        """Return once the server, which is up, lists so many runs that a query asks for."""
        eventually(lambda: _counted(self.address, query) >= least, query)

    def settings_of_ui(self) -> Any:
        """What the embedded Temporal UI is set to, such as its codec endpoint."""
        address = f"http://127.0.0.1:{self.variables['DESK_UI_PORT']}/api/v1/settings"
        return httpx2.get(address, timeout=30).json()

    @contextmanager
    def up(self) -> Iterator["Fork | subprocess.Popen[bytes]"]:
        """A running `desk up`."""
        log = self.directory / "up.log"
        process = _started(["up"], self.variables, self.directory / "up.out", log)
        try:
            eventually(
                lambda: process.poll() is not None or "workers" in log.read_text(), "desk up"
            )
            assert process.poll() is None, log.read_text()
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=PATIENCE_SECONDS)

    @contextmanager
    def serving(self, port: int, *options: str) -> Iterator[str]:
        """The address of a running `desk serve`."""
        log = self.directory / "serve.log"
        process = _started(
            ["serve", "--port", str(port), *options],
            self.variables,
            self.directory / "serve.out",
            log,
        )
        try:
            eventually(
                lambda: process.poll() is not None or "Ctrl-C" in log.read_text(), "desk serve"
            )
            assert process.poll() is None, log.read_text()
            yield f"http://127.0.0.1:{port}"
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=PATIENCE_SECONDS) == 0, log.read_text()


def answered(
    arguments: Sequence[str],
    variables: Mapping[str, str],
    seconds: float = PATIENCE_SECONDS,
    *,
    module: str = "starters.main",
) -> Answer:
    """Run a command line to its end, which must come within so many seconds. `module` is as for
    `forked_command`."""
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        process = _started(arguments, variables, out, err, module)
        try:
            code = process.wait(seconds)
        finally:
            process.kill()
        said = err.read_text().splitlines(keepends=True)
        return Answer(code, out.read_text(), "".join(filterfalse(WAITS.search, said)))


def _started(
    arguments: Sequence[str],
    variables: Mapping[str, str],
    out: Path,
    err: Path,
    module: str = "starters.main",
) -> "Fork | subprocess.Popen[bytes]":
    """A command at work, whose words are in files: a fork, or where it takes modules from elsewhere
    a process that begins with nothing."""
    if "PYTHONPATH" not in variables:
        return forked_command(arguments, variables, out, err, module=module)
    environment = {**os.environ, **variables}
    with out.open("wb") as to_out, err.open("wb") as to_err:
        return subprocess.Popen(
            [BINARIES / "desk", *arguments],
            env=environment,
            cwd=PROJECT,
            stdout=to_out,
            stderr=to_err,
        )


def _counted(address: str, query: str) -> int:
    """How many runs a server lists. Asked in this process: the Temporal command line takes twenty
    times as long, and whoever waits asks again and again."""

    async def asked() -> int:
        client = await Client.connect(address)
        return (await client.count_workflows(query)).count

    # In a thread, whose loop is its own: that of the test may be at work.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, asked()).result()


def eventually(condition: Any, what: str) -> Any:
    """The first true value of a condition that takes its time."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.1)
    raise AssertionError(f"{what} did not happen")
