"""Hosts that start too early, side by side, at ports of others, or that are interrupted."""

import asyncio
import signal
import socket
from contextlib import ExitStack, suppress
from typing import Final

from tests.faults.apart import Apart
from tests.faults.fault import WEEK_ONLY, Fault, Seen
from tests.faults.place import Place, until
from tests.faults.scene import PAUSE, Scene

LATE_SECONDS: Final = 4.0
INTERRUPTED: Final = 130
STARTING_SECONDS: Final = 12.0
SOON_SECONDS: Final = 15.0
DEFAULT_PORTS: Final = (7233, 8233)


async def worker_before_its_server(scene: Scene) -> Seen:
    """The worker is started first, and the Temporal server a while later."""
    desk = Apart(scene.place())
    try:
        worker = desk.start_worker()
        # This is how long the server is late: what is measured, and not waited for.
        await asyncio.sleep(LATE_SECONDS)
        await desk.start_server()
        asked = desk.place.start(*scene.asking.line)
        seen = await scene.compared(desk.place, await asked.ended())
        told = (line for line in worker.said.splitlines() if "server" in line.lower())
        gone = [f"the worker ended with status {worker.process.returncode}"] if worker.over else []
        return seen.and_(*gone).telling(next(told, ""))
    finally:
        desk.end()


async def beside_a_desk_that_starts(scene: Scene) -> Seen:
    """The command is given while a `desk up` has taken the home and does not answer yet."""
    place = scene.place()
    up = place.start("up")
    await until(lambda: up.over or _listens(place.address), "the server of the first desk")
    # Its workers do not poll yet. So slow is a machine that has other things to do.
    up.signal(signal.SIGSTOP)
    asked = place.start(*scene.asking.line)
    await asyncio.sleep(STARTING_SECONDS)
    up.signal(signal.SIGCONT)
    seen = await scene.compared(place, await asked.ended())
    return seen.and_(*(["`desk up` has ended"] if up.over else []))


def _listens(address: str) -> bool:
    host, _, port = address.partition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


async def ports_of_another_desk(scene: Scene) -> Seen:
    """Another desk has the default ports."""
    up = _at_default_ports(scene.place()).start("up")
    await until(lambda: up.over or "workers" in up.said, "the first desk")
    place = _at_default_ports(scene.place())
    seen = await scene.compared(place, await place.desk(*scene.asking.line), "port")
    return seen.and_(*(["the first desk has ended"] if up.over else []))


def _at_default_ports(place: Place) -> Place:
    return place.with_variables(DESK_SERVER_PORT="", DESK_UI_PORT="")


async def ports_of_a_stranger(scene: Scene) -> Seen:
    """The default ports are held by a program that is no desk."""
    with ExitStack() as stack:
        for port in DEFAULT_PORTS:
            held = stack.enter_context(socket.socket())
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError):
                held.bind(("127.0.0.1", port))
                held.listen()
        place = _at_default_ports(scene.place())
        return await scene.compared(place, await place.desk(*scene.asking.line), "port")


async def interrupted_twice(scene: Scene) -> Seen:
    """Ctrl-C twice in the middle of a run; then the command is given again."""
    place = scene.place(EFFECT_PAUSE=PAUSE)
    (moment,) = await scene.moments(1)
    running = place.start(*scene.asking.line)
    await place.begun(moment, running)
    running.signal(signal.SIGINT)
    await asyncio.sleep(0.1)
    running.signal(signal.SIGINT)
    stopped = await running.ended(SOON_SECONDS)
    seen = await scene.compared(place, await place.counted(*scene.asking.line))
    wrong = [] if stopped.code == INTERRUPTED else [f"interrupted, it ended with {stopped.code}"]
    return seen.and_(*wrong).telling(stopped.told("stopp", "goes on", "again"))


FAULTS: Final = (
    Fault(
        "worker-before-server",
        f"`desk worker` started {LATE_SECONDS:.0f} s before there is a Temporal server",
        "it says so and waits; the run ends as in peace",
        worker_before_its_server,
        WEEK_ONLY,
    ),
    Fault(
        "beside-starting-up",
        f"the command given while a `desk up` of the same home is starting, which takes it"
        f" {STARTING_SECONDS:.0f} s",
        "it waits for that desk, and the run ends as in peace",
        beside_a_desk_that_starts,
    ),
    Fault(
        "ports-of-another-desk",
        "a desk with the default ports started beside another that has them",
        "it takes free ports; the run ends as in peace",
        ports_of_another_desk,
        WEEK_ONLY,
    ),
    Fault(
        "ports-of-a-stranger",
        "the default ports held by a program that is no desk",
        "it takes free ports; the run ends as in peace",
        ports_of_a_stranger,
        WEEK_ONLY,
    ),
    Fault(
        "interrupted-twice",
        "Ctrl-C twice in the middle of a run, which is then asked for again",
        f"status {INTERRUPTED} within {SOON_SECONDS:.0f} s; nothing that was completed is done"
        " again, the report is identical",
        interrupted_twice,
    ),
)
