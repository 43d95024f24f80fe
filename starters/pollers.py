"""Who polls a task queue."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client

FRESH = timedelta(seconds=90)
"""A poll lasts a minute at most; a poller not seen for longer is gone, though still listed."""


class QueueKind(StrEnum):
    """What is taken from a queue."""

    WORKFLOW = "workflow"
    ACTIVITY = "activity"


_TYPES = {
    QueueKind.WORKFLOW: TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    QueueKind.ACTIVITY: TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
}


async def polled(client: Client, queue: str, kind: QueueKind) -> bool:
    """Whether a worker has polled the queue lately."""
    described = await client.workflow_service.describe_task_queue(
        DescribeTaskQueueRequest(
            namespace=client.namespace,
            task_queue=TaskQueue(name=queue),
            task_queue_type=_TYPES[kind],
        )
    )
    since = datetime.now(UTC) - FRESH
    return any(
        poller.last_access_time.ToDatetime(tzinfo=UTC) >= since for poller in described.pollers
    )
