"""The health check of a worker says what Temporal sees of it."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from temporalio import activity
from temporalio.client import Client
from temporalio.worker import Worker

from desk.contracts.names import Queue, source_queue
from desk.platform.settings.mcp_json import read_mcp_config
from tests.support.processes.command import Answer, DeskCommand, answered
from tests.support.processes.homes import PROJECT
from tests.support.processes.namespaces import Namespace
from workers.health import queues_of, unpolled
from workers.hosting import Role, worker_identity


@activity.defn
async def nothing() -> None:
    """An activity to have something to poll for."""


@pytest.fixture
async def server(namespace: Namespace, tmp_path: Path) -> Client:
    """A client with the identity of a research worker, in a namespace of the test's own."""
    return await namespace.client(tmp_path, worker_identity(Role.RESEARCH))


async def test_a_worker_that_polls_is_healthy(server: Client) -> None:
    mine = worker_identity(Role.RESEARCH)
    assert await unpolled(server, [mine], [Queue.RESEARCH]) == (Queue.RESEARCH,)
    async with Worker(server, task_queue=Queue.RESEARCH, activities=[nothing]):
        async with asyncio.timeout(60):
            while await unpolled(server, [mine], [Queue.RESEARCH]):
                await asyncio.sleep(0.05)


async def test_the_worker_of_another_machine_does_not_answer_for_this_one(server: Client) -> None:
    mine = worker_identity(Role.RESEARCH)
    async with Worker(server, task_queue=Queue.RESEARCH, activities=[nothing]):
        async with asyncio.timeout(60):
            while await unpolled(server, [mine], [Queue.RESEARCH]):
                await asyncio.sleep(0.05)
        assert await unpolled(server, ["research@elsewhere"], [Queue.RESEARCH]) == (Queue.RESEARCH,)


async def test_one_silent_queue_is_enough_to_be_named(server: Client) -> None:
    mine = worker_identity(Role.RESEARCH)
    queues = [Queue.RESEARCH, source_queue("ecb")]
    async with Worker(server, task_queue=Queue.RESEARCH, activities=[nothing]):
        async with asyncio.timeout(60):
            while await unpolled(server, [mine], [Queue.RESEARCH]):
                await asyncio.sleep(0.05)
        assert await unpolled(server, [mine], queues) == ("source.ecb",)


def test_every_queue_of_the_desk_belongs_to_a_role() -> None:
    servers = read_mcp_config(PROJECT / ".mcp.json")
    polled = queues_of(Role.ALL, servers)
    assert sorted(polled) == sorted([*Queue, *(source_queue(name) for name in servers)])
    assert sorted(
        queue for role in Role if role is not Role.ALL for queue in queues_of(role, servers)
    ) == sorted(polled)


def test_a_process_of_all_roles_is_healthy_in_each_while_it_is_up(tmp_path: Path) -> None:
    desk = DeskCommand(tmp_path)
    with desk.up():
        for role in Role:
            assert health_of(desk, role) == Answer(0, "", "")
    gone = subprocess.run(
        [sys.executable, "-m", "workers.health", Role.RESEARCH],
        env={**os.environ, **desk.variables},
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert gone.returncode == 1
    assert "no desk is up" in gone.stderr


def health_of(desk: DeskCommand, role: Role) -> Answer:
    """What the check of a role says at once, or once its worker had a moment to begin."""
    for _ in range(20):
        told = answered([role], desk.variables, module="workers.health")
        if told.code == 0 or "has polled" not in told.err:
            break
    return told
