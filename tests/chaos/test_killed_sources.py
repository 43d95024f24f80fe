"""kill -9 of an MCP server under calls."""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from desk.platform.mcp.pool import McpPool
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer, ToolUnreachable
from desk.platform.settings.mcp_json import McpServerSpec, read_mcp_config
from tests.support.processes.forks import forked_command
from tests.support.processes.homes import PROJECT, free_port

AT_ONCE = 50
PATIENCE_SECONDS = 60
FOREIGN = "tests.support.sources.foreign_server"


def server_process() -> psutil.Process:
    (found,) = (each for each in psutil.Process().children(recursive=True) if runs(each, FOREIGN))
    return found


def runs(process: psutil.Process, module: str) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.status() != psutil.STATUS_ZOMBIE and module in process.cmdline()
    return False


async def slow(pool: McpPool, number: int, seconds: float = PATIENCE_SECONDS) -> ToolAnswer:
    return await pool.call(ServerCall("foreign", "slow", {"number": number}, "test", seconds))


async def slow_until_answered(pool: McpPool, number: int, lost: list[int]) -> ToolAnswer:
    """As Temporal does: once more after an error that says that another try may do."""
    while True:
        try:
            return await slow(pool, number)
        except ToolUnreachable:
            lost.append(number)
            await asyncio.sleep(0.2)


class Calls(NamedTuple):
    """The files by which a test follows the calls of the foreign server and holds them up."""

    begun: Path
    held: Path

    @property
    def options(self) -> tuple[str, ...]:
        """What the server is started with."""
        return ("--begun", str(self.begun), "--while", str(self.held))


def calls_in(directory: Path) -> Calls:
    return Calls(directory / "begun", directory / "held")


async def all_at_once_until_killed(pool: McpPool, files: Calls, kill: Callable[[], None]) -> None:
    """The server is killed when it has begun every call, and every call is answered after all."""
    assert (await slow(pool, 0)).content == {"text": "slow 0"}
    begun = files.begun
    begun.unlink()
    files.held.touch()
    lost: list[int] = []
    numbers = range(AT_ONCE)
    calls = [asyncio.create_task(slow_until_answered(pool, number, lost)) for number in numbers]
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not begun.exists() or begun.stat().st_size < AT_ONCE:
            await asyncio.sleep(0.01)
    kill()
    files.held.unlink()
    async with asyncio.timeout(PATIENCE_SECONDS):
        answers = await asyncio.gather(*calls)
    assert set(lost) == set(numbers)
    assert [answer.content for answer in answers] == [{"text": f"slow {n}"} for n in numbers]


async def test_a_process_that_hangs_or_is_killed_under_fifty_calls_loses_none(
    tmp_path: Path,
) -> None:
    files = calls_in(tmp_path)
    servers = {"foreign": McpServerSpec(command="python", args=("-m", FOREIGN, *files.options))}

    async with McpPool(servers, in_process=False, project_dir=PROJECT, cache_dir=tmp_path) as pool:
        await all_at_once_until_killed(pool, files, lambda: server_process().kill())
        os.kill(server_process().pid, signal.SIGSTOP)
        with pytest.raises(ToolUnreachable):
            await slow(pool, AT_ONCE, seconds=0.5)
        assert (await slow(pool, AT_ONCE)).content == {"text": f"slow {AT_ONCE}"}


async def test_an_address_that_dies_under_fifty_calls_loses_none(tmp_path: Path) -> None:
    files, port = calls_in(tmp_path), free_port()
    servers = {"foreign": McpServerSpec(url=f"http://127.0.0.1:{port}/mcp")}
    line, said = (*files.options, "--http", str(port)), tmp_path / "said"
    running = [forked_command(line, {}, said, said, module=FOREIGN)]

    def replace() -> None:
        running[-1].kill()
        running[-1].wait()
        running.append(forked_command(line, {}, said, said, module=FOREIGN))

    try:
        async with McpPool(
            servers, in_process=False, project_dir=PROJECT, cache_dir=tmp_path
        ) as pool:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await slow_until_answered(pool, 0, [])
            await all_at_once_until_killed(pool, files, replace)
            assert (await slow(pool, AT_ONCE)).content == {"text": f"slow {AT_ONCE}"}
    finally:
        running[-1].kill()
        running[-1].wait()


async def test_a_program_that_is_not_there_is_unreachable(tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    config.write_text('{"mcpServers": {"ecb": {"command": "no-such-program"}}}')
    async with McpPool(
        read_mcp_config(config), in_process=False, project_dir=PROJECT, cache_dir=tmp_path
    ) as pool:
        with pytest.raises(ToolUnreachable, match="no-such-program"):
            await pool.call(ServerCall("ecb", "get_quote", {}, "test", PATIENCE_SECONDS))
