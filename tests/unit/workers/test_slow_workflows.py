"""A workflow that a busy machine lets compute for longer than the SDK takes for a deadlock."""

import time
from datetime import timedelta

from temporalio import workflow
from temporalio.client import Client
from temporalio.worker import Worker

from workers.tuning import with_deadlock_timeout

QUEUE = "slow-workflows"


def compute() -> None:
    """Takes more than the SDK's two seconds."""
    with workflow.unsafe.sandbox_unrestricted():
        time.sleep(2.3)


@workflow.defn
class SlowWorkflow:
    """Computes for long."""

    @workflow.run
    async def run(self) -> str:
        """That it is done."""
        compute()
        return "done"


async def test_a_workflow_that_takes_long_to_compute_is_not_interrupted(client: Client) -> None:
    worker = Worker(client, task_queue=QUEUE, workflows=[SlowWorkflow])
    async with with_deadlock_timeout(worker):
        done = await client.execute_workflow(
            SlowWorkflow.run,
            id="slow",
            task_queue=QUEUE,
            execution_timeout=timedelta(seconds=8),
        )
    assert done == "done"
