"""Our MCP servers as processes of their own, driven by the `mcp` client over both transports."""

import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent, Tool

from desk.sources.analysis import server as analysis
from desk.sources.central_banks import server as central_banks
from desk.sources.ecb import server as ecb
from desk.sources.ecb.store import cached_file, packaged_file
from desk.sources.knowledge import server as knowledge
from desk.sources.sentiment import server as sentiment
from desk.sources.statistics import server as official_statistics
from tests.support.addresses.rates import serving
from tests.support.files.rates_files import with_a_later_day
from tests.support.processes.forks import forked_command
from tests.support.processes.homes import free_port
from tests.support.sources.served import served
from tests.support.sources.servers import module_of

ROOT = Path(__file__).parents[3]
AS_OF = "2026-09-20T07:00:00+01:00"
START_SECONDS = 60
MODULES = {
    "ecb": ecb,
    "central_banks": central_banks,
    "official_statistics": official_statistics,
    "knowledge": knowledge,
    "analysis": analysis,
    "sentiment": sentiment,
}

Call = tuple[str, str, dict[str, Any]]

CALLS: tuple[Call, ...] = (
    ("knowledge", "fetch_ticket", {"ticket_id": "DESK-101"}),
    ("knowledge", "get_doc", {"doc_id": "settlement-cutoffs", "limit": 1000}),
    ("knowledge", "get_pdf", {"url": "corpus://pdfs/outage-review-2026.pdf", "last_page": 1}),
    ("knowledge", "search_web", {"query": "the outage of March", "kinds": ["pdf", "document"]}),
    ("analysis", "find_symbols", {"query": "is the yen carry trade unwinding?"}),
    ("analysis", "market_data", {"symbol": "USD/JPY"}),
    ("analysis", "price_history", {"symbol": "NVDA", "start": "2025-02-03"}),
    ("analysis", "indicator_calculator", {"symbol": "EUR/JPY"}),
    ("analysis", "pattern_detector", {"symbol": "NVDA", "as_of": "2025-02-17T07:00:00Z"}),
    ("analysis", "ratio_calculator", {"symbol": "AUD/JPY"}),
    ("sentiment", "news_aggregator", {"symbol": "USD/JPY"}),
    ("sentiment", "sentiment_analyzer", {"symbol": "USD/JPY", "days": 28}),
    ("ecb", "get_quote", {"symbol": "USD/JPY"}),
    ("ecb", "get_quote", {"symbol": "USD/TWD"}),
    ("ecb", "get_historical", {"symbol": "USD/HKD", "start": "2025-09-01", "end": "2026-09-18"}),
    ("ecb", "search_symbols", {"query": "yen"}),
    ("ecb", "get_coverage", {}),
    ("central_banks", "get_policy_rate", {"areas": ["US", "JP", "SG", "TW"]}),
    (
        "central_banks",
        "get_rate_decisions",
        {"areas": ["US", "XM"], "start": "2026-06-01", "end": "2026-09-30"},
    ),
    (
        "central_banks",
        "get_decision_calendar",
        {"areas": ["US", "MY"], "start": "2026-09-18", "end": "2026-12-31"},
    ),
    (
        "official_statistics",
        "get_month_averages",
        {"symbol": "GBP/USD", "start": "2026-01", "end": "2026-09"},
    ),
    (
        "official_statistics",
        "get_month_averages",
        {"symbol": "USD/IDR", "start": "2026-01", "end": "2026-09"},
    ),
    (
        "official_statistics",
        "get_month_end_rates",
        {"areas": ["XM", "SG"], "start": "2024-08", "end": "2026-09"},
    ),
)
REFUSED: tuple[tuple[Call, str], ...] = (
    (("knowledge", "fetch_ticket", {"ticket_id": "DESK-999"}), "there is no ticket DESK-999"),
    (("analysis", "market_data", {"symbol": "NVDIA"}), "no prices of NVDIA; nearest: NVDA"),
    (("analysis", "price_history", {"symbol": "NVDA", "start": "1 May"}), "ISO 8601 day"),
    (("sentiment", "news_aggregator", {"symbol": "nvda"}), "is not a market"),
    (("ecb", "get_price", {}), "Unknown tool: get_price"),
    (("ecb", "get_quote", {"symbol": "USDJPY"}), "write it like USD/JPY"),
    (("ecb", "get_quote", {}), "symbol"),
    (("ecb", "get_quote", {"symbol": "USD/JPY", "as_of": "2026-09-20T07:00:00"}), "timezone"),
    (("ecb", "get_historical", {"symbol": "USD/JPY", "start": "1 May"}), "ISO 8601 day"),
    (("central_banks", "get_policy_rate", {"areas": ["Japan"]}), "write it like JP or XM"),
    (("central_banks", "get_policy_rate", {"areas": []}), "areas"),
    (
        (
            "central_banks",
            "get_rate_decisions",
            {"areas": ["US"], "start": "2026-02-01", "end": "2026-01-01"},
        ),
        "lies before start",
    ),
    (
        (
            "official_statistics",
            "get_month_averages",
            {"symbol": "GBP/USD", "start": "January", "end": "2026-09"},
        ),
        "write it as a month, such as 2026-10",
    ),
    (
        (
            "official_statistics",
            "get_month_end_rates",
            {"areas": ["Japan"], "start": "2026-01", "end": "2026-09"},
        ),
        "write it like JP or XM",
    ),
)


class Transport(StrEnum):
    STDIO = "stdio"
    HTTP = "http"


def command(server: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", module_of(server), *arguments]


def run(server: str, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """A server's process to its end, with no input."""
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        process = forked_command(arguments, variables, out, err, module=module_of(server))
        try:
            status = process.wait(START_SECONDS)
        finally:
            process.kill()
        return subprocess.CompletedProcess(arguments, status, out.read_text(), err.read_text())


@contextmanager
def serving_http(server: str) -> Iterator[str]:
    """The address of a server process, which is stopped afterwards."""
    with served(module_of(server)) as port:
        yield f"http://127.0.0.1:{port}/mcp"


@dataclass(frozen=True)
class Heard:
    """What a server says over one connection: the tools it offers, and its answers."""

    tools: list[Tool]
    answers: list[CallToolResult]
    refusals: list[CallToolResult]


async def heard(client: Client, server: str) -> Heard:
    """Everything that these tests ask a server, in one go."""
    async with client:
        tools = (await client.list_tools()).tools
        refusals = await answers(client, server, tuple(call for call, _ in REFUSED))
        return Heard(tools, await answers(client, server, CALLS), refusals)


def over_stdio(*line: str) -> Client:
    """A client of a process of its own."""
    executable, *arguments = line
    parameters = StdioServerParameters(command=executable, args=arguments, cwd=ROOT)
    return Client(parameters, read_timeout_seconds=START_SECONDS)


async def answers(client: Client, server: str, calls: tuple[Call, ...]) -> list[CallToolResult]:
    """What the calls that are meant for a server give; `as_of` is added where it is not given."""
    return [
        await client.call_tool(tool, {"as_of": AS_OF} | arguments)
        for meant_for, tool, arguments in calls
        if meant_for == server
    ]


async def answered(client: Client, calls: tuple[Call, ...]) -> list[CallToolResult]:
    """What a client's server answers to calls, over a connection of their own."""
    async with client:
        return await answers(client, "ecb", calls)


@pytest.fixture(
    scope="module",
    params=[*product([Transport.HTTP], MODULES), (Transport.STDIO, "knowledge")],
    ids="-".join,
)
async def process(request: pytest.FixtureRequest) -> tuple[str, Heard]:
    """A server by its name, and what its process says over a transport."""
    transport, server = request.param
    if transport is Transport.STDIO:
        return server, await heard(over_stdio(*command(server)), server)
    with serving_http(server) as address:
        return server, await heard(Client(address, read_timeout_seconds=START_SECONDS), server)


@pytest.fixture(scope="module")
async def here() -> dict[str, Heard]:
    """What the servers say in this process."""
    return {name: await heard(Client(each.build_server()), name) for name, each in MODULES.items()}


def test_a_process_gives_the_same_results_as_the_server_in_this_process(
    process: tuple[str, Heard], here: dict[str, Heard]
) -> None:
    server, found = process
    assert found.answers and not any(answer.is_error for answer in found.answers)
    assert all(answer.structured_content for answer in found.answers)
    expected = [answer.structured_content for answer in here[server].answers]
    assert [answer.structured_content for answer in found.answers] == expected


def test_what_cannot_be_answered_is_refused_with_the_reason(process: tuple[str, Heard]) -> None:
    server, found = process
    reasons = [reason for (meant_for, _, _), reason in REFUSED if meant_for == server]
    assert reasons and all(answer.is_error for answer in found.refusals)
    for answer, reason in zip(found.refusals, reasons, strict=True):
        assert isinstance(answer.content[0], TextContent)
        assert reason in answer.content[0].text


def test_a_process_offers_the_same_tools_as_the_server_in_this_process(
    process: tuple[str, Heard], here: dict[str, Heard]
) -> None:
    server, found = process
    assert found.tools == here[server].tools


async def test_a_server_reads_the_newer_file_of_its_cache(tmp_path: Path) -> None:
    newer = with_a_later_day(packaged_file().read_bytes(), date(2030, 1, 2))
    cached_file(tmp_path).write_bytes(newer)
    client = over_stdio(*command("ecb", "--cache-dir", str(tmp_path)))
    calls: tuple[Call, ...] = (("ecb", "get_coverage", {"as_of": "2030-01-31T00:00:00Z"}),)
    (answer,) = await answered(client, calls)
    assert answer.structured_content is not None
    assert answer.structured_content["last_day"] == "2030-01-02"


@pytest.mark.parametrize("server", MODULES)
def test_a_server_ends_quietly_with_its_input(server: str) -> None:
    ended = run(server)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.parametrize("server", MODULES)
def test_the_help_shows_an_example(server: str) -> None:
    shown = run(server, "--help")
    assert shown.returncode == 0
    assert f"example: python -m {module_of(server)} --http" in shown.stdout


@pytest.mark.parametrize("port", ["0", "65536", "http", "-1"])
def test_a_wrong_port_is_wrong_usage(port: str) -> None:
    refused = run("ecb", f"--http={port}")
    assert refused.returncode == 2
    assert "is not a port" in refused.stderr


def test_a_port_in_use_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = run("central_banks", "--http", str(port))
    assert refused.returncode != 0
    assert str(port) in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_refresh_that_fails_prints_its_outcome_and_leaves_a_note_alone(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/eurofxref-hist.zip"
    ended = run("ecb", "--refresh", "--cache-dir", str(tmp_path), "--url", url)
    assert ended.returncode == 1
    assert json.loads(ended.stdout)["status"] == "unreachable"
    assert [path.name for path in tmp_path.iterdir()] == [".eurofxref-hist.zip.failed"]


@pytest.mark.parametrize("option", ["--refresh", "--refresh-every=60"])
def test_a_refresh_without_a_folder_is_wrong_usage(option: str) -> None:
    refused = run("ecb", option)
    assert refused.returncode == 2
    assert "--cache-dir" in refused.stderr


@pytest.mark.parametrize("seconds", ["0", "-1", "1.5", "hour"])
def test_a_wrong_time_between_refreshes_is_wrong_usage(seconds: str, tmp_path: Path) -> None:
    refused = run("ecb", "--cache-dir", str(tmp_path), f"--refresh-every={seconds}")
    assert refused.returncode == 2
    assert "is not a number of seconds" in refused.stderr


async def test_a_process_refreshes_its_rates_before_it_answers(tmp_path: Path) -> None:
    newer = with_a_later_day(packaged_file().read_bytes(), date(2030, 1, 2))
    asked: list[str] = []
    with serving(newer, asked=asked) as url:
        line = command("ecb", "--cache-dir", str(tmp_path), "--refresh-every", "3600", "--url", url)
        calls: tuple[Call, ...] = (("ecb", "get_coverage", {"as_of": "2030-01-31T00:00:00Z"}),)
        found = await answered(over_stdio(*line), calls * 2)
    days = [(answer.structured_content or {})["last_day"] for answer in found]
    assert days == ["2030-01-02"] * 2
    assert len(asked) == 1
