"""The use of each tool in a run, counted from its histories."""

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
from desk.contracts.agents.tools import OpenCircuit
from desk.contracts.names import ActivityName
from desk.platform.temporal.history import (
    Activity,
    HistoryGone,
    RunHistory,
    calls_of,
    fetch_history,
)
from starters.runs.week_runs import FoundRun, request_of
from starters.sources.open_circuits import circuit_in
from starters.sources.unanswered import failure_reason

SIDE_BY_SIDE: Final = 8


@dataclass
class RunToolUse:
    """The calls of one tool: how many, with how many attempts and failures, and how long each
    answered one took, in seconds, from its last attempt. `not_asked` are the circuits for which
    calls were skipped."""

    calls: int = 0
    tries: int = 0
    failed: int = 0
    seconds: list[float] = field(default_factory=list)
    not_asked: list[OpenCircuit] = field(default_factory=list)

    @property
    def median_ms(self) -> int | None:
        """The median time of an answer."""
        return round(median(self.seconds) * 1_000) if self.seconds else None


Uses = Mapping[ToolName, RunToolUse]


async def tools_used(found: FoundRun, week: str) -> Uses:
    """Reads the use of every tool in a run, including reruns and reassigned tasks. For a run that
    continued as new, from its first execution on.

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
    uses: defaultdict[ToolName, RunToolUse] = defaultdict(RunToolUse)
    turns = asyncio.Semaphore(SIDE_BY_SIDE)

    async def look(run: WorkflowExecution) -> None:
        async with turns:
            await _add(found.client, run, uses)

    await asyncio.gather(*map(look, runs))
    return uses


async def _add(
    client: Client, run: WorkflowExecution, uses: defaultdict[ToolName, RunToolUse]
) -> None:
    with suppress(HistoryGone):
        await add_use(await fetch_history(client, run.id, run.run_id), uses)


async def add_use(history: RunHistory, uses: defaultdict[ToolName, RunToolUse]) -> None:
    """Adds the calls of one workflow to the use of tools."""
    for activity in history.activities:
        if activity.scheduled.name == ActivityName.CALL_TOOL:
            await _add_calls(history, activity, uses)


async def _add_calls(
    history: RunHistory, activity: Activity, uses: defaultdict[ToolName, RunToolUse]
) -> None:
    """Counts the calls of an activity. For a call that is repeated alone, only the attempt
    counts."""
    started, ended = activity.started, activity.ended
    for call, result, again in await calls_of(history, activity.scheduled, ended):
        use = uses[ToolName(server=call.server, tool=call.tool)]
        use.tries += started.attempt if started else 0
        use.calls += not again
        if again or ended is None:
            continue
        use.failed += (
            result is None
            or failure_reason(result.status, result.error, result.content) is not None
        )
        if result is None:
            circuit = await circuit_in(history.converter, ended.failure)
            use.not_asked += [circuit] if circuit is not None else []
        elif started is not None:
            use.seconds.append((ended.at - started.at).total_seconds())
