"""Helpers of all activities: heartbeats during the work, and effects that happen only once."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from pydantic import BaseModel
from temporalio import activity

from activities.metrics import Cache, count_lookup
from desk.platform.effects import EffectJournal

INTERVAL_SECONDS = 0.35

T = TypeVar("T", bound=BaseModel)


@asynccontextmanager
async def heartbeating(*details: object) -> AsyncIterator[None]:
    """Sends heartbeats until the block ends, with `details` for the next attempt. A cancellation of
    the activity reaches the block as usual.

    The first heartbeat comes after `INTERVAL_SECONDS`: the server's timeout starts with the
    activity, so a short one needs none.
    """
    pulse = asyncio.get_running_loop().create_task(_pulse(details))
    try:
        yield
    finally:
        pulse.cancel()


def effect_key(activity_id: str | None = None) -> str:
    """Returns the journal's key for the effect of this activity, or of another activity of its
    workflow. All attempts of an activity have the same key."""
    info = activity.info()
    return f"{info.workflow_id}/{info.workflow_run_id}/{activity_id or info.activity_id}"


async def once(
    journal: EffectJournal,
    effect: Callable[[], Awaitable[T]],
    kind: type[T],
    *,
    key: str | None = None,
    outlives: bool = False,
) -> T:
    """Calls `EffectJournal.once`, by default with the key of this activity. Counts the lookup."""
    made = False

    async def counted_effect() -> T:
        nonlocal made
        made = True
        return await effect()

    try:
        return await journal.once(key or effect_key(), counted_effect, kind, outlives=outlives)
    finally:
        count_lookup(Cache.JOURNAL, hit=not made)


async def _pulse(details: tuple[object, ...]) -> None:
    while True:
        await asyncio.sleep(INTERVAL_SECONDS)
        activity.heartbeat(*details)
