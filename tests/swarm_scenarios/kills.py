"""kill -9 of worker and Temporal server in each phase of a swarm."""

import asyncio
from collections.abc import Callable
from itertools import zip_longest
from typing import NamedTuple

from desk.contracts.question.answers import AnswerReport
from desk.documents.answer.json_form import answer_without_run_fields
from tests.scenarios.scenario import Scenario, Sight, Stage
from tests.support.processes.counted_worker import read_notes
from tests.support.scenarios.fleet import ScenarioFleet, until
from tests.swarm_scenarios.desk import (
    ALL_FIVE,
    OBJECTIVE,
    at_a_desk,
    reported,
    researched,
    researched_at_last,
    swarm_fleet,
    swarm_variables,
)
from tests.swarm_scenarios.worker import PUBLISHING

PAUSE_SECONDS = 0.4
"""So long every effect waits, so that a kill finds it at work."""

COMMAND = (OBJECTIVE, *ALL_FIVE, "--rounds", "1")


class Phase(NamedTuple):
    """A phase, and how it is seen that it has begun."""

    name: str
    begun: Callable[[ScenarioFleet], object]


def _published(fleet: ScenarioFleet) -> bool:
    log = fleet.effects.log
    return any(note["stage"] == PUBLISHING for note in read_notes(log))


PHASES = (
    Phase("planning", lambda fleet: fleet.effects.begun("plan_1.")),
    Phase("specialists", lambda fleet: fleet.effects.begun("/specialist/") > 6),
    Phase("conclusion", lambda fleet: fleet.effects.begun("conclude_1.")),
    Phase("publishing", _published),
)


async def killed_in_each_phase(stage: Stage) -> Sight:
    """Both are killed at work, four times in one run, and started again."""
    undisturbed = await _in_peace(stage)
    variables = swarm_variables(stage.place("killed"), pause=PAUSE_SECONDS)
    lost = 0
    async with swarm_fleet(variables) as fleet:
        asking = asyncio.create_task(researched_at_last(variables, *COMMAND))
        try:
            for phase in PHASES:
                await until(lambda p=phase: p.begun(fleet), phase.name, during=asking)  # type: ignore[misc]
                lost = fleet.effects.under_way()
                fleet.kill_worker()
                fleet.kill_server()
                await fleet.start_server()
                fleet.start_worker()
            asked, times = await asking
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        effects = fleet.effects
        repeated, done = effects.repeated, effects.done
    report = reported(asked)
    faults = [f"{key} was done twice" for key in repeated]
    if told := _first_difference(report, undisturbed):
        faults.append(f"it is another report than that of the undisturbed run: {told}")
    words = (
        f"{done} turns and calls, {len(repeated)} done twice, {lost} lost and begun again; a report"
        f" after {asked.seconds:.0f} s, the command given {times} times"
    )
    figures = {"effects": done, "repeated": len(repeated), "lost": lost, "seconds": asked.seconds}
    return Sight(words, tuple(faults), figures)


async def _in_peace(stage: Stage) -> AnswerReport:
    async with at_a_desk(stage, "undisturbed") as fleet:
        return reported(await researched(fleet.variables, *COMMAND))


def _first_difference(one: AnswerReport, other: AnswerReport) -> str | None:
    """The first line in which two reports differ but for times and ids; None: in none."""
    lines = (answer_without_run_fields(each).splitlines() for each in (one, other))
    pairs = zip_longest(*lines, fillvalue="")
    return next((f"{a.strip()} | {b.strip()}" for a, b in pairs if a != b), None)


SCENARIOS = (
    Scenario(
        "killed",
        f"worker and Temporal server killed -9 in {', '.join(phase.name for phase in PHASES)}",
        "no completed turn or call repeated, the same report",
        killed_in_each_phase,
        limit_seconds=180,
    ),
)
