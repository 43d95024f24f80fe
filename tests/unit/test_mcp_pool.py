"""What comes back from MCP servers, well-behaved or not."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from infra.mcp_config import McpConfigError, McpServerSpec, read_mcp_config
from infra.mcp_pool import McpPool
from infra.tool_calling import ToolAnswer, ToolUnreachable
from tests.support.homes import PROJECT


@pytest.fixture
async def pool(tmp_path: Path) -> AsyncIterator[McpPool]:
    servers = {
        "ecb": McpServerSpec(in_process="mcp_servers.ecb"),
        "lying": McpServerSpec(in_process="tests.support.lying_server"),
        "absent": McpServerSpec(in_process="tests.support.no_such_module"),
    }
    async with McpPool(servers, in_process=True, project_dir=PROJECT, cache_dir=tmp_path) as pool:
        yield pool


async def ask(pool: McpPool, server: str, tool: str, **arguments: str) -> ToolAnswer:
    return await pool.call(server, tool, arguments, key="test", timeout_seconds=5)


async def test_a_result_that_breaks_its_schema_is_refused(pool: McpPool) -> None:
    answer = await ask(pool, "lying", "lie")
    assert answer.content is None
    assert "broke its own schema" in (answer.refusal or "")


async def test_plain_text_is_kept_as_text(pool: McpPool) -> None:
    assert (await ask(pool, "lying", "mumble")).content == {"text": "well, you see"}


async def test_a_tool_that_does_not_exist_is_a_refusal(pool: McpPool) -> None:
    answer = await ask(pool, "ecb", "get_rumours")
    assert "get_rumours" in (answer.refusal or "")


async def test_arguments_that_make_no_sense_are_a_refusal(pool: McpPool) -> None:
    answer = await ask(pool, "ecb", "get_quote", symbol="yen", as_of="2026-11-02T07:00:00Z")
    assert answer.refusal


@pytest.mark.parametrize("server", ["absent", "unheard_of"])
async def test_a_server_that_is_not_there_is_unreachable(pool: McpPool, server: str) -> None:
    with pytest.raises(ToolUnreachable, match=server):
        await ask(pool, server, "anything")


@pytest.mark.parametrize("text", ["{", "[]", '{"mcpServers": {"a": {}}}'])
def test_a_list_of_servers_that_cannot_be_used_names_its_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(text)
    with pytest.raises(McpConfigError, match=str(path)):
        read_mcp_config(path)
