"""A heartbeat while an activity works, so that a killed worker is noticed within seconds."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from temporalio import activity

INTERVAL_SECONDS = 0.35


@asynccontextmanager
async def beating(*details: object) -> AsyncIterator[None]:
    """Beat until the block ends, with what the next attempt is to know. Cancellation of the
    activity reaches the block as usual.

    The server starts its clock with the activity, so a short one needs no beat at all.
    """
    pulse = asyncio.get_running_loop().create_task(_pulse(details))
    try:
        yield
    finally:
        pulse.cancel()


async def _pulse(details: tuple[object, ...]) -> None:
    while True:
        await asyncio.sleep(INTERVAL_SECONDS)
        activity.heartbeat(*details)


def effect_key() -> str:
    """What names this activity's effect, the same for each of its attempts."""
    info = activity.info()
    return f"{info.workflow_id}/{info.workflow_run_id}/{info.activity_id}"
