"""What the learning system was told, as it stands in its history."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.learning.lessons import Lesson
from desk.contracts.learning.record import LearningRequest, LearningState
from desk.contracts.names import LEARNING_SYSTEM_ID, Message
from starters.sources.tools.record import learned_from


def lesson(week: int, expected: int = 1) -> Lesson:
    return Lesson(
        workflow_id=f"weekly-2026-W{week:02d}",
        week=f"2026-W{week:02d}",
        as_of=datetime(2026, 1, 5, 7, tzinfo=UTC) + timedelta(weeks=week),
        expected=expected,
        researched=1,
    )


async def begun_with(*lessons: Lesson) -> HistoryEvent:
    request = LearningRequest(state=LearningState(lessons=lessons))
    event = HistoryEvent(event_type=EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED)
    payloads = await pydantic_data_converter.encode([request])
    event.workflow_execution_started_event_attributes.input.payloads.extend(payloads)
    return event


async def signal(name: str, content: object) -> HistoryEvent:
    event = HistoryEvent(event_type=EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED)
    told = event.workflow_execution_signaled_event_attributes
    told.signal_name = name
    told.input.payloads.extend(await pydantic_data_converter.encode([content]))
    return event


def server(*events: HistoryEvent, error: RPCError | None = None) -> Client:
    """A server that has one history."""

    async def fetch(**_: object) -> AsyncIterator[HistoryEvent]:
        if error is not None:
            raise error
        for event in events:
            yield event

    def handle(workflow_id: str, **_: object) -> Any:
        assert workflow_id == LEARNING_SYSTEM_ID
        return SimpleNamespace(fetch_history_events=fetch)

    desk = SimpleNamespace(data_converter=pydantic_data_converter, get_workflow_handle=handle)
    return cast("Client", desk)


def failed(status: RPCStatusCode) -> RPCError:
    return RPCError("no", status, b"")


async def test_what_it_carried_on_and_what_it_was_told_since_are_read_in_order() -> None:
    events = (
        await begun_with(lesson(3), lesson(1)),
        await signal(Message.LEARN, lesson(2)),
        await signal("another", "something else"),
    )
    assert (await learned_from(server(*events))).state.lessons == (lesson(1), lesson(2), lesson(3))


async def test_a_later_lesson_of_a_run_takes_the_place_of_the_earlier() -> None:
    events = (
        await begun_with(lesson(1)),
        await signal(Message.LEARN, lesson(1, expected=2)),
        await signal(Message.LEARN, lesson(1, expected=3)),
    )
    assert (await learned_from(server(*events))).state.lessons == (lesson(1, expected=3),)


async def test_a_desk_that_has_told_nothing_has_no_lessons() -> None:
    gone = failed(RPCStatusCode.NOT_FOUND)
    assert (await learned_from(server(error=gone))).weeks == 0


async def test_a_server_that_goes_away_is_no_desk_without_lessons() -> None:
    with pytest.raises(RPCError):
        await learned_from(server(error=failed(RPCStatusCode.UNAVAILABLE)))
