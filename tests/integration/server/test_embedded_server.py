"""The embedded Temporal server, as a real process."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack, suppress
from datetime import timedelta
from pathlib import Path

import psutil
import pytest
from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes
from temporalio.service import RPCError

from desk.contracts.agents.search_attributes import INTEGER_ATTRIBUTES, SearchAttribute
from desk.platform.server import embedded
from desk.platform.server.embedded import EmbeddedServer, embedded_server, temporal_binary
from desk.platform.server.failure import DatabaseUnusable, PortInUse, ServerFailed, TooBusy
from desk.platform.server.host_lock import HostLock, HostTaken
from desk.platform.server.namespace import retention_of
from desk.platform.server.record import ServerRecord
from desk.platform.server.stored_runs import runs_digest
from desk.platform.settings import ServerSettings
from desk.platform.temporal.client import ServerUnreachable, connect
from tests.support.processes.homes import free_port, home_settings


def free_ports() -> ServerSettings:
    return ServerSettings(port=free_port(), ui_port=free_port())


async def eventually(what: Callable[[], Awaitable[bool]], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not await what():
        assert time.monotonic() < deadline, "it did not come about in time"
        await asyncio.sleep(0.02)


async def answers_at(address: str) -> bool:
    try:
        await Client.connect(address)
    except RuntimeError:
        return False
    return True


async def start_a_run(client: Client, run_id: str) -> None:
    week = SearchAttributeKey.for_keyword(SearchAttribute.RESEARCH_WEEK)
    await client.start_workflow(
        "NobodyWorksOnThis",
        id=run_id,
        task_queue="nobody",
        search_attributes=TypedSearchAttributes([SearchAttributePair(week, "2026-W44")]),
    )


async def test_it_starts_with_our_search_attributes_and_ninety_days_of_retention(
    tmp_path: Path,
) -> None:
    server = free_ports()
    async with embedded_server(tmp_path, server):
        client = await Client.connect(server.address)
        listed = await client.operator_service.list_search_attributes(
            ListSearchAttributesRequest(namespace="default")
        )
        for name in SearchAttribute:
            kind = listed.custom_attributes[name]
            assert kind == (
                IndexedValueType.INDEXED_VALUE_TYPE_INT
                if name in INTEGER_ATTRIBUTES
                else IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD
            )
        assert await retention_of(client) == timedelta(days=90)
        await start_a_run(client, "taken-at-once")


async def test_it_runs_with_the_flags_that_were_measured_to_be_fast_and_exact(
    tmp_path: Path,
) -> None:
    async with embedded_server(tmp_path, free_ports()) as running:
        command = " ".join(psutil.Process(running.pid).cmdline())
        assert (tmp_path / "temporal.db-wal").exists()
    for flag in (
        *("journal_mode=wal", "synchronous=normal", "--ui-disable-news-fetch"),
        *("transferProcessorMaxPollRPS=100", 'timerProcessorMaxTimeShift="100ms"'),
        *('transferProcessorUpdateAckInterval="3s"', 'visibilityProcessorUpdateAckInterval="3s"'),
        *("matching.enableFairness=true", "cache_size=-65536", "wal_autocheckpoint=8000"),
        *("numTaskqueueReadPartitions=1", "numTaskqueueWritePartitions=1", "--ip 127.0.0.1"),
        "forceSearchAttributesCacheRefreshOnRead=false",
    ):
        assert flag in command


async def test_the_digest_of_the_runs_changes_with_a_run_and_not_with_a_start(
    tmp_path: Path,
) -> None:
    server = free_ports()
    async with embedded_server(tmp_path, server):
        await start_a_run(await Client.connect(server.address), "first")
        assert runs_digest(tmp_path) is None
    after_a_run = runs_digest(tmp_path)
    async with embedded_server(tmp_path, server):
        client = await Client.connect(server.address)
        await client.get_workflow_handle("first").describe()
    after_a_look = runs_digest(tmp_path)
    async with embedded_server(tmp_path, server):
        client = await Client.connect(server.address)
        await client.get_workflow_handle("first").signal("noticed")
    assert after_a_run is not None
    assert after_a_look == after_a_run
    assert runs_digest(tmp_path) not in (None, after_a_run)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the server is started as it is")
async def test_of_two_processors_it_leaves_one_to_the_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOMAXPROCS", raising=False)
    async with embedded_server(tmp_path, free_ports()) as running:
        set_to = psutil.Process(running.pid).environ().get("GOMAXPROCS")
    assert set_to == ("1" if len(os.sched_getaffinity(0)) == 2 else None)


async def test_a_killed_server_is_started_again_with_its_history(tmp_path: Path) -> None:
    server = free_ports()
    async with embedded_server(tmp_path, server) as running:
        client = await Client.connect(server.address)
        await start_a_run(client, "before-the-kill")
        killed = running.pid
        os.kill(killed, signal.SIGKILL)

        async def answers() -> bool:
            try:
                handle = client.get_workflow_handle("before-the-kill")
                described = await handle.describe()
            except RPCError:
                return False
            return described.status is WorkflowExecutionStatus.RUNNING and running.pid != killed

        await eventually(answers)
        assert await retention_of(client) == timedelta(days=90)


async def test_a_server_that_dies_again_and_again_is_given_up_with_an_error(
    tmp_path: Path,
) -> None:
    async with embedded_server(tmp_path, free_ports()) as running:
        killed: set[int] = set()

        async def given_up() -> bool:
            if running.pid not in killed:
                killed.add(running.pid)
                os.kill(running.pid, signal.SIGKILL)
            return running.failed.done()

        await eventually(given_up)
        assert len(killed) == 6
        with pytest.raises(ServerFailed, match=r"died 6 times.*temporal\.log"):
            running.failed.result()


async def test_history_outlives_a_stop_and_a_start(tmp_path: Path) -> None:
    for name in ("first", "second"):
        server = free_ports()
        async with embedded_server(tmp_path, server) as running:
            client = await Client.connect(server.address)
            await start_a_run(client, name)
        assert not psutil.pid_exists(running.pid)
        # One file, to be copied or moved away.
        assert [path.name for path in tmp_path.glob("temporal.db*")] == ["temporal.db"]
    async with embedded_server(tmp_path, server):
        client = await Client.connect(server.address)
        for name in ("first", "second"):
            described = await client.get_workflow_handle(name).describe()
            assert described.status is WorkflowExecutionStatus.RUNNING


@pytest.mark.parametrize(
    ("taken", "setting"), [("port", "DESK_SERVER_PORT"), ("ui_port", "DESK_UI_PORT")]
)
async def test_a_port_in_use_is_named_with_the_setting_that_changes_it(
    tmp_path: Path, taken: str, setting: str
) -> None:
    server = free_ports()
    port: int = getattr(server, taken)
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        with pytest.raises(PortInUse, match=rf"port {port} is in use.*{setting}"):
            await embedded_server(tmp_path, server).__aenter__()
    assert ServerRecord.load(tmp_path) is None


async def test_two_desks_with_the_usual_ports_start_side_by_side(tmp_path: Path) -> None:
    async with AsyncExitStack() as both:
        one, other = await asyncio.gather(
            *(
                both.enter_async_context(embedded_server(tmp_path / name, ServerSettings()))
                for name in ("one", "other")
            )
        )
        ports = {one.server.port, one.server.ui_port, other.server.port, other.server.ui_port}
        assert len(ports) == 4
        for name, running in (("one", one), ("other", other)):
            client = await connect(home_settings(tmp_path / name, DESK_HOME=str(tmp_path / name)))
            await start_a_run(client, name)
            at_its_own = await Client.connect(running.server.address)
            assert (await at_its_own.get_workflow_handle(name).describe()).id == name


async def test_usual_ports_that_a_program_has_are_passed_over(tmp_path: Path) -> None:
    usual = ServerSettings()
    with ExitStack() as held:
        for port in (usual.port, usual.ui_port):
            program = held.enter_context(socket.socket())
            program.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError):
                program.bind(("127.0.0.1", port))
                program.listen()
        async with embedded_server(tmp_path, usual) as running:
            record = ServerRecord.of_running_server(tmp_path)
            assert record is not None and record.port == running.server.port != usual.port
            assert record.ui_port == running.server.ui_port != usual.ui_port


@pytest.mark.parametrize("name", ["port", "ui_port"])
async def test_a_usual_port_that_is_lost_after_the_look_is_passed_over(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual: int = getattr(ServerSettings(), name)
    look, taken = embedded._is_free, dict[int, socket.socket]()
    with ExitStack() as held:

        def look_and_lose(ip: str, port: int) -> bool:
            free = look(ip, port)
            if free and not taken and 0 <= port - usual < embedded.MOST_TRIED:
                taken[port] = held.enter_context(socket.create_server((ip, port)))
            return free

        monkeypatch.setattr(embedded, "_is_free", look_and_lose)
        async with embedded_server(tmp_path, ServerSettings()) as running:
            assert taken
            assert getattr(running.server, name) not in taken
            client = await Client.connect(running.server.address)
            await start_a_run(client, "a-run")
            record = ServerRecord.of_running_server(tmp_path)
            assert record is not None and getattr(record, name) not in taken
            assert await embedded._listens(running.server.ip, running.server.ui_port)
    assert ServerRecord.load(tmp_path) is None


async def test_a_desk_that_is_down_is_not_mistaken_for_one_that_has_its_port(
    tmp_path: Path,
) -> None:
    settings = home_settings(tmp_path)
    settings.home.mkdir()
    async with embedded_server(tmp_path / "other", settings.server) as running:
        ServerRecord(
            pid=running.pid, port=settings.server.port, ui_port=settings.server.ui_port
        ).save(settings.home)
        with pytest.raises(ServerUnreachable, match="no desk is up in"):
            await connect(settings)


async def test_a_server_killed_while_it_makes_its_database_is_no_loss(tmp_path: Path) -> None:
    first = EmbeddedServer(tmp_path, free_ports())
    starting = asyncio.create_task(first.start())

    async def made() -> bool:
        return (tmp_path / "temporal.db").exists()

    await eventually(made)
    os.kill(first.pid, signal.SIGKILL)
    with pytest.raises(ServerFailed):
        await starting
    async with embedded_server(tmp_path, free_ports()) as running:
        await start_a_run(await Client.connect(running.server.address), "kept")
    async with embedded_server(tmp_path, free_ports()) as running:
        client = await Client.connect(running.server.address)
        assert (await client.get_workflow_handle("kept").describe()).id == "kept"


async def test_a_damaged_database_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "temporal.db").write_bytes(bytes(range(256)) * 100)
    with pytest.raises(DatabaseUnusable, match=r"temporal\.db is damaged; move it away"):
        await EmbeddedServer(tmp_path, free_ports()).start()
    assert ServerRecord.load(tmp_path) is None


async def test_a_database_cut_short_is_named_with_what_to_do(tmp_path: Path) -> None:
    async with embedded_server(tmp_path, free_ports()):
        pass
    for beside in ("temporal.db-wal", "temporal.db-shm"):
        (tmp_path / beside).unlink(missing_ok=True)
    os.truncate(tmp_path / "temporal.db", 60_000)
    with pytest.raises(DatabaseUnusable, match=r"temporal\.db is damaged; move it away"):
        await EmbeddedServer(tmp_path, free_ports()).start()


async def test_a_database_locked_by_another_program_is_named(tmp_path: Path) -> None:
    import sqlite3

    async with embedded_server(tmp_path, free_ports()):
        pass
    other = sqlite3.connect(tmp_path / "temporal.db")
    other.execute("begin exclusive")
    try:
        with pytest.raises(DatabaseUnusable, match=r"temporal\.db is in use by another program"):
            await EmbeddedServer(tmp_path, free_ports()).start()
    finally:
        other.close()


async def test_a_server_left_over_by_a_lost_parent_is_replaced(tmp_path: Path) -> None:
    server = free_ports()
    orphan = subprocess.Popen(
        [
            *(str(temporal_binary()), "server", "start-dev", "--port", str(server.port)),
            *("--ui-port", str(server.ui_port), "--db-filename", str(tmp_path / "temporal.db")),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    ServerRecord(pid=orphan.pid, port=server.port, ui_port=server.ui_port).save(tmp_path)
    with orphan:
        try:
            await eventually(lambda: answers_at(server.address))
            async with embedded_server(tmp_path, server) as running:
                assert running.pid != orphan.pid
                assert orphan.wait(60) is not None
        finally:
            orphan.kill()


async def test_a_process_that_is_not_our_server_is_left_alone(tmp_path: Path) -> None:
    idle = [sys.executable, "-c", "print(flush=True); input()"]
    with subprocess.Popen(idle, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        ServerRecord(pid=other.pid, port=1, ui_port=2).save(tmp_path)
        async with embedded_server(tmp_path, free_ports()):
            assert other.poll() is None


HOST = """
import asyncio, sys
from pathlib import Path
from desk.platform.server.embedded import embedded_server
from desk.platform.server.host_lock import HostLock
from desk.platform.settings import ServerSettings
from tests.support.processes.homes import free_port

async def host(home: Path, port: int, ui_port: int) -> None:
    with HostLock(home):
        async with embedded_server(home, ServerSettings(port=port, ui_port=ui_port)) as running:
            print(running.pid, flush=True)
            await asyncio.sleep(600)

asyncio.run(host(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a child to its parent")
async def test_a_killed_host_takes_its_server_with_it_and_leaves_the_home_free(
    tmp_path: Path,
) -> None:
    server = free_ports()
    with subprocess.Popen(
        [sys.executable, "-c", HOST, str(tmp_path), str(server.port), str(server.ui_port)],
        stdout=subprocess.PIPE,
        text=True,
    ) as host:
        assert host.stdout is not None
        child = int(host.stdout.readline())
        with pytest.raises(HostTaken, match=f"hosted already by process {host.pid}"):
            HostLock(tmp_path).__enter__()
        host.kill()
        host.wait()

        async def child_gone() -> bool:
            return not psutil.pid_exists(child)

        await eventually(child_gone)
        with HostLock(tmp_path):
            async with embedded_server(tmp_path, server):
                pass


GIVES_UP_ONCE = """#!/bin/sh
# The words of a server that a busy machine let wait, from a real one.
if [ ! -e "{marks}.{times}" ]; then
  for n in 1 2; do [ -e "{marks}.$n" ] || {{ touch "{marks}.$n"; break; }}; done
  echo 'Error: failed starting server: failed to start service worker: context deadline exceeded'
  exit 1
fi
exec "{binary}" "$@"
"""


@pytest.mark.parametrize("times", [1, 2])
async def test_a_server_that_gave_itself_up_is_started_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    busy = tmp_path / "temporal"
    busy.write_text(
        GIVES_UP_ONCE.format(marks=tmp_path / "gave-up", times=times, binary=temporal_binary())
    )
    busy.chmod(0o755)
    monkeypatch.setattr(embedded, "temporal_binary", lambda: busy)
    server = EmbeddedServer(tmp_path, free_ports())
    if times == 2:
        with pytest.raises(TooBusy, match="this machine has too much to do"):
            await server.start()
        return
    await server.start()
    try:
        assert await answers_at(server.server.address)
    finally:
        await server.stop()
