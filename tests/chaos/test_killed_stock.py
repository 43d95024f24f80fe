"""kill -9 of the worker at every boundary of a stock's episode, and while it waits for its
horizon."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from temporalio.client import WorkflowExecutionStatus

from desk.contracts.agents.config import DeadlineConfig, RetryConfig, RunPolicy
from desk.contracts.episode.actions import StockAction
from desk.contracts.question.answers import AnswerReport
from desk.contracts.runs.episode import EpisodeStatus, StockResult
from desk.documents.answer.json_form import answer_without_run_fields
from desk.programs.episode.horizon import SETTLING
from tests.support.processes.counted_worker import read_notes
from tests.support.processes.homes import home_environment
from tests.support.scenarios.fleet import ScenarioFleet, scenario_fleet, until
from tests.support.stocks.board import Handle, episode, start_episode
from tests.swarm_scenarios.worker import PUBLISHING
from workflows.episode.episode import StockResearchWorkflow

STEPS = (
    StockAction.RUN_TA_BASIC,
    StockAction.GENERATE_INSIGHT,
    StockAction.GENERATE_RECOMMENDATION,
    StockAction.EVALUATE_PERFORMANCE,
)
AS_OF = datetime(2009, 6, 10, 22, tzinfo=UTC)
"""A day of which the packages have Apple's prices, and those of the weeks after it."""

BOUNDARIES = ("RUN_TA_BASIC.t1.", "controller.3.t1")
"""Parts of the keys of what each kill finds under way: calls and a choice."""

NOWHERE = "no key has this in it"

PAUSE_SECONDS = 0.2
"""So long every effect waits, so that a kill finds it at work."""

HORIZONS = (4, 8, 16, 32)
"""So many seconds ahead: the first is enough where nothing holds the machine up."""


def told(result: StockResult) -> str:
    """The report without what differs from run to run."""
    report = AnswerReport.model_validate_json(Path(result.files.json_file).read_text())
    assert report.stock is not None
    steps = tuple(
        step.model_copy(update={"started_at": AS_OF, "ended_at": AS_OF})
        for step in report.stock.steps
    )
    stock = report.stock.model_copy(update={"steps": steps})
    return answer_without_run_fields(report.model_copy(update={"stock": stock}))


@asynccontextmanager
async def fleet_at(directory: Path, pause: float = 0.0) -> AsyncIterator[ScenarioFleet]:
    log = {"EFFECT_LOG": str(directory / "effects.log"), "EFFECT_PAUSE": str(pause)}
    made: Mapping[str, str] = home_environment(directory, **log)
    address = {"TEMPORAL_ADDRESS": f"127.0.0.1:{made['DESK_SERVER_PORT']}"}
    async with scenario_fleet({**made, **address}, worker="tests.swarm_scenarios.worker") as fleet:
        yield fleet


async def begun(
    fleet: ScenarioFleet,
    as_of: datetime,
    run_id: str = "stock-test",
    steps: tuple[StockAction, ...] = STEPS,
) -> Handle:
    # A kill costs a try, and so does a machine that holds a worker up while it starts.
    patient = RetryConfig(max_attempts=20, first_pause=timedelta(milliseconds=10))
    request = episode(
        symbol="AAPL",
        policy=RunPolicy(retries=patient, deadlines=DeadlineConfig()),
        as_of=as_of,
        steps=steps,
        memory=False,
        learn=False,
        given_up_after=timedelta(seconds=1),
    )
    return await start_episode(await fleet.client(), request, run_id=run_id)


def published(fleet: ScenarioFleet, run_id: str = "stock-test") -> int:
    notes = read_notes(fleet.effects.log)
    return sum((note["stage"], note["key"]) == (PUBLISHING, run_id) for note in notes)


def evaluated(fleet: ScenarioFleet, run: Handle) -> int:
    return fleet.effects.begun(f"{run.id}/{run.result_run_id}/evaluator_agent")


async def killed_before_the_horizon(
    fleet: ScenarioFleet, steps: tuple[StockAction, ...]
) -> tuple[Handle, EpisodeStatus]:
    """An episode whose worker was killed while it waited, and how it stood: of one whose horizon
    came while the machine was busy with its first steps, another is begun."""
    for ahead in HORIZONS:
        as_of = datetime.now(UTC) - timedelta(weeks=4) - SETTLING + timedelta(seconds=ahead)
        run = await begun(fleet, as_of, run_id=f"stock-waiting-{ahead}", steps=steps)
        while (status := await run.query(StockResearchWorkflow.episode)).waits_for is None:
            if (await run.describe()).status is not WorkflowExecutionStatus.RUNNING:
                break
            await asyncio.sleep(0.05)
        fleet.kill_worker()
        if status.waits_for is not None and not evaluated(fleet, run):
            return run, status
        fleet.start_worker()
        await run.result()
    raise AssertionError(f"no episode came to its wait within {HORIZONS[-1]} s")


@pytest.fixture(scope="module")
async def quiet(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ScenarioFleet]:
    """A fleet whose effects do not wait."""
    async with fleet_at(tmp_path_factory.mktemp("quiet")) as fleet:
        yield fleet


@pytest.fixture(scope="module")
async def undisturbed(quiet: ScenarioFleet) -> str:
    """The report of an episode of which nothing was killed."""
    return told(await (await begun(quiet, AS_OF)).result())


async def test_a_worker_killed_at_every_boundary_repeats_nothing_that_was_done(
    tmp_path: Path, undisturbed: str
) -> None:
    async with fleet_at(tmp_path, PAUSE_SECONDS) as fleet:
        effects = fleet.effects
        effects.hold_up(BOUNDARIES[0])
        result = asyncio.create_task((await begun(fleet, AS_OF)).result())
        try:
            for boundary, following in zip(BOUNDARIES, (*BOUNDARIES[1:], NOWHERE), strict=True):
                await until(lambda at=boundary: effects.begun(at), boundary, during=result)  # type: ignore[misc]
                fleet.kill_worker()
                effects.hold_up(following)
                fleet.start_worker()
            await until(lambda: published(fleet), "its publication", during=result)
            fleet.kill_worker()
            lost = effects.under_way()
            fleet.start_worker()
            ended = await result
        finally:
            result.cancel()
            await asyncio.gather(result, return_exceptions=True)
    assert told(ended) == undisturbed
    assert effects.repeated == ()
    assert effects.under_way() == lost > 0, "only what kills cut off was begun again"


async def test_a_worker_killed_while_the_horizon_is_ahead_publishes_and_evaluates_after_it(
    quiet: ScenarioFleet,
) -> None:
    """There are no prices of that time, which nobody asks for before it is due; then it is given
    up."""
    steps = (StockAction.FETCH_NEWS, *STEPS[1:])
    run, status = await killed_before_the_horizon(quiet, steps)
    assert status.published is not None
    assert Path(status.published.json_file).is_file()
    quiet.start_worker()
    result = await run.result()
    assert evaluated(quiet, run)
    assert published(quiet, run.id) == 2
    assert quiet.effects.repeated == ()
    assert result.board.taken == steps
    assert [step.board for step in result.steps[:3]] == [step.board for step in status.steps]
