"""Keeping the archive of a directory's reports up with what is published."""

import asyncio
import logging
from pathlib import Path
from typing import Final

from desk.programs.week.archive import write_archive

LOG = logging.getLogger(__name__)

LONGEST: Final = 60.0
"""Seconds that a publication waits for its archive, far below what an activity may take."""


class ArchiveUpkeep:
    """Writes the archive of a directory's reports, once at a time.

    Reports that are published together share one: whoever comes while another waits for its turn
    leaves it to that one, which has not looked at the reports yet.
    """

    def __init__(self, reports_dir: Path) -> None:
        self._reports_dir = reports_dir
        self._one_at_a_time = asyncio.Lock()
        self._awaited = False

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
