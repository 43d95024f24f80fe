"""Reads the environment of this process and the `.env` beside it.

The only module that reads the environment.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from desk.platform.settings.errors import SettingsError

FILES: Final = (
    "DESK_CONFIG",
    "DESK_MCP_CONFIG",
    "TEMPORAL_CONFIG_FILE",
    "DESK_PAYLOAD_KEY_FILE",
    "DESK_SIGNING_KEY_FILE",
)
"""The variables that name a file that is read."""


def debugging() -> bool:
    """Whether errors are shown with their traceback (`DESK_DEBUG=1`)."""
    return os.environ.get("DESK_DEBUG", "") not in ("", "0")


def process_variables() -> Mapping[str, str]:
    """The current environment, for a process without the desk's settings."""
    return dict(os.environ)


def variables_of(project: Path, environment: Mapping[str, str] | None) -> dict[str, str]:
    """Merges `.env` and the environment, which takes precedence. An empty value counts as unset.
    Values of `.env` are not interpolated, because a secret may contain a `$`.

    A relative path of a file in this process's environment is relative to its current folder, as in
    any command; one in `.env`, or in a given environment, is relative to the project's folder.

    Raises:
        SettingsError: `.env` cannot be read.
    """
    from dotenv import dotenv_values

    try:
        written = dotenv_values(project / ".env", interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{project / '.env'} cannot be read: {error}") from None
    merged = {**written, **(_own_variables() if environment is None else environment)}
    return {name: value for name, value in merged.items() if value}


def _own_variables() -> dict[str, str]:
    """The current environment, with absolute paths of the files that it names."""
    own = dict(process_variables())
    for name in FILES:
        if own.get(name):
            own[name] = str(Path.cwd() / Path(own[name]).expanduser())
    return own
