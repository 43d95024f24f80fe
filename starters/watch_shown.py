"""How a watched run is shown: a screen that is drawn again, plain lines, or JSON lines."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Protocol, TextIO

from rich.console import Console
from rich.live import Live

from desk.contracts.week.run import MarketState
from desk.documents.rendering.wording import one_line
from starters.progress import PlainProgress
from starters.summary import PublishedWeek
from starters.troubles import GOES_ON
from starters.watch_board import screen
from starters.watch_lines import Changes, NoteLine, PublishedLine
from starters.watch_look import Look

LONGEST_REASON = 300


class Shown(Protocol):
    """What shows a run to whoever watches."""

    def update(self, look: Look) -> None:
        """Show a new look."""

    def note(self, text: str | None) -> None:
        """Say what holds the run up, or the watching of it; None says that it is over."""

    def end(self, published: PublishedWeek, *, before: bool) -> None:
        """The report is out; `before` says that it was so at the first look."""


class JsonShown:
    """A JSON object a line for every change, and nothing else."""

    def __init__(self, stream: TextIO, workflow_id: str) -> None:
        self._stream = stream
        self._changes = Changes(workflow_id)

    def update(self, look: Look) -> None:
        """Write what is new in a look."""
        for line in self._changes.news(look, datetime.now(UTC)):
            self._write(line.model_dump_json())

    def note(self, text: str | None) -> None:
        """Write a note."""
        line = NoteLine(at=datetime.now(UTC), text=text or GOES_ON, over=text is None)
        self._write(line.model_dump_json())

    def end(self, published: PublishedWeek, *, before: bool) -> None:
        """Write what was published."""
        line = PublishedLine(at=datetime.now(UTC), published=published, published_before=before)
        self._write(line.model_dump_json())

    def _write(self, line: str) -> None:
        self._stream.write(f"{line}\n")
        self._stream.flush()


class PlainShown:
    """A line for every change of phase, every market that is done, and every try that failed."""

    def __init__(self, stream: TextIO) -> None:
        self._progress = PlainProgress(stream)
        self._begun = False
        self._told: set[tuple[str, ...]] = set()

    def update(self, look: Look) -> None:
        """Write what is new in a look; at the first, where the run stands."""
        status = look.status
        if status is None:
            return
        self._progress.update(status)
        if not self._begun:
            self._begun = True
            done = sum(market.state is MarketState.DONE for market in status.markets)
            self.note(
                f"{done} of {len(status.markets)} markets done; "
                f"the week's deadline is {status.deadline:%Y-%m-%d %H:%M:%S} UTC"
            )
        for text in self._tries(look):
            self.note(text)

    def note(self, text: str | None) -> None:
        """Write a sentence."""
        self._progress.note(text or GOES_ON)

    def end(self, published: PublishedWeek, *, before: bool) -> None:
        """Nothing: the summary follows."""

    def _tries(self, look: Look) -> Iterator[str]:
        at_work = [("", agent) for agent in look.planner]
        at_work += [(market, agent) for market, agents in look.markets.items() for agent in agents]
        for market, agent in at_work:
            known = (market, agent.agent, agent.task, str(agent.turn), str(agent.attempt))
            if agent.attempt > 1 and known not in self._told:
                self._told.add(known)
                reason = one_line(agent.last_failure or "no reason given")[:LONGEST_REASON]
                yield (
                    f"{market or 'the week'} {agent.agent} turn {agent.turn}, "
                    f"try {agent.attempt}: {reason}"
                )


class LiveShown:
    """A screen that is drawn again in place."""

    def __init__(self, live: Live, console: Console) -> None:
        self._live = live
        self._console = console
        self._look: Look | None = None
        self._note: str | None = None

    def update(self, look: Look) -> None:
        """Draw a look. What was seen last stays where no worker answers for the run."""
        if look.status is None and self._look is not None:
            look = look._replace(status=self._look.status)
        self._look = look
        self._draw()

    def note(self, text: str | None) -> None:
        """Keep a sentence below the board until it is taken back."""
        self._note = text
        self._draw()

    def end(self, published: PublishedWeek, *, before: bool) -> None:
        """Nothing: the summary follows."""

    def _draw(self) -> None:
        notes = (self._note,) if self._note else ()
        look = self._look or Look("", True, None, (), {})
        drawn = screen(
            look,
            datetime.now(UTC),
            width=self._console.width,
            height=self._console.height,
            notes=notes,
        )
        self._live.update(drawn, refresh=True)


@contextmanager
def shown(workflow_id: str, *, as_json: bool) -> Iterator[Shown]:
    """What suits standard output; a screen is cleared at the end of the block."""
    if as_json:
        yield JsonShown(sys.stdout, workflow_id)
    elif not sys.stdout.isatty():
        yield PlainShown(sys.stdout)
    else:
        console = Console()
        with Live(console=console, transient=True, auto_refresh=False) as live:
            yield LiveShown(live, console)
