"""Follows a run of any workflow: its status while it is open, then its result."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Any, Final, TypeVar

from temporalio.client import (
    Client,
    WorkflowContinuedAsNewError,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowQueryFailedError,
)
from temporalio.service import RPCError, RPCStatusCode

from desk.platform.temporal.client import ServerUnreachable
from starters.runs.progress import Progress
from starters.runs.server_runs import ANSWER_SECONDS, ServerRun, query_status, run_described
from starters.runs.stalls import StallMonitor, is_polled, with_recovery_note
from starters.terminal.exit_status import CommandError
from starters.terminal.waits import reported_wait

POLL_SECONDS = 0.3
HEALTH_SECONDS = timedelta(seconds=1)
"""The longest that a healthy server takes to answer a health check. A busy machine takes longer."""

MOST_SILENT_TRIES = 20
"""After this many unanswered health checks in a row, a server counts as gone."""

FIRST_ANSWER: Final = "the run's worker to answer: it is busy, or was stopped a moment ago"

_ENDINGS = (WorkflowFailureError, WorkflowContinuedAsNewError, RPCError)

_NO_ANSWER = frozenset(
    {
        RPCStatusCode.DEADLINE_EXCEEDED,
        RPCStatusCode.CANCELLED,
        RPCStatusCode.FAILED_PRECONDITION,
        RPCStatusCode.RESOURCE_EXHAUSTED,
    }
)

_SILENT = frozenset({RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED})

Result = TypeVar("Result")
Status = TypeVar("Status")
Outcome = TypeVar("Outcome")


async def followed(
    run: ServerRun[Result],
    kind: type[Status],
    progress: Progress[Status],
    *,
    so_far: Callable[[ServerRun[Result], Status], Awaitable[Outcome | None]],
    at_end: Callable[[ServerRun[Result]], Awaitable[Outcome]],
) -> tuple[ServerRun[Result], Outcome]:
    """Follows a run to its outcome, also into the executions in which it continues as new. Returns
    the last execution and the outcome. Until then, shows the run's progress and what holds it up.

    Args:
        run: The run.
        kind: The type of the status query's answer.
        progress: Where its status is shown.
        so_far: Returns the outcome by a status, for a run that may stay open; None to continue.
        at_end: Returns the outcome of a closed run.

    Raises:
        CommandError: the server does not know the next run.
        RPCError, ServerUnreachable: the server went away.
    """
    while True:
        try:
            return run, await _followed_to_its_end(run, kind, progress, so_far, at_end)
        except WorkflowContinuedAsNewError as onward:
            run = await continued(run, onward)


async def _followed_to_its_end(
    run: ServerRun[Result],
    kind: type[Status],
    progress: Progress[Status],
    so_far: Callable[[ServerRun[Result], Status], Awaitable[Outcome | None]],
    at_end: Callable[[ServerRun[Result]], Awaitable[Outcome]],
) -> Outcome:
    stalls = StallMonitor(with_recovery_note(progress.note), polled=lambda: is_polled(run.client))
    async with until_closed(run.handle) as closed:
        with contextlib.ExitStack() as until_answered:
            until_answered.enter_context(reported_wait(FIRST_ANSWER, progress.note))
            while not closed.done():
                status = await show_status(run, kind, progress)
                told = await so_far(run, status) if status is not None else None
                answers, leaving = status is not None, told is not None
                if answers:
                    until_answered.close()
                await stalls.check(run.handle, answers=answers, leaving=leaving)
                if told is not None:
                    return told
                await asyncio.wait({closed}, timeout=POLL_SECONDS)
        return await at_end(run)


@contextlib.asynccontextmanager
async def until_closed(handle: WorkflowHandle[Any, Any]) -> AsyncIterator["asyncio.Future[Any]"]:
    """Yields a future that is done once the run is closed, however it ended. The future is
    cancelled when the block ends."""
    closed = asyncio.ensure_future(_result(handle))
    try:
        yield closed
    finally:
        closed.cancel()
        with contextlib.suppress(asyncio.CancelledError, *_ENDINGS):
            await closed


async def _result(handle: WorkflowHandle[Any, Any]) -> Any:
    """Waits for a run's result. A call that is lost, because this process or its server was stopped
    for a while, says nothing about the run and is made again: a run may stay open for days.

    Raises:
        RPCError: the server does not have the run.
    """
    while True:
        try:
            return await handle.result(follow_runs=False)
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                raise
        await asyncio.sleep(POLL_SECONDS)


async def continued(
    run: ServerRun[Result], onward: WorkflowContinuedAsNewError
) -> ServerRun[Result]:
    """Returns the execution in which a run continues as new.

    Raises:
        CommandError: the server does not know that execution.
    """
    run_id = onward.new_execution_run_id
    found = await run_described(run.client, run.workflow_id, run.returns, run_id)
    if found is None:
        raise CommandError(f"the run that {run.workflow_id} goes on in is gone")
    return found


async def show_status(
    run: ServerRun[Any], kind: type[Status], progress: Progress[Status]
) -> Status | None:
    """Shows the status of an open run and returns it. Returns None if no worker answers now.

    Raises:
        RPCError, ServerUnreachable: the server went away.
    """
    status = await query_status_or_none(run.handle, kind)
    if status is None:
        with reported_wait("the Temporal server to answer", progress.note):
            await check_server(run.client)
    else:
        progress.update(status)
    return status


async def query_status_or_none(
    handle: WorkflowHandle[Any, Any], kind: type[Status], within: float = ANSWER_SECONDS
) -> Status | None:
    """Returns the status of a run, or None if no worker answers within `within` seconds.

    Raises:
        RPCError: the server went away.
    """
    try:
        return await query_status(handle, kind, within)
    except (TimeoutError, WorkflowQueryFailedError):
        return None
    except RPCError as error:
        if error.status in _NO_ANSWER:
            return None
        raise


async def check_server(client: Client) -> None:
    """Distinguishes a server that is gone from a missing worker, without the client's long timeout.

    A server that is gone refuses at once. A server that does not answer may be busy, or on a busy
    machine, and is asked again.

    Raises:
        ServerUnreachable: the server is gone.
    """
    for _ in range(MOST_SILENT_TRIES):
        try:
            await client.service_client.check_health(retry=False, timeout=HEALTH_SECONDS)
        except RPCError as error:
            if error.status not in _SILENT:
                break
        else:
            return
    raise ServerUnreachable("the Temporal server went away; `desk up` starts it")
