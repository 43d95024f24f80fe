"""At a desk of one process, what other roles do is handed to the worker that asked for it."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio.client import Client, WorkflowHistory

from activities.tool_calls import ToolActivities
from desk.contracts.agents.tools import ToolListing
from desk.contracts.names import Queue, source_queue
from desk.platform.temporal.history import fetch_history
from starters.session import Desk
from tests.support.processes.homes import home_settings
from tests.support.processes.namespaces import new_namespace
from tests.support.processes.real_desk import real_desk, researched
from tests.support.replaying import replayer
from workers.hosting import Role, hosted

LIMITED = {"source.google_news", "source.yahoo_finance"}
"""Those of `.mcp.json` that a week reaches, and that have `callsPerSecond`."""


@pytest.fixture(scope="module")
async def worked(
    tmp_path_factory: pytest.TempPathFactory, shared_server: Client
) -> AsyncIterator[Desk]:
    """A desk of one process, at which a week of one market has ended."""
    at = await new_namespace(shared_server)
    async with real_desk(tmp_path_factory.mktemp("desk"), ("USD/JPY",), at=at) as desk:
        await researched(desk, "2026-W44", "week")
        yield desk


async def histories(desk: Desk) -> list[WorkflowHistory]:
    """Those of the week and its market."""
    runs = ("week", "week/market/USD/JPY")
    return [await desk.client.get_workflow_handle(run).fetch_history() for run in runs]


async def named_and_asked(desk: Desk) -> set[tuple[str, str]]:
    """The queue that a workflow named for an activity, beside the one that it was asked for on."""
    pairs = set()
    for history in await histories(desk):
        told = await fetch_history(desk.client, history.workflow_id)
        named = {each.scheduled.activity_id: each.scheduled.queue for each in told.activities}
        for event in history.events:
            if event.HasField("activity_task_scheduled_event_attributes"):
                asked = event.activity_task_scheduled_event_attributes
                pairs.add((named[asked.activity_id], asked.task_queue.name))
    return pairs


async def test_only_what_has_a_limit_of_its_own_leaves_the_workflows_queue(worked: Desk) -> None:
    pairs = await named_and_asked(worked)
    assert {named for named, asked in pairs if asked != Queue.DESK} == LIMITED
    assert all(named == asked for named, asked in pairs if asked != Queue.DESK)


async def test_a_history_tells_the_queue_that_the_workflow_named(worked: Desk) -> None:
    named = {named for named, _ in await named_and_asked(worked)}
    assert {Queue.DESK, Queue.RESEARCH, Queue.VALIDATION, source_queue("ecb")} <= named


async def test_a_run_goes_on_where_each_role_has_a_process(worked: Desk) -> None:
    again = replayer(worked.settings.payload_dir)
    for history in await histories(worked):
        assert (await again.replay_workflow(history)).replay_failure is None


async def test_an_orchestrator_beside_it_makes_the_calls_that_come_to_it(
    server: Client, tmp_path: Path
) -> None:
    async with hosted(server, home_settings(tmp_path), [Role.ORCHESTRATOR]):
        listing = await server.execute_activity(
            ToolActivities.list_tools.__name__,
            "ecb",
            id="listing",
            task_queue=Queue.DESK,
            start_to_close_timeout=timedelta(seconds=20),
            result_type=ToolListing,
        )
    assert "get_quotes" in {tool.tool for tool in listing.tools}
