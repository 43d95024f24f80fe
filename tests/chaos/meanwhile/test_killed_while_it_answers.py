"""kill -9 while a question is answered: of the command, the worker and both servers. A command that
hosts them itself is killed in `test_killed_host`."""

import asyncio
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
    over_stdio,
    question_words,
)
from tests.support.scenarios.fleet import ScenarioFleet, scenario_fleet, until
from tests.support.sources import faulty_source
from tests.support.sources.faulty_source import Controls, Fault, started_again

FORK, LAST = "parseDocs.t1.", "synthesis.t1"
"""Parts of the keys of effects: a call of the fork, and the last node's turn."""


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


async def test_command_source_worker_and_server_killed_as_they_work_repeat_no_completed_effect(
    tmp_path: Path, undisturbed: str
) -> None:
    source = Controls(tmp_path / "control")
    entry = faulty_source.over_stdio(KNOWLEDGE, source.path)
    variables = desk_variables(tmp_path, entry, address=LOOPBACK)
    # Each worker starts the source anew.
    with started_again(KNOWLEDGE, source.path):
        async with scenario_fleet(variables) as fleet:
            fleet.effects.hold_up(FORK)
            async with asking(variables, *question_words(question())) as command:
                await until(lambda: fleet.effects.begun(FORK), FORK)
                command.kill()
                await command.wait()
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
