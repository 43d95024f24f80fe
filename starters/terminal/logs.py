"""Where the logs of a command and of its libraries go."""

import logging
import sys
import warnings
from functools import cached_property
from pathlib import Path

from desk.documents.publishing.files import publish_folder
from desk.platform.files import make_private
from desk.platform.settings import Settings
from starters.terminal.exit_status import UsageError


def log_to_stderr(settings: Settings) -> None:
    """Logs to standard error, for commands that run until they are stopped.

    Raises:
        UsageError: the home cannot be created; the message says how to choose another.
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
    """Creates a home that only its owner can read. Removes other users' access to an existing one.

    Raises:
        OSError: it cannot be created.
    """
    publish_folder(home.parent)
    home.mkdir(exist_ok=True)
    make_private(home)


def log_to_file(settings: Settings) -> None:
    """Logs to `logs/desk.log` in the home: for commands that show progress and results."""
    log_to_stderr(settings)
    path = settings.home / "logs" / "desk.log"
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(path.open("a", encoding="utf-8"))


class _LazyFormatter(logging.Formatter):
    """Renders records, and imports the renderer at the first one.

    A process with workers imports it earlier (`workers.hosting`): otherwise a workflow that logs
    first would import it within its sandbox.
    """

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    @cached_property
    def _lines(self) -> logging.Formatter:
        from desk.platform.telemetry.log_lines import line_formatter

        return line_formatter(as_json=self._as_json)

    def format(self, record: logging.LogRecord) -> str:
        """Renders the record as a line."""
        return self._lines.format(record)


def configure_logs(level: str, *, as_json: bool) -> None:
    """Sends the logs of this process and of its libraries to standard error.

    Standard output is left alone: it carries results, and the protocol of a stdio server.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LazyFormatter(as_json=as_json))
    # A log that cannot be written, as on a full disk, must not fill the screen with tracebacks.
    logging.raiseExceptions = False
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # Temporal's SDK and the MCP client log every step at INFO, which drowns the desk's own lines.
    for chatty in ("temporalio", "mcp", "httpx2", "httpcore2"):
        logging.getLogger(chatty).setLevel(max(logging.WARNING, logging.getLevelName(level)))
    logging.captureWarnings(True)
    # Logged for an activity that ended by itself just before its cancellation.
    warnings.filterwarnings("ignore", "Cannot find activity to cancel", UserWarning)
    if level != "DEBUG":
        # A failed call is reported by its caller, with its context.
        logging.getLogger("mcp.client").setLevel(logging.CRITICAL)
