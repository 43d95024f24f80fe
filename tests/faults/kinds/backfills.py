"""A backfill whose host is killed, and one whose Temporal server goes away."""

import asyncio
from typing import Final

from tests.faults.fault import WEEK_ONLY, Fault, Seen
from tests.faults.kinds.kills import AWAY_SECONDS, AWAY_WORDS
from tests.faults.place import Ended, Place
from tests.faults.scene import PAUSE, Scene

WEEKS: Final = 3
BACKFILL: Final = ("backfill", "--from", "2026-W42", "--to", "2026-W44")
LIMIT_SECONDS: Final = 240.0


async def backfill_killed(scene: Scene) -> Seen:
    """A backfill that hosts everything is killed twice and given again."""
    peace, place = await _in_peace(scene), scene.place(EFFECT_PAUSE=PAUSE)
    for moment in sorted(scene.chance.sample(range(1, peace.effects.done), 2)):
        running = place.start(*BACKFILL)
        await place.begun(moment, running)
        running.kill()
    return await _seen(place, peace, await place.counted(*BACKFILL), "published,")


async def server_killed(scene: Scene) -> Seen:
    """The Temporal server of a backfill is killed and away for a while."""
    peace = await _in_peace(scene)
    async with scene.apart(EFFECT_PAUSE=PAUSE) as desk:
        asked = desk.place.start(*BACKFILL)
        await desk.place.begun(scene.chance.randrange(1, peace.effects.done), asked)
        desk.kill_server()
        await asyncio.sleep(AWAY_SECONDS)
        await desk.start_server()
        return await _seen(desk.place, peace, await asked.ended(), *AWAY_WORDS)


async def _in_peace(scene: Scene) -> Place:
    place = scene.place()
    done = await place.counted(*BACKFILL)
    assert done.code == 0, done.told()
    return place


async def _seen(place: Place, peace: Place, ended: Ended, *words: str) -> Seen:
    same = await _same_reports(place, peace)
    return Seen(
        outcome=f"{len(same)} weeks, exit {ended.code}",
        again=len(place.effects.repeated),
        same=len(same) == WEEKS and all(same),
        told=ended.told(*words),
        broken=() if ended.code == 0 else (f"exit status {ended.code}: {ended.told()}",),
    )


async def _same_reports(place: Place, peace: Place) -> list[bool]:
    """Whether the report of each week is that of the backfill in peace."""
    same = []
    for path in sorted((place.reports / "weekly").glob("*-asia-g10-fx.json")):
        other = peace.reports / "weekly" / path.name
        audit = await place.desk("audit", str(path), "--same-as", str(other))
        same.append(audit.code == 0)
    return same


FAULTS: Final = (
    Fault(
        "backfill-killed",
        f"`desk backfill` of {WEEKS} weeks, hosting everything, killed -9 twice and given again",
        "nothing that was completed is done again, every report is identical",
        backfill_killed,
        WEEK_ONLY,
        LIMIT_SECONDS,
    ),
    Fault(
        "backfill-server-killed",
        f"the Temporal server of a backfill killed -9, away for {AWAY_SECONDS:.0f} s",
        "the command waits; nothing that was completed is done again, every report is identical",
        server_killed,
        WEEK_ONLY,
        LIMIT_SECONDS,
    ),
)
