"""Starts the embedded Temporal server, restarts it when it dies, and stops it."""

import asyncio
import contextlib
import os
import socket
import sqlite3
import sys
import sysconfig
import tempfile
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Set
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from desk.contracts.agents.search_attributes import INTEGER_ATTRIBUTES, SearchAttribute
from desk.platform.files import explaining_full_disk, free_bytes
from desk.platform.payloads.codec_server import PayloadAccess, codec_server
from desk.platform.server.failure import (
    DatabaseUnusable,
    DiskFull,
    PortInUse,
    ServerFailed,
    TooBusy,
    explained,
)
from desk.platform.server.record import LAST_SEEN, ServerRecord, stop_orphan
from desk.platform.server.ui_guard import ALLOWED_HOSTS, Address, guarded, hidden_address
from desk.platform.settings import ServerSettings

MOST_TRIED: Final = 200
"""How many ports are tried: as many desks fit on a machine."""

_VARIABLES: Final = {"port": "DESK_SERVER_PORT", "ui_port": "DESK_UI_PORT"}

NAMESPACE = "default"
RETENTION = timedelta(days=90)
START_LIMIT_SECONDS = 30.0
POLL_SECONDS = 0.02
MOST_RESTARTS = 5
RESTART_SPAN_SECONDS = 60.0
SPACE_LOOK_SECONDS = 0.5

SPACE_TO_WORK = 48 * 2**20
"""Bytes. The write-ahead log alone takes 32 MiB before it is written back."""

SPACE_TO_RUN = 2 * 2**20
"""Bytes. With less free, the server is stopped in good order before its writes are lost."""

# Measured: WAL and `synchronous` 5x faster; the transfer queue's rate 5x faster for steps in
# sequence. The timer shift lets a retry start before a second has passed; one partition makes
# priorities exact. For each new task the server scans everything since a queue's last
# acknowledgement: at half a minute that was a seventh of its work when busy. Search attributes
# exist from the start: looking for new ones at every write took a fortieth.
DYNAMIC_CONFIG = (
    "history.transferProcessorMaxPollRPS=100",
    'history.transferProcessorUpdateAckInterval="3s"',
    'history.visibilityProcessorUpdateAckInterval="3s"',
    'history.timerProcessorUpdateAckInterval="3s"',
    'history.timerProcessorMaxTimeShift="100ms"',
    "matching.numTaskqueueReadPartitions=1",
    "matching.numTaskqueueWritePartitions=1",
    "matching.enableFairness=true",
    "system.forceSearchAttributesCacheRefreshOnRead=false",
)
_PRAGMAS = (
    "journal_mode=wal",
    "synchronous=normal",
    # 64 MiB, so that the pages of some dozens of weeks are not read repeatedly.
    "cache_size=-65536",
    # In pages, 32 MiB: written back to the database eight times less often than by default.
    "wal_autocheckpoint=8000",
)

# The server dies with the process that started it, even if that is killed. A few lines of Python
# ask the kernel for this and then exec the server: a `preexec_fn` would run in a forked copy of a
# process that has threads. 1 is PR_SET_PDEATHSIG, 9 is SIGKILL: it does not harm the database, and
# the next server does not have to wait. The server collects garbage half as often as by default:
# with the pragmas above, an eighth less work for a quarter more memory. Of two processors it uses
# one and leaves the other to the workers: with both, a tenth of its work is switching threads.
_DIE_WITH_PARENT = (
    "import ctypes, os, sys\n"
    "os.environ.setdefault('GOGC', '200')\n"
    "if len(os.sched_getaffinity(0)) == 2: os.environ.setdefault('GOMAXPROCS', '1')\n"
    "ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)\n"
    "if os.getppid() == int(sys.argv[1]): os.execv(sys.argv[2], sys.argv[2:])\n"
)


class EmbeddedServer:
    """A running server. `failed` is completed with the error when the server could not be kept
    running. `server` says where it listens."""

    def __init__(
        self, home: Path, server: ServerSettings, codec_endpoint: str | None = None
    ) -> None:
        self._home = home
        self.server = server
        self.ui = (
            hidden_address() if _is_loopback(server.ip) else Address(server.ip, server.ui_port)
        )
        self._codec_endpoint = codec_endpoint
        self._process: asyncio.subprocess.Process | None = None
        self._watchers: tuple[asyncio.Task[None], ...] = ()
        self._deaths: deque[float] = deque(maxlen=MOST_RESTARTS + 1)
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def pid(self) -> int:
        """The process id of the current server process."""
        if self._process is None:
            raise ServerFailed("the embedded server has not been started")
        return self._process.pid

    @property
    def log_file(self) -> Path:
        """The server's log."""
        return self._home / "logs" / "temporal.log"

    async def start(self, meanwhile: Callable[[], None] | None = None) -> None:
        """Starts the server and waits until it answers. Calls `meanwhile` while it starts.

        Raises:
            PortInUse: another program listens on one of its ports.
            DatabaseUnusable: its database file is damaged or in use.
            DiskFull: the disk of the home is full.
            TooBusy: it timed out twice while starting, on an overloaded machine.
            ServerFailed: it did not start for another reason.
        """
        self.log_file.parent.mkdir(parents=True, exist_ok=True)
        try:
            await self._launch(meanwhile)
        except TooBusy:
            await self._launch()
        self._watchers = tuple(map(asyncio.create_task, (self._watch(), self._watch_space())))

    async def stop(self) -> None:
        """Kills the server: that loses nothing, and a graceful stop takes two seconds. All its
        writes are in its one file when this returns."""
        for watcher in self._watchers:
            watcher.cancel()
        await asyncio.gather(*self._watchers, return_exceptions=True)
        await self._end_process()
        await asyncio.to_thread(_write_back, self._home / "temporal.db")
        ServerRecord.remove(self._home)
        self.failed.cancel()

    async def _launch(self, meanwhile: Callable[[], None] | None = None) -> None:
        """Starts the process and waits for it. When this raises, the process is stopped again."""
        self._begin_database()
        with self.log_file.open("ab") as log:
            written_from = log.tell()
            self._process = await asyncio.create_subprocess_exec(
                *self._command(temporal_binary()),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # Ctrl-C goes to the whole group; the server must outlive the workers' shutdown.
                start_new_session=True,
            )
        ServerRecord(
            pid=self._process.pid, port=self.server.port, ui_port=self.server.ui_port
        ).save(self._home)
        try:
            if meanwhile is not None:
                meanwhile()
            await self._wait_until_ready(written_from)
            self._unfinished.unlink(missing_ok=True)
        except BaseException:
            await self._end_process()
            ServerRecord.remove(self._home)
            raise

    @property
    def _unfinished(self) -> Path:
        """A marker file beside the database until its first server has answered. A server killed
        before that leaves a database without all of its tables, and the next one does not add
        them."""
        return self._home / "temporal.db.unfinished"

    def _begin_database(self) -> None:
        if self._unfinished.exists():
            for end in ("", "-wal", "-shm", "-journal"):
                (self._home / f"temporal.db{end}").unlink(missing_ok=True)
        elif not (self._home / "temporal.db").exists():
            with explaining_full_disk(self._home):
                self._unfinished.touch()

    def _command(self, binary: Path) -> list[str]:
        server, database = self.server, self._home / "temporal.db"
        attributes = [
            f"{name}={'Int' if name in INTEGER_ATTRIBUTES else 'Keyword'}"
            for name in SearchAttribute
        ]
        arguments = [
            *(str(binary), "server", "start-dev"),
            *("--ip", server.ip, "--port", str(server.port)),
            *("--ui-ip", self.ui.ip, "--ui-port", str(self.ui.port)),
            *("--dynamic-config-value", f"frontend.httpAllowedHosts={ALLOWED_HOSTS}"),
            *("--ui-disable-news-fetch", "--db-filename", str(database)),
            *(part for pragma in _PRAGMAS for part in ("--sqlite-pragma", pragma)),
            *(part for value in DYNAMIC_CONFIG for part in ("--dynamic-config-value", value)),
            *(part for value in attributes for part in ("--search-attribute", value)),
            *(("--ui-codec-endpoint", self._codec_endpoint) if self._codec_endpoint else ()),
            *("--log-level", "error", "--color", "never"),
        ]
        if sys.platform != "linux":
            return arguments
        return [sys.executable, "-I", "-S", "-c", _DIE_WITH_PARENT, str(os.getpid()), *arguments]

    async def _wait_until_ready(self, written_from: int) -> None:
        started = time.monotonic()

        def check() -> None:
            self._check_alive(written_from)
            if time.monotonic() - started > START_LIMIT_SECONDS:
                raise ServerFailed(
                    f"the Temporal server did not start within {START_LIMIT_SECONDS:.0f} s; "
                    f"see {self.log_file}"
                )

        while not await _listens(self.server.ip, self.server.port):
            check()
            await asyncio.sleep(POLL_SECONDS)
        # Imported while the server starts, because the import takes as long as the start.
        from desk.platform.server.namespace import set_retention

        await self._unless_it_dies(set_retention(self.server.address, NAMESPACE, RETENTION, check))
        check()

    async def _unless_it_dies(self, work: Coroutine[Any, Any, None]) -> None:
        """Awaits the work, and cancels it when the process ends: another program may hold the port,
        and a connection to that one would wait for an answer."""
        ends = [asyncio.ensure_future(work), asyncio.ensure_future(self._ended())]
        try:
            done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                one.result()
        finally:
            for one in ends:
                one.cancel()
            await asyncio.gather(*ends, return_exceptions=True)

    async def _ended(self) -> None:
        if self._process is not None:
            await self._process.wait()

    def _check_alive(self, written_from: int) -> None:
        check_space(self._home, SPACE_TO_RUN)
        if self._process is not None and self._process.returncode is not None:
            words = self.log_file.read_bytes()[written_from:].decode(errors="replace")
            raise explained(words, self.server, self._home / "temporal.db", self.log_file)

    async def _watch(self) -> None:
        """Restarts the server whenever it dies, unless it dies too often."""
        with self._failing():
            while self._process is not None:
                await self._process.wait()
                check_space(self._home, SPACE_TO_RUN)
                self._count_death()
                await self._launch_again()

    async def _watch_space(self) -> None:
        """Watches for a full disk. A server on one keeps running and refuses everything with
        obscure errors."""
        with self._failing():
            while True:
                check_space(self._home, SPACE_TO_RUN)
                await asyncio.sleep(SPACE_LOOK_SECONDS)

    @contextlib.contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except (ServerFailed, OSError) as error:
            if not self.failed.done():
                self.failed.set_exception(error)

    async def _launch_again(self) -> None:
        try:
            await self._launch()
        except (PortInUse, DatabaseUnusable, DiskFull):
            raise
        except ServerFailed:
            return  # It died while starting, which counts as one more death.

    def _count_death(self) -> None:
        now = time.monotonic()
        self._deaths.append(now)
        recent = [at for at in self._deaths if now - at < RESTART_SPAN_SECONDS]
        if len(recent) > MOST_RESTARTS:
            raise ServerFailed(
                f"the Temporal server died {len(recent)} times within "
                f"{RESTART_SPAN_SECONDS:.0f} s and is not started again; see {self.log_file}"
            )

    async def _end_process(self) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@asynccontextmanager
async def embedded_server(
    home: Path,
    server: ServerSettings,
    meanwhile: Callable[[], None] | None = None,
    *,
    access: PayloadAccess | None = None,
) -> AsyncIterator[EmbeddedServer]:
    """Runs a server for the duration of the block. Calls `meanwhile` while it starts. `access` is
    what its codec endpoint decrypts payloads with. If the default ports are taken, even between the
    check and the server's start, it uses others, which the record in the home names.

    The caller holds the `HostLock` of the home: two servers on one database file would damage it.

    Raises:
        ServerFailed: as `EmbeddedServer.start`.
    """
    stop_orphan(home, temporal_binary())
    (home / LAST_SEEN).unlink(missing_ok=True)
    lost: set[int] = set()
    while True:
        async with AsyncExitStack() as stack:
            try:
                running = await _started_at_free_ports(stack, home, server, lost, meanwhile, access)
            except PortInUse as error:
                if error.port in lost or _is_chosen(server, error.port):
                    raise
                lost.add(error.port)
                continue
            yield running
            return


async def _started_at_free_ports(
    stack: AsyncExitStack,
    home: Path,
    server: ServerSettings,
    lost: Set[int],
    meanwhile: Callable[[], None] | None,
    access: PayloadAccess | None,
) -> EmbeddedServer:
    """Starts a server that runs until the stack is left, at free ports that are not among
    `lost`."""
    at = stack.enter_context(free_ports(server, lost))
    codec_endpoint = stack.enter_context(codec_server(at.ip, at.ui_url, access))
    running = EmbeddedServer(home, at, codec_endpoint)
    await running.start(meanwhile)
    stack.push_async_callback(running.stop)
    await stack.enter_async_context(_ui_front(running))
    return running


@asynccontextmanager
async def _ui_front(running: EmbeddedServer) -> AsyncIterator[None]:
    """Serves the UI at its public address. A UI that is not on a loopback address alone is not
    guarded."""
    server = running.server
    front = Address(server.ip, server.ui_port)
    if running.ui == front:
        yield
        return
    async with AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(guarded(front, running.ui))
        except OSError:
            raise PortInUse(server.ui_port, "server.ui_port", "DESK_UI_PORT") from None
        yield


def check_space(home: Path, needed: int) -> None:
    """Checks that the home has room for so many more bytes.

    Raises:
        DiskFull: it does not.
    """
    free = free_bytes(home)
    if free < needed:
        raise DiskFull(home, free, needed)


def temporal_binary() -> Path:
    """The `temporal` command that was installed with the project.

    Raises:
        ServerFailed: it is missing.
    """
    binary = Path(sysconfig.get_path("scripts")) / "temporal"
    if not binary.is_file():
        raise ServerFailed(f"{binary} is missing; install the project again (make install)")
    return binary


def _write_back(database: Path) -> None:
    """Writes the write-ahead log back into the database, as a server does on a graceful stop. If
    that fails the log stays, and the next server reads it too."""
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(
            sqlite3.connect(f"{database.resolve().as_uri()}?mode=rw", uri=True)
        ) as opened,
    ):
        opened.execute("pragma wal_checkpoint(truncate)")


async def _listens(ip: str, port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(ip, port)
    except OSError:
        return False
    writer.close()
    return True


def _is_loopback(ip: str) -> bool:
    return ip == "localhost" or ip_address(ip).is_loopback


@contextmanager
def free_ports(server: ServerSettings, lost: Set[int] = frozenset()) -> Iterator[ServerSettings]:
    """The settings with free ports, reserved against other desks for the duration of the block.

    A port that the user chose is used or refused. A default port that is taken is replaced by the
    next free one that is not in `lost`, the ports that another program took after they were found
    free.

    Raises:
        PortInUse: a chosen port is taken, or no port is free.
    """
    with ExitStack() as held:
        ports = {
            name: _first_free(server, name, lost, held)
            if _is_usual(server, name)
            else _chosen(server, name)
            for name in _VARIABLES
        }
        yield server.model_copy(update=ports)


def _is_usual(server: ServerSettings, name: str) -> bool:
    return bool(getattr(server, name) == ServerSettings.model_fields[name].default)


def _is_chosen(server: ServerSettings, port: int) -> bool:
    return any(getattr(server, name) == port and not _is_usual(server, name) for name in _VARIABLES)


def _chosen(server: ServerSettings, name: str) -> int:
    port: int = getattr(server, name)
    if not _is_free(server.ip, port):
        raise _in_use(server, name)
    return port


def _first_free(server: ServerSettings, name: str, lost: Set[int], held: ExitStack) -> int:
    first: int = getattr(server, name)
    others = lost | {getattr(server, other) for other in _VARIABLES if other != name}
    for port in range(first, first + MOST_TRIED):
        if port not in others and _is_ours(port, held) and _is_free(server.ip, port):
            return port
    raise _in_use(server, name)


def _is_ours(port: int, held: ExitStack) -> bool:
    """Reserves the port against other desks. A server binds a port some time after it was found
    free, and two desks that start concurrently would both find it free. Whether no other desk has
    it."""
    lock = FileLock(Path(tempfile.gettempdir()) / f"desk-port-{port}.lock")
    try:
        held.enter_context(lock.acquire(blocking=False))
    except Timeout:
        return False
    except OSError:
        # There is no folder for locks, or the lock is another user's: only the port itself counts.
        return True
    return True


def _is_free(ip: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in ip else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ip, port))
        except OSError:
            return False
    return True


def _in_use(server: ServerSettings, name: str) -> PortInUse:
    return PortInUse(getattr(server, name), f"server.{name}", _VARIABLES[name])
