"""The days for which the desk has fixings."""

from datetime import datetime

from pydantic import ValidationError
from temporalio.client import Client, WorkflowFailureError
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.agents.tools import ToolCall, ToolStatus
from desk.contracts.findings.source_results import FixingCoverage
from starters.sources.tools.one_call import called_tool


async def held_fixings(client: Client, as_of: datetime) -> FixingCoverage | None:
    """Returns the first and last day of the ECB source's fixings. Returns None if it does not
    answer.

    Raises:
        ServerUnreachable, RPCError: the server went away.
    """
    call = ToolCall(call_id="coverage", server="ecb", tool="get_coverage")
    try:
        result = await called_tool(client, call, as_of, "How far the fixings go")
        if result.status is ToolStatus.OK:
            return FixingCoverage.model_validate(result.content)
    except (WorkflowFailureError, ValidationError):
        return None
    except RPCError as error:
        if error.status is RPCStatusCode.UNAVAILABLE:
            raise
    return None
