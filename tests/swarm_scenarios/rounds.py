"""What goes on from what was found: a second round, and a second run that remembers the first."""

from desk.contracts.question.answers import AnswerReport
from tests.scenarios.scenario import Scenario, Sight, Stage
from tests.swarm_scenarios.desk import (
    ALL_FIVE,
    AS_KNOWN,
    OBJECTIVE,
    at_a_desk,
    reported,
    researched,
)
from tests.swarm_scenarios.worker import FURTHER, REFINED

LATER = "What drives USD/JPY this quarter?"


async def second_round(stage: Stage) -> Sight:
    """The leader wants to know more: the run continues as new, and one report tells of both."""
    async with at_a_desk(stage, "second-round", FURTHER) as fleet:
        asked = await researched(fleet.variables, OBJECTIVE, *ALL_FIVE)
        report = reported(asked)
        handle = (await fleet.client()).get_workflow_handle(report.workflow_id)
        first = (await handle.describe()).raw_description.workflow_execution_info.first_run_id
    rounds = report.swarm.rounds if report.swarm else ()
    objectives = [each.objective for each in rounds]
    faults = []
    if objectives != [OBJECTIVE, REFINED]:
        faults.append(f"the rounds were about {objectives}")
    if report.run_id == first:
        faults.append("it did not continue as new")
    nodes = [line.node for line in report.nodes]
    second = [node for node in nodes if node.startswith("r2_")]
    if not second or "conclude_2" not in nodes:
        faults.append(f"the report has no nodes of a second round: {nodes}")
    words = f"{len(rounds)} rounds, {len(second)} specialists in the second, one report"
    return Sight(words, tuple(faults), {"rounds": len(rounds), "seconds": asked.seconds})


async def remembered(stage: Stage) -> Sight:
    """Another objective about the same market takes up what the first run found."""
    async with at_a_desk(stage, "remembered") as fleet:
        options = (*AS_KNOWN, "--effort", "simple", "--rounds", "1")
        first = reported(await researched(fleet.variables, OBJECTIVE, *options))
        second = reported(await researched(fleet.variables, LATER, *options))
        without = reported(await researched(fleet.variables, LATER, *options, "--no-memory"))
    recalled, followed = _memories(second)
    own = [name for name in recalled if name.startswith(first.workflow_id)]
    faults = []
    if _memories(first)[0] or _memories(without)[0]:
        faults.append("a run remembers that has nothing to remember, or was not to")
    if not own or not followed:
        faults.append(f"{len(own)} memories of the first run, {len(followed)} taken up")
    words = f"{len(recalled)} memories recalled, {len(followed)} taken up in the plan"
    return Sight(words, tuple(faults), {"recalled": len(recalled), "followed": len(followed)})


def _memories(report: AnswerReport) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the leader was shown in the first round, and what its plan takes up."""
    assert report.swarm is not None
    first = report.swarm.rounds[0]
    return first.recalled, first.plan.follows


SCENARIOS = (
    Scenario(
        "second-round",
        "the leader wants to know more after its first round",
        "continued as new with the refined objective, one report of both",
        second_round,
    ),
    Scenario(
        "remembered",
        "a second objective about the same market",
        "its plan takes up what the first run found",
        remembered,
    ),
)
