"""One tool call for a user or a command, on the queue of its source."""

from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy

from activities.tool_calls import ToolActivities
from desk.contracts.agents.tools import ToolRequest, ToolResult
from desk.contracts.names import source_queue
from workflows.engine.heartbeat_retry import with_heartbeat_retry


@workflow.defn
class ToolCallWorkflow:
    """Calls one tool on the queue of its source, so that the answer is the same that the desk's
    agents would get."""

    @workflow.run
    async def run(self, request: ToolRequest) -> ToolResult:
        """Returns the tool's answer. Fails if no worker of the source answers in time."""

        async def called(heartbeat: timedelta) -> ToolResult:
            return await workflow.execute_activity_method(
                ToolActivities.call_tool,
                request,
                task_queue=source_queue(request.call.server),
                summary=f"{request.call.server}.{request.call.tool}",
                start_to_close_timeout=timedelta(seconds=15),
                schedule_to_close_timeout=timedelta(seconds=45),
                heartbeat_timeout=heartbeat,
                retry_policy=RetryPolicy(maximum_attempts=2),
            )

        return await with_heartbeat_retry(called)
