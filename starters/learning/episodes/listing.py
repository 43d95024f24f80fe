"""The episodes on the server: their requests and their states."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Final, NamedTuple

from pydantic import Field
from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowExecutionStatus,
    WorkflowFailureError,
)

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.base import Contract, Instant, ShortText, Text, is_none
from desk.contracts.episode.stock import MOST_STEPS, Blackboard, EpisodeStep
from desk.contracts.findings.document import PublishedFiles
from desk.contracts.names import WorkflowType
from desk.contracts.runs.episode import StockRequest, StockResult
from starters.questions.stock.published import query_episode
from starters.runs.server_runs import (
    LONGEST_REASON,
    ServerRun,
    refusal,
    run_described,
    started_with,
    why_it_ended,
)
from starters.terminal.exit_status import CommandError
from workflows.engine.options import MARKET

SIDE_BY_SIDE: Final = 8
ELSEWHERE: Final = "large payloads are in the home of the desk that did the work"
UNANSWERED: Final = "no worker answers for it at the moment"

_Run = ServerRun[StockResult]


class ListedEpisode(Contract):
    """An episode and its state, as `--json` prints it.

    `waits_for` is when its evaluation is due, if it waits for that. `note` says what could not be
    read or sent.
    """

    workflow_id: ShortText
    run_id: ShortText
    open: bool
    request: StockRequest
    as_of: Instant
    started_at: Instant
    board: Annotated[Blackboard | None, Field(exclude_if=is_none)] = None
    steps: Annotated[tuple[EpisodeStep, ...], Field(max_length=MOST_STEPS)] = ()
    outcome: Annotated[Outcome | None, Field(exclude_if=is_none)] = None
    waits_for: Annotated[Instant | None, Field(exclude_if=is_none)] = None
    files: Annotated[PublishedFiles | None, Field(exclude_if=is_none)] = None
    note: Annotated[Text | None, Field(exclude_if=is_none)] = None


class UnreadableEpisode(NamedTuple):
    """An episode whose request could not be read, and why."""

    workflow_id: str
    why: str


async def newest_episodes(client: Client, symbol: str | None = None) -> list[WorkflowExecution]:
    """Returns the latest run of each episode, newest first. With `symbol`, only those of one stock,
    and those that ended before the search attribute for the symbol existed.

    Raises:
        RPCError: the server went away.
    """
    newest: dict[str, WorkflowExecution] = {}
    async for run in client.list_workflows(f'WorkflowType = "{WorkflowType.STOCK_RESEARCH}"'):
        if run.id not in newest or run.start_time > newest[run.id].start_time:
            newest[run.id] = run
    wanted = (
        run
        for run in newest.values()
        if symbol is None or run.typed_search_attributes.get(MARKET) in (None, symbol)
    )
    return sorted(wanted, key=lambda run: (run.start_time, run.id), reverse=True)


async def is_any_open(client: Client) -> bool:
    """Returns whether an episode is under way or waits for its evaluation.

    Raises:
        RPCError: the server went away.
    """
    query = f'WorkflowType = "{WorkflowType.STOCK_RESEARCH}" AND ExecutionStatus = "Running"'
    async for _ in client.list_workflows(query, limit=1):
        return True
    return False


async def finished_episodes(client: Client) -> list[WorkflowExecution]:
    """Returns every finished run, including repeated ones, in the order in which they ended.

    Raises:
        RPCError: the server went away.
    """
    query = f'WorkflowType = "{WorkflowType.STOCK_RESEARCH}" AND ExecutionStatus = "Completed"'
    found = [run async for run in client.list_workflows(query)]
    return sorted(found, key=lambda run: (run.close_time or run.start_time, run.id, run.run_id))


async def read_episodes(
    client: Client, runs: Sequence[WorkflowExecution]
) -> list[ListedEpisode | UnreadableEpisode]:
    """Reads the states of some episodes, in their order. Omits those that were refused or deleted
    since.

    Raises:
        RPCError: the server went away.
    """
    free = asyncio.Semaphore(SIDE_BY_SIDE)

    async def one(execution: WorkflowExecution) -> ListedEpisode | UnreadableEpisode | None:
        async with free:
            try:
                return await _listed(client, execution)
            except CommandError as error:
                return UnreadableEpisode(execution.id, str(error))
            except (OSError, RuntimeError) as error:
                return UnreadableEpisode(execution.id, f"{execution.id}: {error}; {ELSEWHERE}")

    found = await asyncio.gather(*map(one, runs))
    return [each for each in found if each is not None]


async def list_in_batches(
    client: Client, runs: Sequence[WorkflowExecution], size: int
) -> AsyncIterator[list[ListedEpisode | UnreadableEpisode]]:
    """Like `read_episodes`, in batches, so that only one batch of trajectories is in memory."""
    for start in range(0, len(runs), size):
        yield await read_episodes(client, runs[start : start + size])


async def _listed(client: Client, execution: WorkflowExecution) -> ListedEpisode | None:
    run = await run_described(client, execution.id, StockResult, execution.run_id)
    if run is None:
        return None
    return await (_under_way(run) if run.open else _ended(run, execution.status))


async def _under_way(run: _Run) -> ListedEpisode:
    """Queries the state of an open episode. Falls back to its request if no worker answers."""
    status = await query_episode(run)
    if status is None:
        return _only_asked(run, await started_with(run, StockRequest), UNANSWERED)
    return ListedEpisode(
        workflow_id=run.workflow_id,
        run_id=run.run_id,
        open=True,
        request=status.request,
        as_of=status.as_of,
        started_at=run.started_at,
        board=status.board,
        steps=status.steps,
        waits_for=status.waits_for,
        files=status.published,
        note=status.note,
    )


async def _ended(run: _Run, status: WorkflowExecutionStatus | None) -> ListedEpisode | None:
    """Reads the state of a closed episode. Returns None for one that was refused, for instance
    because there is no such stock."""
    request = await started_with(run, StockRequest)
    try:
        result = await run.handle.result(follow_runs=False)
    except WorkflowFailureError as error:
        if refusal(error) is not None:
            return None
        how = status.name.lower().replace("_", " ") if status else "ended"
        return _only_asked(run, request, f"{how}: {why_it_ended(error)}"[:LONGEST_REASON])
    except (OSError, ValueError, RuntimeError) as error:
        return _only_asked(run, request, f"{error}; {ELSEWHERE}"[:LONGEST_REASON])
    return ListedEpisode(
        workflow_id=run.workflow_id,
        run_id=run.run_id,
        open=False,
        request=request,
        as_of=result.board.as_of,
        started_at=run.started_at,
        board=result.board,
        steps=result.steps,
        outcome=result.outcome,
        files=result.files,
    )


def _only_asked(run: _Run, request: StockRequest, note: str) -> ListedEpisode:
    return ListedEpisode(
        workflow_id=run.workflow_id,
        run_id=run.run_id,
        open=run.open,
        request=request,
        as_of=request.as_of or run.started_at,
        started_at=run.started_at,
        note=note,
    )
