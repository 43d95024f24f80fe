"""Faults that a tester asks for: by flags and by a tool, drawn from a seed and from the call."""

import argparse
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from pydantic import ValidationError

from desk.sources.knowledge.server import build_server
from tests.support.knowledge.corpus import small_corpus
from tests.support.knowledge.faults import (
    FaultKind,
    Faults,
    FaultSettings,
    ToolRequest,
    add_fault_options,
    faults_of,
    tool_request,
)
from tests.support.knowledge.faulty_server import build_faulty_server
from tests.support.knowledge.faulty_wires import HttpFaults, Message, Receive, Send

CALLS = [
    ToolRequest(number, "fetch_ticket", {"ticket_id": f"DESK-{number}"}) for number in range(400)
]
EVERY_KIND = tuple(FaultKind)


def parsed(*options: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_fault_options(parser)
    return parser.parse_args(options)


def settings_of(*options: str) -> FaultSettings:
    faults = faults_of(parsed(*options))
    assert faults is not None
    return faults.status().settings


def test_without_a_flag_there_are_no_faults() -> None:
    assert faults_of(parsed()) is None
    assert faults_of(parsed("--fault-seed", "7", "--error-kinds", "timeout")) is None


@pytest.mark.parametrize(
    ("options", "least", "most"),
    [
        (("--latency",), 0, 500),
        (("--latency", "1500"), 1500, 1500),
        (("--latency", "0"), 0, 0),
        (("--latency", "20-30"), 20, 30),
    ],
)
def test_latency_is_one_figure_or_two_ends(options: tuple[str, ...], least: int, most: int) -> None:
    settings = settings_of(*options)
    assert (settings.latency_ms_min, settings.latency_ms_max) == (least, most)
    assert settings.error_rate == 0


def test_errors_are_given_by_rate_kinds_and_seed() -> None:
    settings = settings_of(
        "--error-rate", "0.3", "--error-kinds", "500,timeout,500", "--fault-seed", "7"
    )
    assert (settings.error_rate, settings.seed) == (0.3, 7)
    assert settings.kinds == (FaultKind.INTERNAL_ERROR, FaultKind.TIMEOUT)
    assert settings_of("--error-rate", "1").kinds == (FaultKind.INTERNAL_ERROR,)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--latency=1501", "is no latency; use 0 to 1500 ms"),
        ("--latency=30-20", "is no latency"),
        ("--latency=-5", "is no latency"),
        ("--latency=1-2-3", "is no latency"),
        ("--latency=soon", "is no latency"),
        ("--error-rate=1.1", "is no rate; use 0 to 1"),
        ("--error-rate=-0.1", "is no rate"),
        ("--error-rate=nan", "is no rate"),
        ("--error-rate=some", "is no rate"),
        ("--error-kinds=404", "use some of 500,timeout,malformed,truncated,duplicate"),
        ("--error-kinds=", "are no kinds"),
        ("--fault-seed=x", "invalid int value"),
    ],
)
def test_a_flag_that_means_nothing_is_wrong_usage(
    option: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed(option)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


@given(order=st.permutations(CALLS[:40]), seed=st.integers())
def test_a_call_has_its_fault_in_whatever_order_calls_come(
    order: list[ToolRequest], seed: int
) -> None:
    settings = FaultSettings(latency_ms_max=500, error_rate=0.5, kinds=EVERY_KIND, seed=seed)
    one, other = Faults(settings), Faults(settings)
    expected = {call.request_id: one.drawn(call) for call in CALLS[:40]}
    assert {call.request_id: other.drawn(call) for call in order} == expected


def test_the_same_call_made_again_has_a_fault_of_its_own() -> None:
    faults = Faults(FaultSettings(error_rate=0.5))
    drawn = [faults.drawn(CALLS[0]).kind for _ in range(50)]
    assert set(drawn) == {None, FaultKind.INTERNAL_ERROR}
    again = Faults(FaultSettings(error_rate=0.5))
    assert [again.drawn(CALLS[0]).kind for _ in range(50)] == drawn


def test_another_seed_gives_other_faults() -> None:
    def drawn(seed: int) -> list[FaultKind | None]:
        faults = Faults(FaultSettings(error_rate=0.5, seed=seed))
        return [faults.drawn(call).kind for call in CALLS]

    assert drawn(1) != drawn(2)


def test_faults_come_at_their_rate_and_latencies_between_their_ends() -> None:
    settings = FaultSettings(
        latency_ms_min=100, latency_ms_max=300, error_rate=0.25, kinds=EVERY_KIND
    )
    drawn = [Faults(settings).drawn(call) for call in CALLS]
    counted = Counter(fault.kind for fault in drawn)
    assert 0.65 * len(CALLS) < counted[None] < 0.85 * len(CALLS)
    assert all(counted[kind] for kind in FaultKind)
    assert all(0.1 <= fault.latency <= 0.3 for fault in drawn)
    assert len({fault.latency for fault in drawn}) > 100


@pytest.mark.parametrize(("rate", "kind"), [(0.0, None), (1.0, FaultKind.TIMEOUT)])
def test_the_ends_of_the_rate_are_never_and_always(rate: float, kind: FaultKind | None) -> None:
    faults = Faults(FaultSettings(error_rate=rate, kinds=(FaultKind.TIMEOUT,)))
    assert {faults.drawn(call).kind for call in CALLS} == {kind}


def test_changed_settings_count_from_the_next_call_and_draw_from_the_beginning() -> None:
    settings = FaultSettings(error_rate=0.5)
    faults = Faults(settings)
    before = [faults.drawn(call) for call in CALLS]
    faults.change(FaultSettings())
    assert {faults.drawn(call).kind for call in CALLS} == {None}
    faults.change(settings)
    assert [faults.drawn(call) for call in CALLS] == before


def test_what_happened_is_counted() -> None:
    faults = Faults(FaultSettings(error_rate=1.0, kinds=(FaultKind.DUPLICATE,)))
    faults.drawn(CALLS[0])
    faults.handled(CALLS[0])
    faults.handled(CALLS[0])
    status = faults.status()
    assert status.received == {"fetch_ticket": 1}
    assert status.handled == {"fetch_ticket": 2}
    assert status.injected == {"duplicate": 1}


@pytest.mark.parametrize(
    "fields",
    [
        {"latency_ms_min": 10, "latency_ms_max": 5},
        {"latency_ms_max": 1501},
        {"error_rate": 2},
        {"kinds": ()},
        {"kinds": ("404",)},
    ],
)
def test_settings_that_mean_nothing_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        FaultSettings.model_validate(fields)


CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_doc"}}


def test_a_tool_call_is_known_by_its_message() -> None:
    arguments = {"doc_id": "policy"}
    called = CALL | {"params": {"name": "get_doc", "arguments": arguments}}
    assert tool_request(json.dumps(called)) == ToolRequest(1, "get_doc", arguments)
    assert tool_request(json.dumps(CALL).encode()) == ToolRequest(1, "get_doc", {})


@pytest.mark.parametrize(
    "message",
    [
        "",
        "[" * 100_000,
        "[]",
        "no JSON",
        b"\xff\xfe",
        json.dumps(CALL | {"method": "initialize"}),
        json.dumps(CALL | {"method": "tools/list"}),
        json.dumps(CALL | {"params": {"name": "set_faults"}}),
        json.dumps(CALL | {"params": {"name": "get_faults"}}),
        json.dumps(CALL | {"params": {"name": 7}}),
        json.dumps(CALL | {"params": []}),
        json.dumps(CALL | {"id": None}),
        json.dumps({"jsonrpc": "2.0", "id": 1, "result": {}}),
    ],
)
def test_everything_else_is_left_alone(message: str | bytes) -> None:
    assert tool_request(message) is None


@pytest.mark.parametrize(
    ("kind", "handled"),
    [
        (FaultKind.INTERNAL_ERROR, 0),
        (FaultKind.MALFORMED, 1),
        (FaultKind.TRUNCATED, 1),
        (FaultKind.DUPLICATE, 2),
    ],
)
async def test_a_server_is_given_a_call_as_often_as_is_counted(
    kind: FaultKind, handled: int
) -> None:
    parts = [json.dumps(CALL).encode()[:20], json.dumps(CALL).encode()[20:]]
    coming: list[Message] = [
        {"type": "http.request", "body": parts[0], "more_body": True},
        {"type": "http.request", "body": parts[1], "more_body": False},
    ]
    seen: list[bytes] = []

    async def server(_: Message, receive: Receive, send: Send) -> None:
        seen.append(b"".join([(await receive())["body"], (await receive())["body"]]))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    async def receive() -> Message:
        return coming.pop(0)

    async def send(message: Message) -> None:
        starts.extend([message] if message["type"] == "http.response.start" else [])

    starts: list[Message] = []
    faults = Faults(FaultSettings(error_rate=1.0, kinds=(kind,)))
    await HttpFaults(server, faults)({"type": "http", "method": "POST"}, receive, send)
    assert seen == [json.dumps(CALL).encode()] * handled
    assert sum(faults.status().handled.values()) == handled
    assert len(starts) == 1


async def test_the_tools_of_faults_are_offered_only_where_they_are_asked_for(
    tmp_path: Path,
) -> None:
    folder = small_corpus(tmp_path)
    faults = Faults(FaultSettings())
    for server, offered in (
        (build_server(corpus_dir=folder), False),
        (build_faulty_server(faults, folder), False),
        (build_faulty_server(faults, folder, faults_tool=True), True),
    ):
        async with Client(server) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
        assert ({"set_faults", "get_faults"} <= names) is offered
        assert "fetch_ticket" in names


async def test_a_call_in_this_process_has_no_faults(tmp_path: Path) -> None:
    faults = Faults(FaultSettings(error_rate=1.0, kinds=(FaultKind.TIMEOUT,)))
    async with Client(build_faulty_server(faults, small_corpus(tmp_path))) as client:
        answer = await client.call_tool("fetch_ticket", {"ticket_id": "DESK-101"})
    assert not answer.is_error
    assert faults.status().received == {}


async def test_faults_that_mean_nothing_are_refused_by_the_tool(tmp_path: Path) -> None:
    faults = Faults(FaultSettings())
    server = build_faulty_server(faults, small_corpus(tmp_path), faults_tool=True)
    async with Client(server) as client:
        wrong = {"latency_ms_min": 20, "latency_ms_max": 10}
        answer = await client.call_tool("set_faults", wrong)
    assert answer.is_error
    assert "swap them" in str(answer.content)
    assert faults.status().settings == FaultSettings()
