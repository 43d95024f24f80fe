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

MAX_WAIT_SECONDS: Final = 60.0
"""The maximum number of seconds to wait for the archive, far below the timeout of an activity."""

PAUSE_FACTOR: Final = 24.0
"""The pause after writing the archive, as a multiple of the time that writing took. The weeks of a
backfill come faster than that, so several share one archive, and it takes at most a twenty-fifth of
a processor."""


class ArchiveUpkeep:
    """Writes the archive of a directory's reports, one write at a time.

    Reports that are published together share one archive. A caller that finds another one waiting
    returns at once, because that one has not read the reports yet.
    """

    def __init__(self, reports_dir: Path) -> None:
        self._reports_dir = reports_dir
        self._one_at_a_time = asyncio.Lock()
        self._awaited = False
        self._scheduled = False
        self._pause_ends = 0.0
        self._skip_pause = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def refresh(self) -> None:
        """Writes the archive now, with everything published so far.

        Errors are logged and not raised, and the wait is bounded: the reports are already
        published. The next publication or `desk archive` writes the archive again.
        """
        if self._awaited:
            return
        self._awaited = True
        try:
            async with self._one_at_a_time:
                self._awaited = False
                writing = asyncio.to_thread(write_archive, self._reports_dir)
                await asyncio.wait_for(writing, MAX_WAIT_SECONDS)
        except Exception as error:
            LOG.warning(
                "the archive in %s is not up to date: %s; `desk archive` writes it anew",
                self._reports_dir,
                str(error) or "it takes too long",
                exc_info=error,
            )
        finally:
            self._awaited = False

    def schedule(self) -> None:
        """Schedules a write of the archive in the background: at once, or after the pause that
        follows the last one (`PAUSE_FACTOR`)."""
        self._scheduled = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write_scheduled())

    async def finish(self) -> None:
        """Writes the archive now if a write is scheduled."""
        self._skip_pause.set()
        if self._task is not None:
            await self._task

    async def _write_scheduled(self) -> None:
        while self._scheduled:
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, self._pause_ends - time.monotonic())):
                    await self._skip_pause.wait()
            self._scheduled = False
            began = time.monotonic()
            await self.refresh()
            ended = time.monotonic()
            self._pause_ends = ended + PAUSE_FACTOR * (ended - began)


@asynccontextmanager
async def running_archive_upkeep(reports_dir: Path) -> AsyncIterator[ArchiveUpkeep]:
    """Yields the upkeep for a worker. First writes what a killed worker did not, and at the end any
    write that is still scheduled."""
    upkeep = ArchiveUpkeep(reports_dir)
    if await asyncio.to_thread(is_behind, reports_dir):
        upkeep.schedule()
    try:
        yield upkeep
    finally:
        await upkeep.finish()
