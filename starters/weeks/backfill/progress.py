"""How far a backfill is, on standard error: a bar on a terminal, plain lines otherwise."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from starters.runs.progress import PlainProgress

NAMED = 6
"""Weeks under way that the bar names."""


class BackfillProgress(Protocol):
    """What shows how far a backfill is."""

    def note(self, text: str) -> None:
        """Show a sentence."""

    def show(self, done: int, total: int, active: Sequence[str]) -> None:
        """Show how many weeks have ended and which are under way."""


class PlainLines:
    """A line for everything that happens; the counts stand in the lines themselves."""

    def __init__(self) -> None:
        self._lines = PlainProgress(sys.stderr)

    def note(self, text: str) -> None:
        """Write a sentence, with the seconds that have passed."""
        self._lines.note(text)

    def show(self, done: int, total: int, active: Sequence[str]) -> None:
        """Nothing: a line without news is none."""


class Bar:
    """A bar below the sentences."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None)

    def note(self, text: str) -> None:
        """Write a sentence above the bar."""
        self._bar.console.print(Text(text))

    def show(self, done: int, total: int, active: Sequence[str]) -> None:
        """Move the bar."""
        more = f" and {len(active) - NAMED} more" if len(active) > NAMED else ""
        words = f"{', '.join(active[:NAMED])}{more}"
        self._bar.update(self._task, completed=done, total=total, description=words)


@contextmanager
def shown_backfill() -> Iterator[BackfillProgress]:
    """The display that suits standard error; a bar is cleared at the end of the block."""
    if not sys.stderr.isatty():
        yield PlainLines()
        return
    columns = (
        *(BarColumn(bar_width=24), MofNCompleteColumn(), TimeElapsedColumn()),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield Bar(bar)
