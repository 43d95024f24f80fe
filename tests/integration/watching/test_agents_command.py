"""`desk agents` at a desk of real processes, one of which is stopped or killed."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from desk.contracts.names import AgentId
from desk.platform.server.embedded import embedded_server
from desk.platform.server.host_lock import HostLock
from desk.platform.settings import load_settings
from desk.programs.week.program import PROGRAM
from tests.support.processes.command import DeskCommand
from tests.support.processes.forks import Fork, forked_command
from tests.support.processes.homes import PROJECT

WEEK = "2026-W44"


class Workers:
    """`desk worker` processes, one for each role."""

    def __init__(self, desk: DeskCommand) -> None:
        self._desk = desk
        self._running: dict[str, Fork] = {}

    def start(self, role: str) -> None:
        """A new process of the role."""
        silent = Path(os.devnull)
        self._running[role] = forked_command(["worker", role], self._desk.variables, silent, silent)

    def end(self, role: str, number: signal.Signals) -> None:
        """Stop it, one way or the other."""
        process = self._running.pop(role)
        process.send_signal(number)
        process.wait(60)

    def end_all(self) -> None:
        """Kill what is left."""
        for role in tuple(self._running):
            self.end(role, signal.SIGKILL)


@pytest.fixture(scope="module")
async def desk(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[tuple[DeskCommand, Workers]]:
    """A desk of which every role is a process, with some markets of a week published."""
    command = DeskCommand(tmp_path_factory.mktemp("agents"))
    settings = load_settings(PROJECT, command.variables)
    workers = Workers(command)
    async with AsyncExitStack() as stack:
        # The commands are clients of this server, and host none of their own.
        stack.enter_context(HostLock(settings.home))
        await stack.enter_async_context(embedded_server(settings.home, settings.server))
        stack.callback(workers.end_all)
        for role in ("orchestrator", "research", "validation", "sources"):
            workers.start(role)
        ran = await asyncio.to_thread(
            command, "run", "--week", WEEK, "--markets", "USD/JPY,EUR/USD,JP"
        )
        assert ran.code == 0, ran.err
        yield command, workers


async def eventually(
    command: DeskCommand,
    holds: Callable[[dict[str, Any]], bool],
    seconds: float,
    pause: float = 1.0,
) -> dict[str, Any]:
    """The first answer of `desk agents --json` for which something holds."""
    deadline = time.monotonic() + seconds
    while True:
        answer = await asyncio.to_thread(command, "agents", "--json")
        assert answer.code == 0, answer.err
        found: dict[str, Any] = answer.json
        if holds(found):
            return found
        assert time.monotonic() < deadline, found
        await asyncio.sleep(pause)


def all_told(found: dict[str, Any]) -> bool:
    """Whether every agent has a worker that was heard of, and all that was done is listed."""
    agents = {line["agent"]: line for line in found["agents"]}
    at_work = all(line["workers"] and line["memory_percent"] for line in agents.values())
    return at_work and agents["validator_agent"]["finished"] >= 3


async def test_a_desk_at_work_is_healthy_and_its_work_is_counted(
    desk: tuple[DeskCommand, Workers],
) -> None:
    command, _ = desk
    found = await eventually(command, all_told, 60)
    agents = {line["agent"]: line for line in found["agents"]}
    assert sorted(agents) == sorted(AgentId)
    assert {line["status"] for line in agents.values()} == {"healthy"}
    assert found["unpolled"] == []
    assert agents["validator_agent"]["finished"] == 3
    assert agents["research_agent_1"]["finished"] + agents["research_agent_2"]["finished"] >= 3
    assert not any(line["failed"] for line in agents.values())
    assert {name for name in agents if agents[name]["last_success"]} == set(PROGRAM.agents)
    assert all(line["active"] == 0 for line in agents.values())
    assert all(line["memory_percent"] for line in agents.values())
    sources = {line["server"]: line for line in found["sources"]}
    assert sources["ecb"]["finished"] > 0
    shown = await asyncio.to_thread(command, "agents")
    told = {line.split()[0] for line in shown.out.splitlines()}
    assert told > {*AgentId, *sources}, "each in a line of its own, with its whole name"


async def test_a_stopped_source_is_named_at_once_and_a_killed_worker_after_its_heartbeats(
    desk: tuple[DeskCommand, Workers],
) -> None:
    command, workers = desk
    workers.end("validation", signal.SIGKILL)
    workers.end("sources", signal.SIGTERM)
    found = await eventually(command, lambda told: "source.ecb" in told["unpolled"], 30)
    ecb = next(line for line in found["sources"] if line["server"] == "ecb")
    assert (ecb["status"], ecb["reasons"]) == ("offline", ["no worker polls source.ecb"])
    first = next(line for line in found["agents"] if line["agent"] == "research_agent_1")
    assert first["status"] == "degraded"
    assert any("ecb" in reason for reason in first["reasons"])
    shown = await asyncio.to_thread(command, "agents")
    assert "ecb offline: no worker polls source.ecb" in shown.out
    assert "`desk worker" in shown.out
    found = await eventually(command, lambda told: "validation" in told["unpolled"], 120, 2)
    line = next(line for line in found["agents"] if line["agent"] == "validator_agent")
    assert line["status"] == "offline"
    workers.start("sources")
    workers.start("validation")
    await eventually(command, lambda told: not told["unpolled"], 60)
