"""Processes of the desk in forks of a process that has the imports.

A fork is a process of its own, with files, signals and an end of its own, which can be killed like
one that was started from nothing, and is there a second and a half of processor time sooner.
"""

import asyncio
import importlib
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from multiprocessing import forkserver, resource_tracker
from multiprocessing.process import BaseProcess
from pathlib import Path

from desk.platform.settings import load_settings
from starters.terminal.logs import log_to_stderr
from tests.support.meaning import WITH_MEANING, have_meaning
from tests.support.processes.homes import PROJECT
from workers.hosting import Role

PATIENCE_SECONDS = 60

_forking = multiprocessing.get_context("forkserver")
# Without the modules that are run, some of which read the environment when they are imported.
_forking.set_forkserver_preload(["tests.support.processes.preloaded"])


def fork_at(address: str) -> None:
    """From now on this process has its forks from where another's listens: that has the imports
    once, and not for each of the processes that test side by side."""
    shared = _Elsewhere()
    vars(shared).update(
        _forkserver_address=address, _forkserver_alive_fd=os.open(os.devnull, os.O_RDONLY)
    )
    forkserver.connect_to_new_process = shared.connect_to_new_process


class _Elsewhere(forkserver.ForkServer):
    """A process that forks, and that another process has started."""

    def ensure_running(self) -> None:
        """It runs."""
        resource_tracker.ensure_running()


class Fork:
    """A process that calls a function with arguments. To be used like a `subprocess.Popen`."""

    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self._function = function.__name__
        self._process: BaseProcess = _forking.Process(target=function, args=arguments, daemon=True)
        self._process.start()
        pid = self._process.pid
        assert pid is not None
        self.pid = pid

    @property
    def returncode(self) -> int | None:
        """Its exit status, once it has one; negative: the signal that ended it."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Its exit status, once it has one."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status, when it has ended.

        Raises:
            subprocess.TimeoutExpired: it has not in that many seconds.
        """
        self._process.join(timeout)
        status = self._process.exitcode
        if status is None:
            raise subprocess.TimeoutExpired(self._function, timeout or 0)
        return status

    def send_signal(self, number: int) -> None:
        """Send it a signal, where it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """kill -9."""
        self.send_signal(signal.SIGKILL)


def at_once(folder: Path, function: Callable[..., object], *calls: Sequence[object]) -> list[int]:
    """The exit statuses of processes that call a function, each with other arguments, and that are
    let go together once all of them are there. `folder` is for what they wait at."""
    gates = [folder / f"{function.__name__}-{number}" for number in range(len(calls))]
    for gate in gates:
        os.mkfifo(gate)
    processes = [
        Fork(_let_go, gate, function, *arguments)
        for gate, arguments in zip(gates, calls, strict=True)
    ]
    with ExitStack() as held:
        for gate in gates:
            held.enter_context(gate.open("wb"))
    return [process.wait(PATIENCE_SECONDS) for process in processes]


def _let_go(gate: Path, function: Callable[..., object], *arguments: object) -> None:
    gate.read_bytes()
    function(*arguments)


def forked_command(
    arguments: Sequence[str | Path],
    variables: Mapping[str, str],
    out: Path,
    err: Path,
    module: str = "starters.main",
) -> Fork:
    """A `desk` command line at work with some variables besides the environment's. What it says is
    in files. `module` has the `main` that is called: that of `desk`, or one that wraps it."""
    assert "PYTHONPATH" not in variables, "a fork has its modules from where the tests have them"
    out.write_bytes(b"")
    err.write_bytes(b"")
    line = ["desk", *map(str, arguments)]
    return Fork(_command, module, line, {**os.environ, **variables}, out, err)


def forked_worker(
    module: str, role: Role, variables: Mapping[str, str], err: Path | None = None
) -> Fork:
    """A worker of a role, by the `main` of a module such as
    `tests.support.processes.counted_worker`, until killed. What it says is put to the end of a
    file."""
    return Fork(_work, module, role, {**os.environ, **variables}, err)


def forked_server(variables: Mapping[str, str], out: Path) -> Fork:
    """The embedded Temporal server of `tests.support.scenarios.server`, until killed. It says in a
    file that it is ready."""
    return Fork(_serve, {**os.environ, **variables}, out)


def _serve(environment: Mapping[str, str], out: Path) -> None:
    _say_in(out, 1)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    _stand_in(environment)
    asyncio.run(importlib.import_module("tests.support.scenarios.server").main())


def _command(
    module: str, line: list[str], environment: Mapping[str, str], out: Path, err: Path
) -> None:
    _say_in(err, 2)
    _say_in(out, 1)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    sys.argv = line
    _stand_in(environment)
    sys.exit(importlib.import_module(module).main())


def _work(module: str, role: Role, environment: Mapping[str, str], err: Path | None) -> None:
    if err is not None:
        _say_in(err, 2)
    _stand_in(environment)
    # As `desk worker` does. The MCP SDK would otherwise have rich draw the code around each
    # failure, which takes longer than whatever failed.
    log_to_stderr(load_settings(PROJECT))
    asyncio.run(importlib.import_module(module).main(role))


def _say_in(path: Path, number: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.dup2(handle, number)
    os.close(handle)


def _stand_in(environment: Mapping[str, str]) -> None:
    os.chdir(PROJECT)
    os.environ.clear()
    os.environ.update(environment)
    if WITH_MEANING.items() <= environment.items():
        have_meaning()
