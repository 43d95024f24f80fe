"""A source's server in forks of one process that has its imports, for tests in which it is started
again and again.

`python -m tests.support.sources.forked_source MODULE DESCRIPTOR`

The descriptor is that of a socket that listens. Who connects speaks to a server of its own, over
the connection as over the pipes of a process.
"""

import importlib
import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.processes.homes import PROJECT


@contextmanager
def forked_source(module: str, address: Path) -> Iterator[None]:
    """The port stands in the file `address` while the block lasts."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        descriptor = listening.fileno()
        command = (
            sys.executable,
            "-m",
            "tests.support.sources.forked_source",
            module,
            str(descriptor),
        )
        process = subprocess.Popen(command, cwd=PROJECT, pass_fds=(descriptor,))
        address.write_text(str(listening.getsockname()[1]))
        try:
            yield
        finally:
            address.unlink()
            process.kill()
            process.wait()


def _ready(module: str) -> None:
    """Import it, and work out what each fork would when it begins: what tools are described by,
    and the packaged rates."""
    from desk.sources.ecb.store import RatesStore
    from tests.support.described_tools import describe_once

    describe_once()
    importlib.import_module(module).from_arguments((), cache_dir=None, refresh_every=None)
    RatesStore().current()


def main() -> None:
    module, descriptor = sys.argv[1:]
    _ready(module)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(fileno=int(descriptor)) as listening:
        while True:
            connection, _ = listening.accept()
            if os.fork() == 0:
                break
            connection.close()
    for standard in (sys.stdin, sys.stdout):
        os.dup2(connection.fileno(), standard.fileno())
    connection.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # As a process of its own is: what the module does as a program, with its imports at hand.
    sys.argv[1:] = []
    del sys.modules[module]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
