"""Where the logs of a command go."""

import logging
from pathlib import Path

from desk.documents.publishing.files import publish_folder
from desk.platform.files import tighten
from desk.platform.settings import Settings
from desk.platform.telemetry.logs import configure_logs
from starters.terminal.exit_status import UsageError


def log_to_stderr(settings: Settings) -> None:
    """For the commands that run until they are stopped.

    Raises:
        UsageError: the home cannot be made; the message says how to choose another.
    """
    try:
        make_home(settings.home)
        (settings.home / "logs").mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{settings.home} cannot be made: {error.strerror}; choose another with DESK_HOME"
        ) from None
    configure_logs(settings.log_level, as_json=settings.log_json)


def make_home(home: Path) -> None:
    """Make a home for its owner alone; one that others could read is closed to them.

    Raises:
        OSError: it cannot be made.
    """
    publish_folder(home.parent)
    home.mkdir(exist_ok=True)
    tighten(home)


def log_to_file(settings: Settings) -> None:
    """For the commands that show progress and results: theirs go to `logs/desk.log` in the home."""
    log_to_stderr(settings)
    path = settings.home / "logs" / "desk.log"
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(path.open("a", encoding="utf-8"))
