"""How a log line reads: plain for people, JSON on request, with what it is about.

Apart from where logs go, because what renders lines is slow to import, and most commands log none.
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

# Temporal's SDK writes all that it knows of an activity or a workflow into each message; what a
# reader needs of it is told in fields of the line.
temporalio.activity.logger.activity_info_on_message = False
temporalio.workflow.logger.workflow_info_on_message = False


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


def _short(
    _logger: structlog.typing.WrappedLogger, _method: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """The line for people: of all that Temporal's SDK tells, the activity alone, and the instant to
    the second."""
    told = event.pop("temporal_activity", None)
    if told:
        event.setdefault("activity", told["activity_id"])
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
    """What renders a record."""
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
