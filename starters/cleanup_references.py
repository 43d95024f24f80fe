"""Which payloads and weeks the server still refers to."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Final

from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.names import WorkflowType
from workflows.options import WEEK

SIDE_BY_SIDE: Final = 8
_DIGEST: Final = re.compile(rb"[0-9a-f]{64}")


async def open_weeks(client: Client) -> frozenset[str]:
    """The weeks that a run is open for."""
    query = f'WorkflowType = "{WorkflowType.WEEKLY_RESEARCH}" AND ExecutionStatus = "Running"'
    runs = [run async for run in client.list_workflows(query)]
    weeks = (run.typed_search_attributes.get(WEEK) for run in runs)
    return frozenset(week for week in weeks if week)


async def referenced(client: Client) -> frozenset[str]:
    """Every digest that stands in a history which the server keeps, open or closed, or in a
    schedule. References are not compressed; what only looks like one is counted, too.

    Raises:
        RPCError: something could not be read: then nobody can tell what is needed.
    """
    turns = asyncio.Semaphore(SIDE_BY_SIDE)
    runs = [(run.id, run.run_id) async for run in client.list_workflows()]
    found = await asyncio.gather(*(_in_history(client, *run, turns) for run in runs))
    scheduled = [digests async for digests in _in_schedules(client)]
    return frozenset().union(*found, *scheduled)


async def _in_history(
    client: Client, workflow_id: str, run_id: str, turns: asyncio.Semaphore
) -> frozenset[str]:
    found: set[str] = set()
    handle = client.get_workflow_handle(workflow_id, run_id=run_id)
    async with turns:
        try:
            async for event in handle.fetch_history_events():
                found |= _digests(event.SerializeToString())
        except RPCError as error:
            # The server has deleted it since it was listed.
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise
    return frozenset(found)


async def _in_schedules(client: Client) -> AsyncIterator[set[str]]:
    async for listed in await client.list_schedules():
        described = await client.get_schedule_handle(listed.id).describe()
        yield _digests(described.raw_description.SerializeToString())


def _digests(content: bytes) -> set[str]:
    return {digest.decode() for digest in _DIGEST.findall(content)}
