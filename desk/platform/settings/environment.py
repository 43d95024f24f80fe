"""Reads the environment of this process and the `.env` beside it.

The only module that reads the environment.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from desk.platform.settings.errors import SettingsError


def debugging() -> bool:
    """Whether errors are shown with their traceback (`DESK_DEBUG=1`)."""
    return os.environ.get("DESK_DEBUG", "") not in ("", "0")


def process_variables() -> Mapping[str, str]:
    """The current environment, for a process without the desk's settings."""
    return dict(os.environ)


def variables_of(project: Path, environment: Mapping[str, str] | None) -> dict[str, str]:
    """Merges `.env` and the environment, which takes precedence. An empty value counts as unset.
    Values of `.env` are not interpolated, because a secret may contain a `$`.

    Raises:
        SettingsError: `.env` cannot be read.
    """
    from dotenv import dotenv_values

    try:
        written = dotenv_values(project / ".env", interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{project / '.env'} cannot be read: {error}") from None
    merged = {**written, **(process_variables() if environment is None else environment)}
    return {name: value for name, value in merged.items() if value}
