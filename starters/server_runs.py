"""What is the same of all runs, whatever their workflow: finding one, what it was asked, its
status."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from temporalio.client import Client, WorkflowExecutionStatus, WorkflowFailureError, WorkflowHandle
from temporalio.service import RPCError, RPCStatusCode

from contracts.names import Message
from starters.endings import CommandError

ANSWER_SECONDS = 2.0
"""How long to wait for an answer. The SDK's own patience with a lost server is longer."""

LONGEST_REASON = 600

Result = TypeVar("Result")
Told = TypeVar("Told")


@dataclass(frozen=True)
class ServerRun(Generic[Result]):
    """A run as the server knows it. `closed_at` is None while it is open."""

    client: Client
    handle: WorkflowHandle[Any, Result]
    run_id: str
    started_at: datetime
    closed_at: datetime | None
    open: bool

    @property
    def workflow_id(self) -> str:
        """The id of its workflow."""
        return self.handle.id


async def run_described(
    client: Client, workflow_id: str, returns: type[Result], run_id: str | None = None
) -> ServerRun[Result] | None:
    """The latest run with an id, or one of them; None when the server knows none."""
    latest = client.get_workflow_handle(workflow_id, run_id=run_id, result_type=returns)
    try:
        described = await latest.describe()
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return None
        raise
    return ServerRun(
        client=client,
        handle=client.get_workflow_handle(
            workflow_id, run_id=described.run_id, result_type=returns
        ),
        run_id=described.run_id,
        started_at=described.start_time,
        closed_at=described.close_time,
        open=described.status is WorkflowExecutionStatus.RUNNING,
    )


async def started_with(run: ServerRun[Any], kind: type[Told]) -> Told:
    """What a run was started with, from its history.

    Raises:
        CommandError: the history does not say.
    """
    async for event in run.handle.fetch_history_events(page_size=1):
        payloads = event.workflow_execution_started_event_attributes.input.payloads
        try:
            (request,) = await run.client.data_converter.decode(payloads, [kind])
        except ValueError:
            # It is a run of something else.
            break
        if isinstance(request, kind):
            return request
        break
    raise CommandError(f"the history of {run.workflow_id} does not say what it was started with")


async def status_told(handle: WorkflowHandle[Any, Any], kind: type[Told]) -> Told:
    """The answer of a run's `status` query.

    Raises:
        TimeoutError, WorkflowQueryFailedError, RPCError: there is none.
    """
    async with asyncio.timeout(ANSWER_SECONDS):
        status: Told = await handle.query(Message.STATUS, result_type=kind)
    return status


def why_it_ended(error: WorkflowFailureError) -> str:
    """Why a run ended badly, from the last that happened to the first."""
    reasons: list[str] = []
    cause: BaseException | None = error.cause
    while cause is not None:
        reasons.append(str(cause))
        cause = cause.__cause__
    return (": ".join(dict.fromkeys(reasons)) or "no reason given")[:LONGEST_REASON]
