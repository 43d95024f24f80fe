"""Workers, and whoever starts and reads runs, share a bucket and no folder."""

import random
from collections.abc import Mapping
from pathlib import Path
from zlib import crc32

from pydantic import JsonValue
from temporalio.worker import Replayer

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.names import market_run_id
from desk.platform.mcp.tool_calling import ToolAnswer
from desk.platform.payloads.codec import INLINE_LIMIT
from desk.platform.server.embedded import embedded_server
from desk.platform.temporal.client import connect, desk_plugin
from tests.support.desk import desk_config, desk_workers, pair, start_week
from tests.support.homes import home_settings
from tests.support.receivers import bucket
from tests.support.scripted import ScriptedTools
from workers.orchestrator import WORKFLOWS

SIZE = 4 * INLINE_LIMIT


def telling(server: str, tool: str, arguments: Mapping[str, JsonValue]) -> ToolAnswer:
    """An answer that no packing brings under the limit."""
    chance = random.Random(crc32(str(arguments).encode()))
    return ToolAnswer(content={"level": "100.00", "text": chance.randbytes(SIZE // 2).hex()})


async def test_a_week_is_started_worked_on_and_read_from_three_homes(tmp_path: Path) -> None:
    with bucket() as there:
        server = home_settings(tmp_path / "workers", **there.variables)
        async with embedded_server(server.home, server.server):
            address = server.server.address
            homes = [
                home_settings(tmp_path / name, TEMPORAL_ADDRESS=address, **there.variables)
                for name in ("starter", "reader")
            ]
            starter, reader = [await connect(settings) for settings in homes]
            tools = ScriptedTools(telling)
            config = desk_config(pair("USD/JPY"), open_for_seconds=0.1)
            async with desk_workers(await connect(server), tmp_path, tools=tools):
                week = await start_week(starter, config)
                result = await week.result()
            market = market_run_id(week.id, "USD/JPY")
            history = await reader.get_workflow_handle(market).fetch_history()
        assert result.outcome is Outcome.COMPLETE
        assert there.objects and all(key.startswith("desk/payloads/") for key in there.objects)
        assert not [f for f in tmp_path.rglob("payloads/**/*") if f.is_file()]

        before = len(there.gets)
        plugin = desk_plugin(homes[1].payload_dir, store=homes[1].store)
        await Replayer(workflows=WORKFLOWS, plugins=[plugin]).replay_workflow(history)
        assert len(there.gets) > before
