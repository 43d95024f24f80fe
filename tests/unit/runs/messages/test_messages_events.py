"""Temporal's events in the small form that messages are told from."""

from pathlib import Path

import pytest
from temporalio.api.common.v1 import Payload, Payloads
from temporalio.api.common.v1 import WorkflowType as WorkflowKind
from temporalio.api.enums.v1 import EventType, TimeoutType
from temporalio.api.failure.v1 import ApplicationFailureInfo, Failure, TimeoutFailureInfo
from temporalio.api.history.v1 import (
    ActivityTaskTimedOutEventAttributes,
    HistoryEvent,
    WorkflowExecutionSignaledEventAttributes,
    WorkflowExecutionStartedEventAttributes,
    WorkflowExecutionTerminatedEventAttributes,
)
from temporalio.converter import DataConverter

from activities.errors import transient
from desk.contracts.names import CallFault, FailureType, Message, WorkflowType
from desk.contracts.runs.week import WeekRequest
from desk.platform.temporal.conversion import data_converter
from desk.platform.temporal.history import RunHistory
from desk.runs.messages import AttemptFailure, Failed, Lost, MessageEvent, RerunAsked
from starters.monitoring.messages.history import fault_of, told_workflow
from tests.support.runs.desk import desk_config

REQUEST = WeekRequest(config=desk_config())
STARTED = HistoryEvent(
    event_id=1,
    event_type=EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
    workflow_execution_started_event_attributes=WorkflowExecutionStartedEventAttributes(
        workflow_type=WorkflowKind(name=WorkflowType.WEEKLY_RESEARCH),
        input=Payloads(
            payloads=[
                Payload(
                    metadata={"encoding": b"json/plain"}, data=REQUEST.model_dump_json().encode()
                )
            ]
        ),
    ),
)
TERMINATED = HistoryEvent(
    event_id=9,
    event_type=EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
    workflow_execution_terminated_event_attributes=WorkflowExecutionTerminatedEventAttributes(),
)
EXPIRED = Failure(
    message="activity timeout",
    timeout_failure_info=TimeoutFailureInfo(
        timeout_type=TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE
    ),
    cause=Failure(message="overloaded", application_failure_info=ApplicationFailureInfo(type="X")),
)


async def read(
    directory: Path, *events: HistoryEvent, root: bool = True
) -> tuple[MessageEvent, ...]:
    history = RunHistory("weekly-2026-W44", "run", [STARTED, *events], data_converter(directory))
    return (await told_workflow(history, root=root)).events


def signal(content: bytes) -> HistoryEvent:
    payload = Payload(metadata={"encoding": b"json/plain"}, data=content)
    return HistoryEvent(
        event_id=2,
        event_type=EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED,
        workflow_execution_signaled_event_attributes=WorkflowExecutionSignaledEventAttributes(
            signal_name=Message.RERUN_MARKET,
            input=Payloads(payloads=[payload]),
            identity="temporal-cli:ann@host-1",
        ),
    )


@pytest.mark.parametrize(("started", "taken"), [(0, False), (7, True)])
async def test_an_activity_that_timed_out_was_taken_or_was_not(
    started: int, taken: bool, tmp_path: Path
) -> None:
    event = HistoryEvent(
        event_id=8,
        event_type=EventType.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT,
        activity_task_timed_out_event_attributes=ActivityTaskTimedOutEventAttributes(
            scheduled_event_id=6, started_event_id=started, failure=EXPIRED
        ),
    )
    (found,) = await read(tmp_path, event)
    assert isinstance(found, Failed)
    assert (found.asked, found.taken) == (6, taken)


async def test_a_timeout_names_its_kind_and_what_failed_before() -> None:
    assert await fault_of(EXPIRED, DataConverter.default) == AttemptFailure(
        "timeout (schedule to close)", "activity timeout: overloaded", None
    )


async def test_a_call_without_an_answer_is_told_with_its_type() -> None:
    error = transient(FailureType.TOOL_UNAVAILABLE, "ecb is silent", CallFault.TIMEOUT)
    failure = Failure()
    await DataConverter.default.encode_failure(error, failure)
    assert (await fault_of(failure, DataConverter.default)).call is CallFault.TIMEOUT


async def test_a_signal_is_read_and_one_that_the_run_dropped_is_not_told(tmp_path: Path) -> None:
    (found,) = await read(tmp_path, signal(b'{"market": "JP", "reason": "revised"}'))
    assert isinstance(found, RerunAsked)
    assert (found.by, found.request.market) == ("temporal-cli:ann@host-1", "JP")
    for malformed in (b'{"market": "lunch"}', b"[]", b"{"):
        assert await read(tmp_path, signal(malformed)) == ()
    not_of_the_run = signal(b'{"market": "AUD/CAD", "reason": "typo"}')
    assert await read(tmp_path, not_of_the_run) == ()


async def test_the_end_of_a_run_is_told_of_the_run_itself_and_not_of_its_children(
    tmp_path: Path,
) -> None:
    (found,) = await read(tmp_path, TERMINATED)
    assert isinstance(found, Lost)
    assert found.fault.message == "the run: it was terminated"
    assert await read(tmp_path, TERMINATED, root=False) == ()
