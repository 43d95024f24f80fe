"""A desk whose Temporal server and workers are processes of their own, to be harmed one by one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from temporalio.client import Client
from temporalio.service import RPCError

from tests.faults.place import Place, Running
from tests.support.scenarios.fleet import ScenarioFleet

ALL_ROLES = "all"


class Apart:
    """The server, the workers (`desk worker ROLE`) and the place of such a desk."""

    def __init__(self, place: Place) -> None:
        self.place = place.with_variables(TEMPORAL_ADDRESS=place.address)
        self.server = ScenarioFleet(self.place.variables)
        self.workers: dict[str, Running] = {}

    @property
    def worker(self) -> Running:
        """The worker of all roles."""
        return self.workers[ALL_ROLES]

    async def start_server(self) -> None:
        """Start the Temporal server and wait until it answers."""
        await self.server.start_server()

    def kill_server(self) -> None:
        """kill -9 of the Temporal server."""
        self.server.kill_server()

    def start_worker(self, role: str = ALL_ROLES) -> Running:
        """A new worker process of a role."""
        self.workers[role] = self.place.start("worker", role)
        return self.workers[role]

    def kill_worker(self, role: str = ALL_ROLES) -> None:
        """kill -9; the MCP servers that it runs end with their input."""
        self.workers[role].kill()

    async def client(self) -> Client:
        """A client in this process."""
        return await self.server.client()

    async def under_way(self, activity: str, workflow_id: str, asked: Running) -> bool:
        """Wait until a run has an activity under way whose type holds the word; whether it came so
        before the command ended."""
        client = await self.client()
        handle = client.get_workflow_handle(workflow_id)
        while not asked.over:
            try:
                pending = (await handle.describe()).raw_description.pending_activities
            except RPCError:
                pending = ()  # type: ignore[assignment]
            if any(activity in each.activity_type.name for each in pending):
                return True
            await asyncio.sleep(0.003)
        return False

    def end(self) -> None:
        """Kill what is left."""
        self.place.end()
        self.server.kill_server()


@asynccontextmanager
async def apart(place: Place) -> AsyncIterator[Apart]:
    """Such a desk for the time of a block."""
    desk = Apart(place)
    try:
        await desk.start_server()
        desk.start_worker()
        await desk.worker.says("worker all")
        yield desk
    finally:
        desk.end()
