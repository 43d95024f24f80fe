"""The histories of a run's workflows, fetched side by side and read as far as messages need."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import datetime
from typing import Final

from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client

from desk.contracts.names import workflow_id_parts
from desk.runs.messages import Entry, Pending, ToldWorkflow, WorkerSeen, told
from desk.trust.prose import nearest
from starters.monitoring.messages.events import EventReader, has_ended
from starters.monitoring.messages.now import pending_in, workers_seen
from starters.runs.week_runs import FoundRun
from starters.terminal.exit_status import CommandError, UsageError
from starters.weeks.tape.events import children_in
from starters.weeks.tape.history import history_of

SIDE_BY_SIDE: Final = 8

RunEvents = tuple[str, Sequence[HistoryEvent]]
"""The id of a run, and its history."""


async def entries_of(found: FoundRun, written: str | None, now: datetime) -> list[Entry]:
    """The messages of a run, with those of one market only where one was written.

    What is under way, and how the workers are, is told while the run is open.

    Raises:
        UsageError: the run has no such market.
        CommandError: a history is gone, or cannot be read here.
    """
    reader = RunReader(found.client)
    chain = [run async for run in _chain(found)]
    market = _market_of(found, chain, written) if written is not None else None
    for run_id, events in chain:
        await reader.read(found.workflow_id, run_id, events, market, root=True)
    workers: Iterable[WorkerSeen] = ()
    if not has_ended(chain[0][1]):
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
        self,
        workflow_id: str,
        run_id: str,
        events: Sequence[HistoryEvent],
        market: str | None = None,
        *,
        root: bool = False,
    ) -> None:
        """A workflow and its children; of the markets' only those of `market` where it is given.

        Raises:
            CommandError: a history is gone, or cannot be read here.
        """
        pending: Sequence[Pending] = ()
        if not has_ended(events):
            pending = await pending_in(self._client, workflow_id, run_id)
        reader = EventReader(self._client.data_converter, root=root)
        try:
            self.workflows.append(await reader.told(workflow_id, run_id, events, pending))
        except (OSError, ValueError, RuntimeError) as error:
            raise CommandError(
                f"the history of {workflow_id} cannot be read here ({error}); large payloads are "
                "in the home of the desk that did the work"
            ) from error
        await asyncio.gather(
            *(
                self._read_child(child.workflow_id, child.run_id, market)
                for child in children_in(events)
                if market is None or workflow_id_parts(child.workflow_id).market in (None, market)
            )
        )

    async def _read_child(self, workflow_id: str, run_id: str, market: str | None) -> None:
        async with self._turns:
            events = await history_of(self._client, workflow_id, run_id)
        await self.read(workflow_id, run_id, events, market)


async def _chain(found: FoundRun) -> AsyncIterator[RunEvents]:
    """A run and those that it continues as new, the nearest first, as far as the server keeps them.

    Raises:
        CommandError: the history of the run itself is gone.
    """
    events = await history_of(found.client, found.workflow_id, found.run_id)
    yield found.run_id, events
    while run_id := _before(events):
        try:
            events = await history_of(found.client, found.workflow_id, run_id)
        except CommandError:
            return
        yield run_id, events


def _before(events: Sequence[HistoryEvent]) -> str:
    return events[0].workflow_execution_started_event_attributes.continued_execution_run_id


def _market_of(found: FoundRun, chain: Iterable[RunEvents], written: str) -> str:
    """The market of the run that was meant; `usdjpy` is `USD/JPY`.

    Raises:
        UsageError: the run has no such market; the message has the nearest names.
    """
    children = (child.workflow_id for _, events in chain for child in children_in(events))
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
