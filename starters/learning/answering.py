"""Runs the workers that a query needs."""

import contextlib
from collections.abc import AsyncIterator, Collection
from datetime import UTC, datetime

from desk.contracts.names import Queue
from desk.platform.temporal.history import has_due_work
from starters.session import Desk, require_workers, with_query_worker, with_workers


@contextlib.asynccontextmanager
async def answering(desk: Desk, workflow_ids: Collection[str]) -> AsyncIterator[None]:
    """Makes sure until the block ends that a worker answers queries for some open workflows.

    If this process hosts the desk without workers, it runs a worker that only answers queries. If
    one of the workflows has work to do, such as a score that is due, it runs all workers, which do
    that. It runs none if there is no workflow.

    Raises:
        CommandError: another process hosts the desk, and no worker polls there.
    """
    if not desk.hosting:
        await require_workers(desk, Queue.DESK)
        yield
        return
    if not workflow_ids:
        yield
        return
    due = await _any_due(desk, workflow_ids)
    async with with_workers(desk) if due else with_query_worker(desk):
        yield


async def _any_due(desk: Desk, workflow_ids: Collection[str]) -> bool:
    now = datetime.now(UTC)
    for workflow_id in workflow_ids:
        if await has_due_work(desk.client, workflow_id, now):
            return True
    return False
