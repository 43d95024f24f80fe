"""What a graph's run says of itself in its history."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client

from desk.contracts.question.graph import GraphSpec

_TURN = re.compile(r"[^.]+\.[^.]+\.(?P<node>.+)\.t(?P<turn>\d+)")


@dataclass(frozen=True)
class ActivityRun:
    """An activity that was completed, and at which attempt."""

    activity_id: str
    started_at: datetime
    completed_at: datetime
    attempt: int


@dataclass(frozen=True)
class RunHistory:
    """The completed activities of a run, in the order of their completion; its size in bytes."""

    activities: tuple[ActivityRun, ...]
    events: int
    size: int

    @property
    def retried(self) -> int:
        """How many were completed at a later attempt than the first."""
        return sum(each.attempt > 1 for each in self.activities)

    def hops(self, graph: GraphSpec) -> tuple[float, ...]:
        """The seconds from the end of the last agent before a node to the start of its own, for
        each node that has agents before it."""
        turns: dict[str, list[ActivityRun]] = {}
        for each in self.activities:
            if named := _TURN.fullmatch(each.activity_id):
                turns.setdefault(named["node"], []).append(each)
        return tuple(_hops(graph, turns))


def _hops(graph: GraphSpec, turns: Mapping[str, list[ActivityRun]]) -> Iterator[float]:
    for node in graph.nodes:
        before = [
            turns[other.name]
            for other in graph.nodes
            if other.name in turns and node.name in {edge.to for edge in other.edges}
        ]
        if before and node.name in turns:
            ended = max(turn.completed_at for taken in before for turn in taken)
            begun = min(turn.started_at for turn in turns[node.name])
            yield (begun - ended).total_seconds()


async def history_of(client: Client, workflow_id: str) -> RunHistory:
    """The history of the latest run of a workflow."""
    handle = client.get_workflow_handle(workflow_id)
    described = await handle.describe()
    scheduled: dict[int, str] = {}
    started: dict[int, tuple[datetime, int]] = {}
    completed: list[ActivityRun] = []
    async for event in handle.fetch_history_events():
        match event.event_type:
            case EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
                told = event.activity_task_scheduled_event_attributes
                scheduled[event.event_id] = told.activity_id
            case EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED:
                begun = event.activity_task_started_event_attributes
                started[begun.scheduled_event_id] = (_at(event), begun.attempt)
            case EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
                place = event.activity_task_completed_event_attributes.scheduled_event_id
                at, attempt = started[place]
                completed.append(ActivityRun(scheduled[place], at, _at(event), attempt))
            case _:
                pass
    info = described.raw_description.workflow_execution_info
    return RunHistory(tuple(completed), info.history_length, info.history_size_bytes)


def _at(event: HistoryEvent) -> datetime:
    return event.event_time.ToDatetime()
