"""The archive of the reports, kept up with what a worker publishes."""

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
"""Seconds that are waited for an archive, far below what an activity may take."""

REST: Final = 24.0
"""How much longer than an archive took there is none: of the weeks of a backfill, which come out
faster than that, several share one, and it takes no more than a twenty-fifth of a processor."""


class ArchiveUpkeep:
    """Writes the archive of a directory's reports, once at a time.

    Reports that are published together share one: whoever comes while another waits for its turn
    leaves it to that one, which has not looked at the reports yet.
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
        """See to it that what is published by now gets into the archive.

        Never fails, and never waits long: the reports are out, whatever becomes of the archive.
        What went wrong is logged, and the next publication or `desk archive` makes up for it.
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
        """Have what is published by now get into the archive soon, while the worker goes on: at
        once, or after the `REST` from the one before."""
        self._wanted = True
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.create_task(self._keep())

    async def finish(self) -> None:
        """Write now what is wanted still."""
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
    """The upkeep of a worker. It begins with what a worker that was killed has left undone, and
    nothing is left undone at its end."""
    upkeep = ArchiveUpkeep(reports_dir)
    if await asyncio.to_thread(is_behind, reports_dir):
        upkeep.want()
    try:
        yield upkeep
    finally:
        await upkeep.finish()
