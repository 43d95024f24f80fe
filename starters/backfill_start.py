"""Starting the runs of past weeks: through the schedule, or from what it would start them with."""

import asyncio
import time

from temporalio.client import Client

from desk.contracts.names import SCHEDULE_ID
from desk.runs.schedule.schedule_spec import BackfilledWeek
from starters.desk_session import Desk
from starters.endings import CommandError
from starters.schedule_actions import scheduled_request, start_past_week
from starters.week_runs import FoundRun, described, start_run

START_SECONDS = 30.0
"""How long the schedule may take to start a run; it takes a fraction of a second."""

LOOK_SECONDS = 0.02

ASK_AGAIN_SECONDS = 5.0
"""Of several requests that reach a schedule at once it heeds the last only."""


async def start_week(desk: Desk, week: BackfilledWeek, *, learn: bool) -> FoundRun:
    """The new run of a past week, under the id that the schedule gives it.

    One that is to learn is started by the schedule, whose runs do (`scheduled_request`). One that
    is not to is started with the same as those, less that.

    Raises:
        CommandError: the schedule does not start the run, or is gone.
    """
    if not learn:
        return await _started_to_learn_nothing(desk.client, week)
    before = await described(desk.client, week.workflow_id)
    return await _started_by_schedule(desk, week, before.run_id if before else None)


async def _started_to_learn_nothing(client: Client, week: BackfilledWeek) -> FoundRun:
    request = await scheduled_request(client)
    if request is None:
        raise CommandError(f"{SCHEDULE_ID} starts no weeks; `desk schedule apply` puts it right")
    return await start_run(
        client,
        week.week,
        request.config,
        workflow_id=week.workflow_id,
        deliveries=request.deliveries,
        learn=False,
    )


async def _started_by_schedule(desk: Desk, week: BackfilledWeek, before: str | None) -> FoundRun:
    """The run that the schedule starts, other than the one `before`."""
    deadline, asked = time.monotonic() + START_SECONDS, float("-inf")
    while (now := time.monotonic()) < deadline:
        if now - asked >= ASK_AGAIN_SECONDS:
            asked = now
            await start_past_week(desk.client, week.start, desk.settings.config)
        found = await described(desk.client, week.workflow_id)
        if found is not None and found.run_id != before:
            return found
        await asyncio.sleep(LOOK_SECONDS)
    raise CommandError(
        f"{week.week}: the schedule did not start {week.workflow_id} within "
        f"{START_SECONDS:.0f} s; `desk schedule show` says whether it still exists"
    )
