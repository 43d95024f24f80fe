"""A conflict that was decided already, on a tape: nobody is asked, and nobody is waited for."""

from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy

from activities.taped import TapedActivities
from desk.contracts.findings.escalations import EscalationDecision, EscalationRequest
from desk.contracts.names import WorkflowType
from workflows.options import HEARTBEAT_TIMEOUT


@workflow.defn(name=WorkflowType.ESCALATION)
class TapedEscalationWorkflow:
    """Takes the place of `EscalationWorkflow` where a tape is played."""

    @workflow.run
    async def run(self, request: EscalationRequest) -> EscalationDecision:
        """The decision as it was recorded. Fails where the case failed then."""
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
