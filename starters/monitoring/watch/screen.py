"""Shows a watched run: as a screen that is redrawn, as plain lines, or as JSON lines."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import reduce
from typing import Annotated, Final, Literal, Protocol, TextIO

from pydantic import Field
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text as StyledText

from desk.analytics.names.shortening import shortened
from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.usage import Usage
from desk.contracts.base import Contract, Instant, ShortText, Text
from desk.contracts.markets import MarketName
from desk.contracts.names import AgentId
from desk.contracts.runs.week import MarketState, MarketStatus, WeekStatus
from desk.contracts.weeks import IsoWeek
from desk.documents.rendering.words.wording import allowance_words, cost_words, one_line
from desk.runs.assignments import taken_by
from starters.monitoring.watch.snapshot import AgentAtWork, Agents, RunSnapshot, seconds_left
from starters.monitoring.week_progress import PlainProgress, waiting_words
from starters.runs.stalls import GOES_ON
from starters.runs.summary import PublishedWeek
from starters.terminal.tables import short_name

VALIDATING = "validating"


class RunLine(Contract):
    """The run as a whole. `agents` work for all markets; `spent` is the cost of all work so far."""

    kind: Literal["run"] = "run"
    at: Instant
    week: IsoWeek
    workflow_id: ShortText
    run_id: ShortText
    phase: Phase
    markets: int
    done: int
    pending_reruns: Annotated[tuple[MarketName, ...], Field(max_length=200)] = ()
    escalations: Annotated[tuple[ShortText, ...], Field(max_length=1_000)] = ()
    agents: Agents = ()
    spent: Usage
    budget: Allowance
    deadline: Instant


class MarketLine(Contract):
    """One market. `attempt` is the highest of its agents. `deadline` is that of their work, or of
    the week if no agent works on it."""

    kind: Literal["market"] = "market"
    at: Instant
    week: IsoWeek
    market: MarketName
    state: MarketState
    phase: ShortText
    outcome: Outcome | None = None
    agents: Agents = ()
    attempt: int | None = None
    spent: Usage | None = None
    deadline: Instant
    note: ShortText | None = None


class NoteLine(Contract):
    """What holds up the run, or the watching of it: something keeps failing, the run does not
    answer, or the server is away. `over` means that this has ended."""

    kind: Literal["note"] = "note"
    at: Instant
    text: Text
    over: bool = False


class PublishedLine(Contract):
    """The last line: the report is published. `published_before` means that it was already
    published at the first snapshot."""

    kind: Literal["published"] = "published"
    at: Instant
    published: PublishedWeek
    published_before: bool = False


Line = RunLine | MarketLine | NoteLine | PublishedLine


class ScreenChanges:
    """The changes between snapshots of a run. At the first snapshot everything is new."""

    def __init__(self, workflow_id: str) -> None:
        self._workflow_id = workflow_id
        self._last: dict[str, Contract] = {}

    def news(self, look: RunSnapshot, at: datetime) -> Iterator[Line]:
        """Returns the lines that changed, in the order of the board."""
        status = look.status
        if status is None:
            return
        lines: list[tuple[str, RunLine | MarketLine]] = [
            ("", run_line(look, status, self._workflow_id, at)),
            *((m.market, market_line(look, status, m, at)) for m in status.markets),
        ]
        for key, line in lines:
            told = line.model_copy(update={"at": status.started_at})
            if self._last.get(key) != told:
                self._last[key] = told
                yield line


def run_line(look: RunSnapshot, status: WeekStatus, workflow_id: str, at: datetime) -> RunLine:
    """The line of the run in a snapshot."""
    return RunLine(
        at=at,
        week=status.week,
        workflow_id=workflow_id,
        run_id=look.run_id,
        phase=status.phase,
        markets=len(status.markets),
        done=sum(market.state is MarketState.DONE for market in status.markets),
        pending_reruns=status.pending_reruns,
        escalations=status.escalations,
        agents=look.planner,
        spent=spent_so_far(look, status),
        budget=status.budget,
        deadline=status.deadline,
    )


def market_line(
    look: RunSnapshot, status: WeekStatus, market: MarketStatus, at: datetime
) -> MarketLine:
    """The line of a market in a snapshot."""
    agents = look.markets.get(market.market, ())
    if market.state is MarketState.DONE:
        # The workflows were queried separately from the board, and may still list its last agents.
        agents = ()
    return MarketLine(
        at=at,
        week=status.week,
        market=market.market,
        state=market.state,
        phase=_phase(market, agents),
        outcome=market.outcome,
        agents=agents,
        attempt=max((agent.attempt for agent in agents), default=None),
        spent=_spent(market, look.spending.get(market.market)),
        deadline=market.deadline or status.deadline,
        note=market.note,
    )


def spent_so_far(look: RunSnapshot, status: WeekStatus) -> Usage:
    """The cost of a week so far: of finished work and of work in progress."""
    at_work = [
        look.spending[market.market]
        for market in status.markets
        if market.market in look.spending and market.state is not MarketState.DONE
    ]
    return reduce(Usage.plus, at_work, status.usage)


def _spent(market: MarketStatus, at_work: Usage | None) -> Usage | None:
    """The cost of a market so far, including earlier work."""
    if at_work is None or market.state is MarketState.DONE:
        return market.spent
    return market.spent.plus(at_work) if market.spent else at_work


def _phase(market: MarketStatus, agents: Agents) -> str:
    if market.state is MarketState.WAITING:
        return Phase.AWAITING_PERSON
    if market.state is not MarketState.RUNNING:
        return market.state
    if any(agent.stands_in for agent in agents):
        return Phase.REASSIGNING
    if any(agent.task == TaskType.VALIDATE for agent in agents):
        return VALIDATING
    return Phase.RESEARCHING


CELL: Final = 39
"""The width of a market when two are side by side."""

LEGEND: Final = "R1 R2 research, V validator; .2 its turn, ×3 its third try; Ctrl-C only leaves"
_LINES_BESIDE: Final = 4
"""The two head lines, the legend, and one spare line."""

_WORDS: Final[Mapping[str, str]] = {
    Phase.RESEARCHING: "research",
    Phase.REASSIGNING: "reassign",
    Phase.AWAITING_PERSON: "waits for you",
    MarketState.PLANNED: "planned",
    VALIDATING: "validate",
}
_MARKS: Final[Mapping[MarketState, tuple[str, str]]] = {
    MarketState.PLANNED: ("·", "dim"),
    MarketState.RUNNING: ("…", "cyan"),
    MarketState.WAITING: ("?", "bold yellow"),
}
_OUTCOMES: Final[Mapping[Outcome, tuple[str, str]]] = {
    Outcome.RESEARCHED: ("✓", "green"),
    Outcome.PARTIAL: ("~", "yellow"),
    Outcome.MISSING: ("-", "yellow"),
    Outcome.DEAD_LETTERED: ("✗", "red"),
}


def screen(
    look: RunSnapshot, now: datetime, *, width: int, height: int, notes: tuple[str, ...] = ()
) -> Group:
    """Draws a snapshot to fit the screen: one market a line, or several if there is not enough
    room. `notes` are at the bottom."""
    status = look.status
    told = [StyledText(note, style="yellow") for note in notes]
    if status is None:
        return _fitted([*told, StyledText(LEGEND, style="dim")], width)
    lines = [market_line(look, status, market, now) for market in status.markets]
    head = [StyledText(text) for text in (_headline(status, now), _spending(look, status))]
    if waiting := waiting_words(status):
        head.append(StyledText(waiting, style="bold yellow"))
    room = max(height - _LINES_BESIDE - (len(head) - 2) - len(told), 1)
    grid = list(_rows(lines, now, room, width))
    trouble = [StyledText(text, style="yellow") for text in _troubles(lines)][
        : max(room - len(grid), 0)
    ]
    return _fitted([*head, *grid, *trouble, *told, StyledText(LEGEND, style="dim")], width)


def agent_words(agents: Agents, *, turns: bool = True) -> str:
    """`R1.2×3 R2.1`: the agents at work, with their turn and attempt."""
    return " ".join(_agent(agent, turns) for agent in agents)


def money(usage: Usage | None) -> str:
    """What was spent, or is assumed to be, in a few columns; empty if no model was used."""
    if usage is None or not usage.asked:
        return ""
    most = taken_by(usage)
    if most.usd:
        return f"${most.usd:.2f}"
    return f"{(most.tokens or 0) // 1_000}k"


def time_words(seconds: float) -> str:
    """Minutes and seconds, or hours or days for a long time: at most five columns."""
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 100:
        return f"{minutes}:{rest:02}"
    return f"{minutes // 60}h" if minutes < 48 * 60 else f"{minutes // 1_440}d"


def _fitted(lines: list[StyledText], width: int) -> Group:
    for line in lines:
        line.truncate(width, overflow="ellipsis")
        line.no_wrap = True
    return Group(*lines)


def _headline(status: WeekStatus, now: datetime) -> str:
    done = sum(market.state is MarketState.DONE for market in status.markets)
    gone = time_words(max((now - status.started_at).total_seconds(), 0.0))
    left = time_words(seconds_left(status.deadline, now))
    return (
        f"{status.week}  {status.phase.replace('_', ' ')}  {done} of {len(status.markets)} markets"
        f"  {gone} gone, {left} to the deadline"
    )


def _spending(look: RunSnapshot, status: WeekStatus) -> str:
    budget = "" if status.budget.unlimited else f" of {allowance_words(status.budget)}"
    words = f"spent {cost_words(spent_so_far(look, status))}{budget}"
    if look.planner:
        words += f"; at work for the week: {agent_words(look.planner)}"
    if status.pending_reruns:
        words += f"; to be redone: {', '.join(status.pending_reruns)}"
    return words


def _rows(lines: list[MarketLine], now: datetime, room: int, width: int) -> Iterator[StyledText]:
    if len(lines) <= room:
        yield from (_whole_line(line, now) for line in lines)
        return
    columns = max(width // CELL, 1)
    shown = lines
    if len(lines) > room * columns:
        # Finished markets are omitted first; the rest keep the order of the board.
        places = room * columns - columns
        busy = [line for line in lines if line.state is not MarketState.DONE]
        settled = [line for line in lines if line.state is MarketState.DONE]
        kept = {line.market for line in [*busy, *settled][:places]}
        shown = [line for line in lines if line.market in kept]
    height = -(-len(shown) // columns)
    for row in range(height):
        cells = [_cell(line, now) for line in shown[row::height]]
        yield StyledText("  ").join(cells)
    if len(shown) < len(lines):
        yield StyledText(f"and {len(lines) - len(shown)} more, on a taller screen", style="dim")


def _cell(line: MarketLine, now: datetime) -> StyledText:
    mark, style = mark_of(line)
    room = CELL - 10 - 13
    words = shortened(doing_words(line, turns=False), room)
    text = (
        f"{mark} {line.market:<7} {words:<{room}} {money(line.spent):>6} {left_words(line, now):>5}"
    )
    return StyledText(text, style=style)


def _whole_line(line: MarketLine, now: datetime) -> StyledText:
    mark, style = mark_of(line)
    note = "" if line.state is MarketState.PLANNED else (line.note or _failure(line.agents) or "")
    text = (
        f"{mark} {line.market:<8}{doing_words(line, turns=True):<24} "
        f"{money(line.spent):>7} {left_words(line, now):>5}  {one_line(note)}"
    )
    return StyledText(text.rstrip(), style=style)


def mark_of(line: MarketLine) -> tuple[str, str]:
    """The symbol of a market, and its style on a terminal."""
    if line.outcome is not None:
        return _OUTCOMES.get(line.outcome, ("?", ""))
    return _MARKS.get(line.state, ("?", ""))


def doing_words(line: MarketLine, *, turns: bool) -> str:
    """The agents at work on a market and their task, or the market's outcome."""
    if line.outcome is not None:
        return line.outcome.replace("_", " ")
    words = _WORDS.get(line.phase, line.phase)
    return f"{words} {agent_words(line.agents, turns=turns)}".rstrip()


def left_words(line: MarketLine, now: datetime) -> str:
    """The time to the deadline of current work; empty if there is none."""
    if line.state in (MarketState.DONE, MarketState.PLANNED):
        return ""
    return time_words(seconds_left(line.deadline, now))


def _agent(agent: AgentAtWork, turns: bool) -> str:
    known = agent.agent in AgentId.known()
    name = short_name(AgentId(agent.agent)) if known else agent.agent
    turn = f".{agent.turn}" if turns else ""
    tries = f"×{agent.attempt}" if agent.attempt > 1 else ""
    return f"{name}{turn}{tries}"


def _failure(agents: Agents) -> str | None:
    return next((agent.last_failure for agent in agents if agent.last_failure), None)


def _troubles(lines: list[MarketLine]) -> Iterator[str]:
    """What keeps failing, each reason once."""
    told: set[str] = set()
    for line in lines:
        reason = _failure(line.agents)
        if reason is not None and reason not in told:
            told.add(reason)
            yield f"{line.market}: {one_line(reason)}"


LONGEST_REASON = 300


class WatchDisplay(Protocol):
    """Shows a run to the person who watches it."""

    def update(self, look: RunSnapshot) -> None:
        """Shows a new snapshot."""

    def note(self, text: str | None) -> None:
        """Shows what holds up the run, or the watching of it. None removes it."""

    def end(self, published: PublishedWeek, *, before: bool) -> None:
        """Shows that the report is published. `before` means that it was already at the first
        snapshot."""


class JsonDisplay:
    """Writes a JSON object a line for every change, and nothing else."""

    def __init__(self, stream: TextIO, workflow_id: str) -> None:
        self._stream = stream
        self._changes = ScreenChanges(workflow_id)

    def update(self, look: RunSnapshot) -> None:
        """Writes what is new in a snapshot."""
        for line in self._changes.news(look, datetime.now(UTC)):
            self._write(line.model_dump_json())

    def note(self, text: str | None) -> None:
        """Writes a note."""
        line = NoteLine(at=datetime.now(UTC), text=text or GOES_ON, over=text is None)
        self._write(line.model_dump_json())

    def end(self, published: PublishedWeek, *, before: bool) -> None:
        """Writes what was published."""
        line = PublishedLine(at=datetime.now(UTC), published=published, published_before=before)
        self._write(line.model_dump_json())

    def _write(self, line: str) -> None:
        self._stream.write(f"{line}\n")
        self._stream.flush()


class PlainDisplay:
    """Writes a line for every change of phase, every finished market and every failed attempt."""

    def __init__(self, stream: TextIO) -> None:
        self._progress = PlainProgress(stream)
        self._begun = False
        self._told: set[tuple[str, ...]] = set()

    def update(self, look: RunSnapshot) -> None:
        """Writes what is new in a snapshot; at the first, the state of the run."""
        status = look.status
        if status is None:
            return
        self._progress.update(status)
        if not self._begun:
            self._begun = True
            done = sum(market.state is MarketState.DONE for market in status.markets)
            told = f"{done} of {len(status.markets)} markets done"
            if done < len(status.markets):
                told += f"; the week's deadline is {status.deadline:%Y-%m-%d %H:%M:%S} UTC"
            self.note(told)
        for text in self._tries(look):
            self.note(text)

    def note(self, text: str | None) -> None:
        """Writes a sentence."""
        self._progress.note(text or GOES_ON)

    def end(self, published: PublishedWeek, *, before: bool) -> None:
        """Does nothing: the summary follows."""

    def _tries(self, look: RunSnapshot) -> Iterator[str]:
        at_work = [("", agent) for agent in look.planner]
        at_work += [(market, agent) for market, agents in look.markets.items() for agent in agents]
        for market, agent in at_work:
            known = (market, agent.agent, agent.task, str(agent.turn), str(agent.attempt))
            if agent.attempt > 1 and known not in self._told:
                self._told.add(known)
                reason = one_line(agent.last_failure or "no reason given")[:LONGEST_REASON]
                yield (
                    f"{market or 'the week'} {agent.agent} {agent.has_come_to}, "
                    f"try {agent.attempt}: {reason}"
                )


class LiveDisplay:
    """A screen that is redrawn in place."""

    def __init__(self, live: Live, console: Console) -> None:
        self._live = live
        self._console = console
        self._look: RunSnapshot | None = None
        self._note: str | None = None

    def update(self, look: RunSnapshot) -> None:
        """Draws a snapshot. If no worker answers for the run, the last status stays."""
        if look.status is None and self._look is not None:
            look = look._replace(status=self._look.status)
        self._look = look
        self._draw()

    def note(self, text: str | None) -> None:
        """Shows a sentence below the board until it is removed."""
        self._note = text
        self._draw()

    def end(self, published: PublishedWeek, *, before: bool) -> None:
        """Does nothing: the summary follows."""

    def _draw(self) -> None:
        notes = (self._note,) if self._note else ()
        look = self._look or RunSnapshot("", True, None, (), {})
        drawn = screen(
            look,
            datetime.now(UTC),
            width=self._console.width,
            height=self._console.height,
            notes=notes,
        )
        self._live.update(drawn, refresh=True)


@contextmanager
def shown(workflow_id: str, *, as_json: bool) -> Iterator[WatchDisplay]:
    """Yields the display for standard output. Clears a screen at the end of the block."""
    if as_json:
        yield JsonDisplay(sys.stdout, workflow_id)
    elif not sys.stdout.isatty():
        yield PlainDisplay(sys.stdout)
    else:
        console = Console()
        with Live(console=console, transient=True, auto_refresh=False) as live:
            yield LiveDisplay(live, console)
