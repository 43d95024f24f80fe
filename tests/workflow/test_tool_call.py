"""A single tool call, as commands make it before a run."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from temporalio import activity
from temporalio.client import Client
from temporalio.worker import Worker

from desk.contracts.agents.tools import ToolCall, ToolRequest, ToolResult, ToolStatus
from desk.contracts.names import Queue, source_queue
from workflows.tool_call import ToolCallWorkflow

SOON = timedelta(seconds=2)


async def test_a_lost_worker_is_noticed_soon(client: Client) -> None:
    """A run begins with such a call: the timeout for paid turns would hold it up for 15 s."""
    timeouts: list[timedelta | None] = []

    @activity.defn(name="call_tool")
    async def call_tool(request: ToolRequest) -> ToolResult:
        timeouts.append(activity.info().heartbeat_timeout)
        return ToolResult(call=request.call, status=ToolStatus.UNAVAILABLE, error="closed")

    request = ToolRequest(
        call=ToolCall(call_id="one", server="ecb", tool="get_coverage"),
        as_of=datetime(2026, 11, 2, tzinfo=UTC),
    )
    async with (
        Worker(client, task_queue=Queue.DESK, workflows=[ToolCallWorkflow]),
        Worker(client, task_queue=source_queue("ecb"), activities=[call_tool]),
    ):
        result: ToolResult = await client.execute_workflow(
            ToolCallWorkflow.run, request, id=f"call-{uuid4()}", task_queue=Queue.DESK
        )
    assert result.error == "closed"
    assert [timeout is not None and timeout < SOON for timeout in timeouts] == [True]
