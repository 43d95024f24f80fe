"""What a graph's run says of itself in its history."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from temporalio.client import Client

from desk.contracts.names import activity_id_parts
from desk.contracts.question.graph import GraphSpec
from desk.platform.temporal.history import Ending, fetch_history


@dataclass(frozen=True)
class ActivityRun:
    """An activity that was completed, and at which attempt."""

    activity_id: str
    started_at: datetime
    completed_at: datetime
    attempt: int


@dataclass(frozen=True)
class MeasuredHistory:
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
            parts = activity_id_parts(each.activity_id)
            if parts is not None and parts.place and parts.call is None:
                turns.setdefault(parts.place, []).append(each)
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


async def history_of(client: Client, workflow_id: str) -> MeasuredHistory:
    """The history of the latest run of a workflow."""
    described = await client.get_workflow_handle(workflow_id).describe()
    history = await fetch_history(client, workflow_id)
    completed = [
        ActivityRun(scheduled.activity_id, started.at, ended.at, started.attempt)
        for scheduled, started, ended in history.activities
        if started and ended and ended.ending is Ending.COMPLETED
    ]
    completed.sort(key=lambda each: each.completed_at)
    info = described.raw_description.workflow_execution_info
    return MeasuredHistory(tuple(completed), info.history_length, info.history_size_bytes)
