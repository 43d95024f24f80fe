"""Workers of one version after another, and a server that knows no versions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client, WorkflowHandle
from temporalio.worker import Worker

from desk.contracts.findings.escalations import (
    EscalationAnswer,
    EscalationDecision,
    EscalationState,
)
from desk.contracts.names import Message, Queue
from desk.platform.temporal import deployment
from desk.platform.temporal.deployment import current_deployment
from desk.platform.temporal.plugin import desk_plugin
from tests.support.processes.local_server import local_server
from tests.support.runs.cases import case
from tests.support.runs.desk import register_search_attributes
from workers.tuning import TUNING
from workflows.escalation import EscalationWorkflow

SWITCHED_OFF = ("--dynamic-config-value", "system.enableDeploymentVersions=false")


@asynccontextmanager
async def server_with(directory: Path, *options: str) -> AsyncIterator[Client]:
    """A server of the test's own: what is current there is so for every worker of a queue."""
    plugin = desk_plugin(directory / "payloads")
    async with local_server(*options, plugins=[plugin]) as client:
        await register_search_attributes(client)
        yield client


@asynccontextmanager
async def worker_of(client: Client, build: str | None) -> AsyncIterator[None]:
    """A worker of a build, as the orchestrator is one; without it, of before there were any."""
    async with Worker(
        client,
        task_queue=Queue.DESK,
        workflows=[EscalationWorkflow],
        deployment_config=None if build is None else await current_deployment(client, build),
        **TUNING,
    ):
        yield


async def asked(client: Client, name: str) -> WorkflowHandle[Any, EscalationDecision]:
    """A person is asked, by a run that has come to its wait."""
    handle = await client.start_workflow(
        EscalationWorkflow.run, case(datetime.now(UTC)), id=name, task_queue=Queue.DESK
    )
    await handle.query(Message.ESCALATION)
    return handle


async def answered(handle: WorkflowHandle[Any, EscalationDecision]) -> EscalationState:
    """How a case ends that is answered."""
    answer = EscalationAnswer(position=0, by="anna")
    await handle.execute_update(Message.RESOLVE_ESCALATION, answer)
    return (await handle.result()).state


async def build_of(handle: WorkflowHandle[Any, Any]) -> str:
    """The build of the worker that had a run last."""
    about = (await handle.describe()).raw_description.workflow_execution_info
    return about.versioning_info.deployment_version.build_id


async def test_what_waits_goes_on_with_the_next_version(tmp_path: Path) -> None:
    async with server_with(tmp_path) as client:
        async with worker_of(client, None):
            unversioned = await asked(client, "of-before-there-were-any")
        async with worker_of(client, "1"):
            earlier = await asked(client, "of-the-first")
            assert await answered(unversioned) is EscalationState.ANSWERED
        async with worker_of(client, "2"):
            assert await answered(earlier) is EscalationState.ANSWERED
        assert [await build_of(run) for run in (unversioned, earlier)] == ["1", "2"]


async def test_a_version_that_was_replaced_is_the_current_one_again(tmp_path: Path) -> None:
    async with server_with(tmp_path) as client:
        async with worker_of(client, "2"):
            later = await asked(client, "of-the-later")
        async with worker_of(client, "1"):
            assert await answered(later) is EscalationState.ANSWERED
        assert await build_of(later) == "1"


async def test_a_version_that_is_current_is_not_made_current_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    make_current = deployment._make_current

    async def noted(client: Client, build: str) -> None:
        made.append(build)
        await make_current(client, build)

    monkeypatch.setattr(deployment, "_make_current", noted)
    async with server_with(tmp_path) as client:
        for build in ("1", "1", "2"):
            async with worker_of(client, build):
                await answered(await asked(client, "of-one-after-another"))
    assert made == ["1", "2"]


async def test_where_there_are_no_versions_workers_poll_without(tmp_path: Path) -> None:
    async with server_with(tmp_path, *SWITCHED_OFF) as client:
        assert await current_deployment(client, "1") is None
        async with worker_of(client, "1"):
            run = await asked(client, "of-none")
            assert await answered(run) is EscalationState.ANSWERED
