"""Histories as typed events, and as activities and children put together from them."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st
from temporalio.api.common.v1 import (
    ActivityType,
    Payload,
    Payloads,
    WorkflowExecution,
    WorkflowType,
)
from temporalio.api.enums.v1 import EventType
from temporalio.api.failure.v1 import Failure
from temporalio.api.history.v1 import (
    ActivityTaskCanceledEventAttributes,
    ActivityTaskCompletedEventAttributes,
    ActivityTaskFailedEventAttributes,
    ActivityTaskScheduledEventAttributes,
    ActivityTaskStartedEventAttributes,
    ActivityTaskTimedOutEventAttributes,
    ChildWorkflowExecutionCanceledEventAttributes,
    ChildWorkflowExecutionCompletedEventAttributes,
    ChildWorkflowExecutionFailedEventAttributes,
    ChildWorkflowExecutionStartedEventAttributes,
    ChildWorkflowExecutionTerminatedEventAttributes,
    ChildWorkflowExecutionTimedOutEventAttributes,
    HistoryEvent,
    StartChildWorkflowExecutionFailedEventAttributes,
    StartChildWorkflowExecutionInitiatedEventAttributes,
    TimerFiredEventAttributes,
    WorkflowExecutionStartedEventAttributes,
)
from temporalio.client import WorkflowHistory
from temporalio.converter import DataConverter

from desk.platform.temporal.history import Ending, History
from tests.replay.written import HISTORIES

BEGAN = datetime(2026, 11, 2, 7, tzinfo=UTC)
NAMES = sorted(path.stem for path in HISTORIES.glob("*.json"))
FAILURE = Failure(message="the source is silent")


def event(event_id: int, kind: str, attributes: object) -> HistoryEvent:
    """An event of a kind such as `ActivityTaskStarted`, whose attributes name its type."""
    name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in kind)[1:]
    at = Timestamp()
    at.FromDatetime(BEGAN + timedelta(seconds=event_id))
    return HistoryEvent(
        event_id=event_id,
        event_time=at,
        event_type=EventType.Value(f"EVENT_TYPE_{name.upper()}"),
        **{f"{name}_event_attributes": attributes},
    )


def value(told: object) -> Payloads:
    data = json.dumps(told).encode()
    return Payloads(payloads=[Payload(metadata={"encoding": b"json/plain"}, data=data)])


STARTED = event(
    1,
    "WorkflowExecutionStarted",
    WorkflowExecutionStartedEventAttributes(workflow_type=WorkflowType(name="Any")),
)


class Work(NamedTuple):
    """An activity or a child as it goes: how far it comes, and how it ends."""

    child: bool
    attempts: int = 0
    ending: Ending | None = None


ACTIVITY_ENDS = (Ending.COMPLETED, Ending.FAILED, Ending.TIMED_OUT, Ending.CANCELED)
CHILD_ENDS = (*ACTIVITY_ENDS, Ending.TERMINATED)
ACTIVITIES = st.one_of(
    st.just(Work(child=False)),
    st.builds(Work, st.just(False), st.integers(1, 9), st.none() | st.sampled_from(ACTIVITY_ENDS)),
    st.just(Work(child=False, ending=Ending.TIMED_OUT)),
)
CHILDREN = st.one_of(
    st.just(Work(child=True)),
    st.just(Work(child=True, ending=Ending.NOT_STARTED)),
    st.builds(Work, st.just(True), st.just(1), st.none() | st.sampled_from(CHILD_ENDS)),
)


def ended(work: Work, scheduled: int, started: int, number: int) -> tuple[str, object]:
    """The kind and the attributes of the event by which a piece of work ends."""
    if work.child:
        return _child_ended(work, scheduled, number)
    both = {"scheduled_event_id": scheduled, "started_event_id": started}
    match work.ending:
        case Ending.COMPLETED:
            done = ActivityTaskCompletedEventAttributes(**both, result=value(number))
            return "ActivityTaskCompleted", done
        case Ending.FAILED:
            failed = ActivityTaskFailedEventAttributes(**both, failure=FAILURE)
            return "ActivityTaskFailed", failed
        case Ending.TIMED_OUT:
            late = ActivityTaskTimedOutEventAttributes(**both, failure=FAILURE)
            return "ActivityTaskTimedOut", late
        case _:
            return "ActivityTaskCanceled", ActivityTaskCanceledEventAttributes(**both)


def _child_ended(work: Work, initiated: int, number: int) -> tuple[str, object]:
    of_it = {
        "initiated_event_id": initiated,
        "workflow_execution": WorkflowExecution(workflow_id=f"c{number}", run_id="r"),
    }
    match work.ending:
        case Ending.COMPLETED:
            done = ChildWorkflowExecutionCompletedEventAttributes(**of_it, result=value(number))
            return "ChildWorkflowExecutionCompleted", done
        case Ending.FAILED:
            failed = ChildWorkflowExecutionFailedEventAttributes(**of_it, failure=FAILURE)
            return "ChildWorkflowExecutionFailed", failed
        case Ending.TIMED_OUT:
            late = ChildWorkflowExecutionTimedOutEventAttributes(**of_it)
            return "ChildWorkflowExecutionTimedOut", late
        case Ending.CANCELED:
            given_up = ChildWorkflowExecutionCanceledEventAttributes(**of_it)
            return "ChildWorkflowExecutionCanceled", given_up
        case Ending.TERMINATED:
            ended_by = ChildWorkflowExecutionTerminatedEventAttributes(**of_it)
            return "ChildWorkflowExecutionTerminated", ended_by
        case _:
            never = StartChildWorkflowExecutionFailedEventAttributes(
                initiated_event_id=initiated, workflow_id=f"c{number}"
            )
            return "StartChildWorkflowExecutionFailed", never


def asked(work: Work, number: int) -> tuple[str, object]:
    if work.child:
        return "StartChildWorkflowExecutionInitiated", (
            StartChildWorkflowExecutionInitiatedEventAttributes(
                workflow_id=f"c{number}", workflow_type=WorkflowType(name="Child")
            )
        )
    return "ActivityTaskScheduled", ActivityTaskScheduledEventAttributes(
        activity_id=str(number), activity_type=ActivityType(name="work"), input=value(number)
    )


def begun(work: Work, scheduled: int, number: int) -> tuple[str, object]:
    if work.child:
        return "ChildWorkflowExecutionStarted", ChildWorkflowExecutionStartedEventAttributes(
            initiated_event_id=scheduled,
            workflow_execution=WorkflowExecution(workflow_id=f"c{number}", run_id=f"r{number}"),
        )
    again = FAILURE if work.attempts > 1 else None
    return "ActivityTaskStarted", ActivityTaskStartedEventAttributes(
        scheduled_event_id=scheduled, attempt=work.attempts, last_failure=again, identity="w"
    )


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Work], list[HistoryEvent]]:
    """Pieces of work side by side, whose events come in any order that Temporal would write."""
    works = draw(st.lists(ACTIVITIES | CHILDREN, max_size=6))
    events, at, steps = [STARTED], {}, dict.fromkeys(range(len(works)), 0)
    while steps:
        number = draw(st.sampled_from(sorted(steps)))
        work, step, event_id = works[number], steps.pop(number), len(events) + 1
        if step == 0:
            kind, told = asked(work, number)
            at[number] = (event_id, 0)
            steps[number] = 1 if work.attempts else 2
        elif step == 1:
            kind, told = begun(work, at[number][0], number)
            at[number] = (at[number][0], event_id)
            steps[number] = 2
        elif work.ending is not None:
            kind, told = ended(work, *at[number], number)
        else:
            kind, told = "TimerFired", TimerFiredEventAttributes()
        events.append(event(event_id, kind, told))
    return works, events


def read(events: Sequence[HistoryEvent]) -> History:
    return History("weekly-2026-W44", "run", events, DataConverter.default)


@given(histories())
async def test_every_piece_of_work_is_found_with_what_became_of_it(
    made: tuple[list[Work], list[HistoryEvent]],
) -> None:
    works, events = made
    history = read(events)
    activities = {int(each.scheduled.activity_id): each for each in history.activities}
    children = {int(each.initiated.workflow_id[1:]): each for each in history.children}
    assert sorted([*activities, *children]) == list(range(len(works)))
    for number, activity in activities.items():
        work = works[number]
        assert (activity.started.attempt if activity.started else 0) == work.attempts
        assert (activity.ended.ending if activity.ended else None) == work.ending
        assert activity.completed == (work.ending is Ending.COMPLETED)
        assert await history.decode(activity.scheduled.input, int) == number
        if activity.ended is not None:
            assert activity.ended.taken == bool(work.attempts)
            assert (activity.ended.failure is not None) == (
                work.ending in (Ending.FAILED, Ending.TIMED_OUT)
            )
    for number, child in children.items():
        assert (child.started is not None) == bool(works[number].attempts)
        assert (child.ended.ending if child.ended else None) == works[number].ending
        assert child.ended is None or child.ended.workflow_id == f"c{number}"


@given(histories(), st.data())
def test_a_history_that_is_cut_off_tells_no_more_than_it_holds(
    made: tuple[list[Work], list[HistoryEvent]], data: st.DataObject
) -> None:
    _, events = made
    cut = data.draw(st.integers(2, len(events) + 1))
    shorter, same = read(events).before(cut), read(events[: cut - 1])
    assert shorter.events == same.events
    assert shorter.activities == same.activities
    assert shorter.children == same.children
    assert all(each.event_id < cut for each in shorter.events)


def test_a_history_without_its_beginning_is_none() -> None:
    with pytest.raises(ValueError, match="does not begin"):
        read([])


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_history_is_read_whole(name: str) -> None:
    written = json.loads((HISTORIES / f"{name}.json").read_text(encoding="utf-8"))
    recorded = WorkflowHistory.from_json("weekly-2026-W44", written)
    history = read(recorded.events)
    kinds = Counter(EventType.Name(each.event_type) for each in recorded.events)
    assert len(history.activities) == kinds["EVENT_TYPE_ACTIVITY_TASK_SCHEDULED"]
    completed = kinds["EVENT_TYPE_ACTIVITY_TASK_COMPLETED"]
    assert sum(each.completed for each in history.activities) == completed
    assert (
        sum(each.started is not None for each in history.children)
        == (kinds["EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_STARTED"])
    )
    by_id = {each.event_id: each for each in recorded.events}
    for read_event in history.events:
        stamp = by_id[read_event.event_id].event_time
        assert read_event.at == stamp.ToDatetime(tzinfo=UTC)
