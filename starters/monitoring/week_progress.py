"""Progress of a week on standard error: a live grid of markets, or plain lines."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TextIO

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.runs.week import MarketState, MarketStatus, WeekStatus
from starters.runs.progress import Progress, TimedLines, shown_on_stderr

if TYPE_CHECKING:
    # Slow to import, and needed only on a terminal.
    from rich.console import Console, Group
    from rich.text import Text

CELL = 11
"""The columns of a market in the grid: a mark, a name, and a gap."""

_MARKS = {
    MarketState.PLANNED: ("·", "dim"),
    MarketState.RUNNING: ("…", "cyan"),
    MarketState.WAITING: ("?", "bold yellow"),
}
_OUTCOMES = {
    Outcome.RESEARCHED: ("✓", "green"),
    Outcome.PARTIAL: ("~", "yellow"),
    Outcome.MISSING: ("-", "yellow"),
    Outcome.DEAD_LETTERED: ("✗", "red"),
}


class PlainProgress(TimedLines):
    """Writes a line for every change of phase and every finished market."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._phase: str | None = None
        self._done: set[str] = set()
        self._waiting: set[str] = set()

    def update(self, status: WeekStatus) -> None:
        """Writes what is new in a status."""
        for line in self._news(status):
            self.note(line)

    def _news(self, status: WeekStatus) -> Iterator[str]:
        first = self._phase is None
        if first:
            yield from self._new_phase(status)
        for market in status.markets:
            if market.state is MarketState.WAITING and market.market not in self._waiting:
                yield f"{market.market} {market.note}"
            if market.state is not MarketState.DONE:
                self._done.discard(market.market)
            elif market.market not in self._done:
                self._done.add(market.market)
                # Markets that were finished before are not news: a rerun finds all the others done.
                if not first:
                    counts = f"{len(self._done)} of {len(status.markets)}"
                    yield f"{market.market} {_ended(market)} ({counts})"
        self._waiting = {m.market for m in status.markets if m.state is MarketState.WAITING}
        if not first:
            yield from self._new_phase(status)

    def _new_phase(self, status: WeekStatus) -> Iterator[str]:
        if status.phase != self._phase:
            self._phase = status.phase
            yield f"{status.week}: {_phase_name(status)}"


def shown_progress() -> AbstractContextManager[Progress[WeekStatus]]:
    """The progress display for standard error, cleared at the end of the block."""
    return shown_on_stderr(PlainProgress, _drawn)


def board(status: WeekStatus, width: int, now: datetime, height: int = 24) -> "Group":
    """Draws a status as a headline and a grid of markets, no taller than the screen."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    columns = max(1, width // CELL)
    grid = Table.grid(padding=(0, 1))
    cells = [_cell(market) for market in status.markets]
    rows = [cells[at : at + columns] for at in range(0, len(cells), columns)]
    for row in rows[: max(1, height - 4)]:
        grid.add_row(*row)
    head = [Text(_headline(status, now), overflow="ellipsis", no_wrap=True)]
    if waiting := waiting_words(status):
        head.append(Text(waiting, style="bold yellow", overflow="ellipsis", no_wrap=True))
    return Group(*head, grid)


def _drawn(status: WeekStatus, console: "Console") -> "Group":
    return board(status, console.width, datetime.now(UTC), console.height)


def waiting_words(status: WeekStatus) -> str | None:
    """Says that markets wait for a person, and what to do. Returns None if none waits."""
    waiting = [m.market for m in status.markets if m.state is MarketState.WAITING]
    if not waiting and not status.escalations:
        return None
    who = f"{', '.join(waiting)} wait" + ("s" if len(waiting) == 1 else "")
    return f"{who if waiting else 'a conflict waits'} for a person: desk escalations list"


def _headline(status: WeekStatus, now: datetime) -> str:
    elapsed = max((now - status.started_at).total_seconds(), 0.0)
    left = max((status.deadline - now).total_seconds(), 0.0)
    return (
        f"{status.week}  {_phase_name(status)}  {_counts(status)}  "
        f"{_span(elapsed)} gone, {_span(left)} to the deadline"
    )


def _cell(market: MarketStatus) -> "Text":
    from rich.text import Text

    mark, style = _MARKS.get(market.state, ("?", ""))
    if market.state is MarketState.DONE and market.outcome is not None:
        mark, style = _OUTCOMES.get(market.outcome, ("?", ""))
    return Text(f"{mark} {market.market}".ljust(CELL - 1), style=style)


def reason_of(market: MarketStatus) -> str:
    """Why a market is not fully researched, for a line that already names the market."""
    return (market.note or "").removeprefix(f"{market.market}: ")


def _ended(market: MarketStatus) -> str:
    """The outcome, with the reason if the market is not fully researched."""
    outcome = str(market.outcome).replace("_", " ")
    if market.outcome is Outcome.RESEARCHED or not market.note:
        return outcome
    return f"{outcome}: {reason_of(market)}"


def _phase_name(status: WeekStatus) -> str:
    return status.phase.replace("_", " ")


def _counts(status: WeekStatus) -> str:
    done = sum(market.state is MarketState.DONE for market in status.markets)
    return f"{done} of {len(status.markets)} markets"


def _span(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}"
