"""Temporal's history events as typed events. Events that the desk does not read have no type."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from google.protobuf.timestamp_pb2 import Timestamp
from temporalio.api.common.v1 import Payload
from temporalio.api.enums.v1 import EventType
from temporalio.api.failure.v1 import Failure
from temporalio.api.history.v1 import HistoryEvent

from desk.platform.temporal.eager_activities import requested_queue

Payloads = Sequence[Payload]
"""An input or a result, still encoded. `RunHistory.decode` decodes it."""


class Ending(StrEnum):
    """How an activity, a child workflow or the workflow itself ended."""

    COMPLETED = "completed"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    CANCELED = "cancelled"
    TERMINATED = "terminated"
    CONTINUED_AS_NEW = "continued as new"
    NOT_STARTED = "not started"
    """Only for a child workflow: its id was in use."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a workflow: its number in the history, and its time in UTC."""

    event_id: int
    at: datetime


@dataclass(frozen=True, slots=True)
class WorkflowStarted(Event):
    """A run began, with its type, its input and who started it. `continued_from` is the run that it
    continues as new."""

    workflow_type: str
    input: Payloads
    identity: str
    continued_from: str | None


@dataclass(frozen=True, slots=True)
class WorkflowEnded(Event):
    """The run ended. `result` is set if it completed, `failure` if it failed."""

    ending: Ending
    result: Payloads = ()
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class ActivityScheduled(Event):
    """An activity was scheduled. `timeout` is in seconds, from scheduling to close. `decided_by` is
    the completed workflow task that scheduled it."""

    activity_id: str
    name: str
    queue: str
    input: Payloads
    timeout: float | None
    decided_by: int


@dataclass(frozen=True, slots=True)
class ActivityStarted(Event):
    """A worker started the last attempt at an activity. Written only when that attempt has ended.
    `failure` is why the attempt before it failed."""

    scheduled: int
    worker: str
    attempt: int
    failure: Failure | None


@dataclass(frozen=True, slots=True)
class ActivityEnded(Event):
    """An activity ended. `taken` says whether a worker ever started it."""

    scheduled: int
    ending: Ending
    taken: bool
    result: Payloads = ()
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class ChildInitiated(Event):
    """A child workflow was scheduled."""

    workflow_id: str
    workflow_type: str
    input: Payloads


@dataclass(frozen=True, slots=True)
class ChildStarted(Event):
    """A child workflow began."""

    initiated: int
    workflow_id: str
    run_id: str
    workflow_type: str


@dataclass(frozen=True, slots=True)
class ChildEnded(Event):
    """A child workflow ended, or could not begin."""

    initiated: int
    workflow_id: str
    workflow_type: str
    ending: Ending
    result: Payloads = ()
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Signalled(Event):
    """A signal was received, with its name, its input and its sender."""

    name: str
    input: Payloads
    identity: str


@dataclass(frozen=True, slots=True)
class UpdateAccepted(Event):
    """An update was accepted, with its name, its input and its sender."""

    name: str
    input: Payloads
    identity: str


@dataclass(frozen=True, slots=True)
class SearchAttributesUpserted(Event):
    """The workflow set search attributes, by name. Attributes that it cleared are omitted."""

    values: Mapping[str, Any]


def typed_event(event: HistoryEvent) -> Event | None:
    """Converts an event to its type. None for a kind that the desk does not read."""
    build = _BUILDERS.get(event.event_type)
    if build is None:
        return None
    name = EventType.Name(event.event_type).removeprefix("EVENT_TYPE_").lower()
    return build(event, getattr(event, f"{name}_event_attributes"))


def instant(stamp: Timestamp) -> datetime:
    """Converts a server timestamp to UTC."""
    return stamp.ToDatetime(tzinfo=UTC)


def _workflow_started(event: HistoryEvent, attributes: Any) -> Event:
    return WorkflowStarted(
        *_place(event),
        workflow_type=attributes.workflow_type.name,
        input=attributes.input.payloads,
        identity=attributes.identity,
        continued_from=attributes.continued_execution_run_id or None,
    )


def _workflow_ended(event: HistoryEvent, attributes: Any) -> Event:
    ending, result, failure = _outcome(event, attributes)
    return WorkflowEnded(*_place(event), ending=ending, result=result, failure=failure)


def _activity_scheduled(event: HistoryEvent, attributes: Any) -> Event:
    return ActivityScheduled(
        *_place(event),
        activity_id=attributes.activity_id,
        name=attributes.activity_type.name,
        queue=requested_queue(attributes.header.fields, attributes.task_queue.name),
        input=attributes.input.payloads,
        timeout=attributes.schedule_to_close_timeout.ToTimedelta().total_seconds() or None,
        decided_by=attributes.workflow_task_completed_event_id,
    )


def _activity_started(event: HistoryEvent, attributes: Any) -> Event:
    return ActivityStarted(
        *_place(event),
        scheduled=attributes.scheduled_event_id,
        worker=attributes.identity,
        attempt=max(attributes.attempt, 1),
        failure=attributes.last_failure if attributes.HasField("last_failure") else None,
    )


def _activity_ended(event: HistoryEvent, attributes: Any) -> Event:
    ending, result, failure = _outcome(event, attributes)
    return ActivityEnded(
        *_place(event),
        scheduled=attributes.scheduled_event_id,
        ending=ending,
        taken=attributes.started_event_id != 0,
        result=result,
        failure=failure,
    )


def _child_initiated(event: HistoryEvent, attributes: Any) -> Event:
    return ChildInitiated(
        *_place(event),
        workflow_id=attributes.workflow_id,
        workflow_type=attributes.workflow_type.name,
        input=attributes.input.payloads,
    )


def _child_started(event: HistoryEvent, attributes: Any) -> Event:
    return ChildStarted(
        *_place(event),
        initiated=attributes.initiated_event_id,
        workflow_id=attributes.workflow_execution.workflow_id,
        run_id=attributes.workflow_execution.run_id,
        workflow_type=attributes.workflow_type.name,
    )


def _child_ended(event: HistoryEvent, attributes: Any) -> Event:
    begun = getattr(attributes, "workflow_execution", attributes)
    ending, result, failure = _outcome(event, attributes)
    return ChildEnded(
        *_place(event),
        initiated=attributes.initiated_event_id,
        workflow_id=begun.workflow_id,
        workflow_type=attributes.workflow_type.name,
        ending=ending,
        result=result,
        failure=failure,
    )


def _signalled(event: HistoryEvent, attributes: Any) -> Event:
    return Signalled(
        *_place(event), attributes.signal_name, attributes.input.payloads, attributes.identity
    )


def _update_accepted(event: HistoryEvent, attributes: Any) -> Event:
    request = attributes.accepted_request
    return UpdateAccepted(
        *_place(event), request.input.name, request.input.args.payloads, request.meta.identity
    )


def _attributes_upserted(event: HistoryEvent, attributes: Any) -> Event:
    fields = attributes.search_attributes.indexed_fields
    values = {name: json.loads(field.data) for name, field in fields.items() if field.data}
    return SearchAttributesUpserted(*_place(event), values)


def _place(event: HistoryEvent) -> tuple[int, datetime]:
    return event.event_id, instant(event.event_time)


def _outcome(event: HistoryEvent, attributes: Any) -> tuple[Ending, Payloads, Failure | None]:
    ending = _ENDINGS[EventType.Name(event.event_type).removeprefix("EVENT_TYPE_")]
    result = attributes.result.payloads if ending is Ending.COMPLETED else ()
    return ending, result, getattr(attributes, "failure", None)


_SUFFIXES: Final = {
    "COMPLETED": Ending.COMPLETED,
    "FAILED": Ending.FAILED,
    "TIMED_OUT": Ending.TIMED_OUT,
    "CANCELED": Ending.CANCELED,
    "TERMINATED": Ending.TERMINATED,
}
_WORKFLOW_ENDS: Final = {
    **{f"WORKFLOW_EXECUTION_{suffix}": ending for suffix, ending in _SUFFIXES.items()},
    "WORKFLOW_EXECUTION_CONTINUED_AS_NEW": Ending.CONTINUED_AS_NEW,
}
_ACTIVITY_ENDS: Final = {
    f"ACTIVITY_TASK_{suffix}": ending
    for suffix, ending in _SUFFIXES.items()
    if ending is not Ending.TERMINATED
}
_CHILD_ENDS: Final = {
    **{f"CHILD_WORKFLOW_EXECUTION_{suffix}": ending for suffix, ending in _SUFFIXES.items()},
    "START_CHILD_WORKFLOW_EXECUTION_FAILED": Ending.NOT_STARTED,
}
_ENDINGS: Final = {**_WORKFLOW_ENDS, **_ACTIVITY_ENDS, **_CHILD_ENDS}

_BUILDERS: Final[Mapping[int, Callable[[HistoryEvent, Any], Event]]] = {
    EventType.Value(f"EVENT_TYPE_{name}"): build
    for name, build in {
        "WORKFLOW_EXECUTION_STARTED": _workflow_started,
        "ACTIVITY_TASK_SCHEDULED": _activity_scheduled,
        "ACTIVITY_TASK_STARTED": _activity_started,
        "START_CHILD_WORKFLOW_EXECUTION_INITIATED": _child_initiated,
        "CHILD_WORKFLOW_EXECUTION_STARTED": _child_started,
        "WORKFLOW_EXECUTION_SIGNALED": _signalled,
        "WORKFLOW_EXECUTION_UPDATE_ACCEPTED": _update_accepted,
        "UPSERT_WORKFLOW_SEARCH_ATTRIBUTES": _attributes_upserted,
        **dict.fromkeys(_WORKFLOW_ENDS, _workflow_ended),
        **dict.fromkeys(_ACTIVITY_ENDS, _activity_ended),
        **dict.fromkeys(_CHILD_ENDS, _child_ended),
    }.items()
}
