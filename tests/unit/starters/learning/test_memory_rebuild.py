"""Filling a memory from the histories of the runs that told it."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
from temporalio.api.common.v1 import Payloads
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.learning.memory import MemoryEntries, MemoryEntry, MemoryQuery
from desk.platform.memory.embedded import EmbeddedMemory
from desk.platform.temporal.conversion import data_converter
from starters.learning.memory import entries_in_histories, rebuilt, rebuilt_lines
from tests.memory.remembered import SameWords, entry

STARTED = datetime(2026, 11, 2, 7, tzinfo=UTC)


class Server:
    """What a server keeps of runs, as far as a memory is rebuilt from it."""

    def __init__(self, folder: Path) -> None:
        self.data_converter = data_converter(folder / "payloads")
        self.asked = ""
        self._histories: dict[str, list[HistoryEvent] | None] = {}

    async def ran(self, run: str, *told: Sequence[MemoryEntry], hours: int = 0) -> None:
        """A run that told the memory so many times, among other things that it did."""
        events = [HistoryEvent(event_type=EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED)]
        events.append(await self._scheduled("recall_memory", hours, 0, _any_query()))
        for number, entries in enumerate(told, start=1):
            memories = MemoryEntries(entries=tuple(entries))
            events.append(await self._scheduled("remember", hours, number, memories))
        events.append(HistoryEvent(event_type=EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED))
        self._histories[run] = events

    def forgot(self, run: str) -> None:
        """A run whose history is gone."""
        self._histories[run] = None

    async def _scheduled(self, name: str, hours: int, number: int, given: Any) -> HistoryEvent:
        event = HistoryEvent(
            event_id=number + 5, event_type=EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED
        )
        event.event_time.FromDatetime(STARTED + timedelta(hours=hours))
        scheduled = event.activity_task_scheduled_event_attributes
        scheduled.activity_type.name = name
        payloads = await self.data_converter.encode([given])
        scheduled.input.CopyFrom(Payloads(payloads=payloads))
        return event

    async def list_workflows(self, query: str) -> AsyncIterator[SimpleNamespace]:
        self.asked = query
        for run in self._histories:
            yield SimpleNamespace(id=run, run_id=f"{run}/1")

    def get_workflow_handle(self, workflow_id: str, run_id: str) -> SimpleNamespace:
        assert run_id == f"{workflow_id}/1"
        return SimpleNamespace(fetch_history_events=lambda **_: self._events(workflow_id))

    async def _events(self, workflow_id: str) -> AsyncIterator[HistoryEvent]:
        events = self._histories[workflow_id]
        if events is None:
            raise RPCError("gone", RPCStatusCode.NOT_FOUND, b"")
        for event in events:
            yield event


def _any_query() -> MemoryQuery:
    return MemoryQuery(text="carry", as_of=STARTED)


def client(server: Server) -> Client:
    return cast(Client, server)


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return Server(tmp_path)


@pytest.fixture
def store(tmp_path: Path) -> EmbeddedMemory:
    return EmbeddedMemory(tmp_path / "memory.db", lambda: SameWords())


async def test_a_rebuilt_memory_is_the_one_that_was_there(
    server: Server, store: EmbeddedMemory, tmp_path: Path
) -> None:
    plan, findings, outcome = entry("plan"), entry("findings", day=1), entry("outcome", day=30)
    long = entry("long", "carry " * 3_000, day=2)
    await server.ran("swarm-1", [plan], [findings, long])
    await server.ran("swarm-1/hypothesis/1", [outcome], hours=700)
    store.put([plan, findings, long, outcome])
    before = store.entries()
    (tmp_path / "memory.db").write_text("no database at all " * 400)
    done = rebuilt(store, await entries_in_histories(client(server)))
    assert store.entries() == before
    assert (done.runs, done.told, done.kept, done.unreadable) == (2, 4, 4, ())
    assert done.lost is not None and store.lost() is None
    assert "ResearchSwarmWorkflow" in server.asked and "HypothesisWorkflow" in server.asked


async def test_what_was_told_last_holds_in_whatever_order_runs_are_listed(
    server: Server, store: EmbeddedMemory
) -> None:
    await server.ran("second", [entry("a", "later")], hours=2)
    await server.ran("first", [entry("a", "earlier")], [entry("a", "the same hour")], hours=1)
    rebuilt(store, await entries_in_histories(client(server)))
    assert [one.text for one in store.entries()] == ["later"]


async def test_what_no_history_holds_any_more_stays(server: Server, store: EmbeddedMemory) -> None:
    store.put([entry("of last year")])
    await server.ran("swarm-1", [entry("of this year", day=3)])
    done = rebuilt(store, await entries_in_histories(client(server)))
    assert [one.memory_id for one in store.entries()] == ["of last year", "of this year"]
    assert (done.told, done.kept) == (1, 2)


async def test_a_history_that_cannot_be_read_is_told_and_the_others_are_remembered(
    server: Server, store: EmbeddedMemory, tmp_path: Path
) -> None:
    noise = Random(1)
    await server.ran("large", [entry(f"{n}", noise.randbytes(9_000).hex()) for n in range(60)])
    stored = [path for path in (tmp_path / "payloads").rglob("*") if path.is_file()]
    for path in stored:
        path.unlink()
    server.forgot("gone")
    await server.ran("whole", [entry("a")])
    (tmp_path / "memory.db").write_text("no database at all " * 400)
    done = rebuilt(store, await entries_in_histories(client(server)))
    assert stored and [one.memory_id for one in store.entries()] == ["a"]
    assert [words.split(":")[0] for words in done.unreadable] == [
        *("large", "the server keeps no history of gone any more"),
    ]
    assert store.lost() is not None
    assert all(len(line) <= 80 for line in rebuilt_lines(done))
