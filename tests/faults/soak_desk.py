"""The desk of a soak: a Temporal server, and two workers of each role, one of them to be killed."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final, Self

import psutil
from temporalio.client import Client

from tests.faults.apart import Apart
from tests.faults.place import Place, Running

ROLES: Final = ("orchestrator", "research", "validation", "sources")
SERVER: Final = "server"
MCP: Final = "MCP server"

START_SECONDS: Final = 5.0
"""So long a command may take until it has found the server."""


class SoakDesk:
    """The processes; `victims` are the names of those that may be killed."""

    def __init__(self, place: Place) -> None:
        self._apart = Apart(place)
        self.place = self._apart.place
        self._staying: dict[str, Running] = {}
        self._up = asyncio.Event()
        self._up.set()
        self._killed_at = 0.0
        self.victims = (*ROLES, SERVER, MCP)

    @classmethod
    @asynccontextmanager
    async def working(cls, place: Place) -> AsyncIterator[Self]:
        """Such a desk for the time of a block."""
        desk = cls(place)
        try:
            await desk._apart.start_server()
            for role in ROLES:
                desk._staying[role] = desk.place.start("worker", role)
                desk._apart.start_worker(role)
            for role, worker in desk._staying.items():
                await worker.says(f"worker {role}")
            yield desk
        finally:
            desk._apart.end()

    async def kill(self, victim: str, away_seconds: float) -> None:
        """kill -9 of a victim, which is started again after a while. An MCP server is started by
        its worker."""
        if victim == SERVER:
            self._up.clear()
            self._killed_at = time.monotonic()
            self._apart.kill_server()
            await asyncio.sleep(away_seconds)
            await self._apart.start_server()
            self._up.set()
        elif victim == MCP:
            for child in self._apart.workers["sources"].children()[:1]:
                with suppress(psutil.Error):
                    child.kill()
        else:
            self._apart.kill_worker(victim)
            await asyncio.sleep(away_seconds)
            self._apart.start_worker(victim)

    async def all_up(self) -> None:
        """Start what is dead. The server is started anew: a kill of it may have been cut short."""
        self._apart.kill_server()
        await self._apart.start_server()
        self._up.set()
        for role in ROLES:
            if self._apart.workers[role].over:
                self._apart.start_worker(role)

    async def server_up(self) -> None:
        """Wait until the server is up."""
        await self._up.wait()

    def away_at(self, moment: float) -> bool:
        """Whether the server was killed around a moment of `time.monotonic`."""
        return abs(self._killed_at - moment) < START_SECONDS

    def memory(self) -> Mapping[str, int]:
        """The resident memory of what stays, in bytes: a worker of each role."""
        return {role: worker.memory() for role, worker in self._staying.items()}

    async def client(self) -> Client:
        """A client in this process."""
        return await self._apart.client()
