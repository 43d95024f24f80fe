"""Anyone's MCP server as a process: what it is given, and the ways in which it reports failure."""

import asyncio
import json
import logging
import re
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest
from pydantic import JsonValue

from desk.contracts.agents.tools import REACH_TOOL
from desk.platform.mcp.pool import McpPool
from desk.platform.mcp.redaction import HIDDEN
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer, ToolUnreachable
from desk.platform.settings.mcp_json import servers_to_serve
from desk.sources.serving.reachability import OFFLINE
from tests.support.processes.homes import PROJECT
from tests.support.sources.foreign_server import RAMBLE

SECRET = "sk-foreign-0123456789"
OTHERS_SECRET = "sk-others-0123456789"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("foreign")
    (folder / "work").mkdir()
    return folder


@pytest.fixture(scope="module")
async def pool(folder: Path) -> AsyncIterator[McpPool]:
    """Two servers of other people, with a secret each, started in a folder of their own, and one
    whose calls a test holds up."""
    arguments = ["-m", "tests.support.sources.foreign_server", "${GREETING:-hello}"]
    process = {"command": sys.executable, "args": arguments, "cwd": "${FOLDER}/work"}
    described = {
        "foreign": {**process, "env": {"FOREIGN_KEY": "${KEY}", "PYTHONPATH": str(PROJECT)}},
        "other": {**process, "env": {"OTHER_KEY": "${OTHER}", "PYTHONPATH": str(PROJECT)}},
        "held": {
            **process,
            "args": [*arguments, "--begun", f"{folder}/begun", "--while", f"{folder}/held"],
            "env": {"PYTHONPATH": str(PROJECT)},
        },
    }
    path = folder / "mcp.json"
    path.write_text(json.dumps({"mcpServers": described}))
    variables = {"KEY": SECRET, "OTHER": OTHERS_SECRET, "FOLDER": str(folder), "LANG": "C.UTF-8"}
    servers = servers_to_serve(path, variables, in_process=True)
    async with McpPool(servers, in_process=True, project_dir=PROJECT, cache_dir=folder) as pool:
        yield pool


async def ask(pool: McpPool, tool: str, server: str = "foreign") -> ToolAnswer:
    return await pool.call(ServerCall(server, tool, {}, "test", 20))


async def surroundings(pool: McpPool, server: str) -> dict[str, JsonValue]:
    return cast("dict[str, JsonValue]", (await ask(pool, "surroundings", server)).content)


async def test_a_process_has_a_small_environment_and_its_own_variables(
    pool: McpPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-not-for-servers")
    environment = cast("dict[str, str]", (await surroundings(pool, "foreign"))["environment"])
    # It has its key, and what it says of it is not kept.
    assert environment["FOREIGN_KEY"] == HIDDEN
    assert environment["LANG"] == "C.UTF-8"
    inherited = {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LC_CTYPE"}
    assert set(environment) - inherited == {"FOREIGN_KEY", "LANG", "PYTHONPATH"}
    assert OTHERS_SECRET not in environment.values()


async def test_the_secret_of_one_server_is_not_given_to_another(pool: McpPool) -> None:
    environment = cast("dict[str, str]", (await surroundings(pool, "other"))["environment"])
    assert environment["OTHER_KEY"] == HIDDEN
    assert SECRET not in environment.values()


async def test_a_process_has_its_arguments_and_its_folder(pool: McpPool) -> None:
    seen = await surroundings(pool, "foreign")
    assert seen["args"] == ["hello"]
    assert str(seen["cwd"]).endswith("/foreign0/work")


async def test_each_way_of_reporting_failure_says_why(pool: McpPool) -> None:
    apology = ToolAnswer(refusal="foreign.apologise: Error: no such ticker")
    assert await ask(pool, "apologise") == apology
    wrapped = await ask(pool, "apologise_with_structure")
    assert wrapped.refusal == "foreign.apologise_with_structure: Error: no such ticker"
    marked = await ask(pool, "refuse")
    assert marked.refusal == "foreign.refuse: Error executing tool refuse: the key *** is not known"
    with pytest.raises(ToolUnreachable, match="Internal error: the feed is down"):
        await ask(pool, "fail")
    assert (await ask(pool, "mumble")).content == {"text": "The rate  was held.\nSo it was."}


async def test_an_error_with_the_code_of_a_closed_connection_spares_the_neighbours(
    pool: McpPool, folder: Path
) -> None:
    (folder / "held").touch()
    neighbour = asyncio.create_task(
        pool.call(ServerCall("held", "slow", {"number": 1}, "test", 60))
    )
    while not (folder / "begun").exists():
        await asyncio.sleep(0.02)
    with pytest.raises(ToolUnreachable, match="Server error"):
        await ask(pool, "fail_as_if_closed", "held")
    assert not neighbour.done()
    (folder / "held").unlink()
    assert (await neighbour).content == {"text": "slow 1"}


async def test_text_is_content_of_a_bounded_length(pool: McpPool) -> None:
    content = cast("dict[str, JsonValue]", (await ask(pool, "ramble")).content)
    assert content["cut"] is True
    assert 0 < len(str(content["text"])) < RAMBLE


async def test_no_secret_is_logged(pool: McpPool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for tool in ("apologise", "mumble"):
        await ask(pool, tool)
    with pytest.raises(ToolUnreachable):
        await ask(pool, "fail")
    assert SECRET not in caplog.text


async def test_a_program_that_is_not_there_is_told_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text('{"mcpServers": {"gone": {"command": "no-such-program"}}}')
    servers = servers_to_serve(path, {}, in_process=False)
    async with McpPool(servers, in_process=False, project_dir=PROJECT, cache_dir=tmp_path) as pool:
        with pytest.raises(ToolUnreachable, match="'no-such-program' is not there; install it"):
            await ask(pool, "anything", "gone")


async def test_a_folder_that_is_not_there_is_told_as_the_folder(tmp_path: Path) -> None:
    path, folder = tmp_path / "mcp.json", str(tmp_path / "gone")
    described = {"command": sys.executable, "args": ["-c", "pass"], "cwd": folder}
    path.write_text(json.dumps({"mcpServers": {"gone": described}}))
    servers = servers_to_serve(path, {}, in_process=False)
    async with McpPool(servers, in_process=False, project_dir=PROJECT, cache_dir=tmp_path) as pool:
        with pytest.raises(ToolUnreachable, match=f"its folder '{re.escape(folder)}' is not there"):
            await ask(pool, "anything", "gone")


async def test_a_program_that_ends_at_once_is_told_without_its_secrets(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text('{"mcpServers": {"gone": {"command": "false", "env": {"KEY": "${KEY}"}}}}')
    servers = servers_to_serve(path, {"KEY": SECRET}, in_process=False)
    async with McpPool(servers, in_process=False, project_dir=PROJECT, cache_dir=tmp_path) as pool:
        with pytest.raises(
            ToolUnreachable, match="gone: MCP server gone cannot be opened"
        ) as caught:
            await ask(pool, "anything", "gone")
    assert SECRET not in str(caught.value)


async def test_a_server_of_ours_in_a_process_of_its_own_fetches_nothing_for_an_offline_desk(
    tmp_path: Path,
) -> None:
    path, cache = tmp_path / "mcp.json", str(tmp_path / "cache")
    with socket.create_server(("127.0.0.1", 0)) as provider:
        where = ["--cache-dir", cache, "--url", f"http://127.0.0.1:{provider.getsockname()[1]}"]
        every = ["--refresh-every", "3600"]
        described = {
            "ecb": {"command": sys.executable, "args": ["-m", _ECB, *where, *every]},
            "google_news": {"command": sys.executable, "args": ["-m", _NEWS, *where]},
        }
        path.write_text(json.dumps({"mcpServers": described}))
        servers = servers_to_serve(path, {}, in_process=False)
        async with McpPool(
            servers, in_process=False, project_dir=PROJECT, cache_dir=tmp_path
        ) as pool:
            reach = await ask(pool, REACH_TOOL, "google_news")
            asked: dict[str, JsonValue] = {"symbols": ["USD/JPY"], "as_of": _AS_OF}
            await pool.call(ServerCall("ecb", "get_quotes", asked, "test", 20))
        provider.setblocking(False)
        with pytest.raises(BlockingIOError):
            provider.accept()
    assert cast("dict[str, JsonValue]", reach.content)["reason"] == OFFLINE


_AS_OF = "2026-10-30T00:00:00Z"
_ECB = "desk.sources.ecb.server"
_NEWS = "desk.sources.news.server"
