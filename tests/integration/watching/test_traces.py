"""A run is one trace, from the command to the calls that came of it, sent where it is wanted."""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from desk.platform.settings import load_settings
from desk.platform.telemetry.tracing import trace_plugins
from tests.support.models.model_server import model_server
from tests.support.models.model_week import KEY, LAST_WEEK, Scripted
from tests.support.outside.otlp_receiver import Received, SentSpan, otlp_receiver
from tests.support.processes.command import PATIENCE_SECONDS, DeskCommand
from tests.support.processes.forks import Fork
from tests.support.processes.homes import PROJECT, free_port, home_environment

SECRET = "collector-hush"


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Received]:
    """What a week of two markets sends, with Claude and with a source as a process."""
    folder = tmp_path_factory.mktemp("traced")
    script = Scripted().fixtures("USD/JPY", "JP")
    with otlp_receiver() as received, model_server(folder, script) as m:
        desk = DeskCommand(
            folder,
            ANTHROPIC_API_KEY=KEY,
            ANTHROPIC_BASE_URL=m.url,
            DESK_MCP_CONFIG=str(sources(folder)),
            DESK_MCP_TRANSPORT="configured",
            OTEL_EXPORTER_OTLP_ENDPOINT=received.url,
            OTEL_EXPORTER_OTLP_HEADERS=f"authorization=Bearer%20{SECRET}",
            # Of what a process sends as it ends, a slow machine may cut something off.
            OTEL_BSP_SCHEDULE_DELAY="100",
        )
        done = desk("run", "--week", LAST_WEEK, "--markets", "USD/JPY,JP")
        assert done.code == 0, done.err
        assert SECRET not in done.out + done.err + (folder / "home/logs/desk.log").read_text()
        yield received


def sources(folder: Path) -> Path:
    """Those of the project's that are asked of these markets, one of them as a process."""
    every = json.loads((PROJECT / ".mcp.json").read_text())["mcpServers"]
    within = {
        name: {"inProcess": every[name]["inProcess"]}
        for name in ("central_banks", "official_statistics")
    }
    file = folder / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"ecb": every["ecb"], **within}}))
    return file


def chain(spans: list[SentSpan], last: SentSpan) -> list[str]:
    """The names from the first span of the trace to one of its spans."""
    by_id = {span.span: span for span in spans}
    names, span = [last.name], last
    while span.parent:
        span = by_id[span.parent]
        names.append(span.name)
    return names[::-1]


def test_a_run_is_one_trace_without_orphans(sent: Received) -> None:
    spans = sent.spans
    assert len({span.trace for span in spans}) == 1
    known = {span.span for span in spans}
    assert len(known) == len(spans)
    assert [span.name for span in spans if span.parent and span.parent not in known] == []
    (first,) = (span for span in spans if not span.parent)
    assert first.name == "desk run"
    counts = Counter(span.name for span in spans)
    assert counts["WeeklyResearchWorkflow"] == 1
    assert counts["MarketResearchWorkflow"] == 2
    assert counts["publish_report"] == 1


def test_the_trace_goes_from_the_command_to_the_server_of_a_source(sent: Received) -> None:
    served = next(
        span
        for span in sent.spans
        if span.name == "tools/call get_quote" and span.service == "research-desk.ecb"
    )
    assert chain(sent.spans, served) == [
        "desk run",
        "WeeklyResearchWorkflow",
        "MarketResearchWorkflow",
        "call_tool",
        "MCP send tools/call get_quote",
        "tools/call get_quote",
    ]


def test_the_trace_goes_from_the_command_to_the_calls_of_claude(sent: Received) -> None:
    asked = [span for span in sent.spans if span.attributes.get("gen_ai.operation.name") == "chat"]
    assert asked
    ways = {tuple(chain(sent.spans, span)[:-1]) for span in asked}
    assert ways == {
        ("desk run", "WeeklyResearchWorkflow", "take_turn"),
        ("desk run", "WeeklyResearchWorkflow", "MarketResearchWorkflow", "take_turn"),
    }


def test_spans_say_what_they_are_about_and_lie_within_those_above(sent: Received) -> None:
    by_id = {span.span: span for span in sent.spans}
    turns = [span for span in sent.spans if span.name == "take_turn"]
    assert {
        span.attributes["desk.market"] for span in turns if "desk.market" in span.attributes
    } == {
        "USD/JPY",
        "JP",
    }
    assert {span.attributes["desk.agent"] for span in turns} >= {
        "product_manager",
        "research_agent_1",
        "validator_agent",
    }
    ended = {span.name: span.ended for span in sent.spans}
    assert ended["publish_report"] <= ended["WeeklyResearchWorkflow"] <= ended["desk run"]
    for span in sent.spans:
        above = by_id.get(span.parent)
        assert span.started <= span.ended
        assert above is None or above.started <= span.started


def test_metrics_are_sent_where_none_are_served(sent: Received) -> None:
    assert {"desk_tasks", "desk_tool_calls", "desk_model_calls"} <= sent.metrics


def test_the_collectors_token_goes_to_the_collector(sent: Received) -> None:
    assert {given.get("authorization") for given in sent.headers} == {f"Bearer {SECRET}"}


def test_without_an_address_nothing_of_it_is_loaded(tmp_path: Path) -> None:
    said = tmp_path / "loaded.json"
    process = Fork(loaded_without_address, home_environment(tmp_path), said)
    assert process.wait(PATIENCE_SECONDS) == 0
    assert json.loads(said.read_text()) == []


def loaded_without_address(environment: Mapping[str, str], said: Path) -> None:
    """Which modules of the SDK a process has that has all that commands and workers import."""
    assert trace_plugins(load_settings(PROJECT, environment)) == []
    assert "workers.orchestrator" in sys.modules
    sdk = ("opentelemetry.sdk", "opentelemetry.exp")
    said.write_text(json.dumps([name for name in sys.modules if name.startswith(sdk)]))


def test_a_collector_that_is_away_takes_nothing_from_a_run(tmp_path: Path) -> None:
    desk = DeskCommand(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{free_port()}")
    done = desk("run", "--week", LAST_WEEK, "--markets", "JP")
    assert done.code == 0, done.err
    assert "Traceback" not in done.out + done.err
