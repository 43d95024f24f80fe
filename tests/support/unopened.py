"""Cases that cannot be opened."""

from typing import Any

from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.worker import (
    Interceptor,
    StartChildWorkflowInput,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
    WorkflowOutboundInterceptor,
)
from temporalio.workflow import ChildWorkflowHandle

from desk.contracts.names import WorkflowType


class Unopened(Interceptor):
    """Workers under which no case of EUR/USD can be put. It is loaded into the sandbox, so that
    its module imports little."""

    def workflow_interceptor_class(
        self,
        input: WorkflowInterceptorClassInput,  # noqa: A002 - as in the base class
    ) -> type[WorkflowInboundInterceptor]:
        """See base class."""
        return _Inbound


class _Inbound(WorkflowInboundInterceptor):
    def init(self, outbound: WorkflowOutboundInterceptor) -> None:
        super().init(_Outbound(outbound))


class _Outbound(WorkflowOutboundInterceptor):
    async def start_child_workflow(
        self,
        input: StartChildWorkflowInput,  # noqa: A002 - as in the base class
    ) -> ChildWorkflowHandle[Any, Any]:
        if input.workflow == WorkflowType.ESCALATION and "EUR/USD" in input.id:
            raise WorkflowAlreadyStartedError(input.id, input.workflow)
        return await super().start_child_workflow(input)
