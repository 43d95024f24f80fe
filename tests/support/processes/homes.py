"""A home of the test's own: settings that share nothing with the developer's desk."""

import os
import random
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from desk.platform.settings import Settings

PROJECT = Path(__file__).resolve().parents[3]


BELOW_OUTGOING = range(20_000, 32_000)
"""Ports that a system hands to no outgoing connection, which could take one between the look and
the use."""

_given: set[int] = set()


def free_port() -> int:
    """A port that nothing listens on, and that no other test is given.

    A desk binds its ports some time after it was given them, and again and again: in between they
    look free. Test processes side by side have ports of their own, and none is given twice.
    """
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    own = BELOW_OUTGOING[number :: int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))]
    start = random.SystemRandom().randrange(len(own))
    port: int
    for port in (*own[start:], *own[:start]):
        if port in _given:
            continue
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            _given.add(port)
            return port
    raise OSError("no port is free")


class Polled(Protocol):
    """A process that tells whether it has ended."""

    def poll(self) -> int | None:
        """Its exit status, once it has one."""
        ...


def await_port(process: Polled, port: int, seconds: float) -> None:
    """Return once something listens on a port; fail where the process has ended before."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"nothing listens on port {port}, exit status {process.poll()}")


def home_environment(directory: Path, **extra: str) -> dict[str, str]:
    """The variables that put a desk, its server and its reports into a directory.

    Nothing is fetched from the network, and no model is asked.
    """
    return {
        "DESK_HOME": str(directory / "home"),
        "DESK_REPORTS": str(directory / "reports"),
        "DESK_OFFLINE": "1",
        "ANTHROPIC_API_KEY": "",
        "DESK_SERVER_PORT": str(free_port()),
        "DESK_UI_PORT": str(free_port()),
        **extra,
    }


def home_settings(directory: Path, **extra: str) -> "Settings":
    """The project's own `desk.toml` and sources, in a directory of their own."""
    # Stand-ins that are started again and again read no settings.
    from desk.platform.settings import load_settings

    return load_settings(PROJECT, home_environment(directory, **extra))
