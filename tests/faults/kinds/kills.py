"""kill -9 of a host, a worker, the Temporal server and an MCP server, in every program."""

import asyncio
import time
from typing import Final

from tests.faults.fault import WEEK_ONLY, Fault, Seen
from tests.faults.kinds.sources import as_process, with_source
from tests.faults.place import until
from tests.faults.programs import DeskFile
from tests.faults.scene import PAUSE, Scene
from tests.support.outside.receivers import Reply, Room, room
from tests.support.sources.servers import module_of

AWAY_SECONDS: Final = 5.0
"""So long the Temporal server is away."""

AGAIN_SECONDS: Final = 5.0
"""What a killed worker was at is begun again by then; on a quiet machine it takes 3 s."""

LONG_PAUSE: Final = "0.6"

AWAY_WORDS: Final = ("Temporal server ", "server is away", "server went away")
"""What a line has in it that tells of a server that is away."""


async def host_killed(scene: Scene) -> Seen:
    """The command, which hosts server and workers, is killed twice and given again."""
    place = scene.place(EFFECT_PAUSE=PAUSE)
    for moment in await scene.moments(2):
        running = place.start(*scene.asking.line)
        await place.begun(moment, running)
        running.kill()
    return await scene.compared(place, await place.counted(*scene.asking.line))


async def worker_killed(scene: Scene) -> Seen:
    """The worker is killed twice, and started again each time."""
    async with scene.apart(EFFECT_PAUSE=PAUSE) as desk:
        asked = desk.place.start(*scene.asking.line)
        for moment in await scene.moments(2):
            await desk.place.begun(moment, asked)
            desk.kill_worker()
            desk.start_worker()
        return await scene.compared(desk.place, await asked.ended())


async def worker_lost(scene: Scene) -> Seen:
    """One of two workers is killed at work, and the other takes up what it was at."""
    async with scene.apart(EFFECT_PAUSE=LONG_PAUSE) as desk:
        first, other = desk.worker, desk.start_worker()
        await other.says("worker all")
        effects, asked = desk.place.effects, desk.place.start(*scene.asking.line)
        await until(lambda: asked.over or effects.cut_off(first.pid), "work of the first worker")
        # Until the middle of it: a pause lies before every effect.
        await asyncio.sleep(float(LONG_PAUSE) / 3)
        first.kill()
        killed, lost = time.monotonic(), effects.cut_off(first.pid)
        await until(lambda: asked.over or not effects.cut_off(first.pid), "what was lost", 60)
        took = time.monotonic() - killed
        seen = await scene.compared(desk.place, await asked.ended())
    late = [f"what it was at began again after {took:.1f} s"] if took > AGAIN_SECONDS else []
    return seen.and_(*late, lost=f"{len(lost)} under way, begun again within {took:.0f} s")


async def server_killed(scene: Scene) -> Seen:
    """The Temporal server is killed, away for a while, and started again."""
    async with scene.apart(EFFECT_PAUSE=PAUSE) as desk:
        asked = desk.place.start(*scene.asking.line)
        (moment,) = await scene.moments(1)
        await desk.place.begun(moment, asked)
        desk.kill_server()
        # This is how long the server is away: what is measured, and not waited for.
        await asyncio.sleep(AWAY_SECONDS)
        await desk.start_server()
        return await scene.compared(desk.place, await asked.ended(), *AWAY_WORDS)


async def killed_after_the_effect(scene: Scene) -> Seen:
    """The server hears nothing of what the worker finishes; then both are killed."""
    async with scene.apart(EFFECT_PAUSE=PAUSE) as desk:
        asked = desk.place.start(*scene.asking.line)
        (moment,) = await scene.moments(1)
        effects = desk.place.effects
        await desk.place.begun(moment, asked)
        desk.server.freeze_server()
        await until(lambda: not effects.under_way(), "the end of all effects")
        desk.kill_worker()
        desk.kill_server()
        await desk.start_server()
        desk.start_worker()
        return await scene.compared(desk.place, await asked.ended(), *AWAY_WORDS)


async def source_killed(scene: Scene) -> Seen:
    """An MCP server that the worker runs is killed under the program's calls. The others run in the
    worker, as in the undisturbed run: while a process starts, a run does not wait to hear what it
    can reach."""
    name = scene.asking.source
    place = with_source(scene.place(EFFECT_PAUSE=PAUSE), name, as_process(name))
    async with scene.apart(place) as desk:
        asked = desk.place.start(*scene.asking.line)
        module = module_of(name)
        await until(lambda: asked.over or desk.worker.child(module), "a process of the source")
        source = desk.worker.child(module)
        if source is not None:
            source.kill()
        seen = await scene.compared(desk.place, await asked.ended())
        return seen if source else seen.and_("there was no process of the source to kill")


async def publishing_killed(scene: Scene) -> Seen:
    """The worker is killed while it publishes."""
    workflow = (await scene.undisturbed()).workflow_id
    async with scene.apart() as desk:
        asked = desk.place.start(*scene.asking.line)
        caught = await desk.under_way("publish", workflow, asked)
        desk.kill_worker()
        desk.start_worker()
        seen = await scene.compared(desk.place, await asked.ended())
        return seen if caught else seen.and_("it had published before it could be killed")


async def delivering_killed(scene: Scene) -> Seen:
    """The worker is killed while a receiver has the report and has not answered."""
    with room(Reply(body="ok", after_seconds=2)) as told:
        place = scene.place(_DELIVERS, SLACK_WEBHOOK_URL=told.url)
        async with scene.apart(place) as desk:
            asked = desk.place.start(*scene.asking.line)
            await until(lambda: not told.replies or asked.over, "the first delivery")
            desk.kill_worker()
            desk.start_worker()
            seen = await scene.compared(desk.place, await asked.ended(), "webhook")
            return seen.and_(*_delivered(told), lost=f"sent {len(told.posted)} times, one key")


_DELIVERS: Final = DeskFile(
    replaced={'# oldest = "14 days"': 'oldest = "36500 days"'},
    added='[deliveries.webhook]\nname = "#campaign"',
)


def _delivered(told: Room) -> list[str]:
    if not told.posted:
        return ["the receiver was sent nothing"]
    return ["one report came under two keys"] if len(set(told.keys)) != 1 else []


_SAME: Final = "nothing that was completed is done again, the report is identical"

FAULTS: Final = (
    Fault(
        "host-killed",
        "the command, which hosts server and workers, killed -9 twice and given again",
        _SAME,
        host_killed,
    ),
    Fault("worker-killed", "the worker killed -9 twice", _SAME, worker_killed),
    Fault(
        "worker-lost",
        "one of two workers killed -9 under free calls",
        f"the other has begun again what it was at within {AGAIN_SECONDS:.0f} s; {_SAME}",
        worker_lost,
    ),
    Fault(
        "server-killed",
        f"the Temporal server killed -9, away for {AWAY_SECONDS:.0f} s",
        f"the command says so, waits and ends with the run's outcome; {_SAME}",
        server_killed,
    ),
    Fault(
        "killed-after-effect",
        "server and worker killed -9 when effects were made and nobody had heard of them",
        _SAME,
        killed_after_the_effect,
    ),
    Fault(
        "source-killed",
        "an MCP server killed -9 under the program's calls",
        f"another is started; {_SAME}",
        source_killed,
    ),
    Fault(
        "publishing-killed",
        "the worker killed -9 while it publishes",
        "one revision, complete; the report is identical",
        publishing_killed,
    ),
    Fault(
        "delivering-killed",
        "the worker killed -9 while a receiver has the report and has not answered",
        "it is delivered, a second time at most and under the same key",
        delivering_killed,
        WEEK_ONLY,
    ),
)
