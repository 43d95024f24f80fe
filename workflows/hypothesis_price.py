"""Asking for the price that a hypothesis is held against."""

from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from activities.tool_calls import ToolActivities
from contracts.base import Instant
from contracts.config import RunPolicy
from contracts.names import source_queue
from contracts.swarm import Hypothesis
from contracts.tools import ToolCall, ToolRequest, ToolResult, ToolStatus
from domain.hypotheses_prices import (
    NoPrice,
    Price,
    expected_day,
    last_price,
    nobody_to_ask,
    price_calls,
    price_when_due,
    too_early,
)
from workflows.options import HEARTBEAT_TIMEOUT, cause, priority, retry_policy

ONE_CALL: Final = timedelta(minutes=1)
"""A source that cannot be asked for so long is asked again later."""


class PriceAsking:
    """Asks the sources of a hypothesis' market, in the order of the run's routes."""

    def __init__(self, hypothesis: Hypothesis, policy: RunPolicy) -> None:
        self._hypothesis = hypothesis
        self._policy = policy
        self._asked = 0

    async def price(self) -> Price:
        """The last price known when it was due, of the first source that has it.

        Raises:
            NoPrice: nobody has it now; for good where it says so.
        """
        reasons: list[str] = []
        for call in price_calls(self._hypothesis, self._policy):
            try:
                return await self._of(call)
            except NoPrice as missing:
                if missing.final:
                    raise
                reasons.append(str(missing))
        raise NoPrice("; ".join(reasons) or nobody_to_ask(self._hypothesis, self._policy))

    async def _of(self, call: ToolCall) -> Price:
        due, kind = self._hypothesis.due, self._hypothesis.market.kind
        answer = await self._answer(call, due)
        price = price_when_due(self._hypothesis, answer)
        expected = expected_day(kind, due)
        if price.day < expected and not await self._has_gone_on(call):
            raise NoPrice(too_early(answer, price, expected))
        return price

    async def _has_gone_on(self, call: ToolCall) -> bool:
        """Whether the source has prices of later days than the one that is missed, which it then
        never had: a holiday. Decides nothing but whether to wait."""
        now = workflow.now()
        expected = expected_day(self._hypothesis.market.kind, self._hypothesis.due)
        try:
            return last_price(self._hypothesis, await self._answer(call, now), now).day > expected
        except NoPrice:
            return False

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
