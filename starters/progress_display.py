"""Showing progress on standard error, whatever it is the progress of."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TextIO, TypeVar

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from desk.documents.rendering.wording import one_line
from starters.following import Progress

Status = TypeVar("Status")


class TimedLines:
    """Sentences, each on a line of its own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._started = time.monotonic()

    def note(self, text: str) -> None:
        """Write a sentence, with the seconds that have passed."""
        self._stream.write(f"{time.monotonic() - self._started:6.1f} s  {text}\n")
        self._stream.flush()


class LiveProgress(Generic[Status]):
    """A drawing of a status that is drawn again in place."""

    def __init__(
        self, live: Live, console: Console, draw: Callable[[Status, Console], Group]
    ) -> None:
        self._live = live
        self._console = console
        self._draw = draw

    def update(self, status: Status) -> None:
        """Draw a status."""
        self._live.update(self._draw(status, self._console), refresh=True)

    def note(self, text: str) -> None:
        """Write a sentence above the drawing."""
        self._console.print(Text(one_line(text)))


@contextmanager
def shown_on_stderr(
    plain: Callable[[TextIO], Progress[Status]],
    draw: Callable[[Status, Console], Group],
    *,
    quiet: bool = False,
) -> Iterator[Progress[Status]]:
    """The display that suits standard error, cleared at the end of the block: lines where it is no
    terminal or is to be quiet, a drawing otherwise."""
    if quiet or not sys.stderr.isatty():
        yield plain(sys.stderr)
        return
    console = Console(stderr=True)
    with Live(console=console, transient=True, auto_refresh=False) as live:
        yield LiveProgress(live, console, draw)
