"""kill -9 of the worker and then of the Temporal server while a swarm's specialists are at work."""

import asyncio
from pathlib import Path

import pytest

from desk.documents.answer.json_form import answer_without_run_fields
from desk.platform.settings import McpTransport
from tests.support.scenarios.desk import Asked
from tests.support.scenarios.fleet import until
from tests.swarm_scenarios.desk import (
    AS_KNOWN,
    OBJECTIVE,
    reported,
    researched,
    researched_at_last,
    swarm_fleet,
    swarm_variables,
)

COMMAND = (OBJECTIVE, "--effort", "moderate", "--rounds", "1", "--no-memory", *AS_KNOWN)
SPECIALISTS = "/specialist/"
"""A part of the keys of what specialists do. A hypothesis whose day has come is looked up, too."""

PAUSE_SECONDS = 0.2
"""So long every effect waits, so that a kill finds it at work."""


def told(asked: Asked) -> str:
    """A report without what differs from run to run."""
    return answer_without_run_fields(reported(asked))


@pytest.fixture(scope="module")
async def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of a swarm of which nothing was killed."""
    directory = tmp_path_factory.mktemp("undisturbed")
    variables = swarm_variables(directory, transport=McpTransport.IN_PROCESS)
    async with swarm_fleet(variables):
        return told(await researched(variables, *COMMAND))


async def test_a_killed_worker_and_a_killed_server_repeat_nothing_that_specialists_completed(
    tmp_path: Path, undisturbed: str
) -> None:
    in_process = McpTransport.IN_PROCESS
    variables = swarm_variables(tmp_path, pause=PAUSE_SECONDS, transport=in_process)
    async with swarm_fleet(variables) as fleet:
        effects = fleet.effects
        effects.hold_up(SPECIALISTS)
        asked = asyncio.create_task(researched_at_last(variables, *COMMAND))
        try:
            await until(lambda: effects.begun(SPECIALISTS) > 2, "their first effects", during=asked)
            fleet.kill_worker()
            lost = effects.under_way(SPECIALISTS)
            effects.let_go()
            fleet.start_worker()
            await until(
                lambda: effects.under_way(SPECIALISTS) > lost, "their next effects", during=asked
            )
            # The server stops listening first: what the worker finishes now, it never hears of.
            fleet.freeze_server()
            await until(lambda: effects.under_way(SPECIALISTS) == lost, "their end", during=asked)
            fleet.kill_server()
            fleet.kill_worker()
            cut_off = effects.under_way(SPECIALISTS)
            await fleet.start_server()
            fleet.start_worker()
            ended, _ = await asked
        finally:
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)
    assert told(ended) == undisturbed
    assert effects.repeated == ()
    assert cut_off >= lost > 0
    assert effects.under_way(SPECIALISTS) == cut_off, "only what the kills cut off was begun again"
