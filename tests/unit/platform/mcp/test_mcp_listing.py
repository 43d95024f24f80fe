"""What MCP servers say of their tools: all pages, cleaned and bounded."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tools import ToolSpec
from desk.platform.mcp.answers import LONGEST_DESCRIPTION
from desk.platform.mcp.pool import McpPool
from desk.platform.mcp.tool_calling import ToolUnreachable
from desk.platform.settings.mcp_json import McpServerSpec
from tests.support.processes.homes import PROJECT

SERVERS = {
    "talkative": McpServerSpec(
        in_process="tests.support.sources.talkative_server", env={"KEY": SecretStr("sesame-1234")}
    ),
    "ecb": McpServerSpec(in_process="desk.sources.ecb.server"),
    "absent": McpServerSpec(in_process="tests.support.no_such_module"),
}


def pool_of(cache_dir: Path, refresh_every: timedelta | None = None) -> McpPool:
    return McpPool(
        SERVERS,
        in_process=True,
        project_dir=PROJECT,
        cache_dir=cache_dir,
        refresh_every=refresh_every,
    )


async def listing(cache_dir: Path, server: str) -> dict[str, ToolSpec]:
    async with pool_of(cache_dir) as pool:
        specs = await pool.tools(server, timeout_seconds=30)
    assert [spec.tool for spec in specs] == sorted(spec.tool for spec in specs)
    return {spec.tool: spec for spec in specs}


async def test_every_page_is_read_and_a_name_that_cannot_be_printed_is_left_out(
    tmp_path: Path,
) -> None:
    assert list(await listing(tmp_path, "talkative")) == ["dated", "essay", "long", "rumours"]


async def test_what_a_server_says_of_a_tool_is_cleaned_and_holds_no_secret(tmp_path: Path) -> None:
    said = (await listing(tmp_path, "talkative"))["rumours"].description
    assert "\x1b" not in said and "\x00" not in said
    assert "sesame" not in said
    assert "\nCall me." in said


async def test_the_capability_that_a_registration_names_is_read_where_there_is_such_a_one(
    tmp_path: Path,
) -> None:
    specs = await listing(tmp_path, "talkative")
    assert {name: spec.capability for name, spec in specs.items() if spec.capability} == {
        "dated": Capability.QUOTE
    }


async def test_what_is_too_long_is_cut_or_left_out(tmp_path: Path) -> None:
    specs = await listing(tmp_path, "talkative")
    assert len(specs["essay"].description) == LONGEST_DESCRIPTION
    assert specs["long"].input_schema == {"type": "object"}


async def test_the_desks_own_argument_is_no_agents(tmp_path: Path) -> None:
    assert (await listing(tmp_path, "talkative"))["dated"].input_schema == {
        "type": "object",
        "properties": {"symbol": {"type": "string", "description": "such as  USD/JPY"}},
        "required": ["symbol"],
    }


async def test_our_own_server_lists_what_its_tools_take(tmp_path: Path) -> None:
    specs = await listing(tmp_path, "ecb")
    assert "as_of" not in str(specs["get_quote"].input_schema)
    assert "symbol" in str(specs["get_quote"].input_schema)


@pytest.mark.parametrize("server", ["absent", "unheard_of"])
async def test_a_server_that_is_not_there_lists_nothing(tmp_path: Path, server: str) -> None:
    async with pool_of(tmp_path) as pool:
        with pytest.raises(ToolUnreachable, match=server):
            await pool.tools(server, timeout_seconds=30)


async def test_a_listing_that_hangs_is_given_up_and_its_connection_with_it(tmp_path: Path) -> None:
    async with asyncio.timeout(30), pool_of(tmp_path, timedelta(hours=1)) as pool:
        with pytest.raises(ToolUnreachable, match=r"within 0\.2 s"):
            await pool.tools("talkative", timeout_seconds=0.2)
