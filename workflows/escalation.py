"""One conflict that a person is asked to decide: a durable wait with a reminder and a default."""

import asyncio
import contextlib
from datetime import datetime, timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ApplicationError

from activities.taped import TapedActivities
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.findings.escalations import (
    EscalationAnswer,
    EscalationDecision,
    EscalationRequest,
    EscalationState,
    EscalationStatus,
)
from desk.contracts.findings.results import DecidedBy
from desk.contracts.names import FailureType, Message, WorkflowType
from desk.runs.assignments import time_left
from desk.runs.escalations import case_details, decided_already, refusal
from desk.trust.conflicts import decide
from workflows.engine.options import HEARTBEAT_TIMEOUT, note_phase


@workflow.defn
class EscalationWorkflow:
    """Waits for the first usable answer. At the deadline the stated default is the decision."""

    @workflow.init
    def __init__(self, request: EscalationRequest) -> None:
        self._request = request
        self._reminded = False
        self._decision: EscalationDecision | None = None

    @workflow.run
    async def run(self, request: EscalationRequest) -> EscalationDecision:
        """Returns the decision: the first usable answer, or the default.

        If the workflow is cancelled, it records the default and ends as cancelled.
        """
        self._show()
        workflow.logger.warning("a person is asked: `desk escalations show %s`", self._id)
        try:
            if not await self._decided_by(request.remind_at, "a reminder is due"):
                self._remind()
                await self._decided_by(request.deadline, "the default holds")
            decision = self._decision or self._default("nobody answered in time")
        except asyncio.CancelledError:
            if self._decision is None:
                self._default("the question was cancelled")
            raise
        await workflow.wait_condition(workflow.all_handlers_finished)
        return decision

    @workflow.update(name=Message.RESOLVE_ESCALATION, description="Decide the conflict")
    def resolve_escalation(self, answer: EscalationAnswer) -> EscalationDecision:
        """Decides the conflict and returns the decision."""
        return self._answered(answer)

    @resolve_escalation.validator
    def _usable(self, answer: EscalationAnswer) -> None:
        if problem := self._refusal(answer):
            raise ApplicationError(
                problem[:1_000], type=FailureType.UNUSABLE_REQUEST, non_retryable=True
            )

    @workflow.signal(name=Message.ANSWER_ESCALATION, description="Decide the conflict")
    def answer_escalation(self, answer: EscalationAnswer) -> None:
        """Decides the conflict. An unusable or late answer is logged and ignored."""
        if problem := self._refusal(answer):
            workflow.logger.warning("answer ignored: %s", problem)
            return
        self._answered(answer)

    @workflow.query(name=Message.ESCALATION, description="The case, and where it stands")
    def escalation(self) -> EscalationStatus:
        """Returns the question as it was asked, and the decision if there is one."""
        state = self._decision.state if self._decision else EscalationState.OPEN
        return EscalationStatus(
            request=self._request, state=state, reminded=self._reminded, decision=self._decision
        )

    def _refusal(self, answer: EscalationAnswer) -> str | None:
        if self._decision is not None:
            return decided_already(self._decision)
        return refusal(self._request, answer)

    async def _decided_by(self, when: datetime, then: str) -> bool:
        with contextlib.suppress(TimeoutError):
            await workflow.wait_condition(
                lambda: self._decision is not None,
                timeout=time_left(when, workflow.now()),
                timeout_summary=then,
            )
        return self._decision is not None

    def _remind(self) -> None:
        self._reminded = True
        workflow.logger.warning(
            "still undecided, the default holds from %s: `desk escalations show %s`",
            f"{self._request.deadline:%Y-%m-%d %H:%M:%S} UTC",
            self._id,
        )
        self._show()

    def _answered(self, answer: EscalationAnswer) -> EscalationDecision:
        conflict = decide(
            self._request.conflict, answer.position, by=DecidedBy.PERSON, whom=answer.by.strip()
        )
        return self._decide(
            EscalationDecision(
                conflict=conflict,
                state=EscalationState.ANSWERED,
                answer=answer,
                decided_at=workflow.now(),
            )
        )

    def _default(self, why: str) -> EscalationDecision:
        conflict = decide(
            self._request.conflict, self._request.default, by=DecidedBy.DEFAULT, whom=None
        )
        return self._decide(
            EscalationDecision(
                conflict=conflict,
                state=EscalationState.DEFAULTED,
                decided_at=workflow.now(),
                note=why,
            )
        )

    def _decide(self, decision: EscalationDecision) -> EscalationDecision:
        self._decision = decision
        note_phase(Phase.CLOSED)
        self._show()
        return decision

    def _show(self) -> None:
        workflow.set_current_details(case_details(self.escalation(), self._id))

    @property
    def _id(self) -> str:
        return workflow.info().workflow_id


@workflow.defn(name=WorkflowType.ESCALATION)
class TapedEscalationWorkflow:
    """Replaces `EscalationWorkflow` where a tape is played."""

    @workflow.run
    async def run(self, request: EscalationRequest) -> EscalationDecision:
        """Returns the recorded decision. Fails if the recorded case failed."""
        return await workflow.execute_activity_method(
            TapedActivities.decide_escalation,
            request,
            activity_id="decision",
            summary="The decision on the tape",
            start_to_close_timeout=timedelta(seconds=10),
            schedule_to_close_timeout=timedelta(seconds=30),
            heartbeat_timeout=HEARTBEAT_TIMEOUT,
            retry_policy=RetryPolicy(maximum_attempts=2),
        )
