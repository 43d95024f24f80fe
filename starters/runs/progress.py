"""Progress on standard error: a live display on a terminal, plain lines otherwise."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, Protocol, TextIO, TypeVar

from desk.documents.rendering.words.wording import one_line

if TYPE_CHECKING:
    # Slow to import, and needed only on a terminal.
    from rich.console import Console, RenderableType
    from rich.live import Live

Status = TypeVar("Status")
Shown = TypeVar("Shown", contravariant=True)


class Progress(Protocol[Shown]):
    """Shows how far a run is."""

    def update(self, status: Shown) -> None:
        """Shows a new status."""

    def note(self, text: str) -> None:
        """Shows a sentence."""


class CollectedNotes:
    """Collects the sentences of a run that is not shown to anybody."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        """Adds a sentence."""
        self.notes.append(text)

    def update(self, status: object) -> None:
        """Does nothing: the status is queried elsewhere."""


class TimedLines:
    """Writes sentences, each on its own line, without control characters."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._started = time.monotonic()

    def note(self, text: str) -> None:
        """Writes a sentence, preceded by the seconds since the start."""
        passed = time.monotonic() - self._started
        self._stream.write(f"{passed:6.1f} s  {one_line(text)}\n")
        self._stream.flush()


class _LiveProgress(Generic[Status]):
    """Redraws a status in place, below the sentences."""

    def __init__(self, live: "Live", draw: "Callable[[Status, Console], RenderableType]") -> None:
        self._live = live
        self._draw = draw

    def update(self, status: Status) -> None:
        self._live.update(self._draw(status, self._live.console), refresh=True)

    def note(self, text: str) -> None:
        from rich.text import Text

        self._live.console.print(Text(one_line(text)))


@contextmanager
def shown_on_stderr(
    plain: Callable[[TextIO], Progress[Status]],
    draw: "Callable[[Status, Console], RenderableType]",
) -> Iterator[Progress[Status]]:
    """Shows progress on standard error until the block ends: redrawn in place on a terminal, as
    plain lines otherwise."""
    if not sys.stderr.isatty():
        yield plain(sys.stderr)
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
        yield _LiveProgress(live, draw)
