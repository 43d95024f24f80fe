"""Playing faults, each for the programs it applies to."""

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.faults.fault import Fault, Judged, NotTried, Program, Row, Seen, failed, judge, not_tried
from tests.faults.scene import Scene, Stage
from tests.support.scenarios.network import NotAllowed

Pair = tuple[Fault, Program]

_REFUSED: Final = (NotTried, NotAllowed, pytest.skip.Exception)
"""What says that this machine does not let us have a fault."""


def pairs(
    faults: Sequence[Fault], only: Sequence[str] = (), programs: Sequence[Program] = ()
) -> list[Pair]:
    """The faults with their programs, or some of them by the beginning of their names."""
    return [
        (fault, program)
        for fault in faults
        for program in fault.programs
        if (not only or any(fault.name.startswith(name) for name in only))
        and (not programs or program in programs)
    ]


async def play_all(
    wanted: Sequence[Pair], seed: int, side_by_side: int = 1, keep: Path | None = None
) -> list[Row]:
    """The rows in their order, so many played at once, told on standard error as they come. What
    their desks wrote is kept in a folder, or deleted."""
    with _folder(keep) as folder:
        stage, free, done = Stage(folder, seed), asyncio.Semaphore(side_by_side), 0

        async def one(fault: Fault, program: Program) -> Row:
            nonlocal done
            async with free:
                row = await played(fault, program, stage)
            done += 1
            sys.stderr.write(f"{done} of {len(wanted)}: {_progress(row)}")
            sys.stderr.flush()
            return row

        return list(await asyncio.gather(*(one(*pair) for pair in wanted)))


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="desk-faults-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


async def played(fault: Fault, program: Program, stage: Stage) -> Row:
    """One program under one fault. Whatever goes wrong in the play is told in its row."""
    began = time.monotonic()
    scene = Scene(stage, fault.name, program)
    try:
        seen, judged = await _seen(fault, scene)
    finally:
        scene.end()
    return Row(fault, program, seen, judged, time.monotonic() - began)


async def _seen(fault: Fault, scene: Scene) -> tuple[Seen, Judged]:
    try:
        async with asyncio.timeout(fault.limit_seconds):
            seen = await fault.play(scene)
    except _REFUSED as refused:
        return not_tried(str(refused))
    except TimeoutError:
        return failed(f"it was not over after {fault.limit_seconds:.0f} s")
    except Exception as error:
        return failed(f"{type(error).__name__}: {error}")
    return seen, judge(seen, scene.terminal())


def _progress(row: Row) -> str:
    reasons = "".join(f"\n    {reason}" for reason in row.judged.reasons)
    name = f"{row.fault.name}, {row.program}"
    return f"{name}: {row.judged.verdict}, {row.seconds:.0f} s{reasons}\n"
