"""Logs on standard error: plain lines for people, JSON on request, with what they are about."""

import logging
import sys
import warnings
from asyncio import CancelledError
from typing import Final

import structlog

from desk.contracts.names import AgentId, FailureType, workflow_id_parts


def subject_of(workflow_id: str | None, activity_id: str | None = None) -> dict[str, str]:
    """`run`, and `market` and `agent` where the ids name them; empty where there is no workflow."""
    parts = workflow_id_parts(workflow_id or "")
    named = {name: said for name, said in (("run", parts.run), ("market", parts.market)) if said}
    agent = (activity_id or "").split(".", 1)[0]
    return {**named, "agent": agent} if agent in AgentId.known() else named


_FAILURES: Final = frozenset(failure.value for failure in FailureType)


def _without_traces(
    _logger: structlog.typing.WrappedLogger, _method: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """A failure that the desk itself has named, or an activity that was given up, on one line:
    where it was raised says nothing. At DEBUG it keeps its traceback. Those of the MCP client show
    what it could not read, and are always left out."""
    record: logging.LogRecord = event["_record"]
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return event
    if record.name.partition(".")[0] == "mcp":
        del event["exc_info"]
    elif isinstance(error, CancelledError) or getattr(error, "type", None) in _FAILURES:
        told = event.pop("temporal_activity", None)
        if told:
            event["event"] = f"{told['activity_type']}, try {told['attempt']}: {error}"
            event["activity"] = told["activity_id"]
            event.pop("__temporal_error_identifier", None)
        if not logging.getLogger().isEnabledFor(logging.DEBUG):
            del event["exc_info"]
    return event


def _bound(
    _logger: structlog.typing.WrappedLogger, _method: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """The line with the run, market and agent that it is about, and its trace where there is one.

    What is not loaded is not asked: whoever logs in an activity or a workflow has it loaded.
    """
    for name, value in {**_subject(), **_trace()}.items():
        event.setdefault(name, value)
    return event


def _subject() -> dict[str, str]:
    activity = sys.modules.get("temporalio.activity")
    if activity is not None and activity.in_activity():
        info = activity.info()
        return subject_of(info.workflow_id, info.activity_id)
    workflow = sys.modules.get("temporalio.workflow")
    if workflow is not None and workflow.in_workflow():
        return subject_of(workflow.info().workflow_id)
    return {}


def _trace() -> dict[str, str]:
    if "opentelemetry.sdk.trace" not in sys.modules:
        return {}
    from opentelemetry import trace

    context = trace.get_current_span().get_span_context()
    return {"trace_id": trace.format_trace_id(context.trace_id)} if context.is_valid else {}


_SHARED: tuple[structlog.typing.Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.ExtraAdder(),
    _without_traces,
    _bound,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
)


def configure_logs(level: str, *, as_json: bool) -> None:
    """Send the logs of this process, its libraries' included, to standard error.

    Standard output is left alone: it carries results, and the protocol of a stdio server.
    """
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_SHARED,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
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
