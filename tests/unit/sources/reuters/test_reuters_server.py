"""The `reuters` server over MCP: in this process, and over HTTP in one of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from mcp import Client

from desk.contracts.findings.source_results import NewsItems, StoryCheck
from desk.sources.reuters.server import build_server
from tests.integration.sources.test_mcp_servers import START_SECONDS, run
from tests.support.addresses.lseg import PASSWORD, Platform, Story, lseg
from tests.support.sources.served import served
from tests.unit.sources.reuters.test_reuters import AS_OF, CLAIM, MACHINE, SECOND, story

INSTANT = "2026-10-30T16:00:00Z"
STORIES: tuple[Story, ...] = (
    story("later", AS_OF + SECOND, story_id="urn:newsml:1:nL2:1"),
    story(CLAIM, AS_OF, story_id="urn:newsml:1:nL1:1", text="TOKYO"),
)


@pytest.fixture
def platform() -> Iterator[Platform]:
    with lseg(*STORIES) as address:
        yield address


def variables(platform: Platform) -> dict[str, str]:
    return MACHINE | {"LSEG_BASE_URL": platform.url}


async def called(server: Any, tool: str, **arguments: object) -> Any:
    async with Client(server, read_timeout_seconds=START_SECONDS) as client:
        return await client.call_tool(tool, {"as_of": INSTANT} | arguments)


@contextmanager
def over_http(environment: dict[str, str]) -> Iterator[str]:
    """The address of a process with these variables."""
    with served("desk.sources.reuters.server", variables=environment, as_python_does=True) as port:
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_market_news", {}),
        ("get_market_news", {"query": "Bank of Japan", "days": 3}),
        ("get_central_bank_news", {"areas": ["JP", "US"]}),
    ],
)
async def test_structured_results_are_the_contract_in_json(
    platform: Platform, tool: str, arguments: dict[str, object]
) -> None:
    answer = await called(build_server(variables=variables(platform)), tool, **arguments)
    news = NewsItems.model_validate(answer.structured_content)
    assert [(only.headline, only.publisher) for only in news.items] == [(CLAIM, "Reuters")]
    assert answer.structured_content["items"][0]["published_at"] == INSTANT


async def test_a_verified_story_is_the_contract_in_json(platform: Platform) -> None:
    server = build_server(variables=variables(platform))
    answer = await called(server, "verify_story", headline=CLAIM, days=2)
    check = StoryCheck.model_validate(answer.structured_content)
    assert (check.carried, [item.summary for item in check.items]) == (True, ["TOKYO"])


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_market_news", {"query": ""}),
        ("get_market_news", {"query": "x" * 201}),
        ("get_market_news", {"days": 0}),
        ("get_market_news", {"days": 93}),
        ("get_market_news", {"as_of": "2026-10-30T16:00:00"}),
        ("get_market_news", {"as_of": None}),
        ("get_central_bank_news", {}),
        ("get_central_bank_news", {"areas": []}),
        ("verify_story", {}),
        ("verify_story", {"headline": "x" * 501}),
    ],
)
async def test_arguments_outside_the_schema_are_refused_and_nothing_is_asked(
    platform: Platform, tool: str, arguments: dict[str, object]
) -> None:
    answer = await called(build_server(variables=variables(platform)), tool, **arguments)
    assert answer.is_error
    assert platform.asked == []


async def test_every_tool_needs_the_instant_and_promises_to_read_only() -> None:
    async with Client(build_server()) as client:
        tools = (await client.list_tools()).tools
    names = {"get_market_news", "get_central_bank_news", "verify_story", "check_reachable"}
    assert {tool.name for tool in tools} == names
    for tool in (each for each in tools if each.name != "check_reachable"):
        assert "as_of" in tool.input_schema["required"]
        assert tool.output_schema is not None
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.annotations.open_world_hint


async def test_a_process_has_its_credentials_from_its_environment(platform: Platform) -> None:
    expected = await called(build_server(variables=variables(platform)), "get_market_news")
    with over_http(variables(platform)) as address:
        assert (await called(address, "get_market_news")) == expected


async def test_without_credentials_a_process_serves_and_its_tools_say_what_is_lacking() -> None:
    with over_http(dict.fromkeys(MACHINE, "")) as address:
        for server in (address, build_server()):
            answer = await called(server, "verify_story", headline=CLAIM)
            assert answer.is_error
            for name in (*MACHINE, "LSEG_CLIENT_ID", "LSEG_CLIENT_SECRET", "REUTERS_API_TOKEN"):
                assert name in answer.content[0].text


def test_the_server_ends_quietly_with_its_input_whatever_it_was_given() -> None:
    for given in ({}, MACHINE | {"LSEG_BASE_URL": f"http://{PASSWORD}.example"}):
        ended = run("reuters", **given)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
