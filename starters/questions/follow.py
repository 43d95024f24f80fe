"""Follows a run until its answer is published."""

from collections.abc import Awaitable, Callable
from typing import Generic, NamedTuple, TypeVar

from temporalio.client import WorkflowFailureError

from desk.contracts.agents.search_attributes import Phase
from desk.contracts.runs.episode import StockResult
from desk.contracts.runs.graph import GraphResult, GraphStatus
from desk.contracts.runs.swarm import SwarmResult
from starters.questions.progress import GraphProgress
from starters.runs.following import followed, query_status_or_none
from starters.runs.server_runs import ServerRun, refusal, why_it_ended
from starters.terminal.exit_status import CommandError, UsageError

Published = TypeVar("Published", GraphResult, SwarmResult, StockResult)
"""The result of a run that published an answer."""

PublishedSoFar = Callable[[ServerRun[Published]], Awaitable[Published | None]]
"""Returns the result of a run that has published and continues; None while it has published
nothing."""


class AnsweredRun(NamedTuple, Generic[Published]):
    """A run with its answer. `before` means that it was answered before this command."""

    run: ServerRun[Published]
    result: Published
    before: bool = False


class EndedWithoutAnswer(CommandError):
    """A run failed, was cancelled or was terminated, and has no answer."""


class NotAnswerable(UsageError):
    """A run refused its request. The message is the run's own."""


async def wait_for_answer(
    run: ServerRun[Published],
    progress: GraphProgress,
    published: PublishedSoFar[Published] | None = None,
) -> AnsweredRun[Published]:
    """Returns the result of a run, and shows its progress until then. Follows a run that continues
    as new into the next execution. Leaves a run that waits for its horizon, and returns what it has
    `published`.

    Raises:
        EndedWithoutAnswer, NotAnswerable: it has no result.
        RPCError, ServerUnreachable: the server went away.
    """

    async def so_far(run: ServerRun[Published], status: GraphStatus) -> Published | None:
        # It has nothing left to do before its horizon.
        waits = status.phase is Phase.AWAITING_HORIZON and status.files is not None
        return await published(run) if published is not None and waits else None

    async def at_end(run: ServerRun[Published]) -> Published:
        last = await query_status_or_none(run.handle, GraphStatus)
        if last is not None:
            progress.update(last)
        return await answer_of(run)

    return AnsweredRun(*await followed(run, GraphStatus, progress, so_far=so_far, at_end=at_end))


async def answer_of(run: ServerRun[Published]) -> Published:
    """Returns the result of a closed run.

    Raises:
        EndedWithoutAnswer, NotAnswerable: it has no result.
    """
    try:
        return await run.handle.result(follow_runs=False)
    except WorkflowFailureError as error:
        refused = refusal(error)
        if refused is not None:
            raise NotAnswerable(refused) from error
        reason = why_it_ended(error)
        raise EndedWithoutAnswer(
            f"the run {run.workflow_id} ended without an answer ({reason})"
        ) from error
