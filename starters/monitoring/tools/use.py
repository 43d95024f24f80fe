"""How the tools did in a run, from the histories of its markets."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from temporalio.client import Client, WorkflowExecution

from desk.contracts.agents.search_attributes import SearchAttribute
from desk.contracts.agents.tasks import ToolName
from desk.contracts.agents.tools import OpenCircuit, ToolRequest, ToolResult, ToolStatus
from desk.platform.temporal.history import Activity, Ending, History, HistoryGone, fetch_history
from starters.monitoring.open_circuits import circuit_in
from starters.runs.week_runs import FoundRun, request_of

CALLING: Final = "call_tool"
SIDE_BY_SIDE: Final = 8


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
    with suppress(HistoryGone):
        history = await fetch_history(client, run.id, run.run_id)
        for activity in history.activities:
            if activity.scheduled.name == CALLING:
                await _add_call(history, activity, uses)


async def _add_call(
    history: History, activity: Activity, uses: defaultdict[ToolName, ToolUse]
) -> None:
    asked, started, ended = activity
    call = (await history.decode(asked.input, ToolRequest)).call
    use = uses[ToolName(server=call.server, tool=call.tool)]
    use.calls += 1
    use.tries += started.attempt if started else 0
    if ended is None:
        return
    if ended.ending is Ending.COMPLETED:
        if started is not None:
            use.seconds.append((ended.at - started.at).total_seconds())
        result = await history.decode(ended.result, ToolResult)
        use.failed += result.status is not ToolStatus.OK
        return
    use.failed += 1
    circuit = await circuit_in(history.converter, ended.failure)
    if circuit is not None:
        use.not_asked.append(circuit)
