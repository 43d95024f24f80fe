"""Keeps the archive of the reports up to date with what a worker publishes."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from desk.programs.week.archive import is_behind, write_archive

LOG = logging.getLogger(__name__)

LONGEST: Final = 60.0
"""Seconds to wait for the archive, far below the timeout of an activity."""

REST: Final = 24.0
"""How many times as long as writing the archive took to wait before the next. The weeks of a
backfill come faster than that, so several share one archive, and it takes at most a twenty-fifth of
a processor."""


class ArchiveUpkeep:
    """Writes the archive of a directory's reports, one at a time.

    Reports that are published together share one archive: a caller that finds another waiting for
    its turn returns at once, because that one has not read the reports yet.
    """

    def __init__(self, reports_dir: Path) -> None:
        self._reports_dir = reports_dir
        self._one_at_a_time = asyncio.Lock()
        self._awaited = False
        self._wanted = False
        self._rested_at = 0.0
        self._hurry = asyncio.Event()
        self._keeping: asyncio.Task[None] | None = None

    async def refresh(self) -> None:
        """Writes the archive now, with everything published so far.

        Errors are logged and not raised, and the wait is bounded: the reports are out already. The
        next publication or `desk archive` writes the archive again.
        """
        if self._awaited:
            return
        self._awaited = True
        try:
            async with self._one_at_a_time:
                self._awaited = False
                writing = asyncio.to_thread(write_archive, self._reports_dir)
                await asyncio.wait_for(writing, LONGEST)
        except Exception as error:
            LOG.warning(
                "the archive in %s is not up to date: %s; `desk archive` writes it anew",
                self._reports_dir,
                str(error) or "it takes too long",
                exc_info=error,
            )
        finally:
            self._awaited = False

    def want(self) -> None:
        """Has the archive written soon, in the background: at once, or when the `REST` after the
        last one is over."""
        self._wanted = True
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.create_task(self._keep())

    async def finish(self) -> None:
        """Writes the archive now if it is still wanted."""
        self._hurry.set()
        if self._keeping is not None:
            await self._keeping

    async def _keep(self) -> None:
        while self._wanted:
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, self._rested_at - time.monotonic())):
                    await self._hurry.wait()
            self._wanted = False
            began = time.monotonic()
            await self.refresh()
            ended = time.monotonic()
            self._rested_at = ended + REST * (ended - began)


@asynccontextmanager
async def kept_archive(reports_dir: Path) -> AsyncIterator[ArchiveUpkeep]:
    """The upkeep for a worker. It first writes what a killed worker left out, and at the end
    whatever is still wanted."""
    upkeep = ArchiveUpkeep(reports_dir)
    if await asyncio.to_thread(is_behind, reports_dir):
        upkeep.want()
    try:
        yield upkeep
    finally:
        await upkeep.finish()
