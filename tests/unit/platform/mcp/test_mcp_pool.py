"""What comes back from MCP servers, well-behaved or not."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest

from desk.platform.mcp.circuit import FAILURES
from desk.platform.mcp.pool import McpPool
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer, ToolUnreachable
from desk.platform.settings.mcp_json import (
    McpConfigError,
    McpServerSpec,
    read_mcp_config,
    servers_to_serve,
)
from tests.support.addresses.rates import serving
from tests.support.processes.homes import PROJECT
from tests.support.sources.lying_server import SLOW_SECONDS

SILENT = "61.25"
"""Seconds that the silent server sleeps: by them its process is told from any other."""


@pytest.fixture
async def pool(tmp_path: Path) -> AsyncIterator[McpPool]:
    servers = {
        "ecb": McpServerSpec(in_process="desk.sources.ecb.server"),
        "lying": McpServerSpec(in_process="tests.support.sources.lying_server"),
        "absent": McpServerSpec(in_process="tests.support.no_such_module"),
    }
    async with McpPool(servers, in_process=True, project_dir=PROJECT, cache_dir=tmp_path) as pool:
        yield pool


@pytest.fixture
def silent(tmp_path: Path) -> McpPool:
    """A pool whose one server starts and never answers."""
    servers = {"silent": McpServerSpec(command="sleep", args=(SILENT,))}
    return McpPool(servers, in_process=False, project_dir=PROJECT, cache_dir=tmp_path)


def silent_processes() -> list[psutil.Process]:
    children = psutil.Process().children(recursive=True)
    return [child for child in children if SILENT in child.cmdline()]


async def started() -> None:
    async with asyncio.timeout(30):
        while not silent_processes():
            await asyncio.sleep(0.01)


def owners() -> int:
    """How many connections are held."""
    return sum(task.get_name().startswith("mcp-") for task in asyncio.all_tasks())


async def owners_come_to(number: int) -> None:
    async with asyncio.timeout(30):
        while owners() != number:
            await asyncio.sleep(0.01)


async def ask(pool: McpPool, server: str, tool: str, **arguments: str) -> ToolAnswer:
    return await pool.call(ServerCall(server, tool, arguments, "test", 30))


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


async def test_a_server_that_never_answers_is_unreachable_and_leaves_nothing(
    silent: McpPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desk.platform.mcp.connection.OPENING_TIMEOUT_SECONDS", 1.0)
    async with silent:
        with pytest.raises(ToolUnreachable, match="did not answer in time"):
            await ask(silent, "silent", "anything")
        assert silent_processes()
    assert not silent_processes()
    await owners_come_to(0)


async def test_an_opening_that_nobody_waits_for_ends_by_itself(
    silent: McpPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desk.platform.mcp.connection.OPENING_TIMEOUT_SECONDS", 1.0)
    async with silent:
        call = asyncio.create_task(ask(silent, "silent", "anything"))
        await started()
        call.cancel()
        async with asyncio.timeout(30):
            while silent_processes():
                await asyncio.sleep(0.05)
        assert not silent_processes()


async def test_leaving_the_pool_ends_an_opening_that_is_under_way(silent: McpPool) -> None:
    async with asyncio.timeout(30), silent:
        call = asyncio.create_task(ask(silent, "silent", "anything"))
        await started()
    with pytest.raises(ToolUnreachable, match="closed while it was being opened"):
        await call
    assert not silent_processes()
    await owners_come_to(0)


async def test_a_pool_that_was_left_opens_nothing(silent: McpPool) -> None:
    async with silent:
        pass
    with pytest.raises(ToolUnreachable, match="are closed"):
        await ask(silent, "silent", "anything")


async def impatient(pool: McpPool) -> ToolAnswer:
    return await pool.call(ServerCall("lying", "slow", {}, "test", SLOW_SECONDS / 3))


async def test_the_time_for_which_this_process_was_stopped_is_not_the_source_s(
    pool: McpPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ask(pool, "lying", "mumble")
    loop, stopped = asyncio.get_running_loop(), 0.0
    clock = loop.time
    monkeypatch.setattr(loop, "time", lambda: clock() + stopped)
    asked = [
        asyncio.create_task(pool.call(ServerCall("lying", "slow", {}, "test", 100 * SLOW_SECONDS)))
        for _ in range(FAILURES)
    ]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    stopped = 1_000.0
    for answer in await asyncio.gather(*asked):
        assert answer.content == {"text": "well, you see"}


async def test_a_call_that_times_out_leaves_its_neighbours_alone(pool: McpPool) -> None:
    await ask(pool, "lying", "mumble")
    neighbour = asyncio.create_task(ask(pool, "lying", "slow"))
    with pytest.raises(ToolUnreachable):
        await impatient(pool)
    assert not neighbour.done()
    assert owners() == 1
    assert (await ask(pool, "lying", "mumble")).content == {"text": "well, you see"}
    assert owners() == 2
    assert (await neighbour).content == {"text": "well, you see"}


async def test_after_a_timeout_only_the_new_connection_stays(pool: McpPool) -> None:
    with pytest.raises(ToolUnreachable):
        await impatient(pool)
    await ask(pool, "lying", "mumble")
    await owners_come_to(1)


async def test_neighbours_of_a_timeout_are_waited_for_a_bounded_time(
    pool: McpPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desk.platform.mcp.pool.DRAINING_TIMEOUT_SECONDS", 0.05)
    await ask(pool, "lying", "mumble")
    neighbour = asyncio.create_task(ask(pool, "lying", "slow"))
    with pytest.raises(ToolUnreachable):
        await impatient(pool)
    await owners_come_to(0)
    assert not neighbour.done()
    await neighbour


async def test_our_own_servers_are_told_how_often_to_refresh(tmp_path: Path) -> None:
    async with McpPool(
        {"lying": McpServerSpec(in_process="tests.support.sources.lying_server")},
        in_process=True,
        project_dir=PROJECT,
        cache_dir=tmp_path,
        refresh_every=timedelta(hours=6),
    ) as pool:
        assert (await ask(pool, "lying", "tell")).content == {"text": "6:00:00"}


def ecb_with(*args: str) -> McpServerSpec:
    module = "desk.sources.ecb.server"
    return McpServerSpec(command="python", args=("-m", module, *args), in_process=module)


async def test_our_own_servers_are_given_their_arguments_in_this_process_too(
    tmp_path: Path,
) -> None:
    asked: list[str] = []
    with serving(b"sorry", 503, asked=asked) as url:
        async with McpPool(
            {"ecb": ecb_with("--cache-dir", ".desk/cache", "--url", url)},
            in_process=True,
            project_dir=PROJECT,
            cache_dir=tmp_path,
            refresh_every=timedelta(hours=6),
        ) as pool:
            await ask(pool, "ecb", "get_coverage", as_of="2026-11-30T00:00:00Z")
    assert asked == ["/eurofxref-hist.zip"]


async def test_arguments_that_a_server_does_not_know_are_named(tmp_path: Path) -> None:
    async with McpPool(
        {"ecb": ecb_with("--adress", "x")},
        in_process=True,
        project_dir=PROJECT,
        cache_dir=tmp_path,
    ) as pool:
        with pytest.raises(ToolUnreachable, match=r"does not know its args in \.mcp\.json"):
            await ask(pool, "ecb", "get_coverage")


def test_a_variable_in_the_arguments_of_our_own_server_is_filled_in(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    entry = {"args": ["--url", "${RATES}/hist.zip"], "inProcess": "desk.sources.ecb.server"}
    path.write_text(json.dumps({"mcpServers": {"ecb": entry}}))
    served = servers_to_serve(path, {"RATES": "http://127.0.0.1:1"}, in_process=True)
    assert served["ecb"].module_args == ("--url", "http://127.0.0.1:1/hist.zip")


TOO_MANY = {"mcpServers": {f"server_{n}": {"url": "http://127.0.0.1:1/"} for n in range(51)}}


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"mcpServers": {"a": {}}}', "\udcff", json.dumps(TOO_MANY)]
)
def test_a_list_of_servers_that_cannot_be_used_names_its_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(McpConfigError, match=str(path)):
        read_mcp_config(path)


def test_a_list_of_servers_that_is_a_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(McpConfigError, match=f"{tmp_path} cannot be read"):
        read_mcp_config(tmp_path)


async def test_a_tool_that_takes_no_instant_is_not_asked_about_the_past(pool: McpPool) -> None:
    answer = await ask(pool, "lying", "given", as_of="2026-11-02T07:00:00Z")
    assert answer.content is None
    assert "takes no as_of, and the week is past" in (answer.refusal or "")


async def test_a_tool_that_takes_no_instant_is_asked_about_now_without_it(pool: McpPool) -> None:
    a_while_ago = datetime.now(UTC) - timedelta(hours=1)
    answer = await ask(pool, "lying", "given", as_of=a_while_ago.isoformat())
    assert answer.content == {"given": []}
