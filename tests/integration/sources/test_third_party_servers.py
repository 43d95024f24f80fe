"""Servers that other people made, as they are: plugged in, asked, and cut off from the network.

Three that are about markets, from PyPI, each in an environment of its own. None of them can reach
the network here: each is given a proxy of its own, which notes what it asked for and refuses.
"""

import asyncio
import json
import subprocess
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.metadata import version

import pytest
from pydantic import JsonValue

from desk.platform.mcp.pool import McpPool
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer, ToolUnreachable
from desk.platform.settings.mcp_json import servers_to_serve
from tests.support.outside.closed_proxy import ClosedProxy, closed_proxy
from tests.support.processes.homes import PROJECT
from tests.support.sources.third_party import ENVIRONMENTS, installed

pytestmark = pytest.mark.others

PACKAGES = {"bedrok": "bedrok", "rba": "rba-mcp", "yahoo": "benethos-yahoo-finance-mcp"}
OURS = "central_banks"
MCP_JSON = """
{
  "mcpServers": {
    "bedrok": {
      "command": "${SERVERS}/bedrok/bin/bedrok",
      "args": ["serve"],
      "env": {"HOME": "${HOME_OF_SERVERS}", "HTTPS_PROXY": "${PROXY_OF_BEDROK}"}
    },
    "rba": {
      "command": "${SERVERS}/rba-mcp/bin/rba-mcp",
      "env": {
        "HOME": "${HOME_OF_SERVERS}",
        "HTTPS_PROXY": "${PROXY_OF_RBA}",
        "FASTMCP_CHECK_FOR_UPDATES": "off"
      }
    },
    "yahoo": {
      "command": "${SERVERS}/benethos-yahoo-finance-mcp/bin/benethos-yahoo-finance-mcp",
      "env": {"HOME": "${HOME_OF_SERVERS}", "HTTPS_PROXY": "${PROXY_OF_YAHOO}"}
    },
    "central_banks": {"inProcess": "desk.sources.central_banks.server"}
  }
}
"""


@dataclass(frozen=True)
class Desk:
    """A pool of the servers, and the way out that each was given."""

    pool: McpPool
    proxies: Mapping[str, ClosedProxy]

    async def ask(
        self, server: str, tool: str, arguments: Mapping[str, JsonValue], seconds: float = 30
    ) -> ToolAnswer:
        return await self.pool.call(ServerCall(server, tool, arguments, "test", seconds))


@pytest.fixture(scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    folder = tmp_path_factory.mktemp("third-party")
    (folder / "mcp.json").write_text(MCP_JSON)
    for package in PACKAGES.values():
        await asyncio.to_thread(installed, package)
    async with AsyncExitStack() as stack:
        proxies = {name: await stack.enter_async_context(closed_proxy()) for name in PACKAGES}
        variables = {f"PROXY_OF_{name.upper()}": proxy.url for name, proxy in proxies.items()}
        variables |= {"SERVERS": str(ENVIRONMENTS), "HOME_OF_SERVERS": str(folder)}
        servers = servers_to_serve(folder / "mcp.json", variables, in_process=True)
        pool = McpPool(servers, in_process=True, project_dir=PROJECT, cache_dir=folder)
        desk = Desk(await stack.enter_async_context(pool), proxies)
        await asyncio.gather(*(pool.tools(name, timeout_seconds=60) for name in PACKAGES))
        yield desk


@pytest.mark.parametrize(
    ("server", "offered"),
    [
        ("bedrok", {"list_sources", "search_series", "get_series", "release_calendar"}),
        ("rba", {"search_tables", "get_data", "latest", "list_curated", "release_calendar"}),
        ("yahoo", {"search", "get_quote", "get_history", "get_news", "get_calendar"}),
    ],
)
async def test_a_server_of_others_lists_its_tools(
    desk: Desk, server: str, offered: set[str]
) -> None:
    tools = await desk.pool.tools(server, timeout_seconds=30)
    assert offered <= {spec.tool for spec in tools}
    assert all(spec.description and spec.input_schema["type"] == "object" for spec in tools)


async def test_what_a_server_knows_by_itself_is_content(desk: Desk) -> None:
    sources = await desk.ask("bedrok", "list_sources", {})
    assert "European Central Bank" in json.dumps(sources.content)
    tables = await desk.ask("rba", "search_tables", {"query": "cash rate"})
    assert "F1.1" in json.dumps(tables.content)


@pytest.mark.parametrize(
    ("server", "tool", "arguments", "refusal", "hosts"),
    [
        (
            "rba",
            "latest",
            {"table_id": "F1.1"},
            "rba.latest: Error calling tool 'latest': Could not fetch RBA table F1.1",
            {"www.rba.gov.au"},
        ),
        (
            "yahoo",
            "get_quote",
            {"symbol": "JPY=X"},
            "yahoo.get_quote: Error executing tool get_quote: Failed to load quote for 'JPY=X'",
            {"fc.yahoo.com", "guce.yahoo.com", "query2.finance.yahoo.com"},
        ),
    ],
)
async def test_what_cannot_be_fetched_is_refused_in_the_servers_words(
    desk: Desk, server: str, tool: str, arguments: dict[str, str], refusal: str, hosts: set[str]
) -> None:
    first = await desk.ask(server, tool, arguments)
    assert (first.content, (first.refusal or "").startswith(refusal)) == (None, True), first
    again = await desk.ask(server, tool, arguments)
    assert again.refusal == first.refusal
    assert set(desk.proxies[server].asked) == hosts


async def test_a_server_that_keeps_trying_is_given_up_and_its_neighbours_go_on(desk: Desk) -> None:
    assert (await desk.ask("bedrok", "list_sources", {})).content
    began = time.monotonic()
    endless = asyncio.create_task(
        desk.ask("bedrok", "get_series", {"series_ids": ["ecb_deposit_rate"]}, seconds=2)
    )
    beside = await asyncio.gather(
        desk.ask("bedrok", "search_series", {"text": "inflation"}),
        desk.ask("rba", "list_curated", {}),
        desk.ask("yahoo", "get_quote", {"symbol": "EURUSD=X"}),
        desk.ask(OURS, "get_policy_rate", {"areas": ["AU"], "as_of": "2026-10-30T16:00:00Z"}),
    )
    assert not endless.done()
    with pytest.raises(ToolUnreachable, match=r"bedrok\.get_series: .*timed out"):
        await endless
    assert time.monotonic() - began < 10
    assert [answer.refusal is None for answer in beside] == [True, True, False, True]
    assert set(desk.proxies["bedrok"].asked) == {"data-api.ecb.europa.eu"}
    await until_answered(desk, "bedrok", "list_sources")


async def until_answered(desk: Desk, server: str, tool: str) -> None:
    """While one process of bedrok writes to its store, others refuse: here, until the process that
    was given up has ended."""
    async with asyncio.timeout(20):
        while (await desk.ask(server, tool, {})).content is None:
            await asyncio.sleep(0.1)


def test_a_server_has_the_mcp_it_needs_whatever_the_desks_own_is() -> None:
    python = installed(PACKAGES["rba"]) / "bin" / "python"
    program = "from importlib.metadata import version; print(version('mcp'))"
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout.partition(".")[0], version("mcp").partition(".")[0]) == ("1", "2")
