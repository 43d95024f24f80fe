"""Following a run of a graph until its answer is published."""

import asyncio
import time

from temporalio.client import WorkflowFailureError

from contracts.graph import GraphResult, GraphStatus
from starters.ask_progress import GraphProgress
from starters.endings import CommandError
from starters.following import (
    POLL_SECONDS,
    SILENCE_SECONDS,
    SILENT,
    show_status,
    status_if_told,
    until_closed,
)
from starters.graph_runs import GraphRun
from starters.server_runs import why_it_ended
from starters.troubles import trouble_of


class EndedWithoutAnswer(CommandError):
    """A run failed, was cancelled or was terminated, and there is no answer of it."""

    def __init__(self, run: GraphRun, error: WorkflowFailureError) -> None:
        reason = why_it_ended(error)
        super().__init__(f"the run {run.workflow_id} ended without an answer ({reason})")


async def wait_for_answer(run: GraphRun, progress: GraphProgress) -> GraphResult:
    """What the run returns, with its progress shown until then.

    Raises:
        EndedWithoutAnswer: it returned nothing.
        RPCError, ServerUnreachable: the server went away.
    """
    heard = looked = time.monotonic()
    told: str | None = None
    async with until_closed(run.handle) as closed:
        while not closed.done():
            if await show_status(run, GraphStatus, progress) is not None:
                heard = time.monotonic()
            silent = time.monotonic() - heard > SILENCE_SECONDS
            if silent or time.monotonic() - looked > SILENCE_SECONDS:
                heard = looked = time.monotonic()
                trouble = await trouble_of(run.handle) or (SILENT if silent else None)
                if trouble is not None and trouble != told:
                    told = trouble
                    progress.note(trouble)
            await asyncio.wait({closed}, timeout=POLL_SECONDS)
        last = await status_if_told(run.handle, GraphStatus)
        if last is not None:
            progress.update(last)
        return await answer_of(run)


async def answer_of(run: GraphRun) -> GraphResult:
    """What a closed run returned.

    Raises:
        EndedWithoutAnswer: it returned nothing.
    """
    try:
        return await run.handle.result(follow_runs=False)
    except WorkflowFailureError as error:
        raise EndedWithoutAnswer(run, error) from error
