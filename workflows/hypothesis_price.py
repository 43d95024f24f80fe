"""Asking for the price that a hypothesis is held against."""

from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from activities.tool_calls import ToolActivities
from desk.contracts.agents.tools import ToolCall, ToolRequest, ToolResult, ToolStatus
from desk.contracts.base import Instant
from desk.contracts.findings.judgement import JudgedPrice, PriceToJudge, PriceVerdict
from desk.contracts.names import source_queue
from desk.contracts.swarm.run import HypothesisRequest
from desk.learning.hypotheses.prices import nobody_to_ask, price_calls
from workflows.judging import price_judged
from workflows.options import HEARTBEAT_TIMEOUT, cause, priority, retry_policy

ONE_CALL: Final = timedelta(minutes=1)
"""A source that cannot be asked for so long is asked again later."""


class PriceAsking:
    """Asks the sources of a hypothesis' market, in the order of the run's routes, and has judged
    what they say."""

    def __init__(self, request: HypothesisRequest) -> None:
        self._request = request
        self._hypothesis = request.hypothesis
        self._policy = request.policy
        self._asked = 0

    async def outcome(self) -> JudgedPrice:
        """What follows from the answer of the first source that has the last price known when it
        was due; from those of all where none has it."""
        reasons: list[str] = []
        for call in price_calls(self._hypothesis, self._policy):
            judged = await self._of(call)
            if judged.verdict in (PriceVerdict.SCORED, PriceVerdict.NEVER):
                return judged
            reasons.append(judged.words)
        words = "; ".join(reasons) or nobody_to_ask(self._hypothesis, self._policy)
        return JudgedPrice(verdict=PriceVerdict.LACKING, words=words[:4_000])

    async def _of(self, call: ToolCall) -> JudgedPrice:
        """Where a price is older than the one expected, the source's latest answer tells whether
        that may still come. It decides nothing else."""
        answer = await self._answer(call, self._hypothesis.due)
        judged = await self._judged(answer)
        if judged.verdict is not PriceVerdict.EARLY:
            return judged
        return await self._judged(answer, await self._answer(call, workflow.now()))

    async def _judged(self, answer: ToolResult, latest: ToolResult | None = None) -> JudgedPrice:
        asked = PriceToJudge(
            request=self._request,
            workflow_id=workflow.info().workflow_id,
            now=workflow.now(),
            answer=answer,
            latest=latest,
        )
        return await price_judged(asked, f"price.{self._asked}", self._policy)

    async def _answer(self, call: ToolCall, as_of: Instant) -> ToolResult:
        """Each call has an activity id of its own, by which its effect is known."""
        self._asked += 1
        try:
            return await workflow.execute_activity_method(
                ToolActivities.call_tool,
                ToolRequest(call=call, as_of=as_of),
                task_queue=source_queue(call.server),
                activity_id=f"look_up.{self._asked}",
                summary=f"{call.server}.{call.tool} as of {as_of:%Y-%m-%d %H:%M}",
                start_to_close_timeout=min(self._policy.deadlines.tool_call, ONE_CALL),
                schedule_to_close_timeout=ONE_CALL,
                heartbeat_timeout=HEARTBEAT_TIMEOUT,
                retry_policy=retry_policy(self._policy.retries),
                priority=priority(1, self._hypothesis.market.market),
            )
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            return ToolResult(call=call, status=ToolStatus.UNAVAILABLE, error=cause(error))
