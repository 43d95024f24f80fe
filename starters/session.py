"""Connects a command to a working desk: the user's own server, a running `desk up`, or this
process; or to a separate desk in a temporary folder."""

import asyncio
import contextlib
import importlib
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from desk.platform.payloads.codec_server import opening_of
from desk.platform.server.failure import PortInUse
from desk.platform.server.host_lock import HostLock, HostTaken
from desk.platform.settings import Settings
from desk.platform.telemetry.tracing import command_span
from starters.terminal.exit_status import CommandError
from starters.terminal.imports import imported_for_good

SERVER_PATIENCE_SECONDS: Final = 300.0
"""How long a command waits for a server that went away."""

QUIET_SECONDS: Final = 1.0
"""A shorter absence of the server is not reported."""

SETTLING_SECONDS: Final = 30.0
"""How long a restarted server may refuse requests that it will accept: its namespace comes last."""

FIRST_PAUSE_SECONDS: Final = 0.1
LONGEST_PAUSE_SECONDS: Final = 2.0


class ServerPatience:
    """Measures how long a server has been away since its last answer, in seconds.

    `tell` is called with a sentence when a wait begins, and with None when it is over. Without a
    `limit` the wait has no end. `at_first` means that the server has never answered yet.
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

    def answered(self) -> None:
        """Notes that the server answers."""
        self._seen_at, self._away_at = self._clock(), None
        self._pause = FIRST_PAUSE_SECONDS
        if self._told:
            self._told = False
            self._tell(None)

    def bear(self, error: Exception) -> float:
        """The pause before the next try, longer each time.

        Raises:
            ServerUnreachable: the server has been away for too long.
            Exception: the error itself, which does not say that the server is away.
        """
        # Imported when there is an error: it takes as long as a server takes to start.
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
"""How often a separate desk tries other ports: a free one can be taken before the server uses
it."""

_WORKERS: Final = ("workers.agents", "workers.orchestrator", "workers.sources")

WORKED_SECONDS = 1.0
"""A connection that lasted this long was to a working server."""


@dataclass(frozen=True)
class Desk:
    """A desk to work with. `hosting` means that this process runs its server and workers."""

    client: "Client"
    settings: Settings
    hosting: bool


Work = Callable[[Desk], Awaitable[T]]


def never_up(settings: Settings) -> bool:
    """Whether no desk was ever up in the home, so that no run is known there. Needs no server."""
    return not settings.external and not (settings.home / "temporal.db").exists()


async def with_desk(
    settings: Settings,
    work: Work[T],
    *,
    server_only: bool = False,
    patience: float = SERVER_PATIENCE_SECONDS,
) -> T:
    """Does the work at a desk, and hosts the desk if no process does.

    One process of a home hosts the embedded server and the workers; others are its clients. If the
    host ends, another one takes over and `work` is called again; it must find what it started
    before. The same happens if a server, the user's own or this process's, goes away or does not
    answer and comes back within `patience`, in seconds. A server of the user's own that is away at
    the start is an error. With `server_only` a hosting process runs no workers.

    Raises:
        ServerUnreachable, ServerFailed: there is no server, and why.
    """
    with command_span(settings, command_name()):
        return await _with_desk(settings, work, server_only=server_only, limit=patience)


async def _with_desk(settings: Settings, work: Work[T], *, server_only: bool, limit: float) -> T:
    patience = ServerPatience(settings, tell_wait, limit=limit, at_first=not settings.external)
    while True:
        try:
            return await _at_a_desk(settings, work, patience, server_only=server_only)
        except Exception as error:
            pause = patience.bear(error)
        await asyncio.sleep(pause)


async def _at_a_desk(
    settings: Settings, work: Work[T], patience: ServerPatience, *, server_only: bool
) -> T:
    """The result of the work, done at the existing desk or at one that this process hosts."""

    async def seen(desk: Desk) -> T:
        async with _seen(patience):
            return await work(desk)

    if not settings.external:
        with contextlib.suppress(HostTaken), HostLock(settings.home):
            return await host(settings, seen, () if server_only else _all_roles())
    return await _as_client(settings, seen)


async def host(settings: Settings, work: Work[T], roles: "tuple[Role, ...]") -> T:
    """Hosts the embedded server and the workers of the roles while the work is done.

    The caller holds the home's `HostLock`.
    """
    from desk.platform.server.embedded import SPACE_TO_WORK, check_space, embedded_server

    if roles:
        check_space(settings.home, SPACE_TO_WORK)
    importing = _import_workers if roles else _import_client
    async with embedded_server(
        settings.home, settings.server, importing, opening=opening_of(settings)
    ) as server:
        at = settings.model_copy(update={"server": server.server})
        return await _while_it_runs(server, _hosted_work(at, work, roles))


async def _hosted_work(settings: Settings, work: Work[T], roles: "tuple[Role, ...]") -> T:
    from desk.platform.temporal.client import connect

    if not roles:
        return await work(Desk(await connect(settings), settings, hosting=True))
    async with _hosted_workers(settings, roles) as client:
        return await work(Desk(client, settings, hosting=True))


@contextlib.asynccontextmanager
async def _hosted_workers(settings: Settings, roles: "tuple[Role, ...]") -> "AsyncIterator[Client]":
    """Workers of the roles until the block ends, and the client that they are made from."""
    from desk.platform.temporal.client import connect
    from workers.hosting import hosted, worker_identity

    # By this name `python -m workers.health` knows the workers of this machine.
    identity = worker_identity(*roles)
    client = await connect(settings, identity=identity, working=True)
    async with hosted(client, settings, roles):
        yield client


@contextlib.asynccontextmanager
async def with_workers(desk: Desk) -> AsyncIterator[None]:
    """All workers until the block ends, at a desk that this process hosts without any. At another
    one there is nothing to do: others run its workers."""
    if not desk.hosting:
        yield
        return
    from desk.platform.server.embedded import SPACE_TO_WORK, check_space

    check_space(desk.settings.home, SPACE_TO_WORK)
    _import_workers()
    async with _hosted_workers(desk.settings, _all_roles()):
        yield


async def _while_it_runs(server: "EmbeddedServer", work: Awaitable[T]) -> T:
    """The work's result, or the server's failure if it could not be kept running."""
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
            with contextlib.suppress(asyncio.CancelledError):
                await task


async def _as_client(settings: Settings, work: Work[T]) -> T:
    from desk.platform.temporal.client import connect, located

    return await work(
        Desk(await connect(settings, asks_only=True), located(settings), hosting=False)
    )


@contextlib.asynccontextmanager
async def _seen(patience: ServerPatience) -> AsyncIterator[None]:
    """Counts a server as answering once a connection has lasted for a while."""
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
    """Imports what workers need. It takes about as long as the server takes to start, so both
    happen at once."""
    _import("desk.platform.temporal.client", *_WORKERS)


def _import_client() -> None:
    _import("desk.platform.temporal.client")


def _import(*modules: str) -> None:
    with imported_for_good():
        for module in modules:
            importlib.import_module(module)


def command_name() -> str:
    """`desk run`: the name of this process's command, without arguments."""
    return " ".join(("desk", *(word for word in sys.argv[1:2] if not word.startswith("-"))))


def say(text: str) -> None:
    """Prints a line about what is going on to standard error; results go to standard output."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def tell_wait(text: str | None) -> None:
    """Reports that a server is waited for, or that it answers again."""
    say(f"desk: {text or 'the Temporal server answers again'}")


async def require_workers(
    desk: Desk, queue: str, patience_seconds: float = WORKER_PATIENCE_SECONDS
) -> None:
    """Waits until a queue is polled, and says so if it takes a while.

    Raises:
        CommandError: nobody does; the message says how to start a worker.
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


async def at_a_desk_apart(
    prefix: str,
    settings_in: Callable[[Path], Settings],
    work: Work[T],
    roles: "tuple[Role, ...]" = (),
) -> T:
    """Does the work at a separate desk in a temporary folder, which is deleted afterwards.

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


def settings_apart(settings: Settings, folder: Path) -> Settings:
    """The settings of a separate desk in a folder: a server of its own, no network, no key."""
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
