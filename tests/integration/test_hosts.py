"""What a process that hosts a desk, or works for one, does when something is in its way."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.support.command import BINARIES, DeskCommand, eventually
from tests.support.homes import PROJECT

INTERRUPTED = 130
AT_ONCE_SECONDS = 4.0
"""Shorter than workers are given for what they hold."""


@contextmanager
def started(desk: DeskCommand, *words: str, **variables: str) -> Iterator["subprocess.Popen[str]"]:
    """A command at work; what it says is in `process.err`."""
    with (desk.directory / "process.err").open("w") as err:
        process = subprocess.Popen(
            [BINARIES / "desk", *words],
            env={**os.environ, **desk.variables, **variables},
            cwd=PROJECT,
            stdout=subprocess.PIPE,
            stderr=err,
            text=True,
            # Ctrl-C counts, also where the tests were started in the background.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None,
        )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_ctrl_c_twice_stops_a_hosting_run_at_once_and_leaves_no_process(tmp_path: Path) -> None:
    desk = DeskCommand(tmp_path)
    with started(desk, "run") as process:
        said = tmp_path / "process.err"
        eventually(lambda: "researching" in said.read_text(), "a run at work")
        below = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(AT_ONCE_SECONDS) == INTERRUPTED
    assert below and not psutil.wait_procs(below, AT_ONCE_SECONDS)[1]
    assert "comes back to it" in said.read_text()


STUBBORN = """
import asyncio
from starters.interrupts import interruptible

async def stubborn() -> None:
    print("at work", flush=True)
    while True:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            print("cancelled", flush=True)

try:
    interruptible(stubborn())
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_what_swallows_its_cancellation_does_not_outlive_a_second_ctrl_c() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, text=True, cwd=PROJECT
    ) as process:
        assert process.stdout is not None
        for said in ("at work", "cancelled", "interrupted"):
            assert process.stdout.readline().strip() == said
            process.send_signal(signal.SIGINT)
        process.kill()
