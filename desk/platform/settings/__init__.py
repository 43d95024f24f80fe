"""The settings of a process, read once from the environment, `.env` and `desk.toml`, and
validated."""

from collections.abc import Mapping
from pathlib import Path

from desk.platform.settings.environment import debugging, process_variables
from desk.platform.settings.errors import SettingsError
from desk.platform.settings.model import (
    DEFAULTS,
    LogLevel,
    McpTransport,
    MemorySettings,
    ServerSettings,
    ServeSettings,
    Settings,
    Versioning,
    shipped_graphs,
)

__all__ = [
    "DEFAULTS",
    "LogLevel",
    "McpTransport",
    "MemorySettings",
    "ServeSettings",
    "ServerSettings",
    "Settings",
    "SettingsError",
    "Versioning",
    "debugging",
    "load_settings",
    "process_variables",
    "shipped_graphs",
]


def load_settings(
    project_dir: Path | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """The settings of this process.

    `project_dir` is by default the nearest folder upwards that has a `desk.toml`, else the checkout
    that the package is installed from, else this folder, with the configuration in `DEFAULTS`.
    Relative paths in settings start there. The process environment takes precedence over `.env`,
    and both over `desk.toml`. `environment` replaces the process environment.

    Raises:
        SettingsError: a setting is not valid.
    """
    # Imported here, so that `desk --help`, which only names a settings type, does not load it.
    from desk.platform.settings.loading import read_settings

    return read_settings(project_dir, environment)
