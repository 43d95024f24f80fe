"""An agent's tool calls: from its list, on the source's queue, by the task's deadline."""

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from activities.tool_calls import ToolActivities
from agents.roster import AgentProfile
from contracts.config import RunPolicy
from contracts.names import source_queue
from contracts.tasks import TaskAssignment
from contracts.tools import CallPlace, ToolCall, ToolRequest, ToolResult, ToolStatus
from workflows.options import cause, task_bounds


class ToolAsking:
    """The tool calls of one agent on one assignment."""

    def __init__(
        self, profile: AgentProfile, assignment: TaskAssignment, policy: RunPolicy
    ) -> None:
        self._profile = profile
        self._assignment = assignment
        self._policy = policy

    async def ask(self, call: ToolCall, activity_id: str) -> ToolResult:
        """The tool's result. What went wrong is told to the agent, which may know another way."""
        if not self._profile.may_call(call.server, call.tool):
            reason = f"{call.server}.{call.tool} is not on the list of {self._profile.agent}"
            return ToolResult(call=call, status=ToolStatus.REFUSED, error=reason)
        if self._policy.sources and call.server not in self._policy.sources:
            reason = f"no source {call.server} is configured in .mcp.json"
            return ToolResult(call=call, status=ToolStatus.UNAVAILABLE, error=reason)
        result = await self._answer(call, activity_id)
        info = workflow.info()
        place = CallPlace(workflow_id=info.workflow_id, run_id=info.run_id, activity_id=activity_id)
        return result.model_copy(update={"place": place})

    async def _answer(self, call: ToolCall, activity_id: str) -> ToolResult:
        market = self._assignment.market
        try:
            return await workflow.execute_activity_method(
                ToolActivities.call_tool,
                ToolRequest(call=call, as_of=self._assignment.window.end),
                task_queue=source_queue(call.server),
                activity_id=activity_id,
                summary=f"{call.server}.{call.tool} for {market.market if market else None}",
                **task_bounds(self._assignment, self._policy, self._policy.deadlines.tool_call),
            )
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            return ToolResult(call=call, status=ToolStatus.UNAVAILABLE, error=cause(error))
