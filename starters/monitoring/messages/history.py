"""The histories of a run's workflows, fetched side by side and read as far as messages need."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from temporalio.client import Client

from desk.contracts.names import WorkflowType, workflow_id_parts
from desk.platform.temporal.history import ChildStarted, History, HistoryGone, fetch_chain
from desk.runs.messages import Entry, Pending, ToldWorkflow, WorkerSeen, told
from desk.trust.prose import nearest
from starters.monitoring.messages.events import told_workflow
from starters.monitoring.messages.now import pending_in, workers_seen
from starters.runs.server_runs import history_of
from starters.runs.week_runs import FoundRun
from starters.terminal.exit_status import CommandError, UsageError

SIDE_BY_SIDE: Final = 8


async def entries_of(found: FoundRun, written: str | None, now: datetime) -> list[Entry]:
    """The messages of a run, with those of one market only where one was written.

    What is under way, and how the workers are, is told while the run is open.

    Raises:
        UsageError: the run has no such market.
        CommandError: a history is gone, or cannot be read here.
    """
    reader = RunReader(found.client)
    try:
        chain = [run async for run in fetch_chain(found.client, found.workflow_id, found.run_id)]
    except HistoryGone as gone:
        raise CommandError(str(gone)) from None
    market = _market_of(found, chain, written) if written is not None else None
    for run in chain:
        await reader.read(run, market, root=True)
    workers: Iterable[WorkerSeen] = ()
    if chain[0].ended is None:
        workers = await workers_seen(found.client, now)
    entries = told(reader.workflows, workers)
    return [entry for entry in entries if market in (None, entry.market)]


class RunReader:
    """Reads the workflows of a run, several of them at a time. The order is not kept."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._turns = asyncio.Semaphore(SIDE_BY_SIDE)
        self.workflows: list[ToldWorkflow] = []

    async def read(
        self, history: History, market: str | None = None, *, root: bool = False
    ) -> None:
        """A workflow and its children; of the markets' only those of `market` where it is given.

        Raises:
            CommandError: a history is gone, or cannot be read here.
        """
        pending: Sequence[Pending] = ()
        if history.ended is None:
            pending = await pending_in(self._client, history.workflow_id, history.run_id)
        try:
            self.workflows.append(await told_workflow(history, root=root, pending=pending))
        except (OSError, ValueError, RuntimeError) as error:
            raise CommandError(
                f"the history of {history.workflow_id} cannot be read here ({error}); large "
                "payloads are in the home of the desk that did the work"
            ) from error
        await asyncio.gather(
            *(
                self._read_child(child, market)
                for child in working_children(history)
                if market is None or workflow_id_parts(child.workflow_id).market in (None, market)
            )
        )

    async def _read_child(self, child: ChildStarted, market: str | None) -> None:
        async with self._turns:
            history = await history_of(self._client, child.workflow_id, child.run_id)
        await self.read(history, market)


def working_children(history: History) -> Iterator[ChildStarted]:
    """The children that were started and do work of their own: a case only waits."""
    for child in history.children:
        if child.started and child.started.workflow_type != WorkflowType.ESCALATION:
            yield child.started


def _market_of(found: FoundRun, chain: Iterable[History], written: str) -> str:
    """The market of the run that was meant; `usdjpy` is `USD/JPY`.

    Raises:
        UsageError: the run has no such market; the message has the nearest names.
    """
    children = (child.workflow_id for run in chain for child in working_children(run))
    ids = (found.workflow_id, *children)
    named = (workflow_id_parts(workflow_id).market for workflow_id in ids)
    markets = sorted({name for name in named if name is not None})
    known = {_key(name): name for name in markets}
    if _key(written) in known:
        return known[_key(written)]
    if not markets:
        raise UsageError(f"{found.workflow_id} has no market yet")
    near = ", ".join(nearest(written.strip(), markets))
    raise UsageError(f"no market '{written.strip()}' in {found.workflow_id}; nearest: {near}")


def _key(name: str) -> str:
    return name.strip().lower().replace("/", "").replace("-", "")
