"""The last heartbeat of each worker."""

import asyncio
from datetime import timedelta
from typing import Final

from temporalio.api.worker.v1 import WorkerHeartbeat
from temporalio.api.workflowservice.v1 import DescribeWorkerRequest, ListWorkersRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

ANSWER: Final = timedelta(seconds=5)
SIDE_BY_SIDE: Final = 8
PAGE: Final = 100

_NOT_KEPT: Final = frozenset({RPCStatusCode.UNIMPLEMENTED, RPCStatusCode.PERMISSION_DENIED})


async def last_heartbeats(client: Client) -> tuple[WorkerHeartbeat, ...] | None:
    """Returns the last heartbeat of each worker, including those that are gone. Returns None if the
    server stores none or does not show them.

    Raises:
        RPCError: the server does not answer.
    """
    turns = asyncio.Semaphore(SIDE_BY_SIDE)

    async def described(key: str) -> WorkerHeartbeat | None:
        request = DescribeWorkerRequest(namespace=client.namespace, worker_instance_key=key)
        try:
            async with turns:
                answer = await client.workflow_service.describe_worker(request, timeout=ANSWER)
        except RPCError as error:
            # The server has deleted it since it was listed.
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise
            return None
        return answer.worker_info.worker_heartbeat

    try:
        found = await asyncio.gather(*map(described, await _keys(client)))
    except RPCError as error:
        if error.status not in _NOT_KEPT:
            raise
        return None
    return tuple(beat for beat in found if beat is not None)


async def _keys(client: Client) -> list[str]:
    keys: list[str] = []
    request = ListWorkersRequest(namespace=client.namespace, page_size=PAGE)
    while True:
        answer = await client.workflow_service.list_workers(request, timeout=ANSWER)
        keys += [worker.worker_instance_key for worker in answer.workers]
        if not answer.next_page_token:
            return keys
        request.next_page_token = answer.next_page_token
