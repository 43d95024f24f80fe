"""Graphs of very many nodes, answered at an embedded server."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from desk.contracts.names import AgentId
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.graph import MOST_NODES, GraphSpec, NodeState
from desk.platform.server.embedded import embedded_server
from desk.platform.temporal.client import connect
from tests.support.processes.homes import home_settings
from tests.support.runs.desk import desk_workers
from tests.support.runs.graphs import (
    KNOWLEDGE,
    graph,
    knowing_turn,
    node,
    question,
    start_graph,
    synthesis,
)
from tests.support.runs.scripted import ScriptedAnalyst

LARGEST_HISTORY, LONGEST_HISTORY = 50 * 1024 * 1024, 50 * 1024
"""Bytes and events at which Temporal ends a run."""


class Answered(NamedTuple):
    """What came of a graph, and what its history took."""

    answer: AnswerReport
    history_bytes: int
    history_events: int

    def faults(self) -> Iterator[str]:
        """What is not as it must be. A graph may take its share of the bounds of a history: all of
        them where it has as many nodes as a graph may have."""
        share = len(self.answer.nodes) / MOST_NODES
        undone = [line for line in self.answer.nodes if line.state is not NodeState.DONE]
        if undone:
            yield f"{len(undone)} nodes are not done"
        if self.history_bytes >= share * LARGEST_HISTORY:
            yield f"the history takes {self.history_bytes:,} bytes"
        if self.history_events >= share * LONGEST_HISTORY:
            yield f"the history has {self.history_events:,} events"


def fan(nodes: int) -> GraphSpec:
    """So many nodes: one that forks into all the others but the last, which they end in."""
    names = [f"search{number}" for number in range(nodes - 2)]
    ends = (node(name, AgentId.SEARCH_AGENT, "synthesis") for name in names)
    return graph(node("tickets", AgentId.JIRA_AGENT, *names), *ends, synthesis())


async def answered(spec: GraphSpec, directory: Path) -> Answered:
    """A graph by scripted agents at a server of its own."""
    settings = home_settings(directory)
    async with embedded_server(settings.home, settings.server):
        client = await connect(settings)
        analyst = ScriptedAnalyst(knowing_turn)
        async with desk_workers(client, directory, analyst=analyst, servers=(KNOWLEDGE,)):
            run = await start_graph(client, question(spec))
            result = await run.result()
            info = (await run.describe()).raw_description.workflow_execution_info
    answer = AnswerReport.model_validate_json(Path(result.files.json_file).read_text())
    return Answered(answer, info.history_size_bytes, info.history_length)
