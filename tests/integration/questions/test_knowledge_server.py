"""The server `knowledge` as a process: asked by strangers, and with faults on the wire."""

import http.client
import json
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters

from desk.sources.knowledge.server import build_server
from tests.support.knowledge.corpus import CorpusFolder, small_corpus
from tests.support.knowledge.process import (
    INITIALIZED,
    KNOWLEDGE,
    HttpAsking,
    called,
    command,
    greeting,
    http_server,
    stdio_server,
)
from tests.support.processes.command import answered
from tests.support.processes.homes import PROJECT

TICKET = {"ticket_id": "DESK-101", "as_of": "2026-11-02T08:00:00Z"}
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("fetch_ticket", TICKET),
    ("get_doc", {"doc_id": "policy", "as_of": TICKET["as_of"]}),
    ("get_pdf", {"url": "corpus://pdfs/report.pdf", "as_of": TICKET["as_of"]}),
    ("search_web", {"query": "limit audit markets", "as_of": TICKET["as_of"]}),
)
AT_ONCE, LATENCY_MS = 24, 700
"""Calls side by side, and what each is held back: one after the other they would take so long that
no busy machine is taken for that."""

NOT_LONG = 0.6
"""Seconds in which an answer that is to come has come."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def asking(corpus: Path) -> Iterator[HttpAsking]:
    """A server whose faults the tests change while it runs."""
    with http_server("--corpus", str(corpus), "--faults-tool") as asking:
        yield asking


@pytest.fixture
def faulty(asking: HttpAsking) -> Iterator[HttpAsking]:
    yield asking
    asking.call("set_faults")


async def expected(corpus: Path) -> list[dict[str, Any] | None]:
    async with Client(build_server(corpus_dir=corpus)) as client:
        return [(await client.call_tool(*call)).structured_content for call in CALLS]


async def test_a_plain_http_client_can_use_it(asking: HttpAsking, corpus: Path) -> None:
    greeted = asking.post(greeting()).result()
    assert greeted["serverInfo"]["name"] == "knowledge"
    assert asking.post(INITIALIZED).status == 202
    listed = asking.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).result()["tools"]
    assert {"fetch_ticket", "get_doc", "get_pdf", "search_web"} <= {tool["name"] for tool in listed}
    assert all(tool["inputSchema"]["properties"] and tool["outputSchema"] for tool in listed[:4])
    assert [asking.call(tool, **arguments) for tool, arguments in CALLS] == await expected(corpus)


def test_a_plain_http_client_is_told_why_it_is_refused(asking: HttpAsking) -> None:
    result = asking.post(called(2, "fetch_ticket", ticket_id="DESK-100")).result()
    assert result["isError"]
    assert "there is no ticket DESK-100; nearest: DESK-101" in result["content"][0]["text"]


async def test_the_sdks_client_can_use_it_over_http(asking: HttpAsking, corpus: Path) -> None:
    async with Client(asking.url, read_timeout_seconds=60) as client:
        answers = [await client.call_tool(*call) for call in CALLS]
    assert [answer.structured_content for answer in answers] == await expected(corpus)


def test_a_line_client_can_use_it_over_stdio(corpus: Path) -> None:
    with stdio_server("--corpus", str(corpus)) as server:
        server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        listed = server.told()["result"]["tools"]
        assert [tool["name"] for tool in listed] == [tool for tool, _ in CALLS]
        assert server.call(*CALLS[0][:1], **TICKET)["id"] == "DESK-101"


def test_a_damaged_corpus_ends_the_start_with_2(tmp_path: Path) -> None:
    folder = CorpusFolder(tmp_path).write("documents/a.md", "no front matter\n").folder
    ended = answered(["--corpus", str(folder)], {}, module=KNOWLEDGE)
    assert ended.code == 2
    assert "a.md, line 1: it must begin with front matter" in ended.err
    assert "Traceback" not in ended.err


def always(kind: str, **more: Any) -> dict[str, Any]:
    return {"error_rate": 1.0, "kinds": [kind], **more}


def test_an_http_500_is_one(faulty: HttpAsking) -> None:
    faulty.call("set_faults", **always("500"))
    answer = faulty.post(called(1, "fetch_ticket", **TICKET))
    assert (answer.status, answer.body) == (500, b"Internal Server Error")


def test_no_answer_comes_over_http_until_the_client_gives_up(faulty: HttpAsking) -> None:
    faulty.call("set_faults", **always("timeout"))
    with pytest.raises(TimeoutError):
        faulty.post(called(1, "fetch_ticket", **TICKET), timeout=NOT_LONG)
    assert faulty.call("get_faults")["settings"]["kinds"] == ["timeout"]


def test_a_malformed_answer_over_http_is_no_json(faulty: HttpAsking) -> None:
    faulty.call("set_faults", **always("malformed"))
    answer = faulty.post(called(1, "fetch_ticket", **TICKET))
    assert (answer.status, answer.media_type) == (200, "application/json")
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(answer.body)


def test_a_truncated_answer_over_http_breaks_off_in_its_body(faulty: HttpAsking) -> None:
    faulty.call("set_faults", **always("truncated"))
    with pytest.raises(http.client.IncompleteRead) as broken:
        faulty.post(called(1, "fetch_ticket", **TICKET))
    assert broken.value.partial.startswith(b'{"jsonrpc"')
    assert broken.value.expected


def test_a_duplicate_over_http_is_handled_twice_and_answered_once(faulty: HttpAsking) -> None:
    before = faulty.call("get_faults")
    faulty.call("set_faults", **always("duplicate"))
    assert faulty.call("fetch_ticket", **TICKET)["id"] == "DESK-101"
    after = faulty.call("get_faults")
    grown = {
        count: after[count]["fetch_ticket"] - before[count].get("fetch_ticket", 0)
        for count in ("received", "handled")
    }
    assert grown == {"received": 1, "handled": 2}
    assert after["injected"]["duplicate"] == before["injected"].get("duplicate", 0) + 1


def test_latency_holds_back_calls_side_by_side_and_nothing_else(faulty: HttpAsking) -> None:
    faulty.call("set_faults", latency_ms_min=1500, latency_ms_max=1500)
    began = time.monotonic()
    for _ in range(AT_ONCE):
        faulty.post(greeting())
        faulty.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        faulty.call("get_faults")
    assert time.monotonic() - began < AT_ONCE * 1.5
    faulty.call("set_faults", latency_ms_min=LATENCY_MS, latency_ms_max=LATENCY_MS)
    began = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as calls:
        answers = list(calls.map(lambda _: faulty.call("fetch_ticket", **TICKET), range(AT_ONCE)))
    assert LATENCY_MS <= 1_000 * (time.monotonic() - began) < AT_ONCE * LATENCY_MS
    assert {answer["id"] for answer in answers} == {"DESK-101"}


async def test_the_sdks_client_sees_a_500_as_an_error_and_goes_on(faulty: HttpAsking) -> None:
    async with Client(faulty.url, read_timeout_seconds=60) as client:
        await client.call_tool("set_faults", always("500"))
        with pytest.raises(MCPError):
            await client.call_tool("fetch_ticket", TICKET)
        await client.call_tool("set_faults", {})
        assert not (await client.call_tool("fetch_ticket", TICKET)).is_error


def test_faults_of_the_flags_come_in_the_same_places_for_the_same_seed(corpus: Path) -> None:
    options = ("--corpus", str(corpus), "--error-rate", "0.5", "--fault-seed", "11")
    seen = []
    for _ in range(2):
        with http_server(*options) as server:
            asked = [called(n, "search_web", query=f"word {n}") for n in range(20)]
            seen.append([server.post(message).status for message in asked])
    assert seen[0] == seen[1]
    assert set(seen[0]) == {200, 500}


def test_faults_over_stdio_change_while_it_runs_up_to_half_a_line_and_the_end(corpus: Path) -> None:
    with stdio_server("--corpus", str(corpus), "--faults-tool") as server:
        server.call("set_faults", **always("500"))
        server.send(called(7, "fetch_ticket", **TICKET))
        error = {"code": -32603, "message": "Internal error"}
        assert server.told() == {"jsonrpc": "2.0", "id": 7, "error": error}

        server.call("set_faults", **always("timeout"))
        server.send(called(8, "fetch_ticket", **TICKET))
        assert server.line(NOT_LONG) is None

        server.call("set_faults", **always("malformed"))
        server.send(called(9, "fetch_ticket", **TICKET))
        line = server.line()
        assert line is not None and line.startswith(b"<html>")
        with pytest.raises(ValueError, match="Expecting value"):
            json.loads(line)

        server.call("set_faults", **always("duplicate"))
        server.send(called(10, "fetch_ticket", **TICKET))
        first, second = server.told(), server.told()
        assert first == second and first["id"] == 10

        status = server.call("get_faults")
        assert status["received"] == {"fetch_ticket": 4}
        assert status["handled"] == {"fetch_ticket": 2}
        assert status["injected"] == {"500": 1, "timeout": 1, "malformed": 1, "duplicate": 1}

        server.call("set_faults", latency_ms_min=LATENCY_MS, latency_ms_max=LATENCY_MS)
        began = time.monotonic()
        for number in range(AT_ONCE):
            server.send(called(number, "fetch_ticket", **TICKET))
        assert {server.told()["id"] for _ in range(AT_ONCE)} == set(range(AT_ONCE))
        assert LATENCY_MS <= 1_000 * (time.monotonic() - began) < AT_ONCE * LATENCY_MS

        server.call("set_faults")
        assert server.call("fetch_ticket", **TICKET)["id"] == "DESK-101"

        server.call("set_faults", **always("truncated"))
        server.send(called(1, "fetch_ticket", **TICKET))
        half = server.line()
        assert half is not None and half.startswith(b'{"jsonrpc"')
        with pytest.raises(ValueError, match=r"JSON|Unterminated|Expecting"):
            json.loads(half)
        assert server.process.wait(60) == 70


def test_a_server_ends_with_its_input_while_a_call_waits(corpus: Path) -> None:
    messages = [greeting(), INITIALIZED, called(1, "fetch_ticket", **TICKET)]
    ended = subprocess.run(
        command("--corpus", str(corpus), "--latency", "1500"),
        cwd=PROJECT,
        input="".join(json.dumps(message) + "\n" for message in messages),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout.splitlines()[0])["id"] == 0


async def test_the_sdks_client_comes_through_answers_that_came_twice(corpus: Path) -> None:
    options = ("--error-rate", "1", "--error-kinds", "duplicate", "--faults-tool")
    executable, *arguments = command("--corpus", str(corpus), *options)
    parameters = StdioServerParameters(command=executable, args=arguments, cwd=PROJECT)
    async with Client(parameters, read_timeout_seconds=60) as client:
        answers = [await client.call_tool("fetch_ticket", TICKET) for _ in range(5)]
        status = await client.call_tool("get_faults", {})
    assert {answer.structured_content["id"] for answer in answers if answer.structured_content} == {
        "DESK-101"
    }
    assert status.structured_content and status.structured_content["injected"] == {"duplicate": 5}
