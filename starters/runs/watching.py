"""Follows a week's run until it has published."""

import time

from desk.contracts.runs.week import WeekStatus
from desk.contracts.week.delivery import DeliveryState
from starters.runs.following import followed, query_status_or_none
from starters.runs.progress import Progress
from starters.runs.summary import PublishedWeek, from_result, from_status
from starters.runs.week_results import last_result, result_of
from starters.runs.week_runs import FoundRun, Run

DELIVERY_SECONDS = 60.0
"""How long a command that hosts the workers waits for a revision to be delivered."""

WeekProgress = Progress[WeekStatus]


async def wait_until_published(
    found: FoundRun, week: str, progress: WeekProgress, *, after: int = 0, market: str | None = None
) -> PublishedWeek:
    """Waits for the first revision after `after`, and until `market` has no pending rerun. Follows
    a run that continues as new into the next execution.

    Waits up to a minute for the revision's deliveries, and reports the ones that failed.

    Raises:
        EndedWithoutReport: the run ended before that.
        CommandError: the server does not know the next run.
        RPCError, ServerUnreachable: the server went away.
    """
    published = _Publication(progress, after, market)

    async def at_end(run: FoundRun) -> PublishedWeek:
        return from_result(await result_of(run, week), run.workflow_id, run.run_id)

    _, told = await followed(found, WeekStatus, progress, so_far=published.so_far, at_end=at_end)
    return told


class _Publication:
    """The awaited revision and its deliveries."""

    def __init__(self, progress: WeekProgress, after: int, market: str | None) -> None:
        self._progress = progress
        self._after = after
        self._market = market
        self._sending_since: float | None = None

    async def so_far(self, run: FoundRun, status: WeekStatus) -> PublishedWeek | None:
        """Returns the published revision once nothing more needs to be waited for."""
        published = from_status(status, run.workflow_id, run.run_id)
        waits = self._market is not None and self._market in status.pending_reruns
        if published is None or published.revision <= self._after or waits:
            return None
        self._sending_since = self._sending_since or time.monotonic()
        if not _sent(status) and time.monotonic() - self._sending_since <= DELIVERY_SECONDS:
            return None
        _report_undelivered(status, self._progress)
        return published


def _sent(status: WeekStatus) -> bool:
    """Returns whether no delivery is in progress."""
    return not any(sent.state is DeliveryState.UNDER_WAY for sent in status.deliveries)


def _report_undelivered(status: WeekStatus, progress: WeekProgress) -> None:
    for sent in status.deliveries:
        if sent.revision == status.revision and sent.state is DeliveryState.FAILED:
            progress.note(f"not delivered by {sent.channel}: {sent.note}")
        elif sent.state is DeliveryState.UNDER_WAY:
            progress.note(f"{sent.channel} is still tried; it goes on while a desk is up")


async def published_by(found: FoundRun, week: str) -> PublishedWeek | None:
    """Returns what a run has published so far. Returns None if it is open and has published
    nothing.

    If a closed run failed, what was published under its id before counts.

    Raises:
        EndedWithoutReport: the run is closed and nothing was published.
    """
    if found.open:
        status = await week_status_or_none(found.handle)
        return from_status(status, found.workflow_id, found.run_id) if status else None
    return from_result(await last_result(found, week), found.workflow_id, found.run_id)


async def week_status_or_none(handle: Run) -> WeekStatus | None:
    """Returns the run's status, or None when no worker answers now.

    Raises:
        RPCError: the server went away.
    """
    return await query_status_or_none(handle, WeekStatus)
