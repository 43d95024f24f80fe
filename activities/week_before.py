"""Waiting for the report of the week before, where that is researched and about to be published."""

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from temporalio import activity
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.common import SearchAttributeKey
from temporalio.service import RPCError

from activities.previous_report import week_before
from desk.contracts.agents.search_attributes import Phase, SearchAttribute
from desk.contracts.config import ScheduleConfig
from desk.contracts.names import week_run_id
from desk.runs.schedule.schedule_spec import backfilled_week

LONGEST_SECONDS: Final = 60.0
"""A report does not wait longer than this for what it can do without."""

POLL_SECONDS: Final = 0.2

_PHASE = SearchAttributeKey.for_keyword(SearchAttribute.PHASE)
_REVISION = SearchAttributeKey.for_int(SearchAttribute.REVISION)


async def published_before(
    client: Client,
    week: str,
    subset: str | None,
    schedule: ScheduleConfig,
    *,
    longest: float = LONGEST_SECONDS,
) -> str | None:
    """Wait until the week before is published, if a run of it is open and just about to.

    Once, and no longer than so many seconds: a second attempt at an activity does not wait again
    for what the first has waited for.
    A run that is researching still, or waits for a person, is not waited for: it may take days.
    What the report should say is returned when the wait was in vain.
    """
    before = week_before(week)
    runs = _run_ids(before, subset, schedule)
    deadline = time.monotonic() + longest - _waited_already()
    while await _about_to_publish(client, runs):
        if time.monotonic() >= deadline:
            return f"The report of {before} was about to come out, and was waited for in vain."
        await asyncio.sleep(POLL_SECONDS)
    return None


def _waited_already() -> float:
    """The seconds since the activity was first scheduled; none outside of one. The clock is the
    server's, which may be ahead of this machine's."""
    if not activity.in_activity():
        return 0.0
    return max((datetime.now(UTC) - activity.info().scheduled_time).total_seconds(), 0.0)


def _run_ids(week: str, subset: str | None, schedule: ScheduleConfig) -> tuple[str, ...]:
    """The ids that a run of the week can have: its own, and that which the schedule gives it."""
    own = week_run_id(week, subset)
    return (own,) if subset else (own, backfilled_week(week, schedule).workflow_id)


async def _about_to_publish(client: Client, runs: Sequence[str]) -> bool:
    found = await asyncio.gather(*(_is_about_to_publish(client, run) for run in runs))
    return any(found)


async def _is_about_to_publish(client: Client, workflow_id: str) -> bool:
    """Of a run that is unknown, or that cannot be asked for, nothing is to be expected."""
    try:
        description = await client.get_workflow_handle(workflow_id).describe()
    except RPCError:
        return False
    attributes = description.typed_search_attributes
    return (
        description.status is WorkflowExecutionStatus.RUNNING
        and attributes.get(_PHASE) == Phase.PUBLISHING
        and attributes.get(_REVISION) is None
    )
