"""A report waits for that of the week before where it is about to come out, and not otherwise."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.common import SearchAttributePair, TypedSearchAttributes
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.service import RPCError, RPCStatusCode
from temporalio.testing import ActivityEnvironment

from activities.publishing.publishing import PublishingActivities
from activities.publishing.week_before import published_before
from desk.contracts.agents.config import ScheduleConfig
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.runs.week import PublishRequest
from desk.contracts.week.report import ResearchReport
from desk.programs.week.document.publishing import publish, read_published
from desk.trust.seals import sealed
from tests.support.documents.reports import sample_config, sample_record, sample_report
from workflows.engine.options import PHASE, REVISION

WEEK, BEFORE = "2026-W38", "2026-W37"
OWN, SCHEDULED = "weekly-2026-W37", "weekly-2026-09-14T06:00:00Z"
RUNNING, FAILED = WorkflowExecutionStatus.RUNNING, WorkflowExecutionStatus.FAILED


def run(
    phase: Phase, revision: int | None = None, status: WorkflowExecutionStatus = RUNNING
) -> SimpleNamespace:
    pairs: list[SearchAttributePair[Any]] = [SearchAttributePair(PHASE, phase)]
    if revision is not None:
        pairs.append(SearchAttributePair(REVISION, revision))
    return SimpleNamespace(status=status, typed_search_attributes=TypedSearchAttributes(pairs))


ABOUT_TO = run(Phase.PUBLISHING)
OUT = run(Phase.OPEN_FOR_RERUNS, revision=1)


class NoHistory:
    """What the server answers of a run that it does not keep."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> HistoryEvent:
        raise RPCError("no such run", RPCStatusCode.NOT_FOUND, b"")


class Server:
    """A server that knows one run, which stands elsewhere every time it is asked for. It keeps no
    history."""

    data_converter = pydantic_data_converter

    def __init__(
        self,
        workflow_id: str,
        *stations: SimpleNamespace,
        at_the_last: Callable[[], object] = lambda: None,
    ) -> None:
        self._known = workflow_id
        self._stations = list(stations)
        self._at_the_last = at_the_last
        self.asked = 0

    @property
    def client(self) -> Client:
        client: Client = self  # type: ignore[assignment]
        return client

    def get_workflow_handle(self, workflow_id: str, **_: object) -> SimpleNamespace:
        async def describe() -> SimpleNamespace:
            if workflow_id != self._known:
                raise RPCError("no such run", RPCStatusCode.NOT_FOUND, b"")
            self.asked += 1
            if len(self._stations) > 1:
                return self._stations.pop(0)
            self._at_the_last()
            return self._stations[0]

        return SimpleNamespace(describe=describe, fetch_history_events=lambda **_: NoHistory())


async def told(server: Server, subset: str | None = None, longest: float = 5.0) -> str | None:
    return await published_before(server.client, WEEK, subset, ScheduleConfig(), longest=longest)


@pytest.mark.parametrize("workflow_id", [OWN, SCHEDULED])
async def test_a_run_that_is_about_to_publish_is_waited_for(workflow_id: str) -> None:
    server = Server(workflow_id, ABOUT_TO, ABOUT_TO, OUT)
    assert await told(server) is None
    assert server.asked == 3


@pytest.mark.parametrize(
    "state",
    [
        OUT,
        run(Phase.RESEARCHING),
        run(Phase.AWAITING_PERSON),
        run(Phase.PUBLISHING, revision=1),
        run(Phase.PUBLISHING, status=FAILED),
    ],
    ids=["out", "researching", "awaiting a person", "publishing a rerun", "failed"],
)
async def test_only_a_run_about_to_publish_is_waited_for(state: SimpleNamespace) -> None:
    server = Server(SCHEDULED, state)
    assert await told(server) is None
    assert server.asked == 1


async def test_a_week_without_a_run_is_not_waited_for() -> None:
    server = Server("weekly-2026-W36", ABOUT_TO)
    assert await told(server) is None
    assert server.asked == 0


async def test_a_subset_waits_for_the_same_subset_only() -> None:
    assert await told(Server(OWN, ABOUT_TO), "asia", longest=0.0) is None
    late = await told(Server(f"{OWN}-asia", ABOUT_TO), "asia", longest=0.0)
    assert late is not None


async def test_the_wait_comes_to_an_end() -> None:
    async with asyncio.timeout(60):
        late = await told(Server(OWN, ABOUT_TO), longest=0.1)
    assert late is not None
    assert BEFORE in late


def request(turn: timedelta) -> PublishRequest:
    config = sample_config()
    few = tuple(spec for spec in config.markets if spec.market in {"USD/JPY", "JP"})
    deadlines = config.policy.deadlines.model_copy(update={"turn": turn})
    policy = config.policy.model_copy(update={"deadlines": deadlines})
    return PublishRequest(
        record=sample_record(),
        config=config.model_copy(update={"markets": few, "policy": policy}),
        workflow_id="weekly-2026-W38",
        run_id="run-1",
    )


def earlier() -> ResearchReport:
    report = sample_report()
    as_of = report.as_of - timedelta(days=7)
    return sealed(report.model_copy(update={"week": BEFORE, "as_of": as_of}))


async def published(
    directory: Path, server: Server, turn: timedelta, scheduled_before: timedelta = timedelta(0)
) -> ResearchReport:
    activities = PublishingActivities(directory)
    environment = ActivityEnvironment(server.client)
    scheduled = datetime.now(UTC) - scheduled_before
    environment.info = replace(environment.info, scheduled_time=scheduled)
    made = await environment.run(activities.publish_report, request(turn))
    report = read_published(Path(made.files.json_file))
    assert report is not None
    return report


async def test_a_report_is_compared_with_the_one_that_it_waited_for(tmp_path: Path) -> None:
    server = Server(SCHEDULED, ABOUT_TO, OUT, at_the_last=lambda: publish(earlier(), tmp_path))
    report = await published(tmp_path, server, timedelta(minutes=5))
    assert report.changes.against == BEFORE
    assert report.changes.note is None


async def test_a_report_that_is_tried_again_does_not_wait_again(tmp_path: Path) -> None:
    server, minutes = Server(OWN, ABOUT_TO), timedelta(minutes=5)
    report = await published(tmp_path, server, minutes, scheduled_before=minutes)
    assert server.asked == 1
    assert report.changes.note is not None and "did not come out in time" in report.changes.note


async def test_a_clock_behind_that_of_the_server_makes_no_wait_longer(tmp_path: Path) -> None:
    server, ahead = Server(OWN, ABOUT_TO), timedelta(hours=-1)
    async with asyncio.timeout(60):
        report = await published(tmp_path, server, timedelta(seconds=0.1), scheduled_before=ahead)
    assert report.changes.note is not None and "did not come out in time" in report.changes.note


async def test_a_report_that_waited_in_vain_says_that_nothing_is_compared(tmp_path: Path) -> None:
    report = await published(tmp_path, Server(OWN, ABOUT_TO), timedelta(seconds=0.1))
    assert report.changes.against is None
    assert report.changes.note == (
        "There is no earlier report to compare with. "
        "The report of 2026-W37 was awaited, but did not come out in time."
    )
