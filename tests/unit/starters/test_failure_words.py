"""Failures are told in words, without the names of classes and activities."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from temporalio.api.failure.v1 import Failure
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.api.workflowservice.v1 import DescribeWorkflowExecutionResponse
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    ChildWorkflowError,
    RetryState,
)

from desk.contracts.findings.results import AgentError
from desk.contracts.names import AgentId, FailureType
from desk.platform.server.embedded import SPACE_TO_WORK
from desk.platform.server.failure import DiskFull
from starters.operations.dead_letters import error_words
from starters.runs.server_runs import why_it_ended
from starters.runs.stalls import problem_of

TURN = "search_agent.plan_question.planQuestion.t1"
SAID = "search_agent on planQuestion: the model did not answer"
NOT_WORDS = ("take_turn", "TurnFailed", "Activity task", "Child Workflow")


async def test_what_is_tried_again_is_named_by_its_agent() -> None:
    pending = PendingActivityInfo(activity_id=TURN, last_failure=Failure(message=SAID))
    pending.activity_type.name = "take_turn"
    response = DescribeWorkflowExecutionResponse(pending_activities=[pending])

    async def described() -> Any:
        return SimpleNamespace(raw_description=response)

    handle: Any = SimpleNamespace(describe=described)
    told = await problem_of(handle)
    assert told == f"turn 1 of search agent has failed and is tried again: {SAID}"


def failed(cause: ApplicationError) -> WorkflowFailureError:
    """A run that failed because a child of it did, whose turn had failed."""
    turn = ActivityError(
        "Activity task failed",
        scheduled_event_id=1,
        started_event_id=2,
        identity="",
        activity_type="take_turn",
        activity_id=TURN,
        retry_state=RetryState.NON_RETRYABLE_FAILURE,
    )
    child = ChildWorkflowError(
        "Child Workflow execution failed",
        namespace="default",
        workflow_id="child",
        run_id="run",
        workflow_type="MarketResearchWorkflow",
        initiated_event_id=1,
        started_event_id=2,
        retry_state=None,
    )
    turn.__cause__, child.__cause__ = cause, turn
    return WorkflowFailureError(cause=child)


def test_why_a_run_ended_names_no_class() -> None:
    told = why_it_ended(failed(ApplicationError(SAID, type=FailureType.TURN_FAILED)))
    assert told == f"turn 1 of search agent failed: {SAID}"
    assert not any(name in told for name in NOT_WORDS)


def test_the_kind_of_a_dead_letters_failure_is_in_words() -> None:
    error = AgentError(
        error_type=FailureType.TURN_FAILED,
        error_message=SAID,
        reason=SAID,
        agent=AgentId.SEARCH_AGENT,
    )
    assert error_words(error) == f"turn failed: {SAID}"


def test_a_disk_that_lacks_a_byte_is_not_said_to_have_room() -> None:
    told = str(DiskFull(Path("home"), SPACE_TO_WORK - 1, SPACE_TO_WORK))
    assert "47 MB are free and the Temporal server needs 48 MB" in told
