"""What workflow code may reach: the sandbox stays on, and every relaxation has its reason."""

import dataclasses

from temporalio.worker.workflow_sandbox import SandboxMatcher, SandboxRestrictions

from desk.platform.temporal.context_free import ContextFreeRunner

_PASSED_THROUGH = (
    # Frozen models without behaviour; sharing them keeps isinstance checks true across the wall
    # and saves rebuilding every pydantic schema for each run.
    "desk.contracts",
    # Only signatures are used, to call activities by reference.
    "activities",
    # The roster is a constant table of frozen models.
    "desk.agents",
    # Pure functions. Loading its modules anew for every workflow took 21 of the 28 ms in which a
    # market's workflow is made. That it reads no clock is held by the architecture tests.
    "desk.analytics",
    "desk.trust",
    "desk.runs",
    "desk.documents",
    "desk.learning",
    "desk.programs",
    # What a market's workflow consists of beside itself: coroutines and classes without a state of
    # their own. Each of a week's forty runs would load them anew. The same tests hold them.
    "workflows.agent_loop",
    "workflows.agent_work",
    "workflows.escalating",
    "workflows.judging",
    "workflows.options",
    "workflows.tool_asking",
    # Its DateTime subclasses two types the sandbox proxies, which is a metaclass conflict; its
    # clock is closed again below.
    "pendulum",
    # Reads the conditions of a graph, in `desk.runs`: a parser and an interpreter without effects.
    "jmespath",
    # pendulum's compiled core and its zone data.
    "tzdata",
    "zoneinfo",
    # Reached by pydantic while it builds a model's serializer.
    "annotated_types",
    "typing_inspection",
)

_CLOCK = SandboxMatcher(
    use={"now", "today", "tomorrow", "yesterday", "local"},
    children={"DateTime": SandboxMatcher(use={"now", "today", "utcnow"})},
)


def workflow_runner() -> ContextFreeRunner:
    """The runner of every worker and replayer.

    What workflows and the logic in `desk` may import is held by a test, which is why the sandbox
    need not complain of every module that it loads for itself.
    """
    default = SandboxRestrictions.default
    restrictions = dataclasses.replace(
        default.with_passthrough_modules(*_PASSED_THROUGH),
        invalid_module_members=default.invalid_module_members
        | SandboxMatcher(children={"pendulum": _CLOCK}),
    )
    return ContextFreeRunner(restrictions=restrictions)
