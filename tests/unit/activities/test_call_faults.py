"""Why a call of a tool had no answer, as Temporal's failures say it by their types."""

from datetime import UTC, datetime

import pytest
from temporalio.exceptions import ActivityError, ApplicationError, TimeoutType
from temporalio.exceptions import TimeoutError as TimedOut

from activities.errors import parse_fault, timeout_words, transient
from desk.contracts.agents.tools import OpenCircuit
from desk.contracts.names import CallFault, FailureType
from starters.weeks.tape.command import _failure_of
from workflows.engine.options import cause

NOW = datetime(2026, 11, 2, 7, 0, tzinfo=UTC)


def timed_out(kind: TimeoutType, cause: BaseException | None = None) -> TimedOut:
    error = TimedOut("activity timeout", type=kind, last_heartbeat_details=[])
    error.__cause__ = cause
    return error


@pytest.mark.parametrize("fault", CallFault)
def test_the_worker_of_a_source_says_it(fault: CallFault) -> None:
    said = transient(FailureType.TOOL_UNAVAILABLE, "whatever it says in words", fault)
    assert parse_fault(said).fault is fault
    assert parse_fault(timed_out(TimeoutType.SCHEDULE_TO_CLOSE, said)).fault is fault


def test_the_fault_of_an_open_circuit_carries_the_circuit() -> None:
    circuit = OpenCircuit(
        server="ecb", since=NOW, next_try=NOW, fault=CallFault.TIMEOUT, failures=5
    )
    told = circuit.model_dump(mode="json")
    said = transient(FailureType.TOOL_UNAVAILABLE, "not asked", CallFault.CIRCUIT_OPEN, told)
    assert parse_fault(said).circuit == circuit


def test_a_worker_that_could_not_say_it_in_time_has_waited_in_vain() -> None:
    late = timed_out(TimeoutType.START_TO_CLOSE)
    assert parse_fault(late).fault is CallFault.TIMEOUT
    assert parse_fault(timed_out(TimeoutType.SCHEDULE_TO_CLOSE, late)).fault is CallFault.TIMEOUT


@pytest.mark.parametrize(
    "reason",
    [
        timed_out(TimeoutType.HEARTBEAT),
        timed_out(TimeoutType.SCHEDULE_TO_START),
        timed_out(TimeoutType.SCHEDULE_TO_CLOSE),
        ApplicationError("ecb.get_quote: Request 'tools/call' timed out", type="ToolUnavailable"),
        ApplicationError("away", "in words", type="ToolUnavailable"),
        None,
    ],
)
def test_of_a_worker_that_died_or_of_another_version_nothing_is_known(
    reason: BaseException | None,
) -> None:
    assert parse_fault(reason) == (None, None)


@pytest.mark.parametrize("kind", TimeoutType)
def test_a_report_says_in_words_what_was_late(kind: TimeoutType) -> None:
    words = timeout_words(timed_out(kind))
    assert "timeout" not in words
    lost = ActivityError(
        "Activity task timed out",
        scheduled_event_id=5,
        started_event_id=6,
        identity="",
        activity_type="call_tool",
        activity_id="research_agent_1.research_fx.t1.quote",
        retry_state=None,
    )
    lost.__cause__ = timed_out(TimeoutType.SCHEDULE_TO_CLOSE, timed_out(kind))
    assert cause(lost) == words


def test_a_tape_gives_the_reason_that_the_report_gave() -> None:
    late = timed_out(TimeoutType.START_TO_CLOSE)
    assert _failure_of(late).message == timeout_words(late)
