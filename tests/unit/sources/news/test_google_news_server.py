"""The `google_news` server over MCP: in this process, and over HTTP in one of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from mcp import Client

from desk.contracts.agents.tools import REACH_TOOL
from desk.contracts.findings.source_results import NewsItems
from desk.sources.news.server import build_server
from tests.integration.sources.test_mcp_servers import START_SECONDS, run
from tests.support.addresses.feeds import Answer, feeds, item, rss
from tests.support.sources.served import served
from tests.unit.sources.news.test_google_news import AS_OF

INSTANT = "2026-10-30T16:00:00Z"
ANSWER = rss(item("later - A", "Fri, 30 Oct 2026 16:00:01 GMT"), item("Yen falls - Reuters", AS_OF))


async def called(server: Any, tool: str, **arguments: object) -> Any:
    async with Client(server, read_timeout_seconds=START_SECONDS) as client:
        return await client.call_tool(tool, {"as_of": INSTANT} | arguments)


@contextmanager
def over_http(url: str) -> Iterator[str]:
    with served("desk.sources.news.server", "--url", url, as_python_does=True) as port:
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_news", {"query": "yen", "days": 3}),
        ("get_headlines", {}),
        ("get_headlines", {"topic": "central banks"}),
        ("filter_by_date", {"query": "yen", "start": "2026-10-28", "end": "2026-11-02"}),
    ],
)
async def test_structured_results_are_the_contract_in_json(
    tool: str, arguments: dict[str, object]
) -> None:
    with feeds(ANSWER) as url:
        answer = await called(build_server(url=url), tool, **arguments)
    news = NewsItems.model_validate(answer.structured_content)
    assert [(only.headline, only.publisher) for only in news.items] == [("Yen falls", "Reuters")]
    assert answer.structured_content["items"][0]["published_at"] == INSTANT


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_news", {"query": ""}),
        ("search_news", {"query": "x" * 201}),
        ("search_news", {"query": "yen", "days": 0}),
        ("search_news", {"query": "yen", "days": 1_000}),
        ("search_news", {"query": "yen", "as_of": "2026-10-30T16:00:00"}),
        ("search_news", {"query": "yen", "as_of": None}),
        ("get_headlines", {"topic": "sport"}),
        ("filter_by_date", {"query": "yen", "start": "May", "end": "2026-10-30"}),
    ],
)
async def test_arguments_outside_the_schema_are_refused_and_nothing_is_fetched(
    tool: str, arguments: dict[str, object]
) -> None:
    asked: list[str] = []
    with feeds(ANSWER, asked=asked) as url:
        answer = await called(build_server(url=url), tool, **arguments)
    assert answer.is_error
    assert asked == []


async def test_a_refusal_of_google_is_an_error_with_what_it_said() -> None:
    with feeds(Answer(b"", 429, {"Retry-After": "30"})) as url:
        answer = await called(build_server(url=url), "search_news", query="yen")
    assert answer.is_error
    assert "asks to wait 30 seconds" in answer.content[0].text


async def test_every_tool_needs_the_instant_and_promises_to_read_only() -> None:
    async with Client(build_server()) as client:
        tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == {
        *("search_news", "get_headlines", "filter_by_date", REACH_TOOL),
    }
    for tool in (each for each in tools if each.name != REACH_TOOL):
        assert "as_of" in tool.input_schema["required"]
        assert tool.output_schema is not None
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.annotations.open_world_hint


async def test_a_process_gives_the_same_results_as_the_server_in_this_process() -> None:
    with feeds(ANSWER) as url:
        expected = await called(build_server(url=url), "search_news", query="yen")
        with over_http(url) as address:
            assert (await called(address, "search_news", query="yen")) == expected


def test_the_server_ends_quietly_with_its_input() -> None:
    ended = run("google_news")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
