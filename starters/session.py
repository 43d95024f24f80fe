"""Connects a command to a working desk: the user's own server, a running `desk up`, or this
process; or to a separate desk in a temporary folder."""

import asyncio
import contextlib
import importlib
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from desk.platform.payloads.codec_server import payload_access
from desk.platform.server.failure import PortInUse
from desk.platform.server.host_lock import HostLock, HostTaken, stopped_words
from desk.platform.settings import Settings
from desk.platform.telemetry.tracing import command_span
from starters.terminal.exit_status import CommandError
from starters.terminal.imports import imports_without_gc
from starters.terminal.waits import reported_wait

SERVER_PATIENCE_SECONDS: Final = 300.0
"""How long a command waits for a server that has gone away."""

QUIET_SECONDS: Final = 1.0
"""A shorter absence of the server is not reported."""

SETTLING_SECONDS: Final = 30.0
"""How long a restarted server may refuse valid requests: its namespace is created last."""

FIRST_PAUSE_SECONDS: Final = 0.1
LONGEST_PAUSE_SECONDS: Final = 2.0


class ServerOutage:
    """Measures how long a server has been away since its last answer, in seconds.

    Calls `tell` with a sentence when a wait begins, and with None when the wait is over. Waits
    indefinitely without a `limit`. `at_first` means that the server has not answered yet.
    """

    def __init__(
        self,
        settings: Settings,
        tell: Callable[[str | None], None],
        *,
        limit: float | None = SERVER_PATIENCE_SECONDS,
        at_first: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._tell = tell
        self._limit = limit
        self._clock = clock
        self._seen_at = clock() if at_first else None
        self._away_at: float | None = None
        self._pause = FIRST_PAUSE_SECONDS
        self._told = False

    @property
    def reported(self) -> bool:
        """Whether the user knows that the server does not answer."""
        return self._told

    def answered(self) -> None:
        """Records that the server answers."""
        self._seen_at, self._away_at = self._clock(), None
        self._pause = FIRST_PAUSE_SECONDS
        if self._told:
            self._told = False
            self._tell(None)

    def bear(self, error: Exception) -> float:
        """Returns the pause before the next try, longer each time.

        Raises:
            ServerUnreachable: the server has been away for longer than the limit.
            Exception: the given error, if it does not mean that the server is away.
        """
        # Imported only on an error: the import takes as long as starting a server.
        from desk.platform.temporal.client import ServerUnreachable, server_name

        now, server = self._clock(), server_name(self._settings)
        if self._seen_at is None or not self._is_away(error, now):
            raise error
        waited = now - self._seen_at
        if self._limit is not None and waited >= self._limit:
            raise ServerUnreachable(
                f"{server} has been away for {waited:.0f} s ({error}); what is under way goes "
                "on when it is back, and the same command comes back to it"
            ) from None
        if not self._told and waited >= QUIET_SECONDS:
            self._told = True
            self._tell(f"{server} does not answer; waiting for it")
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST_PAUSE_SECONDS)
        return pause

    def _is_away(self, error: Exception, now: float) -> bool:
        from temporalio.service import RPCError

        if _server_is_away(error):
            self._away_at = now
            return True
        settling = self._away_at is not None and now - self._away_at < SETTLING_SECONDS
        return settling and isinstance(error, RPCError)


def _server_is_away(error: Exception) -> bool:
    from temporalio.service import RPCError, RPCStatusCode

    from desk.platform.temporal.client import ServerUnreachable

    if isinstance(error, RPCError):
        return error.status in (
            RPCStatusCode.UNAVAILABLE,
            RPCStatusCode.DEADLINE_EXCEEDED,
            RPCStatusCode.CANCELLED,
            RPCStatusCode.RESOURCE_EXHAUSTED,
        )
    return isinstance(error, ServerUnreachable)


if TYPE_CHECKING:
    from temporalio.client import Client

    from desk.platform.server.embedded import EmbeddedServer
    from workers.hosting import Role

T = TypeVar("T")

WORKER_PATIENCE_SECONDS = 60.0
"""How long a command waits for workers that may be starting."""

TRIES: Final = 3
"""How often a separate desk tries other ports: another process can take a free port before the
server binds it."""

_WORKERS: Final = ("workers.agents", "workers.orchestrator", "workers.sources")

WORKED_SECONDS = 1.0
"""A connection that lasted this long counts as one to a working server."""


@dataclass(frozen=True)
class Desk:
    """A connection to a desk. `hosting` means that this process runs its server and workers."""

    client: "Client"
    settings: Settings
    hosting: bool


Work = Callable[[Desk], Awaitable[T]]


def never_up(settings: Settings) -> bool:
    """Returns whether no desk was ever up in this home, so that it has no runs. Needs no server."""
    return not settings.external and not (settings.home / "temporal.db").exists()


async def with_desk(
    settings: Settings,
    work: Work[T],
    *,
    server_only: bool = False,
    patience: float = SERVER_PATIENCE_SECONDS,
) -> T:
    """Runs `work` at a desk, and hosts the desk if no other process does.

    One process of a home hosts the embedded server and the workers; other processes are its
    clients. If the host ends, another process takes over and calls `work` again, which must find
    what it started before. The same happens if a server (the user's own or this process's) goes
    away and answers again within `patience` seconds. The user's own server must answer at the
    start. With `server_only` a hosting process runs no workers.

    Raises:
        ServerUnreachable, ServerFailed: there is no server; the message says why.
    """
    with command_span(settings, command_name()):
        return await _with_desk(settings, work, server_only=server_only, limit=patience)


async def _with_desk(settings: Settings, work: Work[T], *, server_only: bool, limit: float) -> T:
    patience = ServerOutage(settings, report_wait, limit=limit, at_first=not settings.external)
    while True:
        try:
            return await _at_a_desk(settings, work, patience, server_only=server_only)
        except Exception as error:
            pause = patience.bear(error)
        await asyncio.sleep(pause)


async def _at_a_desk(
    settings: Settings, work: Work[T], patience: ServerOutage, *, server_only: bool
) -> T:
    """Runs the work at the existing desk, or at one that this process hosts."""

    with contextlib.ExitStack() as until_seen:

        async def seen(desk: Desk) -> T:
            until_seen.close()
            async with _seen(patience):
                return await work(desk)

        if not settings.external:
            with contextlib.suppress(HostTaken), HostLock(settings.home):
                what = f"the {'server' if server_only else 'server and workers'} of {settings.home}"
                until_seen.enter_context(reported_wait(f"{what} to start", _report))
                return await host(settings, seen, () if server_only else _all_roles(), finish=True)
        if not patience.reported:
            _report_stopped(settings)
            until_seen.enter_context(reported_wait(_answer_words(settings), _report))
        return await _as_client(settings, seen)


def _report_stopped(settings: Settings) -> None:
    """Reports a stopped host: its workers do nothing, and the server does not say so."""
    words = None if settings.external else stopped_words(settings.home)
    if words is not None:
        _report(words)


def _answer_words(settings: Settings) -> str:
    if settings.external:
        return "your server to answer"
    by = HostLock(settings.home).holder()
    hosted = f" (hosted by {by})" if by is not None else ""
    return f"the server of {settings.home} to answer{hosted}"


async def host(
    settings: Settings, work: Work[T], roles: "tuple[Role, ...]", *, finish: bool = False
) -> T:
    """Hosts the embedded server and the workers of the roles while the work runs. With `finish`,
    the workers then finish their model calls, also if the work is cancelled.

    The caller must hold the home's `HostLock`.
    """
    from desk.platform.server.embedded import SPACE_TO_WORK, check_space, embedded_server

    if roles:
        check_space(settings.home, SPACE_TO_WORK)
    importing = _import_workers if roles else _import_client
    async with embedded_server(
        settings.home, settings.server, importing, access=payload_access(settings)
    ) as server:
        at = settings.model_copy(update={"server": server.server})

        def finishes() -> bool:
            return finish and not server.failed.done()

        return await _while_it_runs(server, _hosted_work(at, work, roles, finishes))


async def _hosted_work(
    settings: Settings, work: Work[T], roles: "tuple[Role, ...]", finishes: Callable[[], bool]
) -> T:
    from desk.platform.temporal.client import connect

    if not roles:
        return await work(Desk(await connect(settings), settings, hosting=True))
    async with _hosted_workers(settings, roles, finishes) as client:
        return await work(Desk(client, settings, hosting=True))


@contextlib.asynccontextmanager
async def _hosted_workers(
    settings: Settings, roles: "tuple[Role, ...]", finishes: Callable[[], bool]
) -> "AsyncIterator[Client]":
    """Runs workers of the roles until the block ends, and yields their client. If the block ends in
    order or is cancelled, and `finishes()`, they then finish their model calls."""
    from desk.platform.temporal.client import connect
    from workers.hosting import hosted, worker_identity

    # `python -m workers.health` recognises this machine's workers by this name.
    identity = worker_identity(*roles)
    client = await connect(settings, identity=identity, working=True)
    async with hosted(client, settings, roles) as workers:
        try:
            yield client
        except (CommandError, asyncio.CancelledError):
            if finishes():
                await workers.finish(_report)
            raise
        if finishes():
            await workers.finish(_report)


@contextlib.asynccontextmanager
async def with_query_worker(desk: Desk) -> AsyncIterator[None]:
    """Runs a worker that only answers queries until the block ends, if this process hosts the desk
    without workers. Otherwise does nothing: another process runs the workers.

    A command that reads does none of an open run's work, some of which may have to be paid for.
    """
    if not desk.hosting:
        yield
        return
    with imports_without_gc():
        from workers.hosting import answering_queries

    async with answering_queries(desk.client, desk.settings):
        yield


@contextlib.asynccontextmanager
async def with_workers(desk: Desk) -> AsyncIterator[None]:
    """Runs all workers until the block ends, if this process hosts the desk without workers.
    Otherwise does nothing: another process runs the workers."""
    if not desk.hosting:
        yield
        return
    _import_workers()
    async with _hosted_workers(desk.settings, _all_roles(), lambda: True):
        yield


async def _while_it_runs(server: "EmbeddedServer", work: Awaitable[T]) -> T:
    """Returns the work's result, or raises the server's failure if the server could not be kept
    running."""
    task = asyncio.ensure_future(work)
    ends: set[asyncio.Future[Any]] = {task, server.failed}
    try:
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            server.failed.result()
        return await task
    finally:
        if not task.done():
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError), _reported_failure(server):
                await task


@contextlib.contextmanager
def _reported_failure(server: "EmbeddedServer") -> Iterator[None]:
    """Reports why the server failed, if it did and the workers take a while to stop without it."""
    failure = server.failed.exception() if server.failed.done() else None
    if failure is None:
        yield
        return
    with reported_wait(f"the workers to stop: {failure}", _report, after=QUIET_SECONDS):
        yield


async def _as_client(settings: Settings, work: Work[T]) -> T:
    from desk.platform.temporal.client import connect, located

    return await work(
        Desk(await connect(settings, asks_only=True), located(settings), hosting=False)
    )


@contextlib.asynccontextmanager
async def _seen(patience: ServerOutage) -> AsyncIterator[None]:
    """Counts a server as answering once a connection to it has lasted `WORKED_SECONDS`."""
    loop, connected_at = asyncio.get_running_loop(), time.monotonic()
    worked = loop.call_later(WORKED_SECONDS, patience.answered)
    try:
        yield
    finally:
        worked.cancel()
        if time.monotonic() - connected_at >= WORKED_SECONDS:
            patience.answered()


def _all_roles() -> "tuple[Role, ...]":
    from workers.hosting import Role

    return (Role.ALL,)


def _import_workers() -> None:
    """Imports what workers need, while the server starts: both take about as long."""
    _import("desk.platform.temporal.client", *_WORKERS)


def _import_client() -> None:
    _import("desk.platform.temporal.client")


def _import(*modules: str) -> None:
    with imports_without_gc():
        for module in modules:
            importlib.import_module(module)


def command_name() -> str:
    """The name of this process's command without arguments, such as `desk run`."""
    return " ".join(("desk", *(word for word in sys.argv[1:2] if not word.startswith("-"))))


def say(text: str) -> None:
    """Prints a progress line to standard error. Results go to standard output."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _report(text: str) -> None:
    say(f"desk: {text}")


def report_wait(text: str | None) -> None:
    """Reports that the command waits for a server, or that the server answers again."""
    say(f"desk: {text or 'the Temporal server answers again'}")


async def require_workers(
    desk: Desk, queue: str, patience_seconds: float = WORKER_PATIENCE_SECONDS
) -> None:
    """Waits until a worker polls a queue, and reports the wait if it takes a while.

    Raises:
        CommandError: no worker polls it in time; the message says how to start one.
    """
    from workers.health import unpolled

    began, told = time.monotonic(), False
    while await unpolled(desk.client, None, [queue]):
        waited = time.monotonic() - began
        if waited > patience_seconds:
            raise CommandError(
                f"no worker polls the queue '{queue}'; start them with `desk worker all`, "
                "and see `desk doctor`"
            )
        if waited > QUIET_SECONDS and not told:
            told = True
            say(
                f"desk: no worker polls the queue '{queue}' yet; waiting for one (`desk worker "
                "all` starts them)"
            )
        await asyncio.sleep(0.25)


async def at_temporary_desk(
    prefix: str,
    settings_in: Callable[[Path], Settings],
    work: Work[T],
    roles: "tuple[Role, ...]" = (),
) -> T:
    """Runs the work at a separate desk in a temporary folder, which is deleted afterwards.

    Args:
        prefix: What the folder's name begins with.
        settings_in: The desk's settings, given its folder.
        work: What is done there; done again at another port where one was taken meanwhile.
        roles: The workers that it runs.

    Raises:
        PortInUse: no port stayed free.
    """
    for left in reversed(range(TRIES)):
        with tempfile.TemporaryDirectory(prefix=prefix) as folder:
            apart = settings_in(Path(folder))
            try:
                with HostLock(apart.home):
                    return await host(apart, work, roles)
            except PortInUse:
                if not left:
                    raise
    raise AssertionError("a try either returns or raises")


def temporary_desk_settings(settings: Settings, folder: Path) -> Settings:
    """The settings of a separate desk in a folder: with its own server, without network and key."""
    port, ui_port = _free_ports(settings.server.ip)
    server = settings.server.model_copy(update={"port": port, "ui_port": ui_port})
    return settings.model_copy(
        update={
            "home": folder / "home",
            "reports_dir": folder / "reports",
            "server": server,
            "offline": True,
            "external_ui_url": None,
            "temporal_address": None,
            "temporal_namespace": None,
            "temporal_profile": None,
            "temporal_config_file": None,
            "temporal_environment": {},
            "variables": {},
            "anthropic_api_key": None,
            "reuters_api_token": None,
        }
    )


def _free_ports(ip: str) -> tuple[int, int]:
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    with socket.socket(family) as one, socket.socket(family) as other:
        one.bind((ip, 0))
        other.bind((ip, 0))
        return one.getsockname()[1], other.getsockname()[1]
