"""What a command says while it waits."""

import asyncio
import contextlib
import itertools
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.agents.tools import ToolCall
from desk.contracts.runs.week import WeekStatus
from desk.platform.server.host_lock import HostLock
from desk.platform.temporal.client import ServerUnreachable
from starters import session
from starters.runs import following
from starters.session import Desk, with_desk
from starters.sources.tools.one_call import called_tool
from starters.terminal.waits import reported_wait
from tests.support.processes.command import PATIENCE_SECONDS, eventually
from tests.support.processes.homes import home_settings


def test_a_wait_is_reported_although_it_keeps_the_event_loop_busy() -> None:
    told: queue.Queue[str] = queue.Queue()
    with reported_wait("a server", told.put, after=0):
        assert told.get(timeout=PATIENCE_SECONDS) == "waiting for a server"


def test_a_wait_that_is_over_leaves_nothing_behind_to_report_it() -> None:
    before = threading.active_count()
    with reported_wait("a server", pytest.fail, after=PATIENCE_SECONDS):
        assert threading.active_count() == before + 1
    eventually(lambda: threading.active_count() == before, "its thread has ended")


async def test_a_call_ends_with_the_server_that_has_it() -> None:
    async def never(**_: object) -> None:
        await asyncio.Event().wait()

    async def gone(**_: object) -> None:
        raise RPCError("connection refused", RPCStatusCode.UNAVAILABLE, b"")

    async def started(*_: object, **__: object) -> Any:
        return SimpleNamespace(result=never)

    client: Any = SimpleNamespace(
        start_workflow=started, service_client=SimpleNamespace(check_health=gone)
    )
    call = ToolCall(call_id="coverage", server="ecb", tool="get_coverage")
    with pytest.raises(ServerUnreachable, match="went away"):
        async with asyncio.timeout(PATIENCE_SECONDS):
            await called_tool(client, call, datetime.now(UTC), "How far the fixings go")


async def test_a_server_that_stalls_while_a_run_is_followed_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: queue.Queue[str] = queue.Queue()

    async def silent(*_: object) -> None:
        return None

    async def stalled(_: object) -> None:
        waited.append(await asyncio.to_thread(told.get, timeout=PATIENCE_SECONDS))

    waited: list[str] = []
    monkeypatch.setattr(following, "query_status_or_none", silent)
    monkeypatch.setattr(following, "check_server", stalled)
    monkeypatch.setattr(following, "reported_wait", partial(reported_wait, after=0))
    run: Any = SimpleNamespace(handle=None, client=None)
    progress: Any = SimpleNamespace(note=told.put)
    assert await following.show_status(run, WeekStatus, progress) is None
    assert waited == ["waiting for the Temporal server to answer"]


async def test_a_command_names_the_process_whose_server_it_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[str] = []

    @contextlib.contextmanager
    def recorded(what: str, _tell: Callable[[str], None]) -> Iterator[None]:
        waits.append(f"{what}: begun")
        yield
        waits.append("over")

    async def answers(settings: Any, work: Callable[[Desk], Any]) -> Any:
        return await work(Desk(SimpleNamespace(), settings, hosting=False))  # type: ignore[arg-type]

    async def work(_: Desk) -> list[str]:
        return list(waits)

    settings = home_settings(tmp_path)
    monkeypatch.setattr(session, "reported_wait", recorded)
    monkeypatch.setattr(session, "_as_client", answers)
    with HostLock(settings.home):
        told = await with_desk(settings, work)
        by = HostLock(settings.home).holder()
    assert by is not None
    assert by.pid == os.getpid()
    assert told == [f"the server of {settings.home} to answer (hosted by {by}): begun", "over"]
    assert "since 20" in told[0]


async def test_a_wait_for_a_server_is_reported_once_however_often_it_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[str] = []
    clock = itertools.count(step=10.0)

    @contextlib.contextmanager
    def recorded(what: str, _tell: Callable[[str], None]) -> Iterator[None]:
        waits.append(what)
        yield

    async def does_not_answer(*_: object) -> None:
        raise ServerUnreachable("timed out")

    settings = home_settings(tmp_path)
    monkeypatch.setattr(session, "reported_wait", recorded)
    monkeypatch.setattr(session, "_as_client", does_not_answer)
    outage = session.ServerOutage(
        settings, lambda text: waits.append(str(text)), limit=100.0, clock=lambda: next(clock)
    )
    with HostLock(settings.home), pytest.raises(ServerUnreachable, match="has been away"):
        while True:
            try:
                await session._at_a_desk(settings, does_not_answer, outage, server_only=True)
            except ServerUnreachable as error:
                outage.bear(error)
    (first, then) = waits
    assert "to answer" in first
    assert "does not answer" in then


async def test_a_host_that_is_stopped_is_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def answers(settings: Any, work: Callable[[Desk], Any]) -> Any:
        return await work(Desk(SimpleNamespace(), settings, hosting=False))  # type: ignore[arg-type]

    async def work(_: Desk) -> str:
        return "read"

    settings = home_settings(tmp_path)
    monkeypatch.setattr(session, "_as_client", answers)
    with HostLock(settings.home), stopped_process() as pid:
        since = {"pid": pid, "since": "2026-11-02T07:00:00+00:00"}
        (settings.home / "host.json").write_text(json.dumps(since))
        assert await with_desk(settings, work) == "read"
        said = capsys.readouterr().err
        assert f"process {pid}, since 2026-11-02 07:00 UTC, hosts {settings.home}" in said
        assert f"`kill -CONT {pid}` continues it" in said


@contextlib.contextmanager
def stopped_process() -> Iterator[int]:
    """A process that was stopped as by Ctrl-Z."""
    with subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"]) as process:
        process.send_signal(signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)
        yield process.pid
        process.kill()


async def test_a_server_that_failed_is_reported_before_the_workers_have_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reported: queue.Queue[str] = queue.Queue()
    failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    failed.set_exception(OSError("there is no space left"))

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            told = await asyncio.to_thread(reported.get, timeout=PATIENCE_SECONDS)
            assert told == "waiting for the workers to stop: there is no space left"

    monkeypatch.setattr(session, "QUIET_SECONDS", 0)
    monkeypatch.setattr(session, "_report", reported.put)
    server: Any = SimpleNamespace(failed=failed)
    with pytest.raises(OSError, match="no space"):
        await session._while_it_runs(server, work())
