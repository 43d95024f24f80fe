"""Where the logs of a process go."""

import logging
import sys
import warnings
from functools import cached_property


class _AtTheFirstLine(logging.Formatter):
    """Renders records by what is imported when there is one.

    A process that works imports it before (`workers.hosting`): a workflow that logs first would
    import it within its sandbox.
    """

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    @cached_property
    def _lines(self) -> logging.Formatter:
        from desk.platform.telemetry.log_lines import line_formatter

        return line_formatter(as_json=self._as_json)

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line."""
        return self._lines.format(record)


def configure_logs(level: str, *, as_json: bool) -> None:
    """Send the logs of this process, its libraries' included, to standard error.

    Standard output is left alone: it carries results, and the protocol of a stdio server.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_AtTheFirstLine(as_json=as_json))
    # A log that cannot be written, as on a full disk, must not fill the screen with tracebacks.
    logging.raiseExceptions = False
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # Temporal's SDK and the MCP client tell every step at INFO, which drowns the desk's own lines.
    for chatty in ("temporalio", "mcp", "httpx2", "httpcore2"):
        logging.getLogger(chatty).setLevel(max(logging.WARNING, logging.getLevelName(level)))
    logging.captureWarnings(True)
    # An activity that ended by itself just before it was to be cancelled.
    warnings.filterwarnings("ignore", "Cannot find activity to cancel", UserWarning)
    if level != "DEBUG":
        # A call that fails is told by whoever made it, with what it was about.
        logging.getLogger("mcp.client").setLevel(logging.CRITICAL)
