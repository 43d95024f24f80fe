"""kill -9 of every kind of process in the middle of a week."""

import asyncio
import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from temporalio.client import Client

from desk.contracts.names import Message, week_run_id
from desk.contracts.runs.week import WeekStatus
from desk.platform.temporal.client import connect
from desk.programs.week.document.json_form import apart_from_the_run, from_json
from tests.support.processes.counted_worker import all_ended, read_notes
from tests.support.processes.fleet import WEEK, desk_at, effects, start
from workers.hosting import Role

TOGETHER = (Role.ALL,)
KILLED_AFTER = {Role.RESEARCH: 4, Role.SOURCES: 10, Role.ORCHESTRATOR: 25, Role.VALIDATION: 28}
"""After how many effects that were begun which worker is killed, one after the other in a week."""

SERVER_KILLED_AFTER = {4: True, 16: False, 25: True}
"""After how many effects the server is killed, and whether all workers are with it."""


async def published(client: Client) -> str:
    """The report, once it is there, without what differs from run to run."""
    handle = client.get_workflow_handle(week_run_id(WEEK))
    while True:
        try:
            status = await handle.query(Message.STATUS, result_type=WeekStatus)
        except Exception:
            await asyncio.sleep(0.2)
            continue
        if status.files is not None:
            break
        await asyncio.sleep(0.1)
    return apart_from_the_run(from_json(Path(status.files.json_file).read_text()))


def repeated(log: Path) -> list[str]:
    """Effects that were begun again although they had been done."""
    done: set[str] = set()
    again = []
    for note in read_notes(log):
        if note["stage"] == "done":
            done.add(note["key"])
        elif note["key"] in done:
            again.append(note["key"])
    return again


@pytest.fixture(scope="module")
async def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int]:
    """The report of a week in which nothing was killed, and how many effects it took."""
    directory = tmp_path_factory.mktemp("undisturbed")
    async with desk_at(directory, TOGETHER) as (settings, _, _, log):
        client = await connect(settings)
        await start(client, settings)
        report = await published(client)
    counts = Counter(note["stage"] for note in read_notes(log))
    assert counts["started"] == counts["done"]
    return report, counts["started"]


async def test_killed_workers_repeat_no_completed_effect(
    tmp_path: Path, undisturbed: tuple[str, int]
) -> None:
    report, _ = undisturbed
    async with desk_at(tmp_path) as (settings, _, fleet, log):
        client = await connect(settings)
        await start(client, settings)
        for role, after in KILLED_AFTER.items():
            await effects(log, after)
            fleet.kill(role)
            fleet.start(role)
        assert await published(client) == report
    assert repeated(log) == []


async def test_a_server_killed_alone_or_with_its_workers_loses_nothing(
    tmp_path: Path, undisturbed: tuple[str, int]
) -> None:
    report, count = undisturbed
    async with desk_at(tmp_path, TOGETHER) as (settings, server, fleet, log):
        client = await connect(settings)
        await start(client, settings)
        for after, with_workers in SERVER_KILLED_AFTER.items():
            await effects(log, after)
            at = server.pid
            if with_workers:
                # The server stops listening first: what the workers finish now, it never hears of.
                os.kill(at, signal.SIGSTOP)
                await all_ended(log)
            os.kill(at, signal.SIGKILL)
            if with_workers:
                fleet.kill_all()
                fleet.start_all()
            while server.pid == at:
                await asyncio.sleep(0.02)
        assert await published(client) == report
    assert repeated(log) == []
    assert Counter(note["stage"] for note in read_notes(log))["done"] == count
