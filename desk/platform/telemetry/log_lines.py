"""Formats log lines: plain for people, JSON on request, with the run and market they are about.

Separate from where logs go, because the library that renders lines is slow to import and most
commands log nothing.
"""

import logging
import sys
from asyncio import CancelledError
from typing import Final

import structlog
import temporalio.activity
import temporalio.workflow

from desk.contracts.names import FailureType
from desk.platform.telemetry.subject import subject_of

_FAILURES: Final = frozenset(failure.value for failure in FailureType)

# Temporal's SDK adds everything about an activity or workflow to each message. The line has the
# parts that a reader needs as fields.
temporalio.activity.logger.activity_info_on_message = False
temporalio.workflow.logger.workflow_info_on_message = False


def _without_traces(
    _logger: structlog.typing.WrappedLogger, _method: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """Puts a failure that the desk itself has named, or a cancelled activity, on one line, because
    its traceback says nothing. At DEBUG it keeps the traceback. Tracebacks of the MCP client
    contain what it could not read, and are always omitted."""
    record: logging.LogRecord = event["_record"]
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return event
    if record.name.partition(".")[0] == "mcp":
        del event["exc_info"]
    elif isinstance(error, CancelledError) or getattr(error, "type", None) in _FAILURES:
        activity_info = event.pop("temporal_activity", None)
        if activity_info:
            event["event"] = (
                f"{activity_info['activity_type']}, try {activity_info['attempt']}: {error}"
            )
            event["activity"] = activity_info["activity_id"]
            event.pop("__temporal_error_identifier", None)
        if not logging.getLogger().isEnabledFor(logging.DEBUG):
            del event["exc_info"]
    return event


def _bound(
    _logger: structlog.typing.WrappedLogger, _method: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """Adds the run, market and agent that the line is about, and its trace id if there is one.

    Only asks modules that are loaded: code that logs in an activity or a workflow has loaded them.
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


def _short(
    _logger: structlog.typing.WrappedLogger, _method: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """The line for people: of Temporal's fields only the activity, and the time to the second."""
    activity_info = event.pop("temporal_activity", None)
    if activity_info:
        event.setdefault("activity", activity_info["activity_id"])
    event.pop("temporal_workflow", None)
    event.pop("__temporal_error_identifier", None)
    event["timestamp"] = f"{event['timestamp'][:19]}Z"
    return event


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


def line_formatter(*, as_json: bool) -> logging.Formatter:
    """The formatter that renders a record."""
    rendered: tuple[structlog.typing.Processor, ...] = (
        (structlog.processors.JSONRenderer(),)
        if as_json
        else (
            _short,
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), pad_level=False, pad_event_to=0
            ),
        )
    )
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_SHARED,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendered],
    )
