"""kill -9 in the middle of a run: of the server `knowledge`, the Temporal server, the worker."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tests.scenarios.faulty_tools import wrong
from tests.scenarios.scenario import Scenario, Sight, Stage, question
from tests.support.knowledge.process import FAULTY_KNOWLEDGE
from tests.support.scenarios.desk import (
    LOOPBACK,
    Asked,
    asked_until_answered,
    desk_variables,
    over_stdio,
)
from tests.support.scenarios.fleet import ScenarioFleet, scenario_fleet, until

CALL_MS = 1_000
"""So long every call takes, so that a kill finds calls at work."""

DOWN_SECONDS = 3.0

FORK = "parseDocs"
"""A node of the fork, whose first call is waited for."""


@dataclass
class Playing:
    """A fleet at work on the question."""

    fleet: ScenarioFleet
    asked: "asyncio.Task[tuple[Asked, int]]"

    async def until(self, condition: Callable[[], object], what: str) -> None:
        """Wait for something that happens while the question is answered."""
        await until(condition, what, during=self.asked)

    async def in_the_fork(self) -> None:
        """Wait until a call of the fork has begun."""
        await self.until(lambda: self.fleet.effects.begun(f"{FORK}.t1."), "a call of the fork")


@asynccontextmanager
async def playing(stage: Stage, name: str) -> AsyncIterator[Playing]:
    """A fleet of which `desk ask` has asked the question."""
    knowledge = over_stdio("--latency", f"{CALL_MS}-{CALL_MS}")
    variables = desk_variables(stage.place(name), knowledge, address=LOOPBACK)
    async with scenario_fleet(variables) as fleet:
        asked = asyncio.create_task(asked_until_answered(variables, question()))
        try:
            yield Playing(fleet, asked)
        finally:
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)


async def knowledge_killed(stage: Stage) -> Sight:
    """The server `knowledge` is killed under the calls of the fork."""
    async with playing(stage, "knowledge-killed") as play:
        await play.in_the_fork()
        first = play.fleet.child(FAULTY_KNOWLEDGE)
        assert first is not None, "there is no server `knowledge` to kill"
        first.kill()
        await play.until(lambda: _another(play.fleet, first.pid), "another server `knowledge`")
        asked, _ = await play.asked
        faults = await _faults(play, stage)
    words = f"another server was started; right after {asked.seconds:.1f} s"
    return Sight(words, faults, {"seconds": asked.seconds})


async def server_killed(stage: Stage) -> Sight:
    """The Temporal server is killed under the calls of the fork, and is away for a while."""
    async with playing(stage, "server-killed") as play:
        await play.in_the_fork()
        play.fleet.kill_server()
        # This is the time that the broker is down: what is measured, and not waited for.
        await asyncio.sleep(DOWN_SECONDS)
        await play.fleet.start_server()
        asked, times = await play.asked
        done = play.fleet.effects.done
        faults = await _faults(play, stage)
    came_back = f", the command given {times} times" if times > 1 else ""
    words = f"{done} turns and calls, each done once; right after {asked.seconds:.1f} s{came_back}"
    return Sight(words, faults, {"seconds": asked.seconds, "effects": done, "commands": times})


async def worker_killed(stage: Stage) -> Sight:
    """The worker is killed under the calls of the fork."""
    async with playing(stage, "worker-killed") as play:
        await play.in_the_fork()
        under_way = play.fleet.effects.under_way()
        play.fleet.kill_worker()
        play.fleet.start_worker()
        asked, _ = await play.asked
        done = play.fleet.effects.done
        faults = await _faults(play, stage)
    words = (
        f"{under_way} turns and calls lost with it and begun again, none that was done;"
        f" right after {asked.seconds:.1f} s"
    )
    return Sight(words, faults, {"seconds": asked.seconds, "lost": under_way, "effects": done})


async def _faults(play: Playing, stage: Stage) -> tuple[str, ...]:
    asked, _ = await play.asked
    again = (f"{key} was done twice" for key in play.fleet.effects.repeated)
    return (*await wrong(asked, stage), *again)


def _another(fleet: ScenarioFleet, killed: int) -> bool:
    now = fleet.child(FAULTY_KNOWLEDGE)
    return now is not None and now.pid != killed


SCENARIOS = (
    Scenario(
        "knowledge-killed",
        "server `knowledge` (stdio) killed -9 under three calls",
        "started again, the same answer",
        knowledge_killed,
    ),
    Scenario(
        "server-killed",
        f"Temporal server killed -9 in a fork, away for {DOWN_SECONDS:.0f} s",
        "the run goes on, no call repeated, the same answer",
        server_killed,
    ),
    Scenario(
        "worker-killed",
        "worker killed -9 in a fork",
        "no completed call repeated, the same answer",
        worker_killed,
    ),
)
