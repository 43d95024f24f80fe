"""How the tools did in a run, from the histories of its markets."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import Final

from temporalio.api.common.v1 import Payloads
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client, WorkflowExecution

from desk.contracts.agents.search_attributes import SearchAttribute
from desk.contracts.agents.tasks import ToolName
from desk.contracts.agents.tools import OpenCircuit, ToolRequest, ToolResult, ToolStatus
from starters.monitoring.open_circuits import circuit_in
from starters.runs.week_runs import FoundRun, request_of

CALLING: Final = "call_tool"
SIDE_BY_SIDE: Final = 8

_ENDED_BADLY: Final = frozenset(
    {
        EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED,
        EventType.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT,
        EventType.EVENT_TYPE_ACTIVITY_TASK_CANCELED,
    }
)


@dataclass
class ToolUse:
    """The calls of one tool: how many, with how many tries, how many came to nothing, and how
    long each that was answered took, in seconds, from its last try on. `not_asked` are the
    circuits for which calls were not made."""

    calls: int = 0
    tries: int = 0
    failed: int = 0
    seconds: list[float] = field(default_factory=list)
    not_asked: list[OpenCircuit] = field(default_factory=list)

    @property
    def median_ms(self) -> int | None:
        """The median time of an answer."""
        return round(median(self.seconds) * 1_000) if self.seconds else None


Uses = Mapping[ToolName, ToolUse]


async def tools_used(found: FoundRun, week: str) -> Uses:
    """The use of every tool in a run, its reruns and reassigned tasks included. Of one that has
    continued as new, since its first run began.

    Raises:
        CommandError: the history of the run is gone.
        RPCError: the server went away.
    """
    carried = (await request_of(found)).carried
    since = carried.began_at if carried else found.started_at
    query = f'{SearchAttribute.RESEARCH_WEEK} = "{week}"'
    runs = [
        run
        async for run in found.client.list_workflows(query)
        if run.id.startswith(f"{found.workflow_id}/") and run.start_time >= since
    ]
    uses: defaultdict[ToolName, ToolUse] = defaultdict(ToolUse)
    turns = asyncio.Semaphore(SIDE_BY_SIDE)

    async def look(run: WorkflowExecution) -> None:
        async with turns:
            await _add(found.client, run, uses)

    await asyncio.gather(*map(look, runs))
    return uses


async def _add(
    client: Client, run: WorkflowExecution, uses: defaultdict[ToolName, ToolUse]
) -> None:
    asked: dict[int, ToolUse] = {}
    begun: dict[int, datetime] = {}
    handle = client.get_workflow_handle(run.id, run_id=run.run_id)
    async for event in handle.fetch_history_events():
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
            scheduled = event.activity_task_scheduled_event_attributes
            if scheduled.activity_type.name == CALLING:
                call = (await _request(client, scheduled.input)).call
                use = asked[event.event_id] = uses[ToolName(server=call.server, tool=call.tool)]
                use.calls += 1
        elif event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED:
            started = event.activity_task_started_event_attributes
            if started.scheduled_event_id in asked:
                begun[started.scheduled_event_id] = event.event_time.ToDatetime()
                asked[started.scheduled_event_id].tries += started.attempt
        elif event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
            await _add_answer(client, event, asked, begun)
        elif event.event_type in _ENDED_BADLY:
            await _add_failure(client, event, asked)


async def _add_failure(client: Client, event: HistoryEvent, asked: dict[int, ToolUse]) -> None:
    use = asked.get(_scheduled_by(event))
    if use is None:
        return
    use.failed += 1
    circuit = await circuit_in(client, event.activity_task_failed_event_attributes.failure)
    if circuit is not None:
        use.not_asked.append(circuit)


async def _add_answer(
    client: Client, event: HistoryEvent, asked: dict[int, ToolUse], begun: dict[int, datetime]
) -> None:
    done = event.activity_task_completed_event_attributes
    use = asked.get(done.scheduled_event_id)
    if use is None:
        return
    if done.scheduled_event_id in begun:
        took = event.event_time.ToDatetime() - begun[done.scheduled_event_id]
        use.seconds.append(took.total_seconds())
    (result,) = await client.data_converter.decode(done.result.payloads, [ToolResult])
    use.failed += result.status is not ToolStatus.OK


async def _request(client: Client, given: Payloads) -> ToolRequest:
    request: ToolRequest = (await client.data_converter.decode(given.payloads, [ToolRequest]))[0]
    return request


def _scheduled_by(event: HistoryEvent) -> int:
    """The event that scheduled the activity which ended with this one."""
    ended = getattr(event, event.WhichOneof("attributes") or "")
    return int(ended.scheduled_event_id)
