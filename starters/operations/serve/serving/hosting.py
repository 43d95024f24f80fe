"""Serving pages while there is a desk to ask, and ending in order."""

import asyncio
import contextlib
import math
import socket
from collections.abc import Callable, Iterator
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp

from desk.platform.settings import Settings
from starters.operations.up.serve import until_told_to_stop
from starters.runs.following import check_server
from starters.session import Desk, with_desk
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError

LOOK_SECONDS: Final = 1.0
"""So often a server of somebody else's is looked at."""

GRACE_SECONDS: Final = 2
"""What an answer that is on its way gets to end in."""

MOST_AT_ONCE: Final = 200


class DeskAway(CommandError):
    """There is no desk to ask at the moment: it starts, or is looked for again."""


class DeskKeeper:
    """The desk that pages are about. It may be another one after a server went away."""

    def __init__(self) -> None:
        self._desk: Desk | None = None
        self._found = asyncio.Event()

    @property
    def desk(self) -> Desk:
        """The desk.

        Raises:
            DeskAway: there is none at the moment.
        """
        if self._desk is None:
            raise DeskAway(
                "the Temporal server does not answer at the moment; `desk doctor` says more"
            )
        return self._desk

    @property
    def ui_url(self) -> str | None:
        """Where the Temporal UI of the desk is that was found, which may listen at another port
        than the settings say; None before, and of a server whose address is not known."""
        return None if self._desk is None else self._desk.settings.ui_url

    async def keep(self, settings: Settings) -> None:
        """Be the desk, or find it, and find it again, until cancelled.

        Raises:
            ServerUnreachable, ServerFailed: there is none at the start, or it cannot be kept.
        """
        await with_desk(settings, self.hold, patience=math.inf)

    async def hold(self, desk: Desk) -> None:
        """Have pages ask this desk until its server goes away.

        Raises:
            ServerUnreachable: it went away.
        """
        self._desk = desk
        self._found.set()
        try:
            while True:
                # Of a server of its own, the session itself knows what becomes of it.
                await asyncio.sleep(LOOK_SECONDS)
                if not desk.hosting:
                    await check_server(desk.client)
        finally:
            self._desk = None

    async def found(self) -> None:
        """Wait until there was a desk for the first time."""
        await self._found.wait()


def listening(ip: str, port: int, instead: str) -> socket.socket:
    """A socket that listens at an address, at a free port where that is 0.

    Raises:
        UsageError: the port is taken or no address of this machine; `instead` says what to do.
    """
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    opened = socket.socket(family)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((ip, port))
        opened.listen()
    except OSError as error:
        opened.close()
        reason = error.strerror or "it cannot be listened on"
        raise UsageError(f"{ip}:{port}: {reason}; {instead}") from None
    return opened


class _Server(uvicorn.Server):
    """A server that leaves signals to the command."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Nothing: the command waits for them."""
        yield


async def serve_until_told(
    application: ASGIApp,
    opened: socket.socket,
    keeper: DeskKeeper,
    settings: Settings,
    announce: Callable[[Desk], None],
) -> ExitStatus:
    """Serve an application at a socket until Ctrl-C, at the desk that there is or one of its own.

    Raises:
        ServerUnreachable, ServerFailed: there is no Temporal server, or it cannot be kept running.
    """
    server = _Server(
        uvicorn.Config(
            application,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            limit_concurrency=MOST_AT_ONCE,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
    )
    keeping = asyncio.ensure_future(keeper.keep(settings))
    serving = asyncio.ensure_future(server.serve(sockets=[opened]))
    told = asyncio.ensure_future(_announced(keeper, announce))
    try:
        await asyncio.wait({keeping, serving, told}, return_when=asyncio.FIRST_COMPLETED)
        return told.result() if told.done() else ExitStatus.FAILED
    finally:
        server.should_exit = True
        await asyncio.wait({serving})
        for task in (told, keeping):
            await _ended(task)
        if keeping.done() and not keeping.cancelled():
            keeping.result()


async def _announced(keeper: DeskKeeper, announce: Callable[[Desk], None]) -> ExitStatus:
    stopped = asyncio.ensure_future(until_told_to_stop())
    found = asyncio.ensure_future(keeper.found())
    try:
        await asyncio.wait({stopped, found}, return_when=asyncio.FIRST_COMPLETED)
        if found.done():
            announce(keeper.desk)
        return await stopped
    finally:
        for task in (stopped, found):
            await _ended(task)


async def _ended(task: "asyncio.Future[Any]") -> None:
    if not task.done():
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
