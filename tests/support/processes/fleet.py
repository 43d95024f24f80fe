"""A desk of separate processes: an embedded server and one counted worker for each role."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import ClassVar

from temporalio.client import Client

from desk.contracts.agents.capabilities import LIVE_SOURCES
from desk.contracts.agents.config import RunConfig, VotingConfig
from desk.contracts.names import Message, Queue, week_run_id
from desk.contracts.runs.week import WeekRequest, WeekStatus
from desk.platform.server.embedded import EmbeddedServer, embedded_server
from desk.platform.settings import Settings, load_settings
from tests.support.processes.counted_worker import read_notes
from tests.support.processes.forks import Fork, forked_worker
from tests.support.processes.homes import PROJECT, home_environment
from workers.hosting import Role
from workflows.week.week import WeeklyResearchWorkflow

WEEK = "2026-W44"
MARKETS = ("USD/JPY", "USD/HKD", "USD/TWD", "JP", "SG")
ROLES = (Role.ORCHESTRATOR, Role.RESEARCH, Role.VALIDATION, Role.SOURCES)


class Fleet:
    """One counted worker process for each role."""

    module: ClassVar[str] = "tests.support.processes.counted_worker"
    """Whose `main` the processes run."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._variables = {**environment, "PYTHONPATH": str(PROJECT)}
        self._processes: dict[Role, Fork] = {}

    def start(self, role: Role) -> None:
        """A new process of the role."""
        self._processes[role] = forked_worker(self.module, role, self._variables)

    def pid(self, role: Role) -> int:
        """The process of a role."""
        return self._processes[role].pid

    def kill(self, role: Role) -> None:
        """kill -9."""
        self._processes[role].kill()
        self._processes[role].wait()

    def kill_all(self) -> None:
        """kill -9 of every process."""
        for role in self._processes:
            self.kill(role)

    def start_all(self) -> None:
        """A new process in place of each."""
        for role in self._processes:
            self.start(role)

    def end(self) -> None:
        """Kill what is left."""
        for process in self._processes.values():
            process.kill()
            process.wait()


@contextmanager
def fleet_of(environment: Mapping[str, str], roles: Sequence[Role] = ROLES) -> Iterator[Fleet]:
    """One process of each role."""
    fleet = Fleet(environment)
    try:
        for role in roles:
            fleet.start(role)
        yield fleet
    finally:
        fleet.end()


@asynccontextmanager
async def desk_at(
    directory: Path, roles: Sequence[Role] = ROLES, /, **variables: str
) -> AsyncIterator[tuple[Settings, EmbeddedServer, Fleet, Path]]:
    """Settings, server, workers and the log of effects of a desk in a directory. Where no role is
    killed alone, one process of all does what four do."""
    log = directory / "effects.log"
    # On a busy machine a worker's beats come late: nobody is given up on for that.
    patient = {"MAX_RETRY_ATTEMPTS": "20"}
    noted = {"EFFECT_LOG": str(log), "EFFECT_PAUSE": "0.1", **patient, **variables}
    environment = home_environment(directory, **noted)
    settings = load_settings(PROJECT, environment)
    async with embedded_server(settings.home, settings.server) as server, kept_running(server):
        with fleet_of(environment, roles) as fleet:
            yield settings, server, fleet, log


@asynccontextmanager
async def kept_running(server: EmbeddedServer) -> AsyncIterator[None]:
    """Ends the block with the server's error once it is not started again: whoever waits for what
    it would do waits in vain."""
    waiting = asyncio.current_task()
    assert waiting is not None

    def end(failed: asyncio.Future[None]) -> None:
        if not failed.cancelled():
            waiting.cancel()

    server.failed.add_done_callback(end)
    try:
        yield
    except asyncio.CancelledError:
        if server.failed.done():
            server.failed.result()
        raise
    finally:
        server.failed.remove_done_callback(end)


async def start(
    client: Client,
    settings: Settings,
    markets: Collection[str] = MARKETS,
    voting: VotingConfig | None = None,
) -> None:
    """Start a week of a few markets, with the settings' rules of voting or others."""
    config = settings.config
    # Whether a live source can be reached while processes are killed is not the same in each run.
    kept = tuple(name for name in config.policy.sources if name not in LIVE_SOURCES)
    changes = {"voting": voting or config.policy.voting, "sources": kept}
    policy = config.policy.model_copy(update=changes)
    wanted = tuple(spec for spec in config.markets if spec.market in markets)
    await client.start_workflow(
        WeeklyResearchWorkflow.run,
        WeekRequest(config=RunConfig(markets=wanted, policy=policy), week=WEEK),
        id=week_run_id(WEEK),
        task_queue=Queue.DESK,
    )


async def effects(log: Path, least: int) -> None:
    """Wait until that many effects have begun."""
    while sum(note["stage"] == "started" for note in read_notes(log)) < least:
        await asyncio.sleep(0.01)


async def status_once(
    client: Client, run_id: str, is_so: Callable[[WeekStatus], bool]
) -> WeekStatus:
    """The status of a week's run once something is so, however often nobody answers before."""
    handle = client.get_workflow_handle(run_id)
    while True:
        try:
            status: WeekStatus = await handle.query(Message.STATUS, result_type=WeekStatus)
        except Exception:
            await asyncio.sleep(0.2)
            continue
        if is_so(status):
            return status
        await asyncio.sleep(0.1)
