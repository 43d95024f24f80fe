"""A desk for a swarm: its MCP servers as processes of their own, the Temporal server and a worker
that can be killed, and the command."""

import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from temporalio.client import Client, WorkflowExecution

from desk.contracts.names import WorkflowType
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.graph import NodeState
from desk.platform.settings import McpTransport
from tests.scenarios.scenario import Stage
from tests.support.processes.homes import home_environment
from tests.support.scenarios.desk import LOOPBACK, Asked, again_until_answered, asking, ended
from tests.support.scenarios.fleet import ScenarioFleet, scenario_fleet
from tests.support.sources.servers import module_of

OBJECTIVE = "Is USD/JPY overbought, and what drives it?"
"""It names one market: each of five specialists looks at that."""

AS_OF = "2026-10-30"
AS_KNOWN = ("--as-of", AS_OF)
ALL_FIVE = ("--effort", "complex", "--no-memory", *AS_KNOWN)

_SOURCES = ("ecb", "central_banks", "official_statistics", "knowledge", "analysis", "sentiment")
_SLOW = ("analysis", "sentiment", "central_banks", "knowledge")
"""Those that specialists ask."""


def swarm_variables(
    directory: Path,
    *,
    latency_ms: int = 0,
    pause: float = 0.0,
    script: str = "",
    transport: McpTransport = McpTransport.CONFIGURED,
) -> Mapping[str, str]:
    """What puts a swarm's desk into a directory, with every call of its sources so much later,
    where these are processes.

    `pause` is how long a worker waits in every effect, and `script` what its agents do otherwise.
    """
    sources = directory / "mcp.json"
    servers = {name: _server(name, latency_ms if name in _SLOW else 0) for name in _SOURCES}
    sources.write_text(json.dumps({"mcpServers": servers}))
    made = home_environment(
        directory,
        DESK_MCP_CONFIG=str(sources),
        DESK_MCP_TRANSPORT=transport,
        EFFECT_LOG=str(directory / "effects.log"),
        EFFECT_PAUSE=str(pause),
        SWARM_SCRIPT=script,
    )
    return {**made, "TEMPORAL_ADDRESS": f"{LOOPBACK}:{made['DESK_SERVER_PORT']}"}


def swarm_fleet(variables: Mapping[str, str]) -> AbstractAsyncContextManager[ScenarioFleet]:
    """The Temporal server and a worker of all roles, which notes its effects."""
    return scenario_fleet(variables, worker="tests.swarm_scenarios.worker")


@asynccontextmanager
async def at_a_desk(stage: Stage, name: str, script: str = "") -> AsyncIterator[ScenarioFleet]:
    """A fleet in a place of its own, whose sources answer at once."""
    async with swarm_fleet(swarm_variables(stage.place(name), script=script)) as fleet:
        yield fleet


async def researched(variables: Mapping[str, str], *words: str) -> Asked:
    """A `desk swarm` to its end."""
    began = time.perf_counter()
    async with asking(variables, *words, command="swarm") as process:
        return await ended(process, began)


async def researched_at_last(variables: Mapping[str, str], *words: str) -> tuple[Asked, int]:
    """The same command until there is a report, with how often it was given."""
    return await again_until_answered(lambda: researched(variables, *words))


def reported(asked: Asked) -> AnswerReport:
    """The report that a command printed.

    Raises:
        AssertionError: it printed none.
    """
    assert asked.answer is not None, f"exit status {asked.code}: {asked.told.strip()[-400:]}"
    return asked.answer


def failed_nodes(report: AnswerReport) -> tuple[str, ...]:
    """The nodes that brought nothing."""
    return tuple(line.node for line in report.nodes if line.state is NodeState.FAILED)


async def children(client: Client, run: str, kind: WorkflowType) -> list[WorkflowExecution]:
    """The workflows of a kind that the run of a swarm started, oldest first, by its own history:
    the server lists what began or ended a moment later than it knows of it."""
    history = await client.get_workflow_handle(run).fetch_history()
    begun = (event.child_workflow_execution_started_event_attributes for event in history.events)
    handles = [
        client.get_workflow_handle(child.workflow_execution.workflow_id)
        for child in begun
        if child.workflow_type.name == kind
    ]
    found = [await handle.describe() for handle in handles]
    return sorted(found, key=lambda child: child.start_time)


def _server(name: str, latency_ms: int) -> dict[str, object]:
    module = module_of(name)
    slow = ("tests.swarm_scenarios.slow_server", module, str(latency_ms))
    arguments = ["-m", *(slow if latency_ms else (module,))]
    return {"command": "python", "args": arguments, "inProcess": module}
