"""Asking and telling the memory as activities: a run goes on without it, and is told why."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from activities import memory as activity_module
from activities.memory import TRIES, MemoryActivities
from desk.contracts.learning.memory import (
    MemoryAnswer,
    MemoryEntries,
    MemoryEntry,
    MemoryKind,
    MemoryQuery,
    Recalled,
)
from desk.platform.memory.embedded import EmbeddedMemory
from desk.platform.memory.store import MemoryAway, MemoryStore, MemoryUnusable
from tests.memory.remembered import SameWords, asked, entry, ids


@pytest.fixture
def store(tmp_path: Path) -> EmbeddedMemory:
    return EmbeddedMemory(tmp_path / "memory.db", lambda: SameWords())


class Unusable(EmbeddedMemory):
    """A store that has one error for everything."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def put(self, entries: Sequence[MemoryEntry]) -> int:
        raise self._error

    def search(self, query: MemoryQuery) -> tuple[Recalled, ...]:
        raise self._error


def on_attempt(number: int) -> ActivityEnvironment:
    environment = ActivityEnvironment()
    environment.info = dataclasses.replace(environment.info, attempt=number)
    return environment


async def test_what_a_run_remembers_another_recalls(store: MemoryStore) -> None:
    activities = MemoryActivities(store)
    entries = MemoryEntries(entries=(entry("a"), entry("b", "Iron ore carries the Aussie.")))
    for _ in range(2):
        told = await ActivityEnvironment().run(activities.remember, entries)
        assert (told.stored, told.missing) == (2, None)
    assert len(store.entries()) == 2
    answer = await ActivityEnvironment().run(activities.recall_memory, asked("iron ore"))
    assert ids(answer.recalled)[0] == "b"
    assert answer.missing is None


async def test_findings_without_a_figure_are_not_remembered(store: MemoryStore) -> None:
    empty, told = (entry(n).model_copy(update={"kind": MemoryKind.FINDINGS}) for n in "ab")
    entries = MemoryEntries(
        entries=(empty.model_copy(update={"figures": 0}), told.model_copy(update={"figures": 3}))
    )
    stored = await ActivityEnvironment().run(MemoryActivities(store).remember, entries)
    assert stored.stored == 1
    assert [each.memory_id for each in store.entries()] == ["b"]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (MemoryUnusable("there is no room"), "there is no room"),
        (MemoryAway("the server is away"), "the server is away"),
        (ZeroDivisionError("never thought of"), "the memory failed: ZeroDivisionError"),
    ],
)
async def test_a_memory_that_cannot_be_asked_never_fails_a_run(error: Exception, told: str) -> None:
    activities = MemoryActivities(Unusable(error))
    answer = await ActivityEnvironment().run(activities.recall_memory, asked("carry"))
    assert answer.recalled == ()
    assert answer.missing is not None and answer.missing.startswith(told)


async def test_a_memory_that_does_not_answer_in_time_is_not_waited_for(
    store: EmbeddedMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(activity_module, "RECALL_SECONDS", 0.0)
    activities = MemoryActivities(store)
    answer = await ActivityEnvironment().run(activities.recall_memory, asked("carry"))
    assert answer == MemoryAnswer(missing="the memory did not answer within 0 s")


async def test_a_memory_that_another_try_cannot_mend_says_why_nothing_is_stored() -> None:
    activities = MemoryActivities(Unusable(MemoryUnusable("there is no room")))
    told = await ActivityEnvironment().run(
        activities.remember, MemoryEntries(entries=(entry("a"),))
    )
    assert (told.stored, told.missing) == (0, "there is no room")


async def test_a_memory_that_is_away_is_told_again_but_not_for_ever() -> None:
    activities = MemoryActivities(Unusable(MemoryAway("the server is away")))
    entries = MemoryEntries(entries=(entry("a"),))
    for attempt in range(1, TRIES):
        with pytest.raises(MemoryAway):
            await on_attempt(attempt).run(activities.remember, entries)
    told = await on_attempt(TRIES).run(activities.remember, entries)
    assert (told.stored, told.missing) == (0, "the server is away")


async def test_a_run_is_told_that_a_damaged_memory_has_lost_something(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_text("no database at all " * 400)
    activities = MemoryActivities(EmbeddedMemory(path, lambda: None))
    answer = await ActivityEnvironment().run(activities.recall_memory, asked("carry"))
    assert answer.missing is not None and "desk memory rebuild" in answer.missing
