"""A conflict that a person is asked to decide, on a clock that skips."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from temporalio.client import (
    Client,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowUpdateFailedError,
)
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from desk.contracts.agents.search_attributes import Phase
from desk.contracts.findings.escalations import (
    EscalationAnswer,
    EscalationDecision,
    EscalationState,
    EscalationStatus,
)
from desk.contracts.findings.results import DecidedBy
from desk.contracts.names import FailureType, Message, Queue
from tests.support.runs.cases import WORKFLOW_ID, case
from workers.tuning import TUNING
from workflows.engine.options import PHASE
from workflows.escalation import EscalationWorkflow

Case = WorkflowHandle[EscalationWorkflow, EscalationDecision]
ANNA = EscalationAnswer(position=1, by="anna", note="the fixing was misread")
BEN = EscalationAnswer(position=0, by="ben")


@pytest.fixture
async def worker(client: Client) -> AsyncIterator[Worker]:
    """A worker for cases alone."""
    async with Worker(
        client, task_queue=Queue.DESK, workflows=[EscalationWorkflow], **TUNING
    ) as worker:
        yield worker


async def started(
    skipping: WorkflowEnvironment, *, default: int | None = 0, minutes: int = 20
) -> Case:
    """A case that has just been put."""
    request = case(await skipping.get_current_time(), default=default, minutes=minutes)
    return await skipping.client.start_workflow(
        EscalationWorkflow.run, request, id=WORKFLOW_ID, task_queue=Queue.DESK
    )


async def status_of(handle: Case) -> EscalationStatus:
    status: EscalationStatus = await handle.query(Message.ESCALATION, result_type=EscalationStatus)
    return status


async def resolve(handle: Case, answer: EscalationAnswer | dict[str, object]) -> EscalationDecision:
    decision: EscalationDecision = await handle.execute_update(
        Message.RESOLVE_ESCALATION, answer, result_type=EscalationDecision
    )
    return decision


async def refusal_of(handle: Case, answer: EscalationAnswer | dict[str, object]) -> str:
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await resolve(handle, answer)
    cause = refused.value.cause
    assert isinstance(cause, ApplicationError)
    assert cause.type == FailureType.UNUSABLE_REQUEST
    return cause.message


async def test_the_answer_of_a_person_decides(
    skipping: WorkflowEnvironment, worker: Worker
) -> None:
    handle = await started(skipping)
    decision = await resolve(handle, ANNA)
    assert await handle.result() == decision
    assert (decision.state, decision.answer) == (EscalationState.ANSWERED, ANNA)
    conflict = decision.conflict
    assert (conflict.chosen, conflict.resolved) == ("151.1", True)
    assert (conflict.decided_by, conflict.decided_by_whom) == (DecidedBy.PERSON, "anna")


async def test_a_case_can_be_answered_by_a_signal(
    skipping: WorkflowEnvironment, worker: Worker
) -> None:
    handle = await started(skipping)
    await handle.signal(Message.ANSWER_ESCALATION, ANNA)
    decision = await handle.result()
    assert (decision.state, decision.conflict.chosen) == (EscalationState.ANSWERED, "151.1")


async def test_a_person_can_find_that_no_position_holds(
    skipping: WorkflowEnvironment, worker: Worker
) -> None:
    handle = await started(skipping)
    decision = await resolve(handle, EscalationAnswer(position=None, by="anna"))
    conflict = decision.conflict
    assert (conflict.chosen, conflict.resolved) == (None, True)
    assert conflict.decided_by is DecidedBy.PERSON


@pytest.mark.parametrize("position", [-1, 2, 99])
async def test_a_position_that_is_not_there_is_refused_with_those_that_are(
    position: int, skipping: WorkflowEnvironment, worker: Worker
) -> None:
    handle = await started(skipping)
    told = await refusal_of(handle, EscalationAnswer(position=position, by="anna"))
    assert f"there is no position {position}" in told
    assert "0 = 157.25 (research_agent_1" in told and "1 = 151.1 (research_agent_2" in told
    assert (await status_of(handle)).state is EscalationState.OPEN


async def test_an_answer_of_nobody_is_refused(
    skipping: WorkflowEnvironment, worker: Worker
) -> None:
    handle = await started(skipping)
    assert "who gives it" in await refusal_of(handle, EscalationAnswer(position=0, by="  "))


async def test_an_answer_that_is_no_answer_harms_nothing(
    skipping: WorkflowEnvironment, worker: Worker
) -> None:
    handle = await started(skipping)
    await handle.signal(Message.ANSWER_ESCALATION, {"position": "first"})
    await handle.signal(Message.ANSWER_ESCALATION, EscalationAnswer(position=5, by="anna"))
    with pytest.raises(WorkflowUpdateFailedError):
        await resolve(handle, {"position": "first", "by": "anna"})
    assert (await status_of(handle)).state is EscalationState.OPEN
    assert (await resolve(handle, BEN)).conflict.chosen == "157.25"


async def test_the_first_of_two_answers_wins(skipping: WorkflowEnvironment, client: Client) -> None:
    handle = await started(skipping)
    # No worker yet: both wait for the same workflow task.
    await handle.signal(Message.ANSWER_ESCALATION, ANNA)
    await handle.signal(Message.ANSWER_ESCALATION, BEN)
    async with Worker(client, task_queue=Queue.DESK, workflows=[EscalationWorkflow], **TUNING):
        decision = await handle.result()
    assert decision.answer == ANNA


async def test_of_two_updates_at_once_one_is_refused(
    skipping: WorkflowEnvironment, worker: Worker
) -> None:
    handle = await started(skipping)
    ended = await asyncio.gather(
        resolve(handle, ANNA), resolve(handle, BEN), return_exceptions=True
    )
    taken = [answer for answer in ended if isinstance(answer, EscalationDecision)]
    assert len(taken) == 1
    assert await handle.result() == taken[0]


async def test_a_reminder_goes_out_and_the_case_stays_open(
    skipping: WorkflowEnvironment, worker: Worker
) -> None:
    handle = await started(skipping)
    assert not (await status_of(handle)).reminded
    await skipping.sleep(timedelta(minutes=11))
    status = await status_of(handle)
    assert (status.reminded, status.state) == (True, EscalationState.OPEN)
    assert (await resolve(handle, ANNA)).state is EscalationState.ANSWERED


async def test_at_the_deadline_the_default_holds(
    skipping: WorkflowEnvironment, worker: Worker
) -> None:
    handle = await started(skipping)
    decision = await handle.result()
    assert (decision.state, decision.answer) == (EscalationState.DEFAULTED, None)
    conflict = decision.conflict
    assert (conflict.chosen, conflict.decided_by) == ("157.25", DecidedBy.DEFAULT)
    status = await status_of(handle)
    assert decision.decided_at == pytest.approx(status.request.deadline, abs=timedelta(seconds=2))
    assert status.decision == decision


async def test_without_a_default_the_figure_is_withheld(
    skipping: WorkflowEnvironment, worker: Worker
) -> None:
    decision = await (await started(skipping, default=None)).result()
    conflict = decision.conflict
    assert (conflict.chosen, conflict.resolved) == (None, True)
    assert conflict.decided_by is DecidedBy.DEFAULT


async def test_a_case_whose_deadline_has_passed_is_decided_at_once(
    skipping: WorkflowEnvironment, worker: Worker
) -> None:
    decision = await (await started(skipping, minutes=-5)).result()
    assert decision.state is EscalationState.DEFAULTED


async def test_a_case_is_found_by_its_phase_and_shows_itself(
    skipping: WorkflowEnvironment, worker: Worker
) -> None:
    handle = await started(skipping)
    assert "waits for a person" in await details_of(handle)
    assert r"A \| newspaper" in await details_of(handle)
    await resolve(handle, ANNA)
    await handle.result()
    attributes = (await handle.describe()).typed_search_attributes
    assert attributes[PHASE] == Phase.CLOSED
    assert "was chosen by anna" in await details_of(handle)


async def test_a_cancelled_case_keeps_its_default_and_ends_as_cancelled(
    skipping: WorkflowEnvironment, worker: Worker
) -> None:
    handle = await started(skipping)
    await status_of(handle)
    await handle.cancel()
    with pytest.raises(WorkflowFailureError):
        await handle.result()
    assert (await handle.describe()).status is WorkflowExecutionStatus.CANCELED
    status = await status_of(handle)
    assert status.decision is not None
    assert (status.state, status.decision.conflict.chosen) == (
        EscalationState.DEFAULTED,
        "157.25",
    )


async def details_of(handle: Case) -> str:
    """What the Temporal UI shows as current details."""
    metadata = await handle.query("__temporal_workflow_metadata")
    return str(metadata.current_details)
