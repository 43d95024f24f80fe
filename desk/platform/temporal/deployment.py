"""The desk's version in Temporal's worker versioning, which decides which workers get the runs."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import (
    DescribeTaskQueueRequest,
    DescribeWorkerDeploymentRequest,
    SetWorkerDeploymentCurrentVersionRequest,
)
from temporalio.client import Client
from temporalio.common import VersioningBehavior, WorkerDeploymentVersion
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import WorkerDeploymentConfig

from desk.contracts.names import Queue

DEPLOYMENT: Final = "research-desk"
FROM_SOURCE: Final = "source"
"""The build id of a desk that runs from source without being installed."""

PATIENCE_SECONDS: Final = 30.0
PAUSE_SECONDS: Final = 0.2

_UNSUPPORTED: Final = frozenset(
    {
        RPCStatusCode.UNIMPLEMENTED,
        RPCStatusCode.INVALID_ARGUMENT,
        # The answer of a server on which worker versioning is disabled.
        RPCStatusCode.PERMISSION_DENIED,
    }
)
_TRANSIENT: Final = frozenset(
    {RPCStatusCode.UNAVAILABLE, RPCStatusCode.RESOURCE_EXHAUSTED, RPCStatusCode.ABORTED}
)

_log = logging.getLogger(__name__)


@cache
def build_id() -> str:
    """The version of the installed package. Cached, because every worker of a process asks for
    it."""
    try:
        return version(DEPLOYMENT)
    except PackageNotFoundError:
        return FROM_SOURCE


def unversioned() -> WorkerDeploymentConfig:
    """A deployment that names a worker's build and accepts work of any version.

    Without it the SDK derives a build id from the bytecode of every loaded module, which takes 0.7
    s in each process.
    """
    return WorkerDeploymentConfig(
        version=WorkerDeploymentVersion(DEPLOYMENT, build_id()), use_worker_versioning=False
    )


async def current_deployment(client: Client, build: str) -> WorkerDeploymentConfig | None:
    """Makes a build the current version, before its workers poll: it gets all new runs, and the
    next task of every open run. Returns None if the server does not support worker versioning; its
    workers then poll without a version (`unversioned`).

    Every workflow type moves on to the current build and none is pinned to the one it began with. A
    desk has one version at a time, so a pinned run would be left without workers for weeks after
    its next upgrade. This is safe because every run replays on later code.

    Raises:
        RPCError: the server refused for another reason, or did not answer in time.
    """

    async def make_current() -> None:
        if not await _is_current(client, build):
            await _make_current(client, build)

    if not await _is_supported(make_current):
        return None
    return _versioned(build, VersioningBehavior.AUTO_UPGRADE)


async def pinned_deployment(client: Client, build: str) -> WorkerDeploymentConfig | None:
    """A build that keeps the runs begun on it until they close. It becomes the current version only
    if there is none: new runs move to another build when the operator says so, with `temporal
    worker deployment set-current-version`. Returns None if the server does not support worker
    versioning.

    Raises:
        RPCError: the server refused for another reason, or did not answer in time.
    """

    async def make_current_where_none_is() -> None:
        if not await _has_current(client):
            await _make_current(client, build)

    if not await _is_supported(make_current_where_none_is):
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


async def _is_current(client: Client, build: str) -> bool:
    """Returns whether the queue of workflows gives its tasks to a build.

    Only the queue is asked, because the first request about a deployment waits 0.9 s or more for
    the system workflows of a server that has just started.
    """
    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=Queue.DESK),
        task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    )
    described = await client.workflow_service.describe_task_queue(request)
    current = described.versioning_info.current_deployment_version
    return (current.deployment_name, current.build_id) == (DEPLOYMENT, build)


async def _has_current(client: Client) -> bool:
    request = DescribeWorkerDeploymentRequest(
        namespace=client.namespace, deployment_name=DEPLOYMENT
    )
    try:
        description = await client.workflow_service.describe_worker_deployment(request)
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return False
        raise
    routing = description.worker_deployment_info.routing_config
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


async def _is_supported(act: Callable[[], Awaitable[None]]) -> bool:
    """Retries while the server is busy. Returns whether the server supports the request."""
    deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
    while True:
        try:
            await act()
        except RPCError as error:
            if error.status in _UNSUPPORTED:
                _log.warning("workers poll without a version: %s", error.message)
                return False
            late = asyncio.get_running_loop().time() > deadline
            if late or error.status not in _TRANSIENT:
                raise
            await asyncio.sleep(PAUSE_SECONDS)
        else:
            return True
