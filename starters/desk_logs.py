"""Where the logs of a command go."""

import logging

from infra.logs import configure_logs
from infra.settings import Settings


def log_to_stderr(settings: Settings) -> None:
    """For the commands that run until they are stopped."""
    configure_logs(settings.log_level, as_json=settings.log_json)


def log_to_file(settings: Settings) -> None:
    """For the commands that show progress and results: theirs go to `logs/desk.log` in the home."""
    path = settings.home / "logs" / "desk.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    log_to_stderr(settings)
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(path.open("a", encoding="utf-8"))
