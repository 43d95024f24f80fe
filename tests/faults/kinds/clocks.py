"""A worker whose time is not the world's: its clock jumps, with libfaketime (`apt-get install
faketime`), or others have the processors."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.faults.apart import Apart
from tests.faults.fault import WEEK_ONLY, Fault, NotTried, Seen
from tests.faults.scene import PAUSE, Scene

PLACES: Final = (
    "/usr/lib/*/faketime/libfaketimeMT.so.1",
    "/usr/local/lib/faketime/libfaketimeMT.so.1",
)
AHEAD: Final = "+2h"
BACK: Final = "-2h"
RIGHT: Final = "+0"

BUSY_SECONDS: Final = 540.0
"""So long a run has that gets a seventh of the processors."""


async def clock_jumps(scene: Scene) -> Seen:
    """The worker's clock goes two hours ahead, then two hours back, then it is right again."""
    clock = scene.stage.folder("clock") / "offset"
    place, library = scene.place(EFFECT_PAUSE=PAUSE), _library()
    _set(clock, RIGHT)
    desk = Apart(place)
    try:
        await desk.start_server()
        faked = desk.place.with_variables(
            LD_PRELOAD=library,
            FAKETIME_TIMESTAMP_FILE=str(clock),
            FAKETIME_CACHE_DURATION="1",
            DONT_FAKE_MONOTONIC="1",
            FAKETIME_FORCE_MONOTONIC_FIX="0",
        )
        worker = faked.start("worker", "all")
        await worker.says("worker all")
        asked = desk.place.start(*scene.asking.line)
        for moment, offset in zip(await scene.moments(3), (AHEAD, BACK, RIGHT), strict=True):
            await desk.place.begun(moment, asked)
            _set(clock, offset)
            # So long the library goes by what it has read.
            await asyncio.sleep(1)
        return await scene.compared(desk.place, await asked.ended())
    finally:
        desk.end()


async def machine_busy(scene: Scene) -> Seen:
    """Six processes a processor compute beside the run, from its start to its end. Which sources
    were too slow to say that they can be reached is told in the report, which therefore differs."""
    place = scene.place()
    with _spinning(6 * (os.cpu_count() or 1)):
        ended = await place.counted(*scene.asking.line, within=BUSY_SECONDS)
    outcome, report = scene.outcome(place, ended), scene.asking.report(place.reports)
    audit = await place.desk("audit", str(report))
    broken = [] if outcome == "complete, exit 0" else [f"the run was {outcome}"]
    broken += [] if audit.code == 0 else [f"the audit found: {audit.told()}"]
    again = len(place.effects.repeated)
    return Seen(outcome=outcome, again=again, told=ended.told(), broken=tuple(broken))


@contextmanager
def _spinning(processes: int) -> Iterator[None]:
    spin = (sys.executable, "-c", "while True: pass")
    started = [subprocess.Popen(spin) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.wait()


def _library() -> str:
    found = [path for place in PLACES for path in Path("/").glob(place.removeprefix("/"))]
    if not found:
        raise NotTried("libfaketime is not installed")
    return str(found[0])


def _set(clock: Path, offset: str) -> None:
    aside = clock.with_suffix(".new")
    aside.write_text(f"{offset}\n")
    aside.replace(clock)


FAULTS: Final = (
    Fault(
        "clock-jumps",
        "the worker's clock two hours ahead, then two hours back, then right",
        "nothing that was completed is done again, the report is identical",
        clock_jumps,
    ),
    Fault(
        "machine-busy",
        "a run beside six processes a processor that compute without a pause",
        "nothing that was completed is done again, and the run is complete by `desk audit`",
        machine_busy,
        WEEK_ONLY,
        limit_seconds=600.0,
    ),
)
