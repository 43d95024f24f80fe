"""kill -9 of an MCP server under calls."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from infra.mcp_config import read_mcp_config
from infra.mcp_pool import McpPool
from infra.tool_calling import ToolAnswer, ToolUnreachable
from tests.support.homes import PROJECT

AS_OF = "2026-11-02T07:00:00+00:00"


@pytest.fixture
async def pool(tmp_path: Path) -> AsyncIterator[McpPool]:
    """The fixings from a process of its own, which fetches nothing."""
    config = tmp_path / "mcp.json"
    config.write_text(
        '{"mcpServers": {"ecb": {"command": "python", "args": ["-m", "mcp_servers.ecb"]}}}'
    )
    servers = read_mcp_config(config)
    async with McpPool(servers, in_process=False, project_dir=PROJECT, cache_dir=tmp_path) as pool:
        yield pool


async def quote(pool: McpPool) -> ToolAnswer:
    return await pool.call(
        "ecb",
        "get_quote",
        {"symbol": "USD/JPY", "as_of": AS_OF},
        key="test",
        timeout_seconds=10,
    )


def server_process() -> psutil.Process:
    (found,) = (
        child
        for child in psutil.Process().children(recursive=True)
        if "mcp_servers.ecb" in child.cmdline()
    )
    return found


async def test_a_killed_server_is_replaced_and_no_call_hangs(pool: McpPool) -> None:
    first = await quote(pool)
    calls = [asyncio.create_task(quote(pool)) for _ in range(50)]
    await asyncio.sleep(0)
    os.kill(server_process().pid, signal.SIGKILL)
    ended = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(e, ToolUnreachable) or e == first for e in ended)
    assert await quote(pool) == first


async def test_a_program_that_is_not_there_is_unreachable(tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    config.write_text('{"mcpServers": {"ecb": {"command": "no-such-program"}}}')
    async with McpPool(
        read_mcp_config(config), in_process=False, project_dir=PROJECT, cache_dir=tmp_path
    ) as pool:
        with pytest.raises(ToolUnreachable, match="no-such-program"):
            await quote(pool)


async def test_a_server_that_hangs_is_given_up_and_replaced(pool: McpPool) -> None:
    first = await quote(pool)
    process = server_process()
    os.kill(process.pid, signal.SIGSTOP)
    with pytest.raises(ToolUnreachable):
        await pool.call(
            "ecb",
            "get_quote",
            {"symbol": "USD/JPY", "as_of": AS_OF},
            key="test",
            timeout_seconds=0.5,
        )
    assert await quote(pool) == first
