"""A home of the test's own: settings that share nothing with the developer's desk."""

import socket
from pathlib import Path

from infra.settings import Settings, load_settings

PROJECT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def home_environment(directory: Path, **extra: str) -> dict[str, str]:
    """The variables that put a desk, its server and its reports into a directory.

    Nothing is fetched from the network.
    """
    return {
        "DESK_HOME": str(directory / "home"),
        "DESK_REPORTS": str(directory / "reports"),
        "DESK_OFFLINE": "1",
        "DESK_SERVER_PORT": str(free_port()),
        "DESK_UI_PORT": str(free_port()),
        **extra,
    }


def home_settings(directory: Path, **extra: str) -> Settings:
    """The project's own `desk.toml` and sources, in a directory of their own."""
    return load_settings(PROJECT, home_environment(directory, **extra))
