"""The agent loop: an agent works in turns until it delivers, fails or meets a limit.

Every turn and every tool call is an activity of its own, so a crash costs at most the call in
flight. The loop is the same for every agent, built-in or model.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from activities.tool_calls import ToolActivities
from activities.turns import TurnActivities
from agents.roster import AgentProfile
from contracts.config import RunPolicy
from contracts.markets import MarketSpec
from contracts.names import FailureType, source_queue
from contracts.report import Contribution
from contracts.results import AgentError, ResearchResult
from contracts.tasks import TaskAssignment, TaskType
from contracts.tools import ToolCall, ToolRequest, ToolResult, ToolStatus
from contracts.turns import AgentResult, Exchange, Turn, TurnRequest, Usage
from contracts.week_run import TaskOutcome
from domain.deadlines import call_allowance
from workflows.options import HEARTBEAT_TIMEOUT, ActivityBounds, priority, retry_policy

_DELIVERABLES = {
    TaskType.PLAN_WEEK: "plan",
    TaskType.RESEARCH_FX: "research",
    TaskType.RESEARCH_RATES: "research",
    TaskType.VALIDATE: "validation",
}

LONGEST_ERROR = 1_000
"""An error is told to the agent and kept in history: what happened, not every detail of it."""


class TaskFailed(Exception):
    """An agent could not do its task. Caught by the workflow, which finds somebody else."""

    def __init__(self, error: AgentError) -> None:
        super().__init__(error.error_message)
        self.error = error


@dataclass
class AgentRun:
    """One agent at work on one assignment."""

    profile: AgentProfile
    assignment: TaskAssignment
    policy: RunPolicy
    findings: tuple[ResearchResult, ...] = ()
    markets: tuple[MarketSpec, ...] = ()

    async def work(self) -> TaskOutcome:
        """Take turns until the result is there.

        Raises:
            TaskFailed: the agent gave up, met a limit, or its turn failed for good.
        """
        exchanges: list[Exchange] = []
        usage = Usage(model=self.profile.model)
        for number in range(1, self.assignment.limits.max_turns + 1):
            turn = await self._turn(number, exchanges)
            usage = usage.plus(turn.usage)
            if turn.failure is not None:
                raise TaskFailed(turn.failure)
            if turn.result is not None:
                return self._delivered(turn.result, number, exchanges, usage)
            if usage.input_tokens + usage.output_tokens > self.assignment.limits.max_tokens:
                raise TaskFailed(self._error("token limit", "it used up its tokens"))
            results = await asyncio.gather(*(self._call(number, call) for call in turn.calls))
            exchanges.append(Exchange(results=tuple(results)))
        raise TaskFailed(self._error("turn limit", f"no result after {number} turns"))

    async def _turn(self, number: int, exchanges: Sequence[Exchange]) -> Turn:
        request = TurnRequest(
            assignment=self.assignment,
            exchanges=tuple(exchanges),
            findings=self.findings,
            markets=self.markets,
        )
        try:
            return await workflow.execute_activity_method(
                TurnActivities.take_turn,
                request,
                task_queue=self.profile.queue,
                activity_id=f"{self._place}.t{number}",
                summary=f"{self.profile.title}: turn {number}",
                **self._bounds(self.policy.deadlines.turn),
            )
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            raise TaskFailed(self._error(FailureType.TURN_FAILED, _cause(error))) from error

    async def _call(self, turn: int, call: ToolCall) -> ToolResult:
        """The tool's result. What went wrong is told to the agent, which may know another way."""
        if not self.profile.may_call(call.server, call.tool):
            reason = f"{call.server}.{call.tool} is not on the list of {self.profile.agent}"
            return ToolResult(call=call, status=ToolStatus.REFUSED, error=reason)
        try:
            return await workflow.execute_activity_method(
                ToolActivities.call_tool,
                ToolRequest(call=call, as_of=self.assignment.window.end),
                task_queue=source_queue(call.server),
                activity_id=f"{self._place}.t{turn}.{call.call_id.rsplit('/', 1)[-1]}",
                summary=f"{call.server}.{call.tool} for {self._market}",
                **self._bounds(self.policy.deadlines.tool_call),
            )
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            return ToolResult(call=call, status=ToolStatus.UNAVAILABLE, error=_cause(error))

    def _bounds(self, one_attempt: timedelta) -> ActivityBounds:
        """Every activity of the loop ends by the task's deadline, whatever is left to try."""
        return {
            "start_to_close_timeout": one_attempt,
            "schedule_to_close_timeout": call_allowance(self.assignment.deadline, workflow.now()),
            "heartbeat_timeout": HEARTBEAT_TIMEOUT,
            "retry_policy": retry_policy(self.policy.retries),
            "priority": priority(self.assignment.priority, self._market),
        }

    def _delivered(
        self, result: AgentResult, turns: int, exchanges: Sequence[Exchange], usage: Usage
    ) -> TaskOutcome:
        if result.kind != _DELIVERABLES[self.assignment.task_type]:
            raise TaskFailed(self._error("wrong result", f"it delivered a {result.kind}"))
        evidence = tuple(result for exchange in exchanges for result in exchange.results)
        return TaskOutcome(
            result=result,
            evidence=evidence,
            contribution=Contribution(
                agent=self.profile.agent,
                task_type=self.assignment.task_type,
                delivered=True,
                turns=turns,
                tool_calls=len(evidence),
                usage=usage,
            ),
        )

    def _error(self, kind: str, message: str) -> AgentError:
        return AgentError(
            error_type=kind,
            error_message=f"{self.assignment.task_id}, {self.assignment.week}: {message}"[:4_000],
            agent=self.profile.agent,
        )

    @property
    def _market(self) -> str | None:
        return self.assignment.market.market if self.assignment.market else None

    @property
    def _place(self) -> str:
        """What tells this agent's activities from those of others in the same workflow."""
        return f"{self.profile.agent}.{self.assignment.task_type}"


def _cause(error: BaseException) -> str:
    """The innermost message, which is the one that says what happened."""
    while error.__cause__ is not None:
        error = error.__cause__
    return (str(error) or type(error).__name__)[:LONGEST_ERROR]
