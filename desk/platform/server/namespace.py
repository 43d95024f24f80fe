"""The retention of closed runs in the embedded server's namespace."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

from temporalio.api.namespace.v1 import NamespaceConfig
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest, UpdateNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError

POLL_SECONDS = 0.02


async def set_retention(
    address: str, namespace: str, retention: timedelta, check: Callable[[], None]
) -> None:
    """Waits until the server answers, then sets how long it retains closed runs.

    Calls `check` between attempts, which raises when waiting is pointless.
    """
    while True:
        check()
        try:
            client = await Client.connect(address, namespace=namespace)
            if await retention_of(client) != retention:
                await _set_retention(client, retention)
            return
        except (RPCError, RuntimeError):
            await asyncio.sleep(POLL_SECONDS)


async def retention_of(client: Client) -> timedelta:
    """How long the client's namespace retains closed runs."""
    described = await client.workflow_service.describe_namespace(
        DescribeNamespaceRequest(namespace=client.namespace)
    )
    return described.config.workflow_execution_retention_ttl.ToTimedelta()


async def _set_retention(client: Client, retention: timedelta) -> None:
    config = NamespaceConfig()
    config.workflow_execution_retention_ttl.FromTimedelta(retention)
    await client.workflow_service.update_namespace(
        UpdateNamespaceRequest(namespace=client.namespace, config=config)
    )
