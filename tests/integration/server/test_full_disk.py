"""What a full disk of the home comes to: a line that names the folder. Needs root for the disk."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.converter import StorageDriverStoreContext

from desk.contracts.agents.usage import Usage
from desk.platform.effects.journal import EffectJournal
from desk.platform.files import NoSpace
from desk.platform.payloads.codec import DirectoryStore
from desk.platform.server.embedded import embedded_server
from desk.platform.server.failure import DiskFull
from desk.platform.server.host_lock import HostLock
from desk.platform.server.record import ServerRecord
from desk.platform.settings import ServerSettings
from starters.terminal.exit_status import ExitStatus, complain
from tests.faults.fault import NotTried
from tests.faults.kinds.disks import fill, small_disk
from tests.support.processes.command import PATIENCE_SECONDS, DeskCommand
from tests.support.processes.homes import free_port

MEGABYTES = 60


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home on a disk of its own."""
    try:
        with small_disk(tmp_path / "home", MEGABYTES):
            yield tmp_path / "home"
    except NotTried as missing:
        pytest.skip(str(missing))


def test_a_command_that_would_host_says_that_its_home_has_too_little_room(
    tmp_path: Path, home: Path
) -> None:
    (home / "taken").write_bytes(bytes((MEGABYTES - 9) * 2**20 - 2**17))
    answer = DeskCommand(tmp_path)("run")
    assert answer.code == ExitStatus.FAILED
    assert f"no space left in {home}: 9 MB are free" in answer.err
    assert len(answer.err.splitlines()) == 1


async def test_a_server_whose_disk_fills_up_fails_with_the_folder(home: Path) -> None:
    server = ServerSettings(port=free_port(), ui_port=free_port())
    async with embedded_server(home, server) as running:
        fill(home)
        async with asyncio.timeout(PATIENCE_SECONDS):
            with pytest.raises(DiskFull, match=f"no space left in {home}"):
                await asyncio.shield(running.failed)


async def test_a_server_that_is_started_on_a_full_disk_says_so(home: Path) -> None:
    (home / "logs").mkdir()
    fill(home)
    with pytest.raises((DiskFull, NoSpace), match=f"no space left in {home}"):
        await embedded_server(
            home, ServerSettings(port=free_port(), ui_port=free_port())
        ).__aenter__()


WRITES: dict[str, Callable[[Path], object]] = {
    "a payload": lambda home: asyncio.run(
        DirectoryStore(home).store(StorageDriverStoreContext(), [Payload(data=bytes(200_000))])
    ),
    "the right to host": lambda home: HostLock(home).__enter__(),
    "the server's record": lambda home: ServerRecord(pid=1, port=2, ui_port=3).save(home),
    "the journal": lambda home: EffectJournal(home / "effects.db"),
}


@pytest.mark.parametrize("written", WRITES)
def test_what_cannot_be_written_for_want_of_room_names_the_folder(
    home: Path, written: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(home)
    with pytest.raises((NoSpace, sqlite3.OperationalError)) as refused:
        WRITES[written](home)
    assert complain(refused.value) is ExitStatus.FAILED
    assert f"desk: there is no space left in {home}" in capsys.readouterr().err


def test_a_call_that_cannot_be_written_down_names_the_folder(home: Path) -> None:
    journal = EffectJournal(home / "effects.db")
    fill(home)
    with pytest.raises(sqlite3.OperationalError, match=f"no space left in {home}"):
        for attempt in range(1_000):
            journal.paid.assume("turn", attempt, Usage())
    journal.close()
