"""What the tools of our servers promise of themselves."""

import pytest
from mcp import Client
from mcp.server import MCPServer

from desk.sources.analysis import server as analysis
from desk.sources.central_banks import server as central_banks
from desk.sources.ecb import server as ecb
from desk.sources.knowledge import server as knowledge
from desk.sources.news import server as google_news
from desk.sources.sentiment import server as sentiment
from desk.sources.statistics import server as official_statistics
from desk.sources.yahoo import server as yahoo_finance

NEWS_OF_BANKS = "get_central_bank_news"


@pytest.mark.parametrize(
    ("server", "asks_the_web"),
    [
        (ecb.build_server(), False),
        (central_banks.build_server(), False),
        (official_statistics.build_server(), False),
        (knowledge.build_server(), False),
        (analysis.build_server(), False),
        (sentiment.build_server(), False),
        (analysis.build_server(live=True), True),
        (yahoo_finance.build_server(), True),
        (google_news.build_server(), True),
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
    server: MCPServer, asks_the_web: bool
) -> None:
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
    promised = {tool.name: tool.annotations for tool in tools}
    assert all(promise and promise.read_only_hint for promise in promised.values())
    assert {name for name, promise in promised.items() if promise and promise.open_world_hint} == {
        name for name in promised if asks_the_web or name == NEWS_OF_BANKS
    }
