"""Everything comes twice: answers, requests, the same question, an activity after its effect."""

import asyncio

from desk.contracts.names import WorkflowType
from desk.platform.settings import load_settings
from desk.platform.temporal.client import connect
from tests.scenarios.faulty_tools import wrong
from tests.scenarios.scenario import Scenario, Sight, Stage, question
from tests.support.knowledge.process import HttpAsking, http_server
from tests.support.processes.command import DeskCommand
from tests.support.processes.homes import PROJECT
from tests.support.scenarios.desk import (
    LOOPBACK,
    Asked,
    ask,
    asked_until_answered,
    desk_variables,
    over_http,
    over_stdio,
)
from tests.support.scenarios.fleet import scenario_fleet, until
from tests.support.scenarios.histories import history_of

TWICE = ("--error-rate", "1", "--error-kinds", "duplicate")


async def delivered_twice(stage: Stage) -> Sight:
    """The server handles every request twice, or gives every answer twice."""
    at, beside = stage.place("twice-http"), stage.place("twice-stdio")
    with http_server(*TWICE, "--faults-tool") as server:
        over = desk_variables(at, over_http(server.port))
        within = desk_variables(beside, over_stdio(*TWICE))
        asked = await asyncio.gather(ask(over, question()), ask(within, question()))
        received, handled = calls_of(server)
    faults = [fault for each in asked for fault in await wrong(each, stage)]
    if received != tool_calls(asked[0]) or handled != 2 * received:
        faults.append(f"{received} requests, {handled} times handled, for {tool_calls(asked[0])}")
    words = f"{received} calls were handled {handled} times; each counts once"
    return Sight(words, tuple(faults), {"calls": received, "handled": handled})


async def asked_twice(stage: Stage) -> Sight:
    """Two commands at once with the same question."""
    directory = stage.place("same-question")
    with http_server("--faults-tool") as server:
        variables = desk_variables(directory, over_http(server.port))
        with DeskCommand(directory, **variables).up():
            asked = await asyncio.gather(*(ask(variables, question()) for _ in range(2)))
            client = await connect(load_settings(PROJECT, variables))
            query = f'WorkflowType = "{WorkflowType.RESEARCH_GRAPH}"'
            runs = [run.run_id async for run in client.list_workflows(query)]
        received, _ = calls_of(server)
    faults = [fault for each in asked for fault in await wrong(each, stage)]
    named = {each.answer.run_id for each in asked if each.answer}
    files = sorted(path.suffix for path in (directory / "reports" / "answers").iterdir())
    if len(named) != 1 or not set(runs) <= named:
        faults.append(f"{len(named | set(runs))} runs instead of one")
    if files != [".html", ".json", ".md"]:
        faults.append(f"{len(files)} files instead of three")
    if received != tool_calls(asked[0]):
        faults.append(f"{received} calls reached the server for {tool_calls(asked[0])} of the run")
    words = f"{len(named)} run, {len(files)} files, {received} calls; both have the answer"
    return Sight(words, tuple(faults), {"runs": len(named), "calls": received})


async def killed_after_the_effect(stage: Stage) -> Sight:
    """Worker and Temporal server are killed when calls are made and their completion is not told.

    The server is stopped first: what the worker finishes after that, it never hears of.
    """
    directory = stage.place("after-effect")
    with http_server("--faults-tool") as server:
        variables = desk_variables(directory, over_http(server.port), address=LOOPBACK)
        async with scenario_fleet(variables) as fleet:
            asking = asyncio.create_task(asked_until_answered(variables, question()))
            effects = fleet.effects
            await until(lambda: effects.begun("parseDocs"), "a call of the fork", during=asking)
            fleet.freeze_server()
            await until(lambda: not effects.under_way() or None, "the end of all effects")
            fleet.kill_server()
            fleet.kill_worker()
            await fleet.start_server()
            fleet.start_worker()
            asked, _ = await asking
            again = asked.answer and await history_of(
                await fleet.client(), asked.answer.workflow_id
            )
        _, handled = calls_of(server)
    faults = [*await wrong(asked, stage), *(f"{key} was done twice" for key in effects.repeated)]
    if handled != tool_calls(asked):
        faults.append(f"the server handled {handled} calls for {tool_calls(asked)} of the run")
    if not again or not again.retried:
        faults.append("no activity came twice: the scenario tries nothing")
    retried = again.retried if again else 0
    words = (
        f"{retried} activities came twice; the server handled {handled} calls, none of them twice"
    )
    return Sight(words, tuple(faults), {"repeated_activities": retried, "handled": handled})


def calls_of(server: HttpAsking) -> tuple[int, int]:
    """How many calls a server has received and handled."""
    counts = server.call("get_faults")
    return sum(counts["received"].values()), sum(counts["handled"].values())


def tool_calls(asked: Asked) -> int:
    """How many calls a run made by what its answer says."""
    return sum(node.tool_calls for node in asked.answer.nodes) if asked.answer else 0


SCENARIOS = (
    Scenario(
        "duplicate-answers",
        "every request is handled twice (HTTP), every answer comes twice (stdio)",
        "the same answer, each call counted once",
        delivered_twice,
    ),
    Scenario(
        "same-question-twice",
        "two commands ask the same at once",
        "one run, one answer, for both",
        asked_twice,
    ),
    Scenario(
        "killed-after-effect",
        "worker and Temporal server killed when calls were made and nobody had heard of it",
        "no call reaches the server twice",
        killed_after_the_effect,
    ),
)
