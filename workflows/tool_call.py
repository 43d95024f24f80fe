"""One tool call for a person or a command that wants to look, through the queue of its source."""

from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy

from activities.tool_calls import ToolActivities
from desk.contracts.agents.tools import ToolRequest, ToolResult
from desk.contracts.names import source_queue
from workflows.engine.options import HEARTBEAT_TIMEOUT


@workflow.defn
class ToolCallWorkflow:
    """Calls one tool on its source's queue, so that the answer is what the desk's agents see."""

    @workflow.run
    async def run(self, request: ToolRequest) -> ToolResult:
        """The tool's answer. Fails when no worker that serves the source answers in time."""
        return await workflow.execute_activity_method(
            ToolActivities.call_tool,
            request,
            task_queue=source_queue(request.call.server),
            summary=f"{request.call.server}.{request.call.tool}",
            start_to_close_timeout=timedelta(seconds=15),
            schedule_to_close_timeout=timedelta(seconds=20),
            heartbeat_timeout=HEARTBEAT_TIMEOUT,
            retry_policy=RetryPolicy(maximum_attempts=2),
        )
