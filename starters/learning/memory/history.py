"""What runs told the memory, read from their histories."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from temporalio.client import Client

from desk.contracts.learning.memory import MemoryEntries, MemoryEntry
from desk.contracts.names import WorkflowType
from desk.platform.temporal.history import History, HistoryGone, fetch_history

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
            history = await fetch_history(client, run.id, run.run_id)
        except HistoryGone as gone:
            found.unreadable.append(str(gone))
        else:
            tellings += await _readable(history, found.unreadable)
    for telling in sorted(tellings, key=lambda one: (one.at, one.order)):
        found.entries |= {entry.memory_id: entry for entry in telling.entries}
    return found


async def _readable(history: History, unreadable: list[str]) -> list[Telling]:
    """What a history says that its run told the memory. What was never done counts: the run meant
    it to be remembered."""
    tellings: list[Telling] = []
    for scheduled, *_ in history.activities:
        if scheduled.name != REMEMBERING:
            continue
        try:
            told = await history.decode(scheduled.input, MemoryEntries)
        except (OSError, ValueError, RuntimeError) as error:
            words = f"{history.workflow_id}: {error}; {_ELSEWHERE}"
            unreadable.append(words[:LONGEST_REASON])
        else:
            tellings.append(Telling(scheduled.at, scheduled.event_id, tuple(told.entries)))
    return tellings


_ELSEWHERE: Final = "large payloads are in the home of the desk that did the work"


def _tellers() -> str:
    return " OR ".join(f"WorkflowType = '{kind}'" for kind in TELLERS)
