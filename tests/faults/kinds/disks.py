"""A home that has no room: from the start, or from the middle of a run on."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from tests.faults.fault import WEEK_ONLY, Fault, NotTried, Seen
from tests.faults.place import Ended
from tests.faults.scene import PAUSE, Scene

SMALL: Final = (3, 6, 9)
"""Megabytes of a home in which an embedded server cannot live."""

LARGE: Final = 400
FULL_WORDS: Final = ("space", "full", "room")
"""One of them stands in what a user is told of a full disk."""


async def too_small(scene: Scene, megabytes: int) -> Seen:
    """The home has so much room, and the command is given."""
    place = scene.place()
    with small_disk(place.home, megabytes):
        ended = await place.counted(*scene.asking.line, within=60)
    return Seen(
        outcome=scene.outcome(place, ended),
        told=ended.told(*FULL_WORDS),
        broken=tuple(_of_a_full_disk(ended, place.home)),
    )


async def filled(scene: Scene) -> Seen:
    """The disk of the home is filled while the run is at work; there is room again, and the command
    is given anew."""
    place = scene.place(EFFECT_PAUSE=PAUSE)
    with small_disk(place.home, LARGE):
        (moment,) = await scene.moments(1)
        running = place.start(*scene.asking.line)
        await place.begun(moment, running)
        fill(place.home)
        full = await running.ended(60)
        (place.home / _FILLER).unlink()
        seen = await scene.compared(place, await place.counted(*scene.asking.line))
    # A run that needed no more room has ended well, and there is nothing to say. What could not be
    # written down anywhere is done again: that is told, and no fault.
    wrong = [] if full.code == 0 else list(_of_a_full_disk(full, place.home))
    lost = f"{seen.again} not written down and done again"
    return replace(seen, again=None).and_(*wrong, lost=lost).telling(full.told(*FULL_WORDS))


@contextmanager
def small_disk(home: Path, megabytes: int) -> Iterator[None]:
    """A file system of so many megabytes at a home.

    Raises:
        NotTried: the machine does not let us have one.
    """
    if os.geteuid() != 0:
        raise NotTried("a file system of its own needs root")
    home.mkdir(parents=True, exist_ok=True)
    command = ("mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(home))
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise NotTried(f"no file system of its own: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(("umount", "--lazy", str(home)), check=True)


def fill(home: Path) -> None:
    """Leave no room in a file system."""
    block = bytes(65_536)
    with (home / _FILLER).open("wb", buffering=0) as file:
        try:
            while True:
                file.write(block)
        except OSError:
            return


_FILLER: Final = "filler"


def _of_a_full_disk(ended: Ended, home: Path) -> Iterator[str]:
    said = f"{ended.err}\n{ended.out}"
    if ended.code == 0:
        yield "it ended well where there is no room for a server"
    elif ended.code < 0:
        yield "it did not end by itself"
    elif not any(word in said for word in FULL_WORDS):
        yield f"no word about room: {ended.told()}"
    elif str(home) not in said:
        yield f"it does not say where there is no room: {ended.told(*FULL_WORDS)}"


def _small(megabytes: int) -> Fault:
    async def play(scene: Scene) -> Seen:
        return await too_small(scene, megabytes)

    return Fault(
        f"full-home-{megabytes}mb",
        f"DESK_HOME on a disk of {megabytes} MB",
        "the command ends by itself and says that there is no room, and where",
        play,
        WEEK_ONLY,
    )


FAULTS: Final = (
    *(_small(megabytes) for megabytes in SMALL),
    Fault(
        "home-filled",
        "the disk of DESK_HOME filled in the middle of a run, then freed, and the command given"
        " again",
        "it says that there is no room, and where; then the report is identical",
        filled,
    ),
)
