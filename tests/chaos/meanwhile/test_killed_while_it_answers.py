"""kill -9 while a question is answered: of the worker, both servers, and the command itself."""

import asyncio
import time
from pathlib import Path

import pytest

from desk.documents.answer.json_form import answer_without_run_fields
from desk.platform.settings import McpTransport
from tests.scenarios.scenario import question
from tests.support.knowledge.process import KNOWLEDGE
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
from tests.support.scenarios.fleet import Effects, ScenarioFleet, scenario_fleet, until
from tests.support.sources import faulty_source
from tests.support.sources.faulty_source import Controls, Fault, started_again

FORK, LAST = "parseDocs.t1.", "synthesis.t1"
"""Parts of the keys of effects: a call of the fork, and the last node's turn."""

COUNTED = "tests.support.processes.counted_desk"


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
    return answer_without_run_fields(asked.answer)


async def test_source_worker_and_server_killed_as_they_work_repeat_no_completed_effect(
    tmp_path: Path, undisturbed: str
) -> None:
    source = Controls(tmp_path / "control")
    entry = faulty_source.over_stdio(KNOWLEDGE, source.path)
    variables = desk_variables(tmp_path, entry, address=LOOPBACK)
    # Each worker starts the source anew.
    with started_again(KNOWLEDGE, source.path):
        async with scenario_fleet(variables) as fleet:
            fleet.effects.hold_up(FORK)
            asked = asyncio.create_task(asked_until_answered(variables, question()))
            try:
                await killed_one_after_the_other(fleet, source, asked)
                answer, _ = await asked
            finally:
                asked.cancel()
                await asyncio.gather(asked, return_exceptions=True)
            assert told(answer) == undisturbed
            assert fleet.effects.repeated == ()


async def killed_one_after_the_other(
    fleet: ScenarioFleet, source: Controls, asked: "asyncio.Task[tuple[Asked, int]]"
) -> None:
    """The source, the server and the worker while the source owes answers; then the server and the
    worker, when the last node's turn is done and the server has not heard of it."""
    effects = fleet.effects
    await until(lambda: effects.begun(FORK), FORK, during=asked)
    source.suffer(Fault.SILENT)
    effects.hold_up(LAST)
    await another_call(source, asked)
    process = fleet.child(faulty_source.__name__)
    assert process is not None
    process.kill()
    await another_call(source, asked)
    fleet.kill_server()
    await fleet.start_server()
    fleet.kill_worker()
    source.suffer(None)
    fleet.start_worker()
    await until(lambda: effects.begun(LAST), LAST, during=asked)
    fleet.freeze_server()
    effects.let_go()
    await until(lambda: not effects.under_way(LAST), f"the end of {LAST}", during=asked)
    fleet.kill_server()
    fleet.kill_worker()
    await fleet.start_server()
    fleet.start_worker()


async def another_call(source: Controls, asked: "asyncio.Task[tuple[Asked, int]]") -> None:
    """Wait until the source was asked once more."""
    before = source.asked
    await until(lambda: source.asked > before, "a call of the source", during=asked)


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
    effects = Effects(tmp_path / "effects.log")
    in_process = desk_variables(tmp_path, over_stdio(), transport=McpTransport.IN_PROCESS)
    variables = {**in_process, "EFFECT_LOG": str(effects.log)}
    effects.hold_up(FORK)
    began = time.perf_counter()
    async with asking(variables, *question_words(question()), module=COUNTED) as hosting:
        # It hosts the servers and the workers too: what is in flight dies with it.
        await until(lambda: effects.begun(FORK), FORK)
        hosting.kill()
        dead = await ended(hosting, began)
    assert dead.answer is None
    assert effects.done > 0
    assert told(await ask(variables, question())) == undisturbed
