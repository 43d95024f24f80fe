"""What holds a run up, as far as the server can say."""

from typing import Any

from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import WorkflowHandle
from temporalio.service import RPCError

LONGEST = 300


async def trouble_of(handle: WorkflowHandle[Any, Any]) -> str | None:
    """A sentence on what keeps failing in a run; None when nothing does."""
    try:
        described = (await handle.describe()).raw_description
    except RPCError:
        return None
    for pending in sorted(described.pending_activities, key=_rank):
        if pending.HasField("last_failure"):
            reason = " ".join(pending.last_failure.message.split())[:LONGEST]
            return f"{pending.activity_type.name} has failed and is tried again: {reason}"
    if described.HasField("pending_workflow_task") and described.pending_workflow_task.attempt > 1:
        return "the run's workflow task keeps failing: see `desk doctor` and the workers' log"
    return None


def _rank(pending: PendingActivityInfo) -> tuple[bool, str]:
    """The same order each time, which the server does not keep; a delivery holds up nothing."""
    return pending.activity_id.startswith("deliver."), pending.activity_id
