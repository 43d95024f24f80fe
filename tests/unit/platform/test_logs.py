"""Log lines say what they are about, and JSON is one object a line."""

import asyncio
import importlib
import inspect
import io
import json
import logging
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from temporalio import activity
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from desk.contracts import names
from desk.contracts.names import (
    LEARNING_SYSTEM_ID,
    QUESTION_RUN,
    SCHEDULED_RUN_ID,
    STOCK_RUN,
    SWARM_RUN,
    FailureType,
    escalation_run_id,
    hypothesis_run_id,
    market_run_id,
    reassignment_run_id,
    specialist_run_id,
    week_run_id,
)
from desk.platform.telemetry.subject import subject_of
from starters.terminal.logs import configure_logs
from tests.support.processes.homes import PROJECT

WEEK = week_run_id("2026-W44")
QUESTION, SWARM, STOCK = (f"{kind}0a1b2c" for kind in (QUESTION_RUN, SWARM_RUN, f"{STOCK_RUN}BTC-"))
YEN, JAPAN, AGAIN = (
    market_run_id(WEEK, "USD/JPY"),
    market_run_id(WEEK, "JP"),
    market_run_id(WEEK, "USD/JPY", 2),
)
CASE = "USD/JPY/conflict/USD/JPY:last@2026-10-30"

CHILDREN: dict[Callable[..., str], dict[str, dict[str, str]]] = {
    week_run_id: {
        WEEK: {"run": WEEK},
        week_run_id("2026-W44", "usdjpy-jp"): {"run": f"{WEEK}-usdjpy-jp"},
    },
    market_run_id: {
        YEN: {"run": WEEK, "market": "USD/JPY"},
        JAPAN: {"run": WEEK, "market": "JP"},
        AGAIN: {"run": WEEK, "market": "USD/JPY"},
    },
    reassignment_run_id: {
        reassignment_run_id(YEN, "research_fx"): {"run": WEEK, "market": "USD/JPY"},
        reassignment_run_id(AGAIN, "validate"): {"run": WEEK, "market": "USD/JPY"},
        reassignment_run_id(QUESTION, "USD/JPY/market/read"): {"run": QUESTION},
        reassignment_run_id(STOCK, "3.ta"): {"run": STOCK},
        reassignment_run_id(specialist_run_id(SWARM, "s1"), "s1"): {"run": SWARM},
    },
    escalation_run_id: {
        escalation_run_id(WEEK, CASE): {"run": WEEK},
        escalation_run_id(YEN, CASE): {"run": WEEK, "market": "USD/JPY"},
        escalation_run_id(AGAIN, CASE): {"run": WEEK, "market": "USD/JPY"},
        escalation_run_id(SWARM, CASE): {"run": SWARM},
    },
    specialist_run_id: {specialist_run_id(SWARM, "s1"): {"run": SWARM}},
    hypothesis_run_id: {hypothesis_run_id(SWARM, "h1"): {"run": SWARM}},
}
"""What each maker's ids are about."""


@pytest.fixture
def told() -> Iterator[io.StringIO]:
    """What is logged as JSON."""
    yield from _logged(as_json=True)


def _logged(*, as_json: bool) -> Iterator[io.StringIO]:
    # As a process that works does before it logs.
    importlib.import_module("desk.platform.telemetry.log_lines")
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    configure_logs("INFO", as_json=as_json)
    (handler,) = root.handlers
    assert isinstance(handler, logging.StreamHandler)
    lines = io.StringIO()
    handler.setStream(lines)
    yield lines
    root.handlers[:], root.level = before, level


@pytest.fixture
def shown() -> Iterator[io.StringIO]:
    """What is logged for people."""
    yield from _logged(as_json=False)


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


@activity.defn
async def _fail(error: BaseException) -> None:
    """As the worker logs an activity that ends in an error."""
    try:
        raise error
    except BaseException:
        activity.logger.warning("Completing activity as failed", exc_info=True)


async def _failed_with(error: Exception) -> None:
    await ActivityEnvironment().run(_fail, error)


async def test_a_failure_that_the_desk_has_named_is_one_line(told: io.StringIO) -> None:
    kind = FailureType.TOOL_UNAVAILABLE
    await _failed_with(ApplicationError("ecb.get_quote did not answer within 18 s", type=kind))
    found = line(told)
    assert found["event"].endswith(
        "try 1: ToolUnavailable: ecb.get_quote did not answer within 18 s"
    )
    assert "Traceback" not in told.getvalue()


async def test_an_activity_that_was_given_up_is_one_line(told: io.StringIO) -> None:
    await ActivityEnvironment().run(_fail, asyncio.CancelledError("Activity cancelled"))
    assert line(told)["event"].endswith("try 1: Activity cancelled")
    assert "Traceback" not in told.getvalue()


@activity.defn
async def _warn() -> None:
    activity.logger.warning("%s: %s", "2026-W44", "prices current")


async def test_what_an_activity_says_is_one_short_line_for_people(shown: io.StringIO) -> None:
    await ActivityEnvironment().run(_warn)
    (said,) = shown.getvalue().splitlines()
    assert re.fullmatch(
        r"\S+Z \[warning\] 2026-W44: prices current \[temporalio.activity\]"
        r" activity=test run=test",
        said,
    )


async def test_what_an_activity_says_is_its_event_in_json(told: io.StringIO) -> None:
    await ActivityEnvironment().run(_warn)
    found = line(told)
    assert found["event"] == "2026-W44: prices current"
    assert found["temporal_activity"]["activity_id"] == "test"


async def test_a_failure_that_nobody_expected_keeps_its_traceback(told: io.StringIO) -> None:
    await _failed_with(KeyError("no such thing"))
    assert "Traceback" in line(told)["exception"]


async def test_what_the_mcp_client_could_not_read_is_not_logged(told: io.StringIO) -> None:
    try:
        raise ValueError("input is 'sesame-1234'")
    except ValueError:
        logging.getLogger("mcp.shared").exception("unreadable")
    assert line(told)["event"] == "unreadable"
    assert "sesame" not in told.getvalue()


async def test_a_line_within_a_trace_names_it(told: io.StringIO) -> None:
    with TracerProvider().get_tracer("test").start_as_current_span("call") as span:
        await _log()
    assert line(told)["trace_id"] == f"{span.get_span_context().trace_id:032x}"


@pytest.mark.parametrize(
    ("workflow_id", "expected"),
    [made for ids in CHILDREN.values() for made in ids.items()],
)
def test_a_workflows_id_says_what_it_is_about(workflow_id: str, expected: dict[str, str]) -> None:
    assert subject_of(workflow_id) == expected


def test_every_kind_of_id_that_the_desk_makes_is_looked_at() -> None:
    makers = inspect.getmembers(names, inspect.isfunction)
    assert set(CHILDREN) == {maker for name, maker in makers if name.endswith("_run_id")}


@pytest.mark.parametrize(
    "run",
    [
        QUESTION,
        SWARM,
        STOCK,
        LEARNING_SYSTEM_ID,
        f"{SCHEDULED_RUN_ID}-2026-11-02T07:00:00Z",
        "look-0a1b2c",
    ],
)
def test_what_has_no_parent_is_a_run_of_its_own(run: str) -> None:
    assert subject_of(run) == {"run": run}
    assert subject_of(None) == {}


def test_an_activity_that_is_no_agents_has_no_agent() -> None:
    assert subject_of("weekly-2026-W44", "publish.r1") == {"run": "weekly-2026-W44"}


WARNS = """
import warnings
from types import SimpleNamespace

from temporalio.worker._activity import _ActivityWorker

from starters.terminal.logs import configure_logs

configure_logs("INFO", as_json=True)
_ActivityWorker._handle_cancel_activity_task(SimpleNamespace(_running_activities={}), b"t", None)
warnings.warn("this is deprecated")
"""


def test_warnings_are_lines_of_the_log_and_an_activity_that_has_ended_is_none() -> None:
    """In a process of its own: what becomes of warnings is the same for all of it."""
    done = subprocess.run(
        [sys.executable, "-c", WARNS], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    (found,) = map(json.loads, done.stderr.splitlines())
    assert "this is deprecated" in found["event"]
    assert (found["level"], found["logger"], done.stdout) == ("warning", "py.warnings", "")
