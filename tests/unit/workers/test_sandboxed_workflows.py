"""What a worker does not look at when it starts: that each workflow of ours can be made in the
sandbox."""

import pytest
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner
from temporalio.workflow import _Definition

from desk.platform.temporal.sandbox import workflow_runner
from workers.orchestrator import WORKFLOWS


@pytest.mark.parametrize("ours", WORKFLOWS)
async def test_a_workflow_can_be_made_in_the_sandbox(ours: type) -> None:
    definition = _Definition.must_from_class(ours)
    SandboxedWorkflowRunner.prepare_workflow(workflow_runner(), definition)
