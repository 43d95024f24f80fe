"""The `yahoo_finance` server as a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from mcp import Client

from tests.support.addresses.yahoo import Chart, Upstream, match, yahoo
from tests.support.processes.homes import PROJECT
from tests.support.sources.served import served

AS_OF = "2020-10-31T07:00:00Z"
QUOTE = {"symbol": "USD/JPY", "as_of": AS_OF}
PATIENCE_SECONDS = 40.0


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "desk.sources.yahoo.server", *arguments]


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with yahoo({"USDJPY=X": Chart({date(2020, 10, 30): 157.25})}, (match("JPY=X"),)) as address:
        yield address


def request(number: int, tool: str, **arguments: str) -> str:
    params = {"name": tool, "arguments": {"as_of": AS_OF} | arguments}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})


def test_standard_output_carries_the_protocol_alone_and_no_file_is_written(
    upstream: Upstream, tmp_path: Path
) -> None:
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    lines = (
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        request(2, "get_quote", symbol="USD/JPY"),
        request(3, "get_quote", symbol="USD/XXX"),
        request(4, "search_symbols", query="yen"),
    )
    process = subprocess.Popen(
        command("--url", upstream.url, "--cache-dir", str(tmp_path / "cache")),
        cwd=PROJECT,
        env=os.environ | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(4)]
        process.stdin.close()
        rest, complaints = process.stdout.read(), process.stderr.read()
    by_id = {answer["id"]: answer["result"] for answer in answers}
    assert by_id[2]["structuredContent"]["value"] == "157.25"
    assert by_id[3]["structuredContent"]["missing"] == "Yahoo Finance has no pair USDXXX=X."
    assert by_id[4]["structuredContent"]["symbols"] == ["USD/JPY"]
    assert (rest, complaints, process.returncode) == ("", "", 0)
    assert list(tmp_path.iterdir()) == []


async def test_the_yahoo_server_answers_over_http(upstream: Upstream) -> None:
    with served("desk.sources.yahoo.server", "--url", upstream.url) as port:
        async with Client(
            f"http://127.0.0.1:{port}/mcp", read_timeout_seconds=PATIENCE_SECONDS
        ) as client:
            answer = await client.call_tool("get_quote", QUOTE)
    assert answer.structured_content["fixed_on"] == "2020-10-30"
