"""A source's server in forks of a process that has its imports, and what it works out as it begins,
for tests in which it is started again and again.

Who connects speaks to a server of its own, over the connection as over the pipes of a process.
"""

import importlib
import os
import runpy
import signal
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 60


@contextmanager
def forked_source(module: str, address: Path) -> Iterator[None]:
    """The port stands in the file `address` while the block lasts."""
    # The source itself, which is started again and again, imports this module without them.
    from tests.support.processes.forks import Fork

    process = Fork(_fork_for_each, module, address, dict(os.environ))
    try:
        deadline = time.monotonic() + START_SECONDS
        while not address.exists():
            assert process.poll() is None and time.monotonic() < deadline, f"{module} is not served"
            time.sleep(0.02)
        yield
    finally:
        process.kill()
        process.wait()
        address.unlink(missing_ok=True)


def _fork_for_each(module: str, address: Path, environment: Mapping[str, str]) -> None:
    """Serve each that connects in a fork; in that, return once it has been served."""
    os.environ.clear()
    os.environ.update(environment)
    importlib.import_module(module)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        written = address.with_name(f"{address.name}.new")
        written.write_text(str(listening.getsockname()[1]))
        written.replace(address)
        while True:
            connection, _ = listening.accept()
            if os.fork() == 0:
                break
            connection.close()
    for standard in (0, 1):
        os.dup2(connection.fileno(), standard)
    connection.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # As a process of its own is: what the module does as a program, with its imports at hand.
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.argv[1:] = []
    del sys.modules[module]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
