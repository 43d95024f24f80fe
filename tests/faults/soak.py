"""`python -m tests.faults.soak --minutes 30 --seed N`: a desk at work while its parts are killed.

Weeks, reruns and questions, one after another and side by side, at a desk of a Temporal server and
two workers of each role. One of the two, the server and the MCP servers are killed at random; the
other two of each role stay, so that their memory shows what the work leaves behind. The exit status
is 1 where a run did not end, a report does not stand up, something completed was executed again, or
a role takes too much memory.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path
from typing import Final

from temporalio.client import WorkflowExecutionStatus

from starters.terminal.exit_status import exit_now
from tests.faults.place import Ended, Place
from tests.faults.programs import USUAL, WEEK, read_json
from tests.faults.soak_desk import SoakDesk
from tests.faults.soak_tally import Tally, show

LANES: Final = 2
LOOK_SECONDS: Final = 300.0
OP_SECONDS: Final = 240.0
QUIET_SECONDS: Final = 120.0
KILL_AFTER: Final = (5.0, 20.0)
AWAY: Final = (0.0, 4.0)
NEWEST: Final = date.fromisocalendar(2026, 44, 1)
WEEKS: Final = 500
AGAIN: Final = 5
"""So often a command is given that ends before its run; each time is a fault, but where the server
was killed as the command was given."""

SHORT_LIVED: Final = (
    "MarketResearchWorkflow",
    "ResearchGraphWorkflow",
    "ReassignmentWorkflow",
    "SpecialistWorkflow",
)
"""Workflows that are over when the command is that waits for them."""


class Soak:
    """What is asked of the desk, and what kills it, until a time is over."""

    def __init__(self, desk: SoakDesk, seconds: float, seed: int) -> None:
        self.desk = desk
        self.tally = Tally()
        self._until = time.monotonic() + seconds
        self._look_every = min(LOOK_SECONDS, seconds / 4)
        self._chance = random.Random(seed)
        self._weeks = iter(_weeks(self._chance))
        self._published: list[str] = []
        self._looked_at: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @property
    def left(self) -> bool:
        """Whether there is time left."""
        return time.monotonic() < self._until

    async def play(self) -> Tally:
        """Work and kills side by side; then the kills stop, and what was begun comes to its end."""
        lanes = [asyncio.create_task(self._lane()) for _ in range(LANES)]
        others = [asyncio.create_task(self._kill()), asyncio.create_task(self._look())]
        try:
            await asyncio.gather(*lanes)
            for other in others:
                other.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            await self.desk.all_up()
            await self._nothing_stuck()
        finally:
            for task in (*lanes, *others):
                task.cancel()
        self.tally.remember(self.desk.memory())
        self.tally.again = self.desk.place.effects.repeated
        return self.tally

    async def _lane(self) -> None:
        while self.left:
            await self._chance.choice((self._week, self._week, self._rerun, self._question))()

    async def _week(self) -> None:
        week = next(self._weeks)
        ended = await self._asked("week", "run", "--week", week)
        if ended.code in (0, 3):
            await self._audited("week", self._report(week))
            self._published.append(week)

    async def _rerun(self) -> None:
        if not self._published:
            return
        week, market = self._chance.choice(self._published), self._chance.choice(USUAL.markets)
        line = ("rerun", market, "--week", week, "--reason", "the soak")
        # The files of a revision are replaced one after another: nobody may look in between.
        async with self._looked_at[week]:
            before = len(read_json(self._report(week))["revisions"])
            ended = await self._asked("rerun", *line)
            if ended.code in (0, 3):
                await self._audited("rerun", self._report(week))
                if len(read_json(self._report(week))["revisions"]) <= before:
                    self.tally.fault(f"rerun of {market} in {week}: no revision more")

    async def _question(self) -> None:
        pair = self._chance.choice(("USD/JPY", "EUR/USD"))
        day = NEWEST - timedelta(days=7 * self._chance.randrange(WEEKS) - 4)
        words = ("ask", f"What moved {pair} last week?", "--as-of", str(day), "--again")
        ended = await self._asked("question", *words)
        paths = sorted((self.desk.place.reports / "answers").glob("ask-*.json"), key=_age)
        if ended.code in (0, 3) and paths:
            await self._audited("question", paths[-1])

    async def _asked(self, kind: str, *line: str) -> Ended:
        """A command, given again where it ended before its run."""
        self.tally.started(kind)
        for _ in range(AGAIN):
            await self.desk.server_up()
            began = time.monotonic()
            ended = await self.desk.place.desk(*line, within=OP_SECONDS)
            if ended.code in (0, 3):
                self.tally.ended(kind, ended)
                return ended
            # One that finds no server has begun nothing: it is given again, as a user would.
            if not self.desk.away_at(began):
                words = " ".join(line[:3])
                self.tally.fault(f"`desk {words}` ended with {ended.code}: {ended.told()}")
            line = tuple(word for word in line if word != "--again")
        return ended

    async def _audited(self, kind: str, report: Path) -> None:
        audit = await self.desk.place.desk("audit", str(report))
        if audit.code != 0:
            self.tally.fault(f"{kind} {report.name} does not stand up: {audit.told()}")

    def _report(self, week: str) -> Path:
        return self.desk.place.reports / "weekly" / f"{week}-asia-g10-fx.json"

    async def _kill(self) -> None:
        """A victim now and then, which comes back after a while."""
        while True:
            await asyncio.sleep(self._chance.uniform(*KILL_AFTER))
            victim = self._chance.choice(self.desk.victims)
            self.tally.killed(victim)
            await self.desk.kill(victim, self._chance.uniform(*AWAY))

    async def _look(self) -> None:
        while True:
            self.tally.remember(self.desk.memory())
            sys.stderr.write(f"{self.tally.progress()}\n")
            sys.stderr.flush()
            await asyncio.sleep(self._look_every)

    async def _nothing_stuck(self) -> None:
        """No run is open that a command has waited for, a moment after the last command."""
        client = await self.desk.client()
        types = ", ".join(f'"{name}"' for name in SHORT_LIVED)
        status = WorkflowExecutionStatus.RUNNING.name.capitalize()
        query = f'WorkflowType IN ({types}) AND ExecutionStatus = "{status}"'
        deadline = time.monotonic() + QUIET_SECONDS
        while found := [each.id async for each in client.list_workflows(query)]:
            if time.monotonic() > deadline:
                for name in found:
                    self.tally.fault(f"{name} has not ended")
                return
            await asyncio.sleep(1)


def _weeks(chance: random.Random) -> list[str]:
    """Past weeks in some order, each once; the newest first, so that reruns have one."""
    numbers = list(range(1, WEEKS))
    chance.shuffle(numbers)
    days = [NEWEST - timedelta(weeks=number) for number in numbers]
    return [WEEK, *(f"{day.isocalendar().year}-W{day.isocalendar().week:02}" for day in days)]


def _age(path: Path) -> float:
    return path.stat().st_mtime


async def soak(folder: Path, minutes: float, seed: int) -> Tally:
    """A soak in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    place = Place(
        folder,
        DESK_CONFIG=str(USUAL.written(folder)),
        DESK_MCP_TRANSPORT="configured",
        EFFECT_PAUSE="0.05",
    )
    async with SoakDesk.working(place) as desk:
        return await Soak(desk, 60 * minutes, seed).play()


def main() -> int:
    """Soak, print what came of it; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults.soak",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave there what the desk wrote")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="desk-soak-", ignore_cleanup_errors=True) as folder:
        tally = asyncio.run(soak(asked.keep or Path(folder), asked.minutes, asked.seed))
    show(tally, asked.minutes, asked.seed)
    return 1 if tally.faults() else 0


if __name__ == "__main__":
    exit_now(main())
