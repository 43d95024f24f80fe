"""The implementation of `desk up` and `desk worker`: they work until they are stopped."""

import asyncio
import signal
from collections.abc import Coroutine
from typing import Final

from temporalio.service import RPCError

from desk.platform.server.host_lock import HostLock, HostTaken, stopped_words
from desk.platform.settings import Settings, load_settings
from desk.platform.telemetry.tracing import send_spans
from desk.platform.temporal.client import ServerUnreachable, connect
from starters.session import (
    FIRST_PAUSE_SECONDS,
    Desk,
    ServerOutage,
    host,
    report_wait,
    say,
)
from starters.terminal.exit_status import CommandError, ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_stderr
from workers.hosting import Role, hosted, worker_identity
from workers.tuning import freeze_loaded_objects

MOST_FAILED_STARTS: Final = 5
"""How often a worker may fail to start at a server that answers, before its process ends."""


def stay_up() -> ExitStatus:
    """Hosts the embedded server, unless the user has their own, and all workers.

    Raises:
        CommandError: another process is already the host.
        ServerFailed: the server cannot be started or kept running.
    """
    settings = load_settings()
    log_to_stderr(settings)
    if settings.external:
        return _served_until_stopped(settings, _work(settings, Role.ALL))
    try:
        with HostLock(settings.home):
            return _served_until_stopped(
                settings, host(settings, _announced, (Role.ALL,), finish=True)
            )
    except HostTaken as taken:
        stopped = stopped_words(settings.home)
        raise CommandError(stopped or f"{taken}; `desk status` shows what it does") from None


def stay_as(role: Role, *, give_up_after: float | None = None) -> ExitStatus:
    """Runs the workers of one role, once there is a server.

    Raises:
        ServerUnreachable: there was none within `give_up_after` seconds.
    """
    settings = load_settings()
    log_to_stderr(settings)
    return _served_until_stopped(settings, _work(settings, role, give_up_after))


def _served_until_stopped(
    settings: Settings, work: Coroutine[None, None, ExitStatus]
) -> ExitStatus:
    try:
        return interruptible(work)
    finally:
        send_spans(settings)


async def _announced(desk: Desk) -> ExitStatus:
    server = desk.settings.server
    say(f"Temporal server  {server.address}\nTemporal UI      {server.ui_url}")
    say("workers          all; Ctrl-C stops them and the server")
    return await until_stop_signal()


async def _work(settings: Settings, role: Role, give_up_after: float | None = None) -> ExitStatus:
    patience = ServerOutage(settings, report_wait, limit=give_up_after)
    failed = 0
    while True:
        try:
            return await _worked(settings, role, patience)
        except (ServerUnreachable, RPCError) as error:
            pause = patience.bear(error)
        except RuntimeError:
            # The SDK raises this if the server goes away while a worker starts. It may be back now.
            failed += 1
            if failed == MOST_FAILED_STARTS:
                raise
            pause = FIRST_PAUSE_SECONDS
        await asyncio.sleep(pause)


async def _worked(settings: Settings, role: Role, patience: ServerOutage) -> ExitStatus:
    client = await connect(settings, identity=worker_identity(role), working=True)
    async with hosted(client, settings, [role]) as workers:
        freeze_loaded_objects()
        patience.answered()
        say(f"worker {role} at {client.service_client.config.target_host}; Ctrl-C stops it")
        ended = await until_stop_signal()
        await workers.finish(lambda text: say(f"desk: {text}"))
        return ended


async def until_stop_signal() -> ExitStatus:
    """Waits for Ctrl-C, or for the signal to stop."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told.set)
    await told.wait()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.remove_signal_handler(number)
    say("stopping")
    return ExitStatus.COMPLETE
