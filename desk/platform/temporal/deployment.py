"""The desk's version as Temporal knows it: which workers are given the runs."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from temporalio.api.workflowservice.v1 import (
    DescribeWorkerDeploymentRequest,
    SetWorkerDeploymentCurrentVersionRequest,
)
from temporalio.client import Client
from temporalio.common import VersioningBehavior, WorkerDeploymentVersion
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import WorkerDeploymentConfig

DEPLOYMENT: Final = "research-desk"
FROM_SOURCE: Final = "source"
"""The build of a desk that is not installed."""

PATIENCE_SECONDS: Final = 30.0
PAUSE_SECONDS: Final = 0.2

_UNSUPPORTED: Final = frozenset(
    {
        RPCStatusCode.UNIMPLEMENTED,
        RPCStatusCode.INVALID_ARGUMENT,
        # So says a server on which it is switched off.
        RPCStatusCode.PERMISSION_DENIED,
    }
)
_IN_A_MOMENT: Final = frozenset(
    {RPCStatusCode.UNAVAILABLE, RPCStatusCode.RESOURCE_EXHAUSTED, RPCStatusCode.ABORTED}
)

_log = logging.getLogger(__name__)


@cache
def build_id() -> str:
    """The version of the package that runs. Every worker of a process asks: it is read once."""
    try:
        return version(DEPLOYMENT)
    except PackageNotFoundError:
        return FROM_SOURCE


def unversioned() -> WorkerDeploymentConfig:
    """What says of which build a worker is, and gives it work of any version.

    Without it the SDK makes a build id of its own, from the bytecode of every loaded module:
    0.7 s of each process.
    """
    return WorkerDeploymentConfig(
        version=WorkerDeploymentVersion(DEPLOYMENT, build_id()), use_worker_versioning=False
    )


async def current_deployment(client: Client, build: str) -> WorkerDeploymentConfig | None:
    """Make a build the current one, before its workers poll: new runs are its own, and so is the
    next task of every run that is open. None where the server knows no worker versioning; its
    workers then poll as they did before there was any (`unversioned`).

    Every type of workflow moves on to the current build and none is pinned to the one it began
    with: a desk has one version at a time, and a pinned run would be left without workers with its
    next upgrade, for weeks. What makes this safe is that every run replays on later code.

    Raises:
        RPCError: the server refused for another reason, or did not answer in time.
    """

    async def make_current() -> None:
        await _make_current(client, build)

    if not await _done_at_the_server(make_current):
        return None
    return _versioned(build, VersioningBehavior.AUTO_UPGRADE)


async def pinned_deployment(client: Client, build: str) -> WorkerDeploymentConfig | None:
    """A build that keeps the runs begun on it until they close. It becomes the current one only
    where none is: new runs go on to another build when whoever upgrades says so, by `temporal
    worker deployment set-current-version`. None where the server knows no worker versioning.

    Raises:
        RPCError: the server refused for another reason, or did not answer in time.
    """

    async def make_current_where_none_is() -> None:
        if not await _has_current(client):
            await _make_current(client, build)

    if not await _done_at_the_server(make_current_where_none_is):
        return None
    return _versioned(build, VersioningBehavior.PINNED)


def pins(deployment: WorkerDeploymentConfig | None) -> bool:
    """Whether the workers of a deployment keep the runs that they began."""
    pinned = VersioningBehavior.PINNED
    return deployment is not None and deployment.default_versioning_behavior is pinned


def _versioned(build: str, behavior: VersioningBehavior) -> WorkerDeploymentConfig:
    return WorkerDeploymentConfig(
        version=WorkerDeploymentVersion(DEPLOYMENT, build),
        use_worker_versioning=True,
        default_versioning_behavior=behavior,
    )


async def _has_current(client: Client) -> bool:
    request = DescribeWorkerDeploymentRequest(
        namespace=client.namespace, deployment_name=DEPLOYMENT
    )
    try:
        told = await client.workflow_service.describe_worker_deployment(request)
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return False
        raise
    routing = told.worker_deployment_info.routing_config
    return bool(routing.current_deployment_version.build_id)


async def _make_current(client: Client, build: str) -> None:
    request = SetWorkerDeploymentCurrentVersionRequest(
        namespace=client.namespace,
        deployment_name=DEPLOYMENT,
        build_id=build,
        identity=client.identity,
        ignore_missing_task_queues=True,
        allow_no_pollers=True,
    )
    await client.workflow_service.set_worker_deployment_current_version(request)


async def _done_at_the_server(act: Callable[[], Awaitable[None]]) -> bool:
    """Whether the server knows what it was asked for; while it is busy it is asked again."""
    deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
    while True:
        try:
            await act()
        except RPCError as error:
            if error.status in _UNSUPPORTED:
                _log.warning("workers poll without a version: %s", error.message)
                return False
            late = asyncio.get_running_loop().time() > deadline
            if late or error.status not in _IN_A_MOMENT:
                raise
            await asyncio.sleep(PAUSE_SECONDS)
        else:
            return True
