"""An activity's effect: had once, however often the activity is tried."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from pydantic import BaseModel

from activities.heartbeats import effect_key
from activities.metrics import Cache, count_lookup
from desk.platform.effects.journal import EffectJournal

T = TypeVar("T", bound=BaseModel)


async def once(
    journal: EffectJournal,
    effect: Callable[[], Awaitable[T]],
    kind: type[T],
    *,
    outlives: bool = False,
) -> T:
    """See `EffectJournal.once`; the key is this activity's, and the look-up is counted."""
    made = False

    async def had() -> T:
        nonlocal made
        made = True
        return await effect()

    try:
        return await journal.once(effect_key(), had, kind, outlives=outlives)
    finally:
        count_lookup(Cache.JOURNAL, hit=not made)
