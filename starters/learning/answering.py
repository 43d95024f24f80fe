"""Runs the workers that a query needs."""

import asyncio
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
    now = datetime.now(UTC)
    due = await asyncio.gather(*(has_due_work(desk.client, each, now) for each in workflow_ids))
    async with with_workers(desk) if any(due) else with_query_worker(desk):
        yield
