"""Where traces and metrics go, and which servers are given what that takes."""

from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import SecretStr

from desk.platform.settings.mcp_json import McpServerSpec
from desk.platform.telemetry.export import ROOT, resource, sampler
from desk.platform.telemetry.otlp import otlp_endpoint, otlp_headers
from desk.platform.telemetry.tracing import traced_servers, tracing
from tests.support.processes.homes import home_settings

WHERE = "http://127.0.0.1:4318"
SENDING = {"OTEL_EXPORTER_OTLP_ENDPOINT": WHERE}


def server(**fields: Any) -> McpServerSpec:
    return McpServerSpec.model_validate(fields)


OURS = server(
    command="python",
    args=("-m", "desk.sources.ecb.server", "--x"),
    inProcess="desk.sources.ecb.server",
)


@pytest.mark.parametrize(
    ("variables", "signal", "expected"),
    [
        ({}, "traces", None),
        (SENDING, "traces", f"{WHERE}/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": f"{WHERE}/"}, "metrics", f"{WHERE}/v1/metrics"),
        ({**SENDING, "OTEL_SDK_DISABLED": "True"}, "traces", None),
        ({**SENDING, "OTEL_TRACES_EXPORTER": "none"}, "traces", None),
        ({**SENDING, "OTEL_TRACES_EXPORTER": "none"}, "metrics", f"{WHERE}/v1/metrics"),
    ],
)
def test_a_signal_goes_where_the_variables_say(
    variables: dict[str, str], signal: str, expected: str | None
) -> None:
    assert otlp_endpoint(variables, signal) == expected


def test_headers_are_read_as_the_standard_has_them() -> None:
    given = {"OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Bearer%20a%3D, x-team = desk ,nothing"}
    assert otlp_headers(given) == {"authorization": "Bearer a=", "x-team": "desk"}


def test_our_own_process_gets_what_it_takes_and_what_it_had(tmp_path: Any) -> None:
    settings = home_settings(tmp_path, **SENDING, OTEL_EXPORTER_OTLP_HEADERS="a=b")
    spec = OURS.model_copy(update={"env": {"LANG": SecretStr("C")}})
    traced = traced_servers({"ecb": spec}, settings, in_process=False)["ecb"]
    assert traced.args == (
        "-m",
        "desk.platform.telemetry.traced_server",
        "desk.sources.ecb.server",
        "--x",
    )
    env = {name: value.get_secret_value() for name, value in traced.env.items()}
    assert env == {
        **SENDING,
        "OTEL_EXPORTER_OTLP_HEADERS": "a=b",
        "OTEL_SERVICE_NAME": "research-desk.ecb",
        "LANG": "C",
    }


@pytest.mark.parametrize(
    "spec",
    [
        server(command="uvx", args=("somebodys-server",)),
        server(command="python", args=("-m", "somebody.server")),
        server(url="http://127.0.0.1:1/mcp"),
    ],
)
def test_other_peoples_servers_are_given_nothing(tmp_path: Any, spec: McpServerSpec) -> None:
    settings = home_settings(tmp_path, **SENDING, OTEL_EXPORTER_OTLP_HEADERS="token=hush")
    assert traced_servers({"theirs": spec}, settings, in_process=False) == {"theirs": spec}


def test_a_server_inside_the_worker_stays_as_it_is(tmp_path: Any) -> None:
    settings = home_settings(tmp_path, **SENDING)
    assert traced_servers({"ecb": OURS}, settings, in_process=True) == {"ecb": OURS}


def test_without_the_packages_a_run_goes_on_and_says_once_what_to_do(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("desk.platform.telemetry.tracing._NEEDED", ("opentelemetry.not_installed",))
    monkeypatch.setattr("desk.platform.telemetry.tracing._WARNED", [])
    settings = home_settings(tmp_path, **SENDING)
    assert not tracing(settings)
    assert not tracing(settings)
    (said,) = caplog.messages
    assert "make install-observe" in said


def test_only_the_desks_own_spans_begin_a_trace() -> None:
    kept = InMemorySpanExporter()
    provider = TracerProvider(sampler=sampler(), resource=resource({}))
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracer = provider.get_tracer("test")
    with tracer.start_as_current_span("MCP send tools/list"), tracer.start_as_current_span("POST"):
        pass
    first = tracer.start_as_current_span("desk run", attributes={ROOT: True})
    with first, tracer.start_as_current_span("MCP send tools/call"):
        pass
    assert [span.name for span in kept.get_finished_spans()] == ["MCP send tools/call", "desk run"]
