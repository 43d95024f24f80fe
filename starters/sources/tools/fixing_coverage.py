"""Calls one of the desk's tools, the way its agents do."""

from datetime import datetime, timedelta
from uuid import uuid4

from pydantic import ValidationError
from temporalio.client import Client, WorkflowFailureError
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.agents.tools import ToolCall, ToolRequest, ToolResult, ToolStatus
from desk.contracts.findings.source_results import FixingCoverage
from desk.contracts.names import Queue, WorkflowType

LONGEST = timedelta(minutes=1)
"""If the desk's process has just started on a busy machine, an answer can take half of this.
Without an answer a run may choose a week that has no prices."""


async def held_fixings(client: Client, as_of: datetime) -> FixingCoverage | None:
    """Returns the first and last day of the ECB source's fixings. Returns None if it does not
    answer.

    Raises:
        RPCError: the server went away.
    """
    call_id = f"look-{uuid4().hex[:12]}"
    call = ToolCall(call_id=call_id, server="ecb", tool="get_coverage")
    try:
        result: ToolResult = await client.execute_workflow(
            WorkflowType.TOOL_CALL,
            ToolRequest(call=call, as_of=as_of),
            id=call_id,
            task_queue=Queue.DESK,
            result_type=ToolResult,
            execution_timeout=LONGEST,
            static_summary="How far the fixings go",
        )
        if result.status is ToolStatus.OK:
            return FixingCoverage.model_validate(result.content)
    except (WorkflowFailureError, ValidationError):
        return None
    except RPCError as error:
        if error.status is RPCStatusCode.UNAVAILABLE:
            raise
    return None
