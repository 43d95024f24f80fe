"""A week whose agents are models describes to each the tools that its record speaks for."""

from pathlib import Path

from temporalio.client import Client

from desk.contracts.agents.tools import ToolSpec
from desk.contracts.learning.record import LearningRequest
from desk.contracts.names import LEARNING_SYSTEM_ID, AgentId, Message, Queue
from desk.contracts.runs.turns import Turn, TurnRequest
from tests.support.models.spending import SOURCES, Spender, budgeted
from tests.support.runs.desk import desk_workers, pair, start_week
from tests.support.runs.learning import lesson, use
from tests.support.runs.scripted import ScriptedTools
from workflows.learning import LearningSystemWorkflow

SEARCH = ToolSpec(server="ecb", tool="search_symbols", description="Finds symbols. By their names.")
QUOTE = ToolSpec(server="ecb", tool="get_quote", description="A quote. As of an instant.")


async def test_a_tool_that_an_agent_never_cited_is_told_to_it_in_short(
    client: Client, tmp_path: Path
) -> None:
    told: dict[AgentId, tuple[ToolSpec, ...]] = {}

    def listen(request: TurnRequest) -> Turn | None:
        told[request.assignment.agent] = request.tools
        return None

    offered = {**dict.fromkeys(SOURCES, ()), "ecb": (SEARCH, QUOTE)}
    unused = use("ecb", tool="search_symbols", calls=2)
    async with desk_workers(
        client, tmp_path, analyst=Spender(says=listen), tools=ScriptedTools(offered=offered)
    ):
        record = await client.start_workflow(
            LearningSystemWorkflow.run,
            LearningRequest(),
            id=LEARNING_SYSTEM_ID,
            task_queue=Queue.DESK,
        )
        for number in range(8):
            uses = (use("ecb", cited=8), unused)
            await record.signal(Message.LEARN, lesson(number, tools=uses, forecasts=()))
        week = await start_week(client, budgeted(pair("USD/JPY")), learn=True)
        await week.result()
    assert [
        (spec.tool, spec.description, spec.last) for spec in told[AgentId.RESEARCH_AGENT_1]
    ] == [
        ("get_quote", QUOTE.description, False),
        ("search_symbols", "Finds symbols.", True),
    ]
    assert told[AgentId.VALIDATOR] == (SEARCH, QUOTE), "the record is another agent's"
