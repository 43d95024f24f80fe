"""A source that is not asked because it kept failing: the week goes on, and its report says so."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from temporalio.client import Client

from desk.contracts.agents.tools import OpenCircuit
from desk.contracts.names import CallFault
from desk.platform.mcp.pool import McpPool
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer, ToolUnreachable
from desk.platform.settings.mcp_json import read_mcp_config
from desk.programs.turns import builtin_turn
from desk.programs.week.document.audit.report import audit
from desk.programs.week.document.rendering.markdown import render_markdown
from starters.published.published_files import read_report
from tests.support.processes.homes import PROJECT
from tests.support.runs.desk import desk_config, desk_workers, pair, policy_rate, start_week
from tests.support.runs.scripted import ScriptedAnalyst, ScriptedTools

SINCE: Final = datetime(2026, 11, 23, 13, 40, 2, tzinfo=UTC)
CIRCUIT: Final = OpenCircuit(
    server="ecb",
    since=SINCE,
    next_try=SINCE + timedelta(seconds=5),
    fault=CallFault.TIMEOUT,
    failures=3,
)


class WithoutFixings(ScriptedTools):
    """The desk's own servers, of which `ecb` is not asked."""

    def __init__(self, pool: McpPool) -> None:
        super().__init__()
        self._pool = pool

    async def call(self, call: ServerCall) -> ToolAnswer:
        """See `desk.platform.mcp.tool_calling.ToolCaller`."""
        self.calls[call.server] += 1
        if call.server == "ecb":
            fault = CallFault.CIRCUIT_OPEN
            raise ToolUnreachable("ecb: not asked", fault=fault, circuit=CIRCUIT)
        return await self._pool.call(replace(call, timeout_seconds=60))


async def test_every_call_that_was_not_made_is_counted_whoever_would_have_made_it(
    client: Client, tmp_path: Path
) -> None:
    servers = read_mcp_config(PROJECT / ".mcp.json")
    config = desk_config(pair("USD/JPY"), policy_rate("JP"))
    async with McpPool(servers, in_process=True, project_dir=PROJECT, cache_dir=tmp_path) as pool:
        tools = WithoutFixings(pool)
        async with desk_workers(
            client,
            tmp_path,
            analyst=ScriptedAnalyst(script=builtin_turn),
            tools=tools,
            servers=("ecb", "central_banks", "official_statistics"),
        ):
            result = await (await start_week(client, config)).result()
    report = read_report(Path(result.files.json_file))
    pair_section, rate_section = report.markets
    assert pair_section.outcome == "dead_lettered"
    assert rate_section.outcome == "researched"
    (outage,) = report.coverage.outages
    assert (outage.server, outage.since, outage.fault) == ("ecb", SINCE, CallFault.TIMEOUT)
    assert outage.calls_not_made == tools.calls["ecb"] > 1
    assert f"{outage.calls_not_made} calls were not made" in render_markdown(report)
    assert audit(report) == ()
    silenced = report.coverage.model_copy(update={"outages": ()})
    found = audit(report.model_copy(update={"coverage": silenced}))
    assert any(finding.words.startswith("outages") for finding in found)
