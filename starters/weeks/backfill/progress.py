"""Progress of a backfill on standard error: a bar, or plain lines."""

import time
from contextlib import AbstractContextManager
from datetime import timedelta
from functools import partial
from typing import Final, NamedTuple

from rich.console import Console
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from starters.runs.progress import Progress, TimedLines, shown_on_stderr

NAMED: Final = 6
"""Weeks under way that the bar names."""


class BackfillStatus(NamedTuple):
    """How many weeks have ended, of how many, and which are under way."""

    done: int
    total: int
    active: tuple[str, ...]


BackfillProgress = Progress[BackfillStatus]


class PlainBackfillProgress(TimedLines):
    """A line for everything that happens; the counts stand in the lines themselves."""

    def update(self, status: BackfillStatus) -> None:
        """Nothing: a line without news is none."""


def shown_backfill() -> AbstractContextManager[BackfillProgress]:
    """The progress display that suits standard error, cleared at the end of the block."""
    return shown_on_stderr(PlainBackfillProgress, partial(_drawn, time.monotonic()))


def backfill_bar(status: BackfillStatus, seconds: float) -> Table:
    """A status as a bar with its counts, the time that has passed, and the weeks under way."""
    more = f" and {len(status.active) - NAMED} more" if len(status.active) > NAMED else ""
    words = f"{', '.join(status.active[:NAMED])}{more}"
    grid = Table.grid(padding=(0, 1))
    grid.add_row(
        ProgressBar(total=status.total, completed=status.done, width=24),
        Text(f"{status.done}/{status.total}", style="progress.download"),
        Text(str(timedelta(seconds=int(seconds))), style="progress.elapsed"),
        Text(words, overflow="ellipsis", no_wrap=True),
    )
    return grid


def _drawn(started: float, status: BackfillStatus, _: Console) -> Table:
    return backfill_bar(status, time.monotonic() - started)
