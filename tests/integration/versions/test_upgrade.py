"""A desk is brought up to this version while runs of the one before are open.

Real processes all through, on one database: the workers of the version before, from its own code,
then those of this one, and `desk` as its users call it.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client

from desk.contracts.episode.actions import StockAction
from desk.contracts.names import Message, hypothesis_run_id, market_run_id, week_run_id
from desk.contracts.runs.episode import EpisodeStatus, StockResult
from desk.contracts.runs.swarm import HypothesisStatus
from desk.contracts.runs.week import WeekStatus
from desk.contracts.swarm.hypotheses import HypothesisState, ScoredHypothesis
from desk.platform.server.embedded import embedded_server
from desk.platform.settings import load_settings
from desk.platform.temporal.client import connect
from desk.platform.temporal.deployment import build_id
from tests.support.processes.command import DeskCommand
from tests.support.processes.forks import forked_command
from tests.support.processes.homes import PROJECT, home_environment

BEFORE: Final = "c4cbbe372986bdbb100a76f8487e781c41e114ea"
"""The commit of the version before: the last whose workers polled without a version."""

OPEN, ASKED = week_run_id("2026-W43"), week_run_id("2026-W44")
MARKET = market_run_id(ASKED, "USD/JPY")
EPISODE: Final = "stock-open"
HYPOTHESIS: Final = hypothesis_run_id("swarm-open", "h1")
HORIZON_SECONDS: Final = 40.0
"""Long enough for what the version before does until it waits, on a busy machine."""

OPENING: Final = "cb7bef7a2787ae4300b3e472c4c49219c9f62ff9:tests/support/opened_before.py"
"""What opens the runs, in the names that the version before has for its modules."""

AT_WORK: Final = """
import asyncio
import sys
from datetime import timedelta
from importlib import import_module
from infra.logs import configure_logs
from workers.hosting import Role

async def at_work():
    lying_worker, opened_before = (
        import_module(f"tests.support.{name}") for name in ("lying_worker", "opened_before")
    )
    opened = opened_before.main(timedelta(seconds=float(sys.argv[1])))
    await asyncio.gather(opened, lying_worker.main(Role.ALL))

configure_logs("WARNING", as_json=False)
asyncio.run(at_work())
"""
"""A worker of all roles of the version before, whose second research agent trusts a newspaper, and
which opens the runs that it works on."""


@pytest.fixture(scope="module")
def code_before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The version before, as it is in the repository, and what opens runs in its names."""
    known = subprocess.run(
        ["git", "cat-file", "-e", f"{BEFORE}^{{commit}}"], cwd=PROJECT, capture_output=True
    )
    if known.returncode:
        pytest.skip(f"this clone does not have {BEFORE[:8]}, the version before")
    folder = tmp_path_factory.mktemp("before")
    archive = subprocess.run(
        ["git", "archive", BEFORE], cwd=PROJECT, capture_output=True, check=True
    )
    subprocess.run(["tar", "-x"], cwd=folder, input=archive.stdout, check=True)
    shown = subprocess.run(["git", "show", OPENING], cwd=PROJECT, capture_output=True, check=True)
    (folder / "tests" / "support" / "opened_before.py").write_bytes(shown.stdout)
    return folder


@contextmanager
def worker_of_before(code: Path, environment: dict[str, str]) -> Iterator[None]:
    """A worker process of all roles of the version before, with the runs open."""
    process = subprocess.Popen(
        [sys.executable, "-c", AT_WORK, str(HORIZON_SECONDS)],
        cwd=code,
        env={**os.environ, **environment, "PYTHONPATH": str(code)},
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=60)


@contextmanager
def worker_of_now(environment: dict[str, str], folder: Path) -> Iterator[None]:
    """A worker process of all roles of this version."""
    said = folder / "worker.err"
    process = forked_command(["worker", "all"], environment, said.with_suffix(".out"), said)
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


async def status_of(client: Client, run_id: str) -> WeekStatus:
    handle = client.get_workflow_handle(run_id)
    status: WeekStatus = await handle.query(Message.STATUS, result_type=WeekStatus)
    return status


async def until(condition: Any, what: str, seconds: float = 100) -> None:
    """Wait for an asynchronous condition; an error counts as not yet."""

    async def holds() -> None:
        while True:
            try:
                if await condition():
                    return
            except Exception as error:
                if isinstance(error, AssertionError):
                    raise
            await asyncio.sleep(0.5)

    try:
        await asyncio.wait_for(holds(), seconds)
    except TimeoutError:
        raise AssertionError(f"{what} did not happen in {seconds} s") from None


async def effects(client: Client) -> dict[str, Counter[str]]:
    """What each run has scheduled, by activity id; nothing in it may have failed as a task."""
    found: dict[str, Counter[str]] = {}
    for run in (OPEN, ASKED, MARKET, EPISODE, HYPOTHESIS):
        done: Counter[str] = Counter()
        async for event in client.get_workflow_handle(run).fetch_history_events():
            assert event.event_type is not EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED, (run, event)
            if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
                done[event.activity_task_scheduled_event_attributes.activity_id] += 1
        found[run] = done
    return found


@asynccontextmanager
async def server_of(directory: Path, environment: dict[str, str]) -> AsyncIterator[Client]:
    """The server of the home, and whoever looks on."""
    settings = load_settings(PROJECT, environment)
    async with embedded_server(settings.home, settings.server):
        yield await connect(settings)


async def opened(client: Client) -> None:
    """Wait until all are where an upgrade finds them."""

    async def week_is_open() -> bool:
        return (await status_of(client, OPEN)).revision == 1

    async def person_is_asked() -> bool:
        return bool((await status_of(client, ASKED)).escalations)

    async def episode_waits() -> bool:
        return (await episode_of(client)).waits_for is not None

    await until(week_is_open, "the first report of a week")
    await until(person_is_asked, "the question to a person")
    await until(episode_waits, "the wait for a horizon")
    waits: HypothesisStatus = await client.get_workflow_handle(HYPOTHESIS).query(
        Message.HYPOTHESIS, result_type=HypothesisStatus
    )
    assert waits.state is HypothesisState.OPEN


async def episode_of(client: Client) -> EpisodeStatus:
    handle = client.get_workflow_handle(EPISODE)
    status: EpisodeStatus = await handle.query(Message.EPISODE, result_type=EpisodeStatus)
    return status


async def test_this_version_finishes_what_the_version_before_has_open(
    code_before: Path, tmp_path: Path
) -> None:
    environment = home_environment(tmp_path, LIES_ABOUT="USD/JPY")
    environment["TEMPORAL_ADDRESS"] = f"127.0.0.1:{environment['DESK_SERVER_PORT']}"
    hosted = {name: value for name, value in environment.items() if name != "TEMPORAL_ADDRESS"}

    async with server_of(tmp_path, hosted) as client:
        with worker_of_before(code_before, environment):
            await opened(client)
        done = await effects(client)

    async with server_of(tmp_path, hosted) as client:
        with worker_of_now(environment, tmp_path):
            await finished(client, DeskCommand(tmp_path, **environment))
        done_since = await effects(client)
        await each_is_of_this_version(client)

    assert all(number == 1 for run in done_since.values() for number in run.values())
    assert done_since[MARKET] == done[MARKET], "the market was researched by the version before"
    assert all(done[run] <= done_since[run] for run in done)


async def finished(client: Client, desk: DeskCommand) -> None:
    """Ask for the rerun, decide the conflict, and see what comes of the rest."""
    asked = ("rerun", "JP", "--week", "2026-W43", "--reason", "the upgrade", "--json")
    rerun = await asyncio.to_thread(desk, *asked)
    assert rerun.code == 0, rerun.err
    assert (await status_of(client, OPEN)).revision == 2

    chosen = ("escalations", "resolve", MARKET, "--choose", "1", "--by", "anna")
    resolved = await asyncio.to_thread(desk, *chosen)
    assert resolved.code == 0, resolved.err

    async def published() -> bool:
        return (await status_of(client, ASKED)).revision == 1

    await until(published, "the report with the decision")
    report = Path(desk.variables["DESK_REPORTS"]) / "weekly/2026-W44-asia-g10-fx.json"
    (conflict,) = json.loads(report.read_text())["conflicts"]
    assert (conflict["decided_by"], conflict["decided_by_whom"]) == ("person", "anna")

    handle = client.get_workflow_handle(EPISODE, result_type=StockResult)
    result = await asyncio.wait_for(handle.result(), 100)
    assert result.board.taken[-1] is StockAction.EVALUATE_PERFORMANCE
    scored = client.get_workflow_handle(HYPOTHESIS, result_type=ScoredHypothesis)
    assert (await asyncio.wait_for(scored.result(), 100)).state is HypothesisState.VOID


async def each_is_of_this_version(client: Client) -> None:
    for run in (OPEN, ASKED, EPISODE, HYPOTHESIS):
        about = (await client.get_workflow_handle(run).describe()).raw_description
        version = about.workflow_execution_info.versioning_info.deployment_version
        assert version.build_id == build_id(), run
