"""The environment of this process and the `.env` beside it.

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
    """The environment as it stands, for a process that has no settings of the desk's."""
    return dict(os.environ)


def variables_of(project: Path, environment: Mapping[str, str] | None) -> dict[str, str]:
    """Environment over `.env`; an empty value is as good as none. Values of `.env` are taken as
    they are written: a secret may hold a `$`.

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
