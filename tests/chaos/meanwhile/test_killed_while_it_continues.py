"""kill -9 of worker and server around the moment at which a week's run continues as new."""

import asyncio
import os
import signal
from collections import Counter
from pathlib import Path

from temporalio.client import Client
from temporalio.service import RPCError

from desk.contracts.names import Message, Queue, week_run_id
from desk.contracts.runs.week import RerunRequest, WeekRequest, WeekStatus
from desk.platform.settings import Settings
from desk.platform.temporal.client import connect
from tests.support.processes.counted_worker import read_notes
from tests.support.processes.fleet import WEEK, desk_at, status_once
from tests.support.runs.chains import chain_of, continuing
from workers.hosting import Role
from workflows.week.week import WeeklyResearchWorkflow

RUN = week_run_id(WEEK)
MARKET = "JP"
REASONS = tuple(f"correction {number}" for number in range(3))


async def start(client: Client, settings: Settings) -> None:
    """A week of one market whose run continues as new before each rerun but its first."""
    (market,) = (spec for spec in settings.config.markets if spec.market == MARKET)
    config = continuing(settings.config.model_copy(update={"markets": (market,)}))
    await client.start_workflow(
        WeeklyResearchWorkflow.run,
        WeekRequest(config=config, week=WEEK),
        id=RUN,
        task_queue=Queue.DESK,
    )


async def run_id_of(client: Client) -> str | None:
    """The run that is open; None while nobody says it."""
    try:
        return (await client.get_workflow_handle(RUN).describe()).run_id
    except RPCError:
        return None


async def continued(client: Client, before: set[str]) -> None:
    """Wait until the week is in a run that was not seen before, and note it."""
    while (run_id := await run_id_of(client)) is None or run_id in before:
        await asyncio.sleep(0.01)
    before.add(run_id)


def all_out(status: WeekStatus) -> bool:
    """Whether every rerun is out."""
    return status.revision > len(REASONS) and not status.pending_reruns


def done_twice(log: Path) -> list[str]:
    counts = Counter(note["key"] for note in read_notes(log) if note["stage"] == "done")
    return [key for key, count in counts.items() if count > 1]


async def test_every_rerun_is_done_once_whoever_is_killed_as_the_run_continues(
    tmp_path: Path,
) -> None:
    """The worker alone at first, then the server with it."""
    async with desk_at(tmp_path) as (settings, server, fleet, log):
        client = await connect(settings)
        await start(client, settings)
        seen: set[str] = set()
        await continued(client, seen)
        for reason in REASONS:
            rerun = RerunRequest(market=MARKET, reason=reason)
            await client.get_workflow_handle(RUN).signal(Message.RERUN_MARKET, rerun)
        for number in range(len(REASONS) - 1):
            await continued(client, seen)
            if number == 1:
                os.kill(server.pid, signal.SIGKILL)
            fleet.kill(Role.ORCHESTRATOR)
            fleet.start(Role.ORCHESTRATOR)
        status = await status_once(client, RUN, all_out)
        chain = await chain_of(client, RUN)
    assert [line.revision for line in status.revisions] == list(range(1, len(REASONS) + 2))
    assert tuple(line.reason for line in status.revisions[1:]) == REASONS
    assert len(chain) == len(REASONS) == len(seen)
    assert done_twice(log) == []
