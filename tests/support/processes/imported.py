"""The processes that test side by side, and those of desks that they start, as forks of one process
that has what they import.

To import all tests takes two thirds of the processor time in which they are collected, and each of
those side by side collects all of them. xdist starts this file as it would start Python; it hands
its standard streams to the process with the imports, whose fork reads from there what to do.
"""

import os
import shlex
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

STREAMS = (0, 1, 2)

ALLOCATORS = "jemalloc_bg_thd"
"""The thread that comes with pyarrow."""


class Imported(NamedTuple):
    """Where forks come from."""

    python: str
    """A command line in place of Python's, for a process that tests."""

    desks: str
    """The address of `multiprocessing`'s fork server, for processes of desks."""


@contextmanager
def imported() -> Iterator[Imported]:
    """A process with the imports, while the block lasts."""
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.socket(socket.AF_UNIX) as tests,
        socket.socket(socket.AF_UNIX) as desks,
    ):
        addresses = [str(Path(folder, name)) for name in ("tests", "desks")]
        for listening, address in zip((tests, desks), addresses, strict=True):
            listening.bind(address)
            listening.listen()
        descriptors = (tests.fileno(), desks.fileno())
        process = subprocess.Popen(
            (sys.executable, "-m", __name__, *map(str, descriptors)),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=descriptors,
            # numpy would start threads.
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        try:
            # Without what a site has installed: it is there sooner.
            python = shlex.join((sys.executable, "-I", "-S", __file__, addresses[0]))
            yield Imported(python, addresses[1])
        finally:
            process.communicate()


def join(address: str) -> None:
    """Have a fork in place of this process, until it ends."""
    with socket.socket(socket.AF_UNIX) as joined:
        joined.connect(address)
        socket.send_fds(joined, [b"."], STREAMS)
        # The end of the fork must be the end of what it writes.
        for stream in STREAMS:
            os.close(stream)
        joined.recv(1)


def fork_for_each(listening: socket.socket) -> str | None:
    """A line of Python, in the fork that is to run it; nothing once nobody wants forks any more."""
    import select
    import signal
    from types import ModuleType

    forks: list[int] = []
    asked, ended = listening.fileno(), sys.stdin.fileno()
    while ended not in select.select([asked, ended], [], [])[0]:
        joined, _ = listening.accept()
        if pid := os.fork():
            forks.append(pid)
            joined.close()
            continue
        listening.close()
        _, streams, _, _ = socket.recv_fds(joined, 1, len(STREAMS))
        for stream, given in zip(STREAMS, streams, strict=True):
            os.dup2(given, stream)
            os.close(given)
        # It is open as long as the process is.
        joined.detach()
        sys.argv = ["-c"]
        sys.modules["__main__"] = ModuleType("__main__")
        return sys.stdin.readline()
    # Whoever wanted them has ended, and they have with it, but for one that hangs.
    for pid in forks:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return None


class Desks:
    """A plugin of pytest that forks for the processes of desks before tests are collected, in a
    process of its own, until nobody wants forks any more. What desks import is there from before:
    were it there before pytest, that could not rewrite what belongs to its plugins."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def pytest_sessionstart(self) -> None:
        """See above."""
        import importlib
        from multiprocessing import forkserver

        importlib.import_module("tests.support.processes.preloaded")
        if os.fork() == 0:
            try:
                forkserver.main(self._descriptor, os.dup(sys.stdin.fileno()), [])
            finally:
                os._exit(0)
        os.close(self._descriptor)


def started_threads() -> list[str]:
    """The threads besides the first, but for that of an allocator, which starts its own anew in a
    fork. Others would be missing there."""
    if not (tasks := Path("/proc/self/task")).exists():
        return []
    names = {int(task.name): (task / "comm").read_text().strip() for task in tasks.iterdir()}
    return [name for task, name in names.items() if task != os.getpid() and name != ALLOCATORS]


def main(tests: int, desks: int) -> None:
    """Import what desks and then what all tests import, and fork for each that joins. Tests that
    could not be imported are tried again, and told, by the forks."""
    import gc

    import pytest
    from temporalio.worker._worker import load_default_build_id

    with socket.socket(fileno=tests) as listening:
        # Without pytest's own streams: some of what is imported keeps those that it finds, as the
        # MCP SDK does for what servers say, and the forks have these.
        pytest.main(["--collect-only", "-qq", "--capture=no"], plugins=[Desks(desks)])
        # Hypothesis reads Unicode's tables for the first text, here once for all forks. It must not
        # be imported before pytest has marked it for rewriting.
        from hypothesis import strategies

        strategies.text().validate()
        if threads := started_threads():
            sys.exit(f"tests start threads when they are imported, and cannot be forked: {threads}")
        # By which workers tell what runs them apart: a digest of all modules, once for all.
        load_default_build_id()
        gc.freeze()
        line = fork_for_each(listening)
    if line is not None:
        exec(eval(line), vars(sys.modules["__main__"]))


if __name__ == "__main__":
    if len(sys.argv) == 3:
        main(*map(int, sys.argv[1:]))
    else:
        join(sys.argv[1])
