"""What is too large for a history passes through it all the same."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue
from temporalio.client import Client

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import ToolStatus
from desk.contracts.names import market_run_id, week_run_id
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.platform.mcp.tool_calling import ToolAnswer
from tests.support.runs.desk import WEEK, desk_config, desk_workers, pair, start_week
from tests.support.runs.scripted import ScriptedAnalyst, ScriptedTools

SIZE = 5 * 1024 * 1024
"""Beyond the server's limit of 2 MiB for a payload and of 4 MiB for a message."""


async def test_a_tool_may_return_more_than_a_payload_can_hold(
    server: Client, tmp_path: Path
) -> None:
    # Not compressible, so that it is the store that carries it.
    text = "".join(f"{(n * 2_654_435_761) % 2**32:08x}" for n in range(SIZE // 8))
    content: JsonValue = {"level": "100.00", "text": text}
    seen: list[JsonValue] = []

    def returns_much(server: str, tool: str, arguments: Mapping[str, JsonValue]) -> ToolAnswer:
        return ToolAnswer(content=content)

    def remembers(request: TurnRequest) -> Turn | None:
        seen.extend(r.content for r in request.results if r.status is ToolStatus.OK)
        return None

    async with desk_workers(
        server,
        tmp_path,
        analyst=ScriptedAnalyst(remembers),
        tools=ScriptedTools(returns_much),
    ):
        handle = await start_week(server, desk_config(pair("USD/JPY"), open_for_seconds=0.1))
        result = await handle.result()
        market = server.get_workflow_handle(market_run_id(week_run_id(WEEK), "USD/JPY"))
        description = await market.describe()
    assert result.outcome is Outcome.COMPLETE
    assert seen == [content]
    history = description.raw_description.workflow_execution_info.history_size_bytes
    assert history < 50_000
