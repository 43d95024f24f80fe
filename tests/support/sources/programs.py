"""A program of others that serves an address on this machine while a test runs."""

import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx2

PATIENCE_SECONDS = 60


@contextmanager
def serving(command: Sequence[str | Path], answers_at: str) -> Iterator[None]:
    """The program, from the moment at which its address answers; killed when the block ends."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(process, answers_at, str(command[0]))
        yield
    finally:
        process.kill()
        process.wait()


def _wait_for(process: "subprocess.Popen[bytes]", address: str, name: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            httpx2.get(address, timeout=1)
            return
        except httpx2.HTTPError:
            assert process.poll() is None, f"{name} has ended, exit status {process.poll()}"
            assert time.monotonic() < deadline, f"{name} does not start"
            time.sleep(0.05)
