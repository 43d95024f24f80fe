"""The hypotheses on the server: their statements and their states."""

import asyncio
from typing import Annotated

from pydantic import Field
from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowFailureError,
    WorkflowQueryFailedError,
)
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.base import Contract, Instant, ShortText, Text, is_none
from desk.contracts.names import Message, WorkflowType
from desk.contracts.runs.swarm import HypothesisRequest, HypothesisStatus
from desk.contracts.swarm.hypotheses import HypothesisState, ScoredHypothesis
from starters.runs.server_runs import ANSWER_SECONDS, ServerRun, run_described, started_with

SIDE_BY_SIDE = 8
ENDED = "it was ended from outside, and is not scored"
UNANSWERED = "no worker answers for it at the moment"

_Run = ServerRun[ScoredHypothesis]


class ListedHypothesis(Contract):
    """A hypothesis and its state, as `--json` prints it. `waits_for` is when it is checked next.
    `note` says what could not be read or sent."""

    workflow_id: ShortText
    request: HypothesisRequest
    state: HypothesisState
    waits_for: Annotated[Instant | None, Field(exclude_if=is_none)] = None
    scored: Annotated[ScoredHypothesis | None, Field(exclude_if=is_none)] = None
    note: Annotated[Text | None, Field(exclude_if=is_none)] = None


async def open_hypotheses(client: Client) -> list[str]:
    """Returns the ids of the hypotheses that wait for their day.

    Raises:
        RPCError: the server went away.
    """
    query = f'WorkflowType = "{WorkflowType.HYPOTHESIS}" AND ExecutionStatus = "Running"'
    return [run.id async for run in client.list_workflows(query)]


async def stored_hypotheses(client: Client) -> list[ListedHypothesis]:
    """Returns all hypotheses on the server, the latest run of each id.

    Raises:
        CommandError: a history does not say what it was started with.
        RPCError: the server went away.
    """
    newest: dict[str, WorkflowExecution] = {}
    async for run in client.list_workflows(f'WorkflowType = "{WorkflowType.HYPOTHESIS}"'):
        if run.id not in newest or run.start_time > newest[run.id].start_time:
            newest[run.id] = run
    free = asyncio.Semaphore(SIDE_BY_SIDE)

    async def one(execution: WorkflowExecution) -> ListedHypothesis | None:
        async with free:
            return await _listed(client, execution)

    found = await asyncio.gather(*map(one, newest.values()))
    return [each for each in found if each is not None]


async def _listed(client: Client, execution: WorkflowExecution) -> ListedHypothesis | None:
    run = await run_described(client, execution.id, ScoredHypothesis, execution.run_id)
    if run is None:
        # It was deleted since it was listed.
        return None
    return await (_waiting(run) if run.open else _ended(run))


async def _waiting(run: _Run) -> ListedHypothesis:
    """Queries the state of an open hypothesis. Falls back to its request if no worker answers."""
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            status: HypothesisStatus = await run.handle.query(
                Message.HYPOTHESIS, result_type=HypothesisStatus
            )
    except (TimeoutError, WorkflowQueryFailedError):
        return await _unanswered(run)
    except RPCError as error:
        if error.status is RPCStatusCode.UNAVAILABLE:
            raise
        return await _unanswered(run)
    return ListedHypothesis(
        workflow_id=run.workflow_id,
        request=status.request,
        state=status.state,
        waits_for=status.waits_for,
        scored=status.scored,
        note=status.note,
    )


async def _unanswered(run: _Run) -> ListedHypothesis:
    request = await started_with(run, HypothesisRequest)
    return ListedHypothesis(
        workflow_id=run.workflow_id,
        request=request,
        state=HypothesisState.OPEN,
        waits_for=request.hypothesis.due,
        note=UNANSWERED,
    )


async def _ended(run: _Run) -> ListedHypothesis:
    request = await started_with(run, HypothesisRequest)
    try:
        scored = await run.handle.result(follow_runs=False)
    except WorkflowFailureError:
        return ListedHypothesis(
            workflow_id=run.workflow_id, request=request, state=HypothesisState.VOID, note=ENDED
        )
    return ListedHypothesis(
        workflow_id=run.workflow_id, request=request, state=scored.state, scored=scored
    )
