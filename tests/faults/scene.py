"""Where a fault is played: places of its own, the undisturbed run to compare with, and chance."""

import asyncio
import random
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.faults.apart import Apart, apart
from tests.faults.fault import Program, Seen
from tests.faults.place import Ended, Place
from tests.faults.programs import ASKED, USUAL, Asking, DeskFile, read_json, workflow_of

PAUSE: str = "0.15"
"""So many seconds every effect waits where a fault is to find it at work."""


_TELLING: Final = ("tried again", "complete:", "Complete")
"""What a line has in it that tells of a trouble, or of the end."""


@dataclass(frozen=True)
class Undisturbed:
    """A run in which nothing went wrong: its report, its workflow, and how many turns and calls it
    took."""

    report: Path
    workflow_id: str
    effects: int


@dataclass
class Stage:
    """The directory of a campaign, its seed, and the undisturbed runs so far."""

    directory: Path
    seed: int = 1
    undisturbed: dict[Program, Undisturbed] = field(default_factory=dict)
    making: asyncio.Lock = field(default_factory=asyncio.Lock)

    def folder(self, name: str) -> Path:
        """A new directory."""
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.directory))


class Scene:
    """One program under one fault."""

    def __init__(self, stage: Stage, fault: str, program: Program) -> None:
        self.stage = stage
        self.name = f"{fault}-{program}"
        self.program = program
        self.chance = random.Random(f"{stage.seed}/{self.name}")
        self._places: list[Place] = []

    @property
    def asking(self) -> Asking:
        """What the program is asked."""
        return ASKED[self.program]

    def place(self, desk_file: DeskFile = USUAL, /, **variables: str) -> Place:
        """A desk of the campaign's markets in a directory of its own."""
        directory = self.stage.folder(self.name)
        place = Place(directory, **{"DESK_CONFIG": str(desk_file.written(directory)), **variables})
        self._places.append(place)
        return place

    @asynccontextmanager
    async def apart(self, place: Place | None = None, **variables: str) -> AsyncIterator[Apart]:
        """A Temporal server and a worker of all roles in processes of their own."""
        async with apart(place or self.place(**variables)) as desk:
            self._places.append(desk.place)
            yield desk

    async def undisturbed(self) -> Undisturbed:
        """The program's run in peace, made once for all faults."""
        async with self.stage.making:
            if self.program not in self.stage.undisturbed:
                self.stage.undisturbed[self.program] = await self._in_peace()
        return self.stage.undisturbed[self.program]

    async def moments(self, many: int) -> list[int]:
        """So many different numbers of effects after which something is to happen, in order: never
        before the first, nor after the last but one."""
        count = (await self.undisturbed()).effects
        return sorted(self.chance.sample(range(1, count), many))

    async def compared(self, place: Place, ended: Ended, *words: str, lost: str = "") -> Seen:
        """What a run that should have ended well comes to: its report against the undisturbed one,
        and what was executed again. The line told is the first that has one of the words."""
        report = self.asking.report(place.reports)
        broken = [] if ended.code == 0 else [f"exit status {ended.code}: {ended.told()}"]
        same = None
        if report is None:
            broken.append("no report was published")
        else:
            audit = await self.audited(place, report)
            same = audit.code == 0
        return Seen(
            outcome=self.outcome(place, ended),
            again=len(place.effects.repeated),
            same=same,
            told=ended.told(*(words or _TELLING)),
            lost=lost,
            broken=tuple(broken),
        )

    async def audited(self, place: Place, report: Path) -> Ended:
        """`desk audit` of a report, against the undisturbed one."""
        other = (await self.undisturbed()).report
        return await place.desk("audit", str(report), "--same-as", str(other))

    def outcome(self, place: Place, ended: Ended) -> str:
        """The run's outcome, as published, and the command's exit status."""
        report = self.asking.report(place.reports)
        run = read_json(report)["outcome"] if report else "no report"
        return f"{run}, exit {ended.code}"

    def terminal(self) -> tuple[str, ...]:
        """What all processes wrote to standard error."""
        return tuple(text for place in self._places for text in place.terminal())

    def end(self) -> None:
        """Kill what is left."""
        for place in self._places:
            place.end()

    async def _in_peace(self) -> Undisturbed:
        place = self.place()
        ended = await place.counted(*self.asking.line)
        report = self.asking.report(place.reports)
        assert ended.code == 0 and report is not None, f"the run in peace failed: {ended.told()}"
        return Undisturbed(report, workflow_of(report), place.effects.done)
