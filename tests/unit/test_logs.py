"""Log lines say what they are about, and JSON is one object a line."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from temporalio import activity
from temporalio.testing import ActivityEnvironment

from infra.logs import configure_logs
from infra.subject import subject_of


@pytest.fixture
def told() -> Iterator[io.StringIO]:
    """What is logged as JSON."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    configure_logs("INFO", as_json=True)
    (handler,) = root.handlers
    assert isinstance(handler, logging.StreamHandler)
    lines = io.StringIO()
    handler.setStream(lines)
    yield lines
    root.handlers[:], root.level = before, level


def line(told: io.StringIO) -> dict[str, Any]:
    (found,) = map(json.loads, told.getvalue().splitlines())
    return dict(found)


async def _log() -> None:
    logging.getLogger("desk.test").warning("a source is slow")


async def _log_in(workflow_id: str, activity_id: str) -> None:
    environment = ActivityEnvironment()
    environment.info = environment.default_info().__class__(
        **{**vars(environment.info), "workflow_id": workflow_id, "activity_id": activity_id}
    )
    await environment.run(activity.defn(_log))


async def test_a_line_of_an_activity_has_run_market_and_agent(told: io.StringIO) -> None:
    await _log_in("weekly-2026-W44/market/USD/JPY", "research_agent_1.research_fx.t2")
    found = line(told)
    assert found["event"] == "a source is slow"
    assert found["level"] == "warning"
    assert (found["run"], found["market"], found["agent"]) == (
        "weekly-2026-W44",
        "USD/JPY",
        "research_agent_1",
    )


async def test_a_line_about_nothing_in_particular_has_none_of_it(told: io.StringIO) -> None:
    await _log()
    assert not {"run", "market", "agent", "trace_id"} & set(line(told))


async def test_a_line_within_a_trace_names_it(told: io.StringIO) -> None:
    with TracerProvider().get_tracer("test").start_as_current_span("call") as span:
        await _log()
    assert line(told)["trace_id"] == f"{span.get_span_context().trace_id:032x}"


@pytest.mark.parametrize(
    ("workflow_id", "expected"),
    [
        ("weekly-2026-W44", {"run": "weekly-2026-W44"}),
        ("weekly-2026-W44/market/JP", {"run": "weekly-2026-W44", "market": "JP"}),
        ("w/market/USD/JPY/rerun/2", {"run": "w", "market": "USD/JPY"}),
        ("w/market/USD/JPY/reassign/research_fx", {"run": "w", "market": "USD/JPY"}),
        ("w/market/USD/JPY/rerun/1/reassign/validate", {"run": "w", "market": "USD/JPY"}),
        ("w/escalation/USD/JPY/conflict/USD/JPY:last@2026-10-30", {"run": "w"}),
        (None, {}),
    ],
)
def test_a_workflows_id_says_what_it_is_about(
    workflow_id: str | None, expected: dict[str, str]
) -> None:
    assert subject_of(workflow_id) == expected


def test_an_activity_that_is_no_agents_has_no_agent() -> None:
    assert subject_of("weekly-2026-W44", "publish.r1") == {"run": "weekly-2026-W44"}
