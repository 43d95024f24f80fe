"""A worker whose clock jumps, with libfaketime (`apt-get install faketime`)."""

import asyncio
from pathlib import Path
from typing import Final

from tests.faults.apart import Apart
from tests.faults.fault import Fault, NotTried, Seen
from tests.faults.scene import PAUSE, Scene

PLACES: Final = (
    "/usr/lib/*/faketime/libfaketimeMT.so.1",
    "/usr/local/lib/faketime/libfaketimeMT.so.1",
)
AHEAD: Final = "+2h"
BACK: Final = "-2h"
RIGHT: Final = "+0"


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
)
