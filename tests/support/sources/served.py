"""A source's server in a process of its own that listens, forked from one that has its imports."""

import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.processes.forks import forked_command
from tests.support.processes.homes import await_port, free_port

START_SECONDS = 60


@contextmanager
def served(module: str, *options: str, variables: Mapping[str, str] = {}) -> Iterator[int]:
    """The port at which the `main` of a module serves with these options and variables, and is
    stopped afterwards."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder, "said")
        line = ("--http", str(port), *options)
        process = forked_command(line, variables, said, said, module=module)
        try:
            await_port(process, port, START_SECONDS)
            yield port
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(START_SECONDS)
