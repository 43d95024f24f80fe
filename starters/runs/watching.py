"""Following a run until it has published."""

import asyncio
import time

from temporalio.client import WorkflowContinuedAsNewError

from desk.contracts.week.delivery import DeliveryState
from desk.contracts.week.run import WeekStatus
from starters.runs.following import (
    POLL_SECONDS,
    Progress,
    continued,
    show_status,
    status_if_told,
    until_closed,
)
from starters.runs.summary import PublishedWeek, from_result, from_status
from starters.runs.troubles import HeldUp, in_sentences
from starters.runs.week_results import last_result, result_of
from starters.runs.week_runs import FoundRun, Run

DELIVERY_SECONDS = 60.0
"""How long a command that may take the workers with it waits for a revision to be delivered."""

WeekProgress = Progress[WeekStatus]


async def wait_until_published(
    found: FoundRun, week: str, progress: WeekProgress, *, after: int = 0, market: str | None = None
) -> PublishedWeek:
    """The first revision later than `after`, and once `market` waits for no rerun any more. A run
    that continues as new is followed into the next.

    Where it is delivered, that has come to an end too, or is given a minute; what failed is told.

    Raises:
        EndedWithoutReport: the run ended before that.
        CommandError: the server does not know the next run.
        RPCError, ServerUnreachable: the server went away.
    """
    while True:
        try:
            return await _published_in(found, week, progress, after=after, market=market)
        except WorkflowContinuedAsNewError as onward:
            found = await continued(found, onward)


async def _published_in(
    found: FoundRun, week: str, progress: WeekProgress, *, after: int, market: str | None
) -> PublishedWeek:
    held_up = HeldUp(in_sentences(progress.note))
    sending_since: float | None = None
    async with until_closed(found.handle) as closed:
        while not closed.done():
            status = await show_status(found, WeekStatus, progress)
            await held_up.look(
                found.handle,
                answers=status is not None,
                leaving=status is not None and status.revision > after,
            )
            if status is not None:
                published = from_status(status, found.workflow_id, found.run_id)
                waits = market is not None and market in status.pending_reruns
                if published is not None and published.revision > after and not waits:
                    sending_since = sending_since or time.monotonic()
                    if _sent(status) or time.monotonic() - sending_since > DELIVERY_SECONDS:
                        _tell_unsent(status, progress)
                        return published
            await asyncio.wait({closed}, timeout=POLL_SECONDS)
        return from_result(await result_of(found, week), found.workflow_id, found.run_id)


def _sent(status: WeekStatus) -> bool:
    """Whether no delivery is under way, as where nothing is delivered."""
    return not any(sent.state is DeliveryState.UNDER_WAY for sent in status.deliveries)


def _tell_unsent(status: WeekStatus, progress: WeekProgress) -> None:
    for sent in status.deliveries:
        if sent.revision == status.revision and sent.state is DeliveryState.FAILED:
            progress.note(f"not delivered by {sent.channel}: {sent.note}")
        elif sent.state is DeliveryState.UNDER_WAY:
            progress.note(f"{sent.channel} is still tried; it goes on while a desk is up")


async def published_by(found: FoundRun, week: str) -> PublishedWeek | None:
    """What a run has published so far; None when it is open and has not.

    Where a closed one ended badly, what was published under its id before that counts.

    Raises:
        EndedWithoutReport: it is closed and nothing was.
    """
    if found.open:
        status = await status_if_answered(found.handle)
        return from_status(status, found.workflow_id, found.run_id) if status else None
    return from_result(await last_result(found, week), found.workflow_id, found.run_id)


async def status_if_answered(handle: Run) -> WeekStatus | None:
    """The run's status; None when no worker answers for it at the moment.

    Raises:
        RPCError: the server went away.
    """
    return await status_if_told(handle, WeekStatus)
