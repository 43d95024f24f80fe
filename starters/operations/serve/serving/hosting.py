"""Serves pages while there is a desk, and shuts down in order."""

import asyncio
import contextlib
import math
import socket
from collections.abc import Callable, Iterator
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp

from desk.platform.settings import Settings
from starters.operations.up.serve import until_stop_signal
from starters.runs.following import check_server
from starters.session import Desk, with_desk
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError

LOOK_SECONDS: Final = 1.0
"""How often a third-party server is checked."""

GRACE_SECONDS: Final = 2
"""How long answers in flight may take to finish at shutdown."""

MOST_AT_ONCE: Final = 200


class DeskUnavailable(CommandError):
    """There is no desk at the moment: it is starting, or being looked for again."""


class DeskKeeper:
    """Holds the desk that pages use. It may be another one after a server has gone away."""

    def __init__(self) -> None:
        self._desk: Desk | None = None
        self._found = asyncio.Event()

    @property
    def desk(self) -> Desk:
        """The current desk.

        Raises:
            DeskUnavailable: there is none at the moment.
        """
        if self._desk is None:
            raise DeskUnavailable(
                "the Temporal server does not answer at the moment; `desk doctor` says more"
            )
        return self._desk

    @property
    def ui_url(self) -> str | None:
        """The address of the Temporal UI of the desk that was found, which may use another port
        than the settings. None before a desk was found, and if its address is not known."""
        return None if self._desk is None else self._desk.settings.ui_url

    async def keep(self, settings: Settings) -> None:
        """Hosts the desk or finds it, and finds it again after a loss, until cancelled.

        Raises:
            ServerUnreachable, ServerFailed: there is none at the start, or it cannot be kept
                running.
        """
        await with_desk(settings, self.hold, patience=math.inf)

    async def hold(self, desk: Desk) -> None:
        """Offers this desk to pages until its server goes away.

        Raises:
            ServerUnreachable: it went away.
        """
        self._desk = desk
        self._found.set()
        try:
            while True:
                # The session itself notices a failure of its own server.
                await asyncio.sleep(LOOK_SECONDS)
                if not desk.hosting:
                    await check_server(desk.client)
        finally:
            self._desk = None

    async def found(self) -> None:
        """Waits until there has been a desk for the first time."""
        await self._found.wait()


def listening(ip: str, port: int, instead: str) -> socket.socket:
    """Opens a listening socket at an address; port 0 takes a free one.

    Raises:
        UsageError: the port is taken, or the address is not one of this machine; `instead` says
            what to do.
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
        """Does nothing: the command handles signals."""
        yield


async def serve_until_stopped(
    application: ASGIApp,
    opened: socket.socket,
    keeper: DeskKeeper,
    settings: Settings,
    announce: Callable[[Desk], None],
) -> ExitStatus:
    """Serves an application at a socket until Ctrl-C, at the running desk or at one that it hosts.

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
    stopped = asyncio.ensure_future(until_stop_signal())
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
