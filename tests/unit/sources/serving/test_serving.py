"""What the tools of our servers promise of themselves, and how a server is started."""

import gc
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from mcp import Client
from mcp.server import MCPServer

from desk.sources.analysis import server as analysis
from desk.sources.central_banks import server as central_banks
from desk.sources.ecb import server as ecb
from desk.sources.knowledge import server as knowledge
from desk.sources.news import server as google_news
from desk.sources.sentiment import server as sentiment
from desk.sources.serving.command_line import argument_parser, run
from desk.sources.statistics import server as official_statistics
from desk.sources.yahoo import server as yahoo_finance

NEWS_OF_BANKS = "get_central_bank_news"


@pytest.mark.parametrize(
    ("built", "asks_the_web"),
    [
        (ecb.build_server, False),
        (central_banks.build_server, False),
        (official_statistics.build_server, False),
        (knowledge.build_server, False),
        (analysis.build_server, False),
        (sentiment.build_server, False),
        (partial(analysis.build_server, live=True), True),
        (yahoo_finance.build_server, True),
        (google_news.build_server, True),
    ],
    ids=[
        "ecb",
        "central_banks",
        "official_statistics",
        "knowledge",
        "analysis",
        "sentiment",
        "live analysis",
        "yahoo_finance",
        "google_news",
    ],
)
async def test_tools_change_nothing_and_say_whether_they_ask_the_web(
    built: Callable[[], "MCPServer[Any]"], asks_the_web: bool
) -> None:
    async with Client(built()) as client:
        tools = (await client.list_tools()).tools
    promised = {tool.name: tool.annotations for tool in tools}
    assert all(promise and promise.read_only_hint for promise in promised.values())
    assert {name for name, promise in promised.items() if promise and promise.open_world_hint} == {
        name for name in promised if asks_the_web or name == NEWS_OF_BANKS
    }


def test_what_was_imported_is_kept_and_garbage_is_looked_for_while_serving(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server, seen = MCPServer("quiet"), list[tuple[bool, int]]()

    def serve(_transport: str) -> None:
        seen.append((gc.isenabled(), gc.get_freeze_count()))

    monkeypatch.setattr(server, "run", serve)
    gc.disable()
    gc.unfreeze()
    try:
        assert run(server, argument_parser("quiet", "A server.").parse_args([])) == 0
    finally:
        gc.enable()
    ((collected, kept),) = seen
    assert collected and kept > 10_000


def test_imports_of_a_server_of_its_own_are_not_looked_through() -> None:
    said = "import gc, sys; sys.argv[0] = {!r}; import desk.sources; print(gc.isenabled())"
    for began, collected in (("-m", "False"), ("-c", "True")):
        told = subprocess.check_output([sys.executable, "-c", said.format(began)], text=True)
        assert told.strip() == collected
