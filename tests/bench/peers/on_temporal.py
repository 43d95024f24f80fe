"""The graph on the desk's engine: the floor of `make bench`, on the embedded server of a desk. Each
step is had once, as the desk has each turn and call: what is done stands in the journal before it
is told to the server, which may die before it has stored it."""

import asyncio
import json
import time
from importlib.metadata import version

from pydantic import BaseModel
from temporalio import activity

from activities.effects import heartbeating, once
from desk.contracts.names import Queue
from desk.platform.effects import EffectJournal
from desk.platform.server.embedded import embedded_server
from desk.platform.temporal.client import connect
from tests.bench.floor import FloorMarket, FloorWeekWorkflow, floor_queue, floor_workers
from tests.bench.peers.graph import Run, told
from tests.support.processes.homes import home_settings

WEEK = "week"


class Done(BaseModel):
    """What a step brings."""

    name: str


class Steps:
    """What the floor's activities do here."""

    def __init__(self, run: Run, journal: EffectJournal) -> None:
        self._run = run
        self._journal = journal

    @activity.defn(name="empty")
    async def step(self) -> None:
        """One of the graph's."""
        info = activity.info()
        market = (info.workflow_id or "").partition("/market/")[2]
        name = f"{market}/{info.activity_id}" if market else info.activity_id

        async def done() -> Done:
            await self._run.step(name)
            return Done(name=name)

        async with heartbeating():
            await once(self._journal, done, Done)


async def main(run: Run) -> None:
    """From the first step to the last, or from what was kept of a killed run."""
    settings = home_settings(run.state)
    shape = [FloorMarket.model_validate(each) for each in json.loads(run.graph.read_text())]
    steps = Steps(run, EffectJournal(settings.journal_path))
    began = time.perf_counter()
    async with embedded_server(settings.home, settings.server):
        client = await connect(settings)
        async with floor_workers(client, shape, steps.step):
            if run.resume:
                await client.get_workflow_handle(WEEK).result()
            else:
                began = time.perf_counter()
                await client.execute_workflow(
                    FloorWeekWorkflow.run, shape, id=WEEK, task_queue=floor_queue(Queue.DESK)
                )
            taken = time.perf_counter() - began
    told(taken, f"Temporal's Python SDK {version('temporalio')}, the desk's server")


if __name__ == "__main__":
    asyncio.run(main(Run.of_command()))
