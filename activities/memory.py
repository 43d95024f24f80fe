"""Reads and writes the desk's memory for runs."""

import asyncio
from typing import Final

from temporalio import activity

from activities.effects import heartbeating
from desk.contracts.learning.memory import MemoryAnswer, MemoryEntries, MemoryQuery, Remembered
from desk.platform.memory import MemoryAway, MemoryStore, MemoryUnusable

RECALL_SECONDS: Final = 30.0
"""How long a run waits for the memory."""

TRIES: Final = 3
"""The number of attempts to write to an unavailable store before the run continues without it."""

LONGEST_REASON: Final = 1_000


class MemoryActivities:
    """Reads and writes the memory. If the store cannot be used, the result says why and the run
    goes on."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    @activity.defn
    async def recall_memory(self, query: MemoryQuery) -> MemoryAnswer:
        """Returns the entries nearest to the question. `missing` says what could not be read, or
        which part of the memory was lost."""
        try:
            async with heartbeating(), asyncio.timeout(RECALL_SECONDS):
                return await asyncio.to_thread(self._recall, query)
        except TimeoutError:
            return MemoryAnswer(missing=f"the memory did not answer within {RECALL_SECONDS:.0f} s")
        except Exception as error:
            return MemoryAnswer(missing=_reason(error))

    @activity.defn
    async def remember(self, entries: MemoryEntries) -> Remembered:
        """Stores the entries. Storing the same entries again changes nothing.

        Raises:
            MemoryAway: the store is unavailable or locked; another attempt may succeed.
        """
        try:
            async with heartbeating():
                return await asyncio.to_thread(self._remember, entries)
        except MemoryAway as error:
            if activity.info().attempt < TRIES:
                raise
            return Remembered(missing=_reason(error))
        except Exception as error:
            return Remembered(missing=_reason(error))

    def _recall(self, query: MemoryQuery) -> MemoryAnswer:
        return MemoryAnswer(recalled=self._store.search(query), missing=self._store.lost())

    def _remember(self, entries: MemoryEntries) -> Remembered:
        worth_keeping = [entry for entry in entries.entries if entry.is_worth_keeping]
        return Remembered(stored=self._store.put(worth_keeping))


def _reason(error: Exception) -> str:
    words = str(error) if isinstance(error, MemoryUnusable) else f"the memory failed: {error!r}"
    return words[:LONGEST_REASON]
