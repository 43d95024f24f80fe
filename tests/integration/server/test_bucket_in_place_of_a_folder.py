"""Workers, and whoever starts and reads runs, share a bucket and no folder."""

import random
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final
from zlib import crc32

from pydantic import JsonValue

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.names import market_run_id
from desk.platform.mcp.tool_calling import ToolAnswer
from desk.platform.payloads.codec import INLINE_LIMIT
from desk.platform.server.embedded import embedded_server
from desk.platform.temporal.client import connect
from desk.platform.temporal.plugin import desk_plugin
from tests.support.outside.receivers import bucket
from tests.support.processes.command import DeskCommand
from tests.support.processes.forks import forked_command
from tests.support.processes.homes import home_settings
from tests.support.replaying import replayer
from tests.support.runs.desk import desk_config, desk_workers, pair, start_week
from tests.support.runs.scripted import ScriptedTools
from workers.hosting import Role

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
        await replayer(homes[1].payload_dir, plugin=plugin).replay_workflow(history)
        assert len(there.gets) > before


MARKETS: Final = """
[markets]
pairs = [{ pair = "USD/JPY", group = "G10", areas = ["US", "JP"], digits = 2 }]
policy_rates = [{ area = "JP", group = "G10" }]
"""


@contextmanager
def worker(desk: DeskCommand, role: Role) -> Iterator[None]:
    """A process of a role, in a home and with reports of its own."""
    out = desk.directory / f"{role}.out"
    process = forked_command(["worker", role], desk.variables, out, out.with_suffix(".err"))
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


def reports_of(desk: DeskCommand) -> dict[str, bytes]:
    folder = Path(desk.variables["DESK_REPORTS"])
    return {path.name: path.read_bytes() for path in folder.glob("weekly/[!.]*")}


async def test_what_one_orchestrator_publishes_the_next_goes_on_from_and_anybody_reads(
    tmp_path: Path,
) -> None:
    (tmp_path / "desk.toml").write_text(MARKETS)
    with bucket() as there, ExitStack() as workers:
        settings = home_settings(tmp_path / "server")
        async with embedded_server(settings.home, settings.server):

            def at(place: str) -> DeskCommand:
                (tmp_path / place).mkdir()
                return DeskCommand(
                    tmp_path / place,
                    TEMPORAL_ADDRESS=settings.server.address,
                    DESK_CONFIG=str(tmp_path / "desk.toml"),
                    **there.variables,
                )

            for role in (Role.RESEARCH, Role.VALIDATION, Role.SOURCES):
                workers.enter_context(worker(at(role), role))
            starter, first, second, reader = map(at, ("starter", "first", "second", "reader"))
            with worker(first, Role.ORCHESTRATOR):
                ran = starter("run", "--week", "2026-W44")
                assert ran.code == 0, ran.err
            with worker(second, Role.ORCHESTRATOR):
                again = starter("rerun", "JP", "--week", "2026-W44", "--reason", "a test")
                assert again.code == 0, again.err
                told = reader("report", "--week", "2026-W44", "--revisions")
            assert told.code == 0, told.err
            assert [line[:2] for line in told.out.splitlines()] == ["r1", "r2"]
            read, written = reports_of(reader), reports_of(second)
            assert read == written
            earlier = {name: text for name, text in reports_of(first).items() if ".r1." in name}
            assert len(earlier) == 3
            assert earlier.items() < written.items()
            assert not reports_of(starter)
