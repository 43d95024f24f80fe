"""The desk and its sources as an assistant has them: the official client, started in another folder
with nothing of the desk in its environment, by the entries that `desk mcp install` writes."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from desk.platform.settings import load_settings
from starters.main import execute
from tests.integration.weeks.test_backfill import one_market
from tests.support.processes.command import DeskCommand
from tests.support.sources.served import served

WEEK: Final = "2026-W43"
PATIENCE_SECONDS: Final = 200.0

CALLS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "ecb": ("get_coverage", {}),
    "central_banks": ("get_policy_rate", {"areas": ["US", "JP"]}),
    "official_statistics": (
        "get_month_averages",
        {"symbol": "USD/JPY", "start": "2026-01", "end": "2026-03"},
    ),
    "knowledge": ("fetch_ticket", {"ticket_id": "DESK-101"}),
    "analysis": ("find_symbols", {"query": "the yen"}),
    "sentiment": ("news_aggregator", {"symbol": "USD/JPY"}),
}
"""A call of each server that answers without a network, without an instant."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A desk's folder, which says all that it needs in its own files, with a published week."""
    folder = tmp_path_factory.mktemp("desk")
    desk = DeskCommand(folder, DESK_CONFIG=str(one_market(folder)))
    ports = {name: desk.variables[name] for name in ("DESK_SERVER_PORT", "DESK_UI_PORT")}
    told = {"DESK_OFFLINE": "1", "DESK_HOME": "home", **ports}
    (folder / ".env").write_text("".join(f"{name}={value}\n" for name, value in told.items()))
    execute(["init", str(folder)])
    ran = desk("run", "--week", WEEK)
    assert ran.code in (0, 3), ran.err
    return folder


@pytest.fixture(scope="module")
def entries(desk: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a desktop client has of the desk in its file."""
    file = tmp_path_factory.mktemp("client") / "config.json"
    execute(["mcp", "install", "claude-desktop", "--folder", str(desk), "--file", str(file)])
    servers: dict[str, Any] = json.loads(file.read_text())["mcpServers"]
    return servers


@asynccontextmanager
async def started(entry: dict[str, Any], folder: Path) -> AsyncIterator[Client]:
    """A client of one server, which has of the environment what clients pass on to any."""
    server = StdioServerParameters(
        command=entry["command"], args=entry["args"], env={}, cwd=str(folder)
    )
    async with Client(server, read_timeout_seconds=PATIENCE_SECONDS) as client:
        yield client


def told(answer: CallToolResult) -> dict[str, Any]:
    assert not answer.is_error, answer.content
    content: dict[str, Any] | None = answer.structured_content
    assert content is not None
    return content


def refused(answer: CallToolResult) -> str:
    assert answer.is_error
    (words,) = answer.content
    assert isinstance(words, TextContent)
    return words.text


@pytest.mark.parametrize("name", CALLS)
async def test_a_source_is_listed_and_called_without_an_instant(
    entries: dict[str, Any], name: str
) -> None:
    _, module, *options = entries[name]["args"]
    with served(module, *options) as port:
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            await listed_and_called(client, name)


async def test_a_source_is_started_by_its_entry_in_another_folder(
    entries: dict[str, Any], tmp_path: Path
) -> None:
    async with started(entries["knowledge"], tmp_path) as client:
        await listed_and_called(client, "knowledge")


async def listed_and_called(client: Client, name: str) -> None:
    """Its tools say that no instant is needed, and one of them answers without."""
    tool, arguments = CALLS[name]
    listed = [each.input_schema for each in (await client.list_tools()).tools]
    asked = [schema for schema in listed if "as_of" in schema["properties"]]
    assert asked
    for schema in asked:
        assert "as_of" not in schema.get("required", ())
        assert "without it, now" in schema["properties"]["as_of"]["description"]
    told(await client.call_tool(tool, arguments))


async def test_the_desk_gives_report_trace_status_and_answers_and_tells_what_it_has_not(
    entries: dict[str, Any], tmp_path: Path
) -> None:
    async with started(entries["research_desk"], tmp_path) as client:
        listed = {each.name: each for each in (await client.list_tools()).tools}
        assert listed.keys() == {"report", "trace", "ask", "status"}
        assert all(each.output_schema for each in listed.values())

        week = told(await client.call_tool("report", {"markets": ["eurusd"]}))
        assert week["summary"]["week"] == WEEK
        assert week["summary"]["files"]["html"] in week["text"]
        assert week["markets"] == ["EUR/USD"]
        (claims,) = week["claims"]
        figure = next(c for c in claims["claims"] if c["claim_id"] == "EUR/USD:move")

        followed = told(await client.call_tool("trace", {"figure": "EUR/USD:move"}))
        assert followed["trace"]["printed"] == figure["printed"]
        assert followed["trace"]["inputs"][0]["evidence"][0]["server"] == "ecb"

        status = told(await client.call_tool("status", {"week": WEEK}))
        assert [market["market"] for market in status["markets"]] == week["markets"]
        assert status["files"] == week["summary"]["files"]

        question = {"question": "What is the status of DESK-103?"}
        begun = told(await client.call_tool("ask", {**question, "wait_seconds": 0}))
        answer = told(await client.call_tool("ask", {**question, "wait_seconds": 150}))
        assert answer["state"] == "answered"
        assert answer["run"] == begun["run"]
        assert "“Blocked”" in answer["text"]
        assert Path(answer["page"]).is_file()

        said = [
            refused(await client.call_tool(tool, arguments))
            for tool, arguments in (
                ("report", {"week": "2026-W99"}),
                ("report", {"week": "2015-W01"}),
                ("report", {"markets": ["EUR/USX"]}),
                ("trace", {"figure": "EUR/USD:mov"}),
                ("trace", {"figure": "EUR/USD"}),
                ("ask", {"question": " "}),
                ("status", {"week": "2015-W01"}),
            )
        ]
        assert "'2026-W99' is not a week" in said[0]
        assert f"no report of 2015-W01; published are {WEEK}" in said[1]
        assert "no market 'EUR/USX'; nearest: EUR/USD" in said[2]
        assert "nearest: EUR/USD:move" in said[3]
        assert "name one of its figures: " in said[4]
        assert "the question is empty" in said[5]
        assert "no run of 2015-W01 is known" in said[6]


def test_the_desks_own_server_is_no_source_of_the_desk(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = load_settings(desk, {}).config
    assert execute(["mcp", "install", "--folder", str(desk)]) == 0
    assert "research_desk" in capsys.readouterr().out
    assert load_settings(desk, {}).config == before
