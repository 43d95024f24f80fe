"""What runs told the memory, read from their histories."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from temporalio.api.common.v1 import Payloads
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client
from temporalio.converter import DataConverter

from desk.contracts.learning.memory import MemoryEntries, MemoryEntry
from desk.contracts.names import WorkflowType
from starters.terminal.exit_status import CommandError
from starters.weeks.tape.history import history_of

REMEMBERING: Final = "remember"
"""The activity that tells the memory."""

TELLERS: Final = (
    WorkflowType.RESEARCH_SWARM,
    WorkflowType.HYPOTHESIS,
    WorkflowType.STOCK_RESEARCH,
)
"""The workflows that have it do so."""

LONGEST_REASON: Final = 1_000


@dataclass(frozen=True)
class Telling:
    """What a run told the memory at once. `order` is its place in the history."""

    at: datetime
    order: int
    entries: tuple[MemoryEntry, ...]


@dataclass
class Remembrance:
    """What histories hold: `entries` by their ids, each as it was told last. `unreadable` says of
    what could not be read which run it is of, and why."""

    entries: dict[str, MemoryEntry] = field(default_factory=dict)
    runs: int = 0
    unreadable: list[str] = field(default_factory=list)


async def remembrance(client: Client) -> Remembrance:
    """What every run that the server still knows told the memory, or was about to."""
    found = Remembrance()
    tellings: list[Telling] = []
    async for run in client.list_workflows(_tellers()):
        found.runs += 1
        try:
            events = await history_of(client, run.id, run.run_id)
        except CommandError as error:
            found.unreadable.append(str(error))
            continue
        tellings += await _readable(run.id, events, client.data_converter, found.unreadable)
    for telling in sorted(tellings, key=lambda one: (one.at, one.order)):
        found.entries |= {entry.memory_id: entry for entry in telling.entries}
    return found


async def _readable(
    run: str, events: Sequence[HistoryEvent], converter: DataConverter, unreadable: list[str]
) -> list[Telling]:
    """What a history says that its run told the memory. What was never done counts: the run meant
    it to be remembered."""
    tellings: list[Telling] = []
    for event in events:
        scheduled = event.activity_task_scheduled_event_attributes
        if (
            event.event_type != EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED
            or scheduled.activity_type.name != REMEMBERING
        ):
            continue
        try:
            entries = await _entries(scheduled.input, converter)
        except (OSError, ValueError, RuntimeError) as error:
            words = f"{run}: {error}; large payloads are in the home of the desk that did the work"
            unreadable.append(words[:LONGEST_REASON])
        else:
            tellings.append(Telling(event.event_time.ToDatetime(UTC), event.event_id, entries))
    return tellings


async def _entries(told: Payloads, converter: DataConverter) -> tuple[MemoryEntry, ...]:
    (entries,) = await converter.decode(told.payloads, [MemoryEntries])
    return tuple(entries.entries)


def _tellers() -> str:
    return " OR ".join(f"WorkflowType = '{kind}'" for kind in TELLERS)
