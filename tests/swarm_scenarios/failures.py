"""Specialists fail: one of five, and three of five."""

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.names import WorkflowType
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.graph import NodeState
from starters.terminal.exit_status import ExitStatus
from tests.scenarios.scenario import Scenario, Sight, Stage
from tests.support.scenarios.desk import Asked
from tests.swarm_scenarios.desk import (
    ALL_FIVE,
    OBJECTIVE,
    at_a_desk,
    children,
    failed_nodes,
    reported,
    researched,
)

LEADS = ("plan_1", "conclude_1")
ONE = ("pattern_specialist",)
THREE = ("market_specialist", "technical_specialist", "sentiment_specialist")


async def one_fails(stage: Stage) -> Sight:
    """One gives up: the others' findings are reported, and what is missing is said."""
    asked, report, handed_on = await _with_failing(stage, "one-fails", *ONE)
    failed, done = failed_nodes(report), _done(report)
    faults = []
    if len(failed) != 1 or done != 4 or handed_on:
        faults.append(f"{len(failed)} failed, {done} delivered, {handed_on} handed on")
    if (asked.code, report.outcome) != (ExitStatus.INCOMPLETE, Outcome.INCOMPLETE):
        faults.append(f"{report.outcome}, exit status {asked.code}")
    if not any("the source is empty" in line for line in report.missing):
        faults.append("the report does not say what is missing")
    words = (
        f"{done} of 5 delivered, {failed[0] if failed else 'none'} is told as missing, incomplete"
    )
    return Sight(words, tuple(faults), {"delivered": done, "seconds": asked.seconds})


async def three_fail(stage: Stage) -> Sight:
    """Fewer than half deliver: what failed is handed on to the reserve."""
    asked, report, handed_on = await _with_failing(stage, "three-fail", *THREE)
    failed, done = failed_nodes(report), _done(report)
    faults = []
    if failed or done != 5 or handed_on != 3:
        faults.append(f"{len(failed)} failed, {done} delivered, {handed_on} handed on")
    if (asked.code, report.outcome) != (ExitStatus.COMPLETE, Outcome.COMPLETE):
        faults.append(f"{report.outcome}, exit status {asked.code}")
    words = f"{handed_on} handed on to the reserve, {done} of 5 delivered, complete"
    return Sight(words, tuple(faults), {"handed_on": handed_on, "seconds": asked.seconds})


async def _with_failing(stage: Stage, name: str, *agents: str) -> tuple[Asked, AnswerReport, int]:
    """A swarm of five of which some give up, with how many tasks went to somebody else."""
    script = ",".join(f"fail:{agent}" for agent in agents)
    async with at_a_desk(stage, name, script) as fleet:
        asked = await researched(fleet.variables, OBJECTIVE, *ALL_FIVE, "--rounds", "1")
        report, client = reported(asked), await fleet.client()
        handed_on = await children(client, report.workflow_id, WorkflowType.REASSIGNMENT)
    return asked, report, len(handed_on)


def _done(report: AnswerReport) -> int:
    """How many specialists delivered."""
    done = (line for line in report.nodes if line.state is NodeState.DONE)
    return sum(line.node not in LEADS for line in done)


SCENARIOS = (
    Scenario(
        "one-fails",
        "one of five specialists gives up",
        "four deliver, the report says what is missing, exit status 3",
        one_fails,
    ),
    Scenario(
        "three-fail",
        "three of five specialists give up",
        "handed on to the reserve, complete",
        three_fail,
    ),
)
