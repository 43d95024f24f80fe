"""The sources: one worker for each MCP server, on the server's own queue."""

from collections.abc import Sequence

from temporalio.client import Client
from temporalio.worker import Interceptor, Worker, WorkerDeploymentConfig

from activities.tool_calls import ToolActivities
from desk.contracts.names import source_queue
from desk.platform.mcp.pool import McpPool
from desk.platform.temporal.deployment import unversioned
from workers.tuning import TUNING


def sources(
    client: Client,
    pool: McpPool,
    activities: ToolActivities,
    deployment: WorkerDeploymentConfig | None = None,
    interceptors: Sequence[Interceptor] = (),
) -> list[Worker]:
    """Returns the workers of the role, pinned to a version if there is a `deployment`. A server's
    rate limit is set on its queue and holds for all workers together."""
    return [
        Worker(
            client,
            task_queue=source_queue(name),
            activities=[activities.call_tool, activities.list_tools, activities.reach],
            max_task_queue_activities_per_second=spec.calls_per_second,
            deployment_config=deployment or unversioned(),
            interceptors=interceptors,
            **TUNING,
        )
        for name, spec in pool.servers.items()
    ]
