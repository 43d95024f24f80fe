"""A source's server in a process of its own that listens, forked from one that has its imports."""

import importlib.util
import runpy
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.processes.forks import forked_command
from tests.support.processes.homes import await_port, free_port

START_SECONDS = 60


@contextmanager
def served(
    module: str, *options: str, variables: Mapping[str, str] = {}, as_python_does: bool = False
) -> Iterator[int]:
    """The port at which the `main` of a module serves with these options and variables, and is
    stopped afterwards. As `python -m` does it, the module itself must call its `main`, and is read
    anew for it."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder, "said")
        line = [*([module] if as_python_does else []), "--http", str(port), *options]
        called = __name__ if as_python_does else module
        process = forked_command(line, variables, said, said, module=called)
        try:
            await_port(process, port, START_SECONDS)
            yield port
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(START_SECONDS)


def main() -> None:
    """Run the module that is named first, with what follows it, as `python -m` does."""
    del sys.argv[0]
    found = importlib.util.find_spec(sys.argv[0])
    assert found is not None and found.origin is not None
    runpy.run_path(found.origin, run_name="__main__")
