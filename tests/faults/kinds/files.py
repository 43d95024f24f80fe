"""Files that are not what they seem, and files that others should not read."""

import gzip
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.faults.fault import WEEK_ONLY, Fault, Seen
from tests.faults.place import Ended, Place
from tests.faults.scene import Scene

MEGABYTE: Final = 1_000_000
MOST_BYTES: Final = 500 * MEGABYTE
BOMB_MEGABYTES: Final = 500
WITHIN_SECONDS: Final = 30.0
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


async def tape_bomb(scene: Scene) -> Seen:
    """A tape of half a megabyte is unpacked to a thousand times as much."""
    place = scene.place()
    bomb = place.directory / "bomb.tape.gz"
    with gzip.open(bomb, "wb", compresslevel=9) as packed:
        for _ in range(BOMB_MEGABYTES):
            packed.write(bytes(MEGABYTE))
    return _refused(await place.counted("run", "--tape", str(bomb), within=WITHIN_SECONDS))


async def deep_tape(scene: Scene) -> Seen:
    """A tape is a hundred thousand brackets."""
    place = scene.place()
    tape = place.directory / "deep.tape"
    tape.write_text("[" * 100_000)
    return _refused(await place.counted("run", "--tape", str(tape), within=WITHIN_SECONDS))


async def endless_audit(scene: Scene) -> Seen:
    """`desk audit` is given a file that never ends."""
    place = scene.place()
    return _refused(await place.counted("audit", "/dev/zero", within=WITHIN_SECONDS))


def _refused(ended: Ended) -> Seen:
    broken = []
    if ended.code not in (1, 2):
        broken.append(
            f"it ended with {ended.code} after {ended.seconds:.0f} s, and not by refusing"
        )
    if ended.peak > MOST_BYTES:
        broken.append(f"it took {ended.peak / MEGABYTE:.0f} MB of memory")
    return Seen(f"refused, exit {ended.code}", told=ended.told(), broken=tuple(broken))


async def private_home(scene: Scene) -> Seen:
    """Everything is left as the desk made it, under the usual umask."""
    place = scene.place()
    ended = await place.counted(*scene.asking.line)
    open_to_others = list(_open_to_others(place))
    seen = await scene.compared(place, ended)
    if not open_to_others:
        return seen
    return seen.and_(f"{len(open_to_others)} are open to others, as {open_to_others[0]}")


def _open_to_others(place: Place) -> Iterator[str]:
    paths: list[Path] = [place.home, *sorted(place.home.rglob("*"))]
    for path in paths:
        mode = path.lstat().st_mode
        if mode & OTHERS and not stat.S_ISLNK(mode):
            yield f"{path.relative_to(place.directory)} ({stat.filemode(mode)})"


_BOUNDED: Final = (
    f"it is refused in a line, within {WITHIN_SECONDS:.0f} s and {MOST_BYTES / MEGABYTE:.0f} MB"
)

FAULTS: Final = (
    Fault(
        "tape-bomb",
        f"`desk run --tape` of half a megabyte that is {BOMB_MEGABYTES} MB when it is unpacked",
        _BOUNDED,
        tape_bomb,
        WEEK_ONLY,
    ),
    Fault(
        "tape-nested",
        "`desk run --tape` of a hundred thousand opening brackets",
        _BOUNDED,
        deep_tape,
        WEEK_ONLY,
    ),
    Fault(
        "audit-endless", "`desk audit` of a file without end", _BOUNDED, endless_audit, WEEK_ONLY
    ),
    Fault(
        "private-home",
        "a run under the usual umask",
        "nothing in DESK_HOME can be read by others",
        private_home,
        WEEK_ONLY,
    ),
)
