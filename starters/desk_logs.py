"""Where the logs of a command go."""

import logging

from infra.logs import configure_logs
from infra.settings import Settings
from starters.endings import UsageError


def log_to_stderr(settings: Settings) -> None:
    """For the commands that run until they are stopped.

    Raises:
        UsageError: the home cannot be made; the message says how to choose another.
    """
    try:
        (settings.home / "logs").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{settings.home} cannot be made: {error.strerror}; choose another with DESK_HOME"
        ) from None
    configure_logs(settings.log_level, as_json=settings.log_json)


def log_to_file(settings: Settings) -> None:
    """For the commands that show progress and results: theirs go to `logs/desk.log` in the home."""
    log_to_stderr(settings)
    path = settings.home / "logs" / "desk.log"
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(path.open("a", encoding="utf-8"))
