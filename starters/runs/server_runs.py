"""What all runs share, whatever their workflow: finding them, their requests and their status."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
)
from temporalio.common import TypedSearchAttributes
from temporalio.exceptions import ActivityError, ApplicationError, ChildWorkflowError
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.base import Contract
from desk.contracts.names import FailureType, Message, WorkflowType
from desk.documents.rendering.words.wording import activity_words
from desk.platform.temporal.history import (
    HistoryGone,
    RunHistory,
    decoded,
    fetch_history,
    fetch_start,
)
from starters.terminal.exit_status import CommandError

ANSWER_SECONDS = 2.0
"""How long to wait for an answer. The SDK's own timeout is longer."""

LONGEST_REASON = 600

_NO_SUCH_RUN = frozenset({RPCStatusCode.NOT_FOUND, RPCStatusCode.INVALID_ARGUMENT})

Result = TypeVar("Result")
Status = TypeVar("Status")


@dataclass(frozen=True)
class ServerRun(Generic[Result]):
    """A run on the server, and the type of its result. `closed_at` is None while it is open."""

    client: Client
    handle: WorkflowHandle[Any, Result]
    run_id: str
    started_at: datetime
    closed_at: datetime | None
    open: bool
    returns: type[Result]

    @property
    def workflow_id(self) -> str:
        """The id of its workflow."""
        return self.handle.id


@dataclass(frozen=True)
class RunStart(Generic[Result]):
    """What a run is started with. `about` is its summary in the Temporal UI, in a few words.

    `attributes` are its search attributes from its first event on. `signal` is sent with the start,
    or to the open run with the same id. `check` is awaited before the start, and raises UsageError
    if the run could not use its request.
    """

    workflow: WorkflowType
    workflow_id: str
    request: Contract
    returns: type[Result]
    about: str
    attributes: TypedSearchAttributes | None = None
    signal: tuple[Message, Contract] | None = None
    check: Callable[[Client], Awaitable[None]] | None = None


async def run_described(
    client: Client, workflow_id: str, returns: type[Result], run_id: str | None = None
) -> ServerRun[Result] | None:
    """Returns the latest run with an id, or a given execution of it. Returns None if the server
    knows none or the id is invalid."""
    latest = client.get_workflow_handle(workflow_id, run_id=run_id, result_type=returns)
    try:
        described = await latest.describe()
    except RPCError as error:
        if error.status in _NO_SUCH_RUN:
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
        returns=returns,
    )


async def started_with(run: ServerRun[Any], kind: type[Status]) -> Status:
    """Reads the request that a run was started with from its history.

    Raises:
        CommandError: the history is gone, or has another type of request.
    """
    with suppress(HistoryGone, ValueError):  # ValueError: it is a run of something else
        start = await fetch_start(run.client, run.workflow_id, run.run_id)
        if start is not None:
            return await decoded(run.client.data_converter, start.input, kind)
    raise CommandError(f"the history of {run.workflow_id} does not say what it was started with")


async def history_of(client: Client, workflow_id: str, run_id: str) -> RunHistory:
    """Fetches the history of a run.

    Raises:
        CommandError: the server no longer has it.
    """
    try:
        return await fetch_history(client, workflow_id, run_id)
    except HistoryGone as gone:
        raise CommandError(str(gone)) from None


async def earlier_runs(run: ServerRun[Any]) -> list[WorkflowExecution]:
    """Returns the earlier closed runs with the same id, latest first."""
    query = f"WorkflowId = '{run.workflow_id}' AND ExecutionStatus != 'Running'"
    listed = [
        each
        async for each in run.client.list_workflows(query)
        if each.run_id != run.run_id
        and each.start_time <= run.started_at
        and each.status is not WorkflowExecutionStatus.RUNNING
    ]
    return sorted(listed, key=lambda each: each.start_time, reverse=True)


async def query_status(
    handle: WorkflowHandle[Any, Any], kind: type[Status], within: float = ANSWER_SECONDS
) -> Status:
    """Queries a run's status, and waits `within` seconds for the answer.

    Raises:
        TimeoutError, WorkflowQueryFailedError, RPCError: there is no answer.
    """
    async with asyncio.timeout(within):
        status: Status = await handle.query(Message.STATUS, result_type=kind)
    return status


def refusal(error: WorkflowFailureError) -> str | None:
    """Returns why a run refused its request. Returns None if it failed for another reason."""
    cause = error.cause
    refused = isinstance(cause, ApplicationError) and cause.type == FailureType.UNUSABLE_REQUEST
    return cause.message if refused and isinstance(cause, ApplicationError) else None


def why_it_ended(error: WorkflowFailureError) -> str:
    """Returns why a run failed: the chain of its causes, outermost first."""
    reasons: list[str] = []
    cause: BaseException | None = error.cause
    while cause is not None:
        reasons.append(_reason(cause))
        cause = cause.__cause__
    return (": ".join(dict.fromkeys(filter(None, reasons))) or "no reason given")[:LONGEST_REASON]


def _reason(cause: BaseException) -> str:
    """Describes a failure, without the names of classes and activities. Returns nothing for the
    failure of a child workflow, whose cause says what happened."""
    match cause:
        case ActivityError():
            return f"{activity_words(cause.activity_type, cause.activity_id)} failed"
        case ChildWorkflowError():
            return ""
        case ApplicationError():
            return cause.message
        case _:
            return str(cause)


def ui_address(
    base: str | None, namespace: str, workflow_id: str, run_id: str | None
) -> str | None:
    """The address of a run in the Temporal UI. Slashes in ids are encoded."""
    if base is None:
        return None
    run = f"/{quote(run_id, safe='')}" if run_id else ""
    return f"{base}/namespaces/{quote(namespace)}/workflows/{quote(workflow_id, safe='')}{run}"
