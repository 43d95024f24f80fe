"""The report of an episode that waits for its horizon. It is published while the episode
continues."""

import asyncio
from pathlib import Path

from temporalio.client import WorkflowQueryFailedError
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.base import Instant, Text
from desk.contracts.names import Message
from desk.contracts.runs.episode import EpisodeStatus, StockResult
from starters.runs.server_runs import ANSWER_SECONDS, ServerRun

LONGEST_SUMMARY = 4_000
NOT_HERE = "The report is on the machine of the worker that published it."


class WaitingEpisode(StockResult):
    """What an episode published that waits for its horizon. `waits_for` is when it is evaluated, or
    retried for the reason in `note`."""

    waits_for: Instant
    note: Text | None = None


async def query_episode(run: ServerRun[StockResult]) -> EpisodeStatus | None:
    """Queries the status of an episode. Returns None if no worker answers for it.

    Raises:
        RPCError: the server went away.
    """
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            status: EpisodeStatus = await run.handle.query(
                Message.EPISODE, result_type=EpisodeStatus
            )
    except (TimeoutError, WorkflowQueryFailedError):
        return None
    except RPCError as error:
        if error.status is RPCStatusCode.UNAVAILABLE:
            raise
        return None
    return status


async def published_so_far(run: ServerRun[StockResult]) -> WaitingEpisode | None:
    """Returns what an open episode published before waiting for its horizon. Returns None if it
    does not wait yet or no worker answers.

    Raises:
        RPCError: the server went away.
    """
    from desk.documents.answer.publishing import read_answer_file

    status = await query_episode(run)
    if status is None or status.published is None or status.outcome is None:
        return None
    if status.waits_for is None or status.board is None:
        return None
    answer = read_answer_file(Path(status.published.json_file))
    # A report on another machine cannot be read from here, but it is published.
    ended = [answer.finished_at] if answer else [step.ended_at for step in status.steps]
    return WaitingEpisode(
        outcome=status.outcome,
        files=status.published,
        summary=answer.summary[:LONGEST_SUMMARY] if answer else NOT_HERE,
        board=status.board,
        steps=status.steps,
        seconds=max((max(ended, default=run.started_at) - run.started_at).total_seconds(), 0.0),
        waits_for=status.waits_for,
        note=status.note,
    )
