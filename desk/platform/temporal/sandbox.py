"""What workflow code may access, and which payload context the SDK is spared.

The sandbox stays on, and every relaxation has its reason. For every payload of a workflow, the SDK
asks the workflow's instance which activity or child it belongs to, and enters the sandbox for the
answer: 4,000 times for a week, an eighth of all the work of a worker. It then makes a data
converter for that payload alone. The desk's converter, codec and payload store treat every payload
in the same way, so its instances give no context. Only answers to queries are marked as such.
"""

import dataclasses
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from temporalio.bridge.proto.workflow_activation import WorkflowActivation
from temporalio.bridge.proto.workflow_completion import WorkflowActivationCompletion
from temporalio.common import VersioningBehavior
from temporalio.converter import StorageDriverStoreContext
from temporalio.worker import WorkflowInstance, WorkflowInstanceDetails
from temporalio.worker.workflow_sandbox import (
    SandboxedWorkflowRunner,
    SandboxMatcher,
    SandboxRestrictions,
)
from temporalio.workflow import Info, _Definition

from desk.platform.payloads.codec import ANSWER
from desk.platform.temporal.eager_activities import schedule_eagerly

_NO_TARGET = StorageDriverStoreContext(target=None)


class ContextFreeInstance(WorkflowInstance):
    """A sandboxed instance that names no context for payloads, and marks answers to queries.

    If `moves_on`, its run moves to the current version, whatever other runs do. Activities that it
    schedules on queues in `here` stay in this process.
    """

    def __init__(
        self,
        sandboxed: WorkflowInstance,
        *,
        moves_on: bool = False,
        here: Collection[str] = (),
    ) -> None:
        self._sandboxed = sandboxed
        self._moves_on = moves_on
        self._here = here

    def activate(self, act: WorkflowActivation) -> WorkflowActivationCompletion:
        """See base class."""
        completion = self._sandboxed.activate(act)
        if any(job.HasField("query_workflow") for job in act.jobs):
            _mark_answers(completion)
        if self._moves_on and completion.HasField("successful"):
            completion.successful.versioning_behavior = VersioningBehavior.AUTO_UPGRADE.value
        if self._here:
            schedule_eagerly(completion, self.get_info().task_queue, self._here)
        return completion

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


def _mark_answers(completion: WorkflowActivationCompletion) -> None:
    for command in completion.successful.commands:
        if command.respond_to_query.HasField("succeeded"):
            command.respond_to_query.succeeded.response.metadata[ANSWER] = b"true"


_OURS: Final = "workflows."
"""The prefix of the modules with the desk's own workflows."""


@dataclass(frozen=True)
class ContextFreeRunner(SandboxedWorkflowRunner):
    """The SDK's sandbox, with such instances.

    The workflow types in `moving_on` move to the current version even if the worker pins its other
    runs to its own. The SDK has this as an option of a workflow, but then a server refuses the runs
    of workers without a version. `here` are queues whose activities stay in this process.
    """

    moving_on: frozenset[str] = frozenset()
    here: frozenset[str] = frozenset()

    def prepare_workflow(self, defn: _Definition) -> None:
        """See base class, which makes an instance to check that one can be made. For the desk's own
        workflows a test checks that, so the start of a worker does not wait for it."""
        if not defn.cls.__module__.startswith(_OURS):
            super().prepare_workflow(defn)

    def create_instance(self, det: WorkflowInstanceDetails) -> WorkflowInstance:
        """See base class."""
        sandboxed = super().create_instance(det)
        moves_on = det.info.workflow_type in self.moving_on
        return ContextFreeInstance(sandboxed, moves_on=moves_on, here=self.here)


_PASSED_THROUGH = (
    # Frozen models without behaviour. Sharing them keeps isinstance checks valid across the
    # sandbox's border and avoids rebuilding every pydantic schema for each run.
    "desk.contracts",
    # Only signatures are used, to call activities by reference.
    "activities",
    # The roster is a constant table of frozen models.
    "desk.agents",
    # Pure functions. Reloading these modules for every workflow took 21 of the 28 ms that it takes
    # to create a market's workflow. The architecture tests check that they read no clock.
    "desk.analytics",
    "desk.trust",
    "desk.runs",
    "desk.documents",
    "desk.learning",
    "desk.programs",
    # The workflows: coroutines and classes without module state. Reloading them was five sixths of
    # the time to create a market's workflow. The same tests check them.
    "workflows",
    # Its DateTime subclasses two types that the sandbox proxies, which is a metaclass conflict. Its
    # clock is restricted again below.
    "pendulum",
    # Evaluates the conditions of a graph, in `desk.runs`: a parser and interpreter without effects.
    "jmespath",
    # pendulum's compiled core and its zone data.
    "tzdata",
    "zoneinfo",
    # Imported by pydantic while it builds a model's serializer.
    "annotated_types",
    "typing_inspection",
)

_CLOCK = SandboxMatcher(
    use={"now", "today", "tomorrow", "yesterday", "local"},
    children={"DateTime": SandboxMatcher(use={"now", "today", "utcnow"})},
)


def workflow_runner(
    moving_on: Collection[str] = (), here: Collection[str] = ()
) -> ContextFreeRunner:
    """The runner of every worker and replayer.

    A test checks what workflows and the logic in `desk` may import, so the sandbox need not warn
    about every module that it loads itself.
    """
    default = SandboxRestrictions.default
    restrictions = dataclasses.replace(
        default.with_passthrough_modules(*_PASSED_THROUGH),
        invalid_module_members=default.invalid_module_members
        | SandboxMatcher(children={"pendulum": _CLOCK}),
    )
    return ContextFreeRunner(
        restrictions=restrictions, moving_on=frozenset(moving_on), here=frozenset(here)
    )
