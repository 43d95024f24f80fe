"""The processes that test side by side, as forks of one process that has imported all tests.

To import them takes two thirds of the processor time in which they are collected, and each of those
side by side collects all of them. xdist starts this file as it would start Python; it hands its
standard streams to the process with the imports, whose fork reads from there what to do.
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

STREAMS = (0, 1, 2)

ALLOCATORS = "jemalloc_bg_thd"
"""The thread that comes with pyarrow."""


@contextmanager
def imported() -> Iterator[str]:
    """A command line in place of Python's, while the block lasts."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
        address = str(Path(folder, "socket"))
        listening.bind(address)
        listening.listen()
        descriptor = listening.fileno()
        command = (sys.executable, "-m", __name__, str(descriptor))
        # numpy would start threads.
        variables = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, pass_fds=(descriptor,), env=variables
        )
        try:
            # Without what a site has installed: it is there sooner.
            yield shlex.join((sys.executable, "-I", "-S", __file__, address))
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
        sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
        sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace")
        sys.argv = ["-c"]
        sys.modules["__main__"] = ModuleType("__main__")
        return sys.stdin.readline()
    # Whoever wanted them has ended, and they have with it, but for one that hangs.
    for pid in forks:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return None


def started_threads() -> list[str]:
    """The threads besides the first, but for that of an allocator, which starts its own anew in a
    fork. Others would be missing there."""
    if not (tasks := Path("/proc/self/task")).exists():
        return []
    names = {int(task.name): (task / "comm").read_text().strip() for task in tasks.iterdir()}
    return [name for task, name in names.items() if task != os.getpid() and name != ALLOCATORS]


def main(descriptor: int) -> None:
    """Import all tests and fork for each that joins. What could not be imported is tried again,
    and told, by the forks."""
    import contextlib
    import gc

    import pytest

    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        pytest.main(["--collect-only", "-qq"])
    if threads := started_threads():
        sys.exit(f"tests start threads when they are imported, and cannot be forked: {threads}")
    gc.freeze()
    with socket.socket(fileno=descriptor) as listening:
        line = fork_for_each(listening)
    if line is not None:
        exec(eval(line), vars(sys.modules["__main__"]))


if __name__ == "__main__":
    argument = sys.argv[1]
    if argument.isdecimal():
        main(int(argument))
    else:
        join(argument)
