"""One hypothesis: it waits for its horizon, then gets its outcome and its score."""

from datetime import datetime, timedelta
from typing import Final

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from activities.tool_calls import ToolActivities
from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tools import ToolCall, ToolRequest, ToolResult, ToolStatus
from desk.contracts.base import Instant
from desk.contracts.names import Message, source_queue
from desk.contracts.runs.judgement import JudgedPrice, PriceToJudge, PriceVerdict
from desk.contracts.runs.swarm import HypothesisRequest, HypothesisStatus
from desk.contracts.swarm.hypotheses import HypothesisState, ScoredHypothesis
from desk.learning.forecasts import FIRST_PAUSE, LONGEST_PAUSE
from desk.learning.hypotheses import (
    hypothesis_details,
    no_source_message,
    outcome_memory,
    price_calls,
    unscorable,
    void,
)
from desk.runs.assignments import time_left
from workflows.engine.judging import price_judged
from workflows.engine.options import (
    HEARTBEAT_TIMEOUT,
    MARKET,
    cause,
    note_outcome,
    note_phase,
    priority,
    retry_policy,
)
from workflows.engine.remembering import remember, report_to_learning

ONE_CALL: Final = timedelta(minutes=1)
"""Timeout of one call of a source. After that the source is asked again later."""

SCORABLE_JUDGED_IN_ACTIVITY: Final = "scorable-judged-apart"
"""The patch for hypotheses that were checked in the workflow."""

_KNOWN: Final = (HypothesisState.HELD, HypothesisState.REFUTED)


class PriceLookup:
    """Requests the price of a hypothesis' market from the sources, in the order of the run's
    routes, and has their answers judged."""

    def __init__(self, request: HypothesisRequest) -> None:
        self._request = request
        self._hypothesis = request.hypothesis
        self._policy = request.policy
        self._asked = 0

    async def outcome(self) -> JudgedPrice:
        """Returns the verdict on the first source's answer that decides the hypothesis, or that
        says that no price can. If there is none, returns `LACKING` with every source's reason."""
        reasons: list[str] = []
        for call in price_calls(self._hypothesis, self._policy):
            judged = await self._of(call)
            if judged.verdict in (PriceVerdict.SCORED, PriceVerdict.NEVER):
                return judged
            reasons.append(judged.words)
        words = "; ".join(reasons) or no_source_message(self._hypothesis, self._policy)
        return JudgedPrice(verdict=PriceVerdict.LACKING, words=words[:4_000])

    async def _of(self, call: ToolCall) -> JudgedPrice:
        """Returns the verdict on one source's answer. If its price is older than expected, the
        source is asked again as of now, only to learn whether the price may still come."""
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
        """Returns the answer of one source. Each call has an activity id of its own, which is the
        journal's key for its effect."""
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


@workflow.defn
class HypothesisWorkflow:
    """Waits until a hypothesis is due, looks up its outcome, and scores it once.

    If a source is unavailable or has no price yet, it is asked again after pauses that grow to a
    day. After the last one the hypothesis is void. The score is sent to the learning system and the
    memory; if they cannot be reached, the status says so.
    """

    @workflow.init
    def __init__(self, request: HypothesisRequest) -> None:
        written_at = request.written_at or workflow.info().start_time
        request = request.model_copy(update={"written_at": written_at})
        self._request = request
        self._prices = PriceLookup(request)
        self._waits_for: datetime | None = request.hypothesis.due
        self._scored: ScoredHypothesis | None = None
        self._notes: list[str] = []

    @workflow.run
    async def run(self, request: HypothesisRequest) -> ScoredHypothesis:
        """Returns the outcome of the hypothesis once it is due, which may be at once."""
        workflow.upsert_search_attributes([MARKET.value_set(request.hypothesis.market.market)])
        self._show()
        outcome = self._scored = await self._outcome()
        self._waits_for = None
        self._notes.clear()
        self._show()
        await self._report(outcome)
        await self._remember(outcome)
        self._show()
        note_outcome(Outcome.RESEARCHED if outcome.state in _KNOWN else Outcome.MISSING)
        return outcome

    @workflow.query(name=Message.HYPOTHESIS, description="What is said, and what came of it")
    def hypothesis(self) -> HypothesisStatus:
        """Returns the hypothesis and its due day, or its score, and what could not be fetched or
        sent."""
        return HypothesisStatus(
            request=self._request,
            state=self._scored.state if self._scored else HypothesisState.OPEN,
            waits_for=self._waits_for,
            scored=self._scored,
            note="; ".join(self._notes)[:4_000] or None,
        )

    async def _outcome(self) -> ScoredHypothesis:
        if words := await self._unscorable():
            return self._void(words)
        await self._wait_until(self._request.hypothesis.due, "it is due")
        note_phase(Phase.RESEARCHING)
        gives_up_at = workflow.now() + self._request.given_up_after
        pause = FIRST_PAUSE
        while (outcome := await self._scored_by_price(gives_up_at)) is None:
            await self._wait_until(min(workflow.now() + pause, gives_up_at), "it is asked again")
            pause = min(2 * pause, LONGEST_PAUSE)
        return outcome

    async def _unscorable(self) -> str | None:
        """Returns why no price can ever decide the hypothesis, or None if one can."""
        if not workflow.patched(SCORABLE_JUDGED_IN_ACTIVITY):
            return unscorable(self._request.hypothesis)
        asked = PriceToJudge(request=self._request, workflow_id=self._id, now=workflow.now())
        judged = await price_judged(asked, "scorable", self._request.policy)
        return judged.words if judged.verdict is PriceVerdict.NEVER else None

    async def _scored_by_price(self, gives_up_at: datetime) -> ScoredHypothesis | None:
        """Returns the score by a price, or void if there will be no price. Returns None while a
        price may still come."""
        judged = await self._prices.outcome()
        if judged.verdict is PriceVerdict.NEVER:
            return self._void(judged.words)
        if judged.verdict is PriceVerdict.SCORED and judged.scored is not None:
            return judged.scored
        if workflow.now() >= gives_up_at:
            return self._void(f"given up on {workflow.now():%Y-%m-%d}: {judged.words}")
        workflow.logger.warning("no price yet for a hypothesis: %s", judged.words)
        self._notes[:] = [judged.words]
        return None

    async def _wait_until(self, when: datetime, then: str) -> None:
        self._waits_for = when
        self._show()
        if left := time_left(when, workflow.now()):
            await workflow.sleep(left, summary=then)

    def _void(self, reason: str) -> ScoredHypothesis:
        return void(self._request, reason, workflow_id=self._id, now=workflow.now())

    async def _report(self, outcome: ScoredHypothesis) -> None:
        if not self._request.learn:
            return
        if words := await report_to_learning(outcome, self._request.policy):
            self._notes.append(words)

    async def _remember(self, outcome: ScoredHypothesis) -> None:
        if not self._request.memory:
            return
        entry = outcome_memory(self._request, outcome)
        remembered = await remember((entry,), self._request.policy, "remember")
        if remembered.missing is not None:
            self._notes.append(f"it is not remembered: {remembered.missing}")

    def _show(self) -> None:
        workflow.set_current_details(hypothesis_details(self.hypothesis()))

    @property
    def _id(self) -> str:
        return workflow.info().workflow_id
