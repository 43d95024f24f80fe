"""Sandboxed workflows whose payloads are converted without asking what they are for.

For every payload of a workflow the SDK asks the workflow's instance which activity or child it
belongs to, and enters the sandbox for the answer: 4,000 times for a week, an eighth of all the
work of a worker. With the answer it then makes a data converter for that payload alone. The desk's
converter, codec and payload store treat every payload alike.
"""

from temporalio.bridge.proto.workflow_activation import WorkflowActivation
from temporalio.bridge.proto.workflow_completion import WorkflowActivationCompletion
from temporalio.converter import DataConverter, StorageDriverStoreContext
from temporalio.worker import WorkflowInstance, WorkflowInstanceDetails
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner
from temporalio.workflow import Info

_NO_TARGET = StorageDriverStoreContext(target=None)


class ContextFreeConverter(DataConverter):
    """A data converter that is the same wherever it is used."""

    def _with_store_context(self, store_ctx: StorageDriverStoreContext) -> DataConverter:
        """See base class: there, a copy whose store knows for whom it stores."""
        return self


class ContextFreeInstance(WorkflowInstance):
    """A sandboxed instance that names no context for any payload."""

    def __init__(self, sandboxed: WorkflowInstance) -> None:
        self._sandboxed = sandboxed

    def activate(self, act: WorkflowActivation) -> WorkflowActivationCompletion:
        """See base class."""
        return self._sandboxed.activate(act)

    def get_serialization_context(self, command_info: object | None) -> None:
        """See base class."""

    def get_external_store_context(self, command_info: object | None) -> StorageDriverStoreContext:
        """See base class."""
        return _NO_TARGET

    def get_info(self) -> Info:
        """See base class."""
        return self._sandboxed.get_info()

    def get_thread_id(self) -> int | None:
        """See base class."""
        return self._sandboxed.get_thread_id()


class ContextFreeRunner(SandboxedWorkflowRunner):
    """The SDK's sandbox, with such instances."""

    def create_instance(self, det: WorkflowInstanceDetails) -> WorkflowInstance:
        """See base class."""
        return ContextFreeInstance(super().create_instance(det))
