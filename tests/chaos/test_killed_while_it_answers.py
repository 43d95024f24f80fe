"""kill -9 while a question is answered: of the worker, both servers, and the command itself."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from desk.documents.answer.json_form import answer_apart_from_the_run
from desk.platform.settings import McpTransport
from tests.scenarios.scenario import question
from tests.support.knowledge.process import FAULTY_KNOWLEDGE, KNOWLEDGE
from tests.support.scenarios.desk import (
    LOOPBACK,
    Asked,
    ask,
    asked_until_answered,
    asking,
    desk_variables,
    ended,
    over_stdio,
    question_words,
)
from tests.support.scenarios.fleet import ScenarioFleet, scenario_fleet, until
from tests.support.sources import faulty_source
from tests.support.sources.faulty_source import started_again

FORK, LAST = "parseDocs.t1.", "synthesis.t1"
"""Parts of the keys of effects: a call of the fork, and the last node's turn."""


Source = Mapping[str, Any]
"""An entry of `.mcp.json`."""


@pytest.fixture(scope="module")
async def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The answer of a run in which nothing was killed."""
    directory = tmp_path_factory.mktemp("undisturbed")
    variables = desk_variables(directory, over_stdio(), transport=McpTransport.IN_PROCESS)
    return told(await ask(variables, question()))


def told(asked: Asked) -> str:
    """An answer without what differs from run to run."""
    assert asked.answer is not None, asked.told
    assert asked.fault(question()) is None
    return answer_apart_from_the_run(asked.answer)


@dataclass
class AskedFleet:
    """A desk at work on the question, and the command that asked it."""

    fleet: ScenarioFleet
    asked: "asyncio.Task[tuple[Asked, int]]"

    async def begun(self, words: str) -> None:
        """Wait until an effect has begun."""
        await until(lambda: self.fleet.effects.begun(words), words, during=self.asked)

    async def answer(self) -> str:
        """What comes of it."""
        asked, _ = await self.asked
        return told(asked)


@asynccontextmanager
async def desk_asked(
    directory: Path, source: Source, *, transport: McpTransport = McpTransport.CONFIGURED
) -> AsyncIterator[AskedFleet]:
    variables = desk_variables(directory, source, address=LOOPBACK, transport=transport)
    async with scenario_fleet(variables) as fleet:
        asked = asyncio.create_task(asked_until_answered(variables, question()))
        try:
            yield AskedFleet(fleet, asked)
        finally:
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)


async def test_a_worker_killed_twice_repeats_no_completed_effect(
    tmp_path: Path, undisturbed: str
) -> None:
    # Each worker starts the source anew.
    control = tmp_path / "control"
    with started_again(KNOWLEDGE, control):
        await killed_twice(tmp_path, faulty_source.over_stdio(KNOWLEDGE, control), undisturbed)


async def killed_twice(directory: Path, source: Source, undisturbed: str) -> None:
    async with desk_asked(directory, source) as desk:
        for boundary in (FORK, LAST):
            await desk.begun(boundary)
            desk.fleet.kill_worker()
            desk.fleet.start_worker()
        assert await desk.answer() == undisturbed
        assert desk.fleet.effects.repeated == ()


async def test_a_killed_temporal_server_loses_nothing(tmp_path: Path, undisturbed: str) -> None:
    async with desk_asked(tmp_path, over_stdio(), transport=McpTransport.IN_PROCESS) as desk:
        await desk.begun(FORK)
        desk.fleet.kill_server()
        await desk.fleet.start_server()
        assert await desk.answer() == undisturbed
        assert desk.fleet.effects.repeated == ()


async def test_a_killed_knowledge_server_is_started_again(tmp_path: Path, undisturbed: str) -> None:
    async with desk_asked(tmp_path, over_stdio("--latency", "500-500")) as desk:
        await desk.begun(FORK)
        first = desk.fleet.child(FAULTY_KNOWLEDGE)
        assert first is not None
        first.kill()
        assert await desk.answer() == undisturbed
        assert desk.fleet.effects.repeated == ()


async def test_a_killed_command_comes_back_to_the_same_run(
    tmp_path: Path, undisturbed: str
) -> None:
    in_process = McpTransport.IN_PROCESS
    variables = desk_variables(tmp_path, over_stdio(), address=LOOPBACK, transport=in_process)
    async with scenario_fleet(variables) as fleet:
        fleet.effects.hold_up(FORK)
        async with asking(variables, *question_words(question())) as command:
            await until(lambda: fleet.effects.begun(FORK), FORK)
            command.kill()
            await command.wait()
        before = fleet.effects.begun()
        fleet.effects.let_go()
        asked = await ask(variables, question())
        assert told(asked) == undisturbed
        assert fleet.effects.repeated == ()
        assert before < fleet.effects.begun() == fleet.effects.done


async def test_a_killed_desk_is_taken_over_by_the_same_command(
    tmp_path: Path, undisturbed: str
) -> None:
    variables = desk_variables(tmp_path, over_stdio("--latency", "700-700"))
    began = time.perf_counter()
    async with asking(variables, *question_words(question())) as hosting:
        # It hosts the servers and the workers too: what is in flight dies with it.
        journal = tmp_path / "home" / "effects.db-wal"
        await until(lambda: journal.exists() and journal.stat().st_size > 20_000, "kept results")
        hosting.kill()
        dead = await ended(hosting, began)
    assert dead.answer is None
    assert told(await ask(variables, question())) == undisturbed
