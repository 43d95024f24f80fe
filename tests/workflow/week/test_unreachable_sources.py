"""What cannot be reached when a run is planned is offered to nobody, and told in the report."""

import asyncio
from pathlib import Path
from time import monotonic

from pydantic import JsonValue
from temporalio.client import Client

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import REACH_TOOL, ToolSpec
from desk.contracts.names import CallFault
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer, ToolUnreachable
from tests.support.runs.desk import desk_config, desk_workers, pair, start_week
from tests.support.runs.reached import (
    LIVE,
    REASON,
    SERVERS,
    only_google_is_out_of_reach,
    with_live_sources,
)
from tests.support.runs.scripted import ScriptedAnalyst, ScriptedTools


async def test_a_source_that_cannot_be_reached_is_on_nobodys_list(
    client: Client, tmp_path: Path
) -> None:
    listed: set[str] = set()

    def look(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is TaskType.RESEARCH_FX:
            listed.update(tool.server for tool in request.assignment.tools)
        return None

    tools = ScriptedTools(only_google_is_out_of_reach)
    analyst = ScriptedAnalyst(look)
    servers = (*SERVERS, *LIVE)
    async with desk_workers(client, tmp_path, analyst=analyst, tools=tools, servers=servers):
        config = with_live_sources(desk_config(pair("USD/JPY"), open_for_seconds=0.1))
        result = await (await start_week(client, config)).result()
    assert "bank_feeds" in listed
    assert "google_news" not in listed
    (silent,) = result.coverage.unreachable
    assert (silent.server, silent.reason, silent.unanswered) == ("google_news", REASON, 0)


async def test_a_tool_that_has_nothing_to_answer_from_is_on_nobodys_list_and_is_told(
    client: Client, tmp_path: Path
) -> None:
    listed: set[str] = set()

    def look(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is TaskType.RESEARCH_FX:
            listed.update(f"{tool.server}.{tool.tool}" for tool in request.assignment.tools)
        return None

    def without_yields(server: str, tool: str, arguments: object) -> ToolAnswer | None:
        told: JsonValue = {"reachable": True, "silent": ["get_yields"], "reason": REASON}
        return ToolAnswer(content=told) if tool == REACH_TOOL else None

    servers = (*SERVERS, "cross_asset")
    tools, analyst = ScriptedTools(without_yields), ScriptedAnalyst(look)
    async with desk_workers(client, tmp_path, analyst=analyst, tools=tools, servers=servers):
        config = desk_config(pair("USD/JPY"), open_for_seconds=0.1)
        policy = config.policy.model_copy(update={"sources": servers})
        config = config.model_copy(update={"policy": policy})
        result = await (await start_week(client, config)).result()
    assert "cross_asset.get_asset" in listed
    assert "cross_asset.get_yields" not in listed
    (silent,) = result.coverage.unreachable
    assert (silent.server, silent.tools, silent.reason) == ("cross_asset", ("get_yields",), REASON)
    assert "cross_asset.get_yields" not in tools.calls


async def test_a_source_that_no_worker_serves_costs_three_seconds_and_no_market(
    client: Client, tmp_path: Path
) -> None:
    async with desk_workers(client, tmp_path, servers=SERVERS):
        config = with_live_sources(desk_config(pair("USD/JPY"), open_for_seconds=0.1))
        began = monotonic()
        result = await (await start_week(client, config)).result()
    assert result.coverage.researched == 1
    assert {source.server for source in result.coverage.unreachable} == {*LIVE}
    assert "no worker took its questions within 2.8 s" in {
        source.reason for source in result.coverage.unreachable
    }
    assert monotonic() - began < 20


class Starting(ScriptedTools):
    """Live sources whose processes are still starting when a run is planned; with `started` they
    have started once their tools are listed, else they never do."""

    def __init__(self, *, started: bool) -> None:
        super().__init__()
        self._starts = started
        self._has_started = False

    async def call(self, call: ServerCall) -> ToolAnswer:
        if call.tool == REACH_TOOL and not self._has_started:
            raise ToolUnreachable(f"{call.server} did not answer", fault=CallFault.TIMEOUT)
        return await super().call(call)

    async def tools(self, server: str, *, timeout_seconds: float) -> tuple[ToolSpec, ...]:
        if not self._starts:
            raise ToolUnreachable(f"MCP server {server} did not answer in time")
        self._has_started = True
        return ()


async def test_a_source_whose_process_is_still_starting_is_waited_for(
    client: Client, tmp_path: Path
) -> None:
    servers, tools = (*SERVERS, *LIVE), Starting(started=True)
    async with desk_workers(client, tmp_path, tools=tools, servers=servers):
        config = with_live_sources(desk_config(pair("USD/JPY"), open_for_seconds=0.1))
        result = await (await start_week(client, config)).result()
    assert result.coverage.unreachable == ()


async def test_a_source_that_does_not_start_in_time_is_offered_to_nobody_and_told(
    client: Client, tmp_path: Path
) -> None:
    servers, tools = (*SERVERS, *LIVE), Starting(started=False)
    async with desk_workers(client, tmp_path, tools=tools, servers=servers):
        config = with_live_sources(desk_config(pair("USD/JPY"), open_for_seconds=0.1))
        result = await (await start_week(client, config)).result()
    assert {source.server for source in result.coverage.unreachable} == {*LIVE}
    assert {source.reason for source in result.coverage.unreachable} == {
        f"MCP server {server} did not answer in time" for server in LIVE
    }


async def test_a_source_whose_worker_is_held_up_is_not_out_of_reach(
    client: Client, tmp_path: Path
) -> None:
    class StallMonitor(ScriptedTools):
        async def call(self, call: ServerCall) -> ToolAnswer:
            if call.tool == REACH_TOOL:
                await asyncio.Event().wait()
            return await super().call(call)

    servers = (*SERVERS, *LIVE)
    async with desk_workers(client, tmp_path, tools=StallMonitor(), servers=servers):
        config = with_live_sources(desk_config(pair("USD/JPY"), open_for_seconds=0.1))
        result = await (await start_week(client, config)).result()
    assert result.coverage.unreachable == ()
