"""The namespace of the embedded server: how long it keeps what has finished."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

from temporalio.api.namespace.v1 import NamespaceConfig
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest, UpdateNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError

POLL_SECONDS = 0.02


async def keep_closed_runs(
    address: str, namespace: str, retention: timedelta, check: Callable[[], None]
) -> None:
    """Wait until the server answers, and have it keep closed runs for the retention.

    `check` is called between tries and raises when waiting is no use.
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
    """How long the client's namespace keeps closed runs."""
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
