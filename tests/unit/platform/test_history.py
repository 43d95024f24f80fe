"""Histories as typed events, and as activities and children put together from them."""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import pytest
from google.protobuf.json_format import ParseDict
from hypothesis import given
from hypothesis import strategies as st
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client, WorkflowHistory
from temporalio.converter import DataConverter
from temporalio.service import RPCError, RPCStatusCode

from desk.platform.temporal.history import (
    Ending,
    HistoryGone,
    RunHistory,
    fetch_chain,
    fetch_history,
    fetch_start,
    has_due_work,
)
from tests.replay.written import HISTORIES

Written = dict[str, Any]
"""The attributes of an event, as JSON."""

BEGAN = datetime(2026, 11, 2, 7, tzinfo=UTC)
NAMES = sorted(path.stem for path in HISTORIES.glob("*.json"))
FAILURE = {"message": "the source is silent"}


def event(event_id: int, kind: str, attributes: Written) -> HistoryEvent:
    """An event of a kind such as `ActivityTaskStarted`, with its attributes as JSON."""
    name = "".join(f"_{letter}" if letter.isupper() else letter for letter in kind)
    written = {
        "eventId": str(event_id),
        "eventTime": f"{BEGAN + timedelta(seconds=event_id):%Y-%m-%dT%H:%M:%SZ}",
        "eventType": f"EVENT_TYPE{name.upper()}",
        f"{kind[0].lower()}{kind[1:]}EventAttributes": attributes,
    }
    return ParseDict(written, HistoryEvent())


def value(told: int) -> Written:
    encoding, data = b64encode(b"json/plain").decode(), b64encode(json.dumps(told).encode())
    return {"payloads": [{"metadata": {"encoding": encoding}, "data": data.decode()}]}


STARTED = event(1, "WorkflowExecutionStarted", {"workflowType": {"name": "Any"}})


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
NAMES_OF_ENDS = {
    Ending.COMPLETED: "Completed",
    Ending.FAILED: "Failed",
    Ending.TIMED_OUT: "TimedOut",
    Ending.CANCELED: "Canceled",
    Ending.TERMINATED: "Terminated",
}


def asked(work: Work, number: int) -> tuple[str, Written]:
    if work.child:
        kind = "StartChildWorkflowExecutionInitiated"
        return kind, {"workflowId": f"c{number}", "workflowType": {"name": "Child"}}
    kind, name = "ActivityTaskScheduled", {"name": "work"}
    return kind, {"activityId": str(number), "activityType": name, "input": value(number)}


def begun(work: Work, asked_in: int, number: int) -> tuple[str, Written]:
    if work.child:
        of_it: Written = {"workflowExecution": {"workflowId": f"c{number}", "runId": f"r{number}"}}
        return "ChildWorkflowExecutionStarted", {"initiatedEventId": str(asked_in), **of_it}
    again: Written = {"lastFailure": FAILURE} if work.attempts > 1 else {}
    told = {"scheduledEventId": str(asked_in), "attempt": work.attempts, **again}
    return "ActivityTaskStarted", told


def ended(work: Work, asked_in: int, begun_in: int, number: int) -> tuple[str, Written]:
    if work.ending is Ending.NOT_STARTED:
        of_it: Written = {"initiatedEventId": str(asked_in), "workflowId": f"c{number}"}
        return "StartChildWorkflowExecutionFailed", of_it
    assert work.ending is not None
    outcome: Written = {}
    if work.ending is Ending.COMPLETED:
        outcome = {"result": value(number)}
    elif work.ending is Ending.FAILED or (work.ending is Ending.TIMED_OUT and not work.child):
        outcome = {"failure": FAILURE}
    name = NAMES_OF_ENDS[work.ending]
    if work.child:
        execution = {"workflowId": f"c{number}", "runId": f"r{number}"}
        of_it = {"initiatedEventId": str(asked_in), "workflowExecution": execution}
        return f"ChildWorkflowExecution{name}", {**of_it, **outcome}
    of_it = {"scheduledEventId": str(asked_in), "startedEventId": str(begun_in)}
    return f"ActivityTask{name}", {**of_it, **outcome}


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Work], list[HistoryEvent]]:
    """Pieces of work side by side, whose events come in any order that Temporal would write."""
    works = draw(st.lists(ACTIVITIES | CHILDREN, max_size=6))
    events = [STARTED]
    asked_in, begun_in = [0] * len(works), [0] * len(works)
    left = {number: ["asked", "begun", "ended"] for number in range(len(works))}
    while left:
        number = draw(st.sampled_from(sorted(left)))
        work, event_id = works[number], len(events) + 1
        match left[number].pop(0):
            case "asked":
                asked_in[number] = event_id
                events.append(event(event_id, *asked(work, number)))
            case "begun" if work.attempts:
                begun_in[number] = event_id
                events.append(event(event_id, *begun(work, asked_in[number], number)))
            case "ended" if work.ending:
                told = ended(work, asked_in[number], begun_in[number], number)
                events.append(event(event_id, *told))
            case _:
                events.append(event(event_id, "TimerFired", {}))
        if not left[number]:
            del left[number]
    return works, events


def read(events: Sequence[HistoryEvent]) -> RunHistory:
    return RunHistory("weekly-2026-W44", "run", events, DataConverter.default)


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


class Server:
    """A server that keeps some runs of one workflow, each with the run that it continues."""

    data_converter = DataConverter.default

    def __init__(self, **continued: str | None) -> None:
        self._continued = continued
        self.error: RPCError | None = None

    def get_workflow_handle(self, workflow_id: str, run_id: str) -> SimpleNamespace:
        return SimpleNamespace(fetch_history_events=lambda **_: self._events(run_id))

    async def _events(self, run_id: str) -> AsyncIterator[HistoryEvent]:
        if self.error is not None:
            raise self.error
        if run_id not in self._continued:
            raise RPCError("no such run", RPCStatusCode.NOT_FOUND, b"")
        before = self._continued[run_id]
        yield event(1, "WorkflowExecutionStarted", {"continuedExecutionRunId": before or ""})
        yield event(2, "WorkflowExecutionContinuedAsNew", {})

    @property
    def client(self) -> Client:
        return cast(Client, self)


async def test_a_chain_is_followed_as_far_as_the_server_keeps_it() -> None:
    whole = Server(third="second", second="first", first=None)
    forgotten = Server(third="second", second="first")
    for server, kept in ((whole, ["third", "second", "first"]), (forgotten, ["third", "second"])):
        chain = [each async for each in fetch_chain(server.client, "weekly-2026-W44", "third")]
        assert [history.run_id for history in chain] == kept
        assert all(h.ended and h.ended.ending is Ending.CONTINUED_AS_NEW for h in chain)


async def test_a_history_that_is_gone_is_told_from_one_that_cannot_be_fetched() -> None:
    server = Server(first=None)
    with pytest.raises(HistoryGone, match="no history of weekly-2026-W44 any more"):
        await fetch_history(server.client, "weekly-2026-W44", "second")
    start = await fetch_start(server.client, "weekly-2026-W44", "first")
    assert start is not None and start.continued_from is None
    server.error = RPCError("away", RPCStatusCode.UNAVAILABLE, b"")
    with pytest.raises(RPCError, match="away"):
        await fetch_history(server.client, "weekly-2026-W44", "first")


LATER = BEGAN + timedelta(hours=1)
DECIDED_FIRST = event(4, "WorkflowTaskCompleted", {"scheduledEventId": "2"})
WAITING = (STARTED, event(2, "WorkflowTaskScheduled", {}), DECIDED_FIRST)
TIMER = event(5, "TimerStarted", {"timerId": "1", "startToFireTimeout": "1800s"})
FIRED = event(6, "TimerFired", {"timerId": "1", "startedEventId": "5"})
ASKED = event(6, "ActivityTaskScheduled", {"activityId": "score"})
ANSWERED = event(7, "ActivityTaskCompleted", {"scheduledEventId": "6"})
SIGNALED = event(7, "WorkflowExecutionSignaled", {"signalName": "learn"})
TO_DECIDE = event(8, "WorkflowTaskScheduled", {})
FAILED = event(9, "WorkflowTaskFailed", {"scheduledEventId": "8"})
DECIDED = event(10, "WorkflowTaskCompleted", {"scheduledEventId": "8"})


@pytest.mark.parametrize(
    ("events", "at", "due"),
    [
        ((STARTED,), BEGAN, True),
        (WAITING[:2], BEGAN, True),
        (WAITING, LATER, False),
        ((*WAITING, TIMER), BEGAN, False),
        ((*WAITING, TIMER), LATER, True),
        ((*WAITING, TIMER, FIRED, TO_DECIDE), BEGAN, True),
        ((*WAITING, TIMER, FIRED, TO_DECIDE, DECIDED), LATER, False),
        ((*WAITING, TIMER, event(6, "TimerCanceled", {"startedEventId": "5"})), LATER, False),
        ((*WAITING, ASKED), BEGAN, True),
        ((*WAITING, ASKED, ANSWERED, TO_DECIDE), BEGAN, True),
        ((*WAITING, ASKED, ANSWERED, TO_DECIDE, DECIDED), LATER, False),
        ((*WAITING, TIMER, SIGNALED, TO_DECIDE), BEGAN, True),
        ((*WAITING, TIMER, SIGNALED, TO_DECIDE, FAILED), BEGAN, True),
        ((*WAITING, TIMER, SIGNALED, TO_DECIDE, DECIDED), BEGAN, False),
    ],
)
async def test_work_is_due_with_a_timer_an_activity_and_whatever_no_task_has_treated(
    events: Sequence[HistoryEvent], at: datetime, due: bool
) -> None:
    async def read(**_: object) -> AsyncIterator[HistoryEvent]:
        for each in events:
            yield each

    handle = SimpleNamespace(fetch_history_events=read)
    client = SimpleNamespace(get_workflow_handle=lambda *_, **__: handle)
    assert await has_due_work(cast(Client, client), "learning-system", at) is due
