"""A watched run on one screen: every market with its phase, agents, tries, spending and time."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from rich.console import Group
from rich.text import Text as StyledText

from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.usage import Usage
from desk.contracts.week.run import MarketState, WeekStatus
from desk.documents.rendering.wording import allowance_words, cost_words, one_line
from desk.runs.assignments.budget import spent
from starters.progress import waiting_words
from starters.table_lines import SHORT_NAMES
from starters.watch_lines import VALIDATING, MarketLine, market_line, spent_so_far
from starters.watch_look import AgentAtWork, Agents, Look, seconds_left

CELL: Final = 39
"""Columns of a market where two stand side by side."""

LEGEND: Final = "R1 R2 research, V validator; .2 its turn, ×3 its third try; Ctrl-C only leaves"
_LINES_BESIDE: Final = 4
"""The two of the head, the legend, and one to spare below."""

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
_OTHER_NAMES: Final[Mapping[str, str]] = {str(agent): name for agent, name in SHORT_NAMES.items()}


def screen(
    look: Look, now: datetime, *, width: int, height: int, notes: tuple[str, ...] = ()
) -> Group:
    """A look at a run that fits on the screen: a line a market where there is room, else two
    markets a line. `notes` are told below."""
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
    trouble = [StyledText(text, style="yellow") for text in _troubles(lines)][: max(room - len(grid), 0)]
    return _fitted([*head, *grid, *trouble, *told, StyledText(LEGEND, style="dim")], width)


def agent_words(agents: Agents, *, turns: bool = True) -> str:
    """`R1.2×3 R2.1`: who is at work, in which turn, at which try."""
    return " ".join(_agent(agent, turns) for agent in agents)


def money(usage: Usage | None) -> str:
    """What was spent, or is taken to be, in a few columns; nothing where no model was asked."""
    if usage is None or not usage.asked:
        return ""
    most = spent(usage)
    if most.usd:
        return f"${most.usd:.2f}"
    return f"{(most.tokens or 0) // 1_000}k"


def time_words(seconds: float) -> str:
    """Minutes and seconds, or hours or days where that is long: at most five columns."""
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


def _spending(look: Look, status: WeekStatus) -> str:
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
        # What is done is left out first; the places keep the order of the board.
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
    mark, style = _mark(line)
    doing = _doing(line, turns=False)
    room = CELL - 10 - 13
    words = doing if len(doing) <= room else f"{doing[: room - 1]}…"
    text = f"{mark} {line.market:<7} {words:<{room}} {money(line.spent):>6} {_left(line, now):>5}"
    return StyledText(text, style=style)


def _whole_line(line: MarketLine, now: datetime) -> StyledText:
    mark, style = _mark(line)
    note = "" if line.state is MarketState.PLANNED else (line.note or _failure(line.agents) or "")
    text = (
        f"{mark} {line.market:<8}{_doing(line, turns=True):<24} "
        f"{money(line.spent):>7} {_left(line, now):>5}  {one_line(note)}"
    )
    return StyledText(text.rstrip(), style=style)


def _mark(line: MarketLine) -> tuple[str, str]:
    if line.outcome is not None:
        return _OUTCOMES.get(line.outcome, ("?", ""))
    return _MARKS.get(line.state, ("?", ""))


def _doing(line: MarketLine, *, turns: bool) -> str:
    if line.outcome is not None:
        return line.outcome.replace("_", " ")
    words = _WORDS.get(line.phase, line.phase)
    return f"{words} {agent_words(line.agents, turns=turns)}".rstrip()


def _left(line: MarketLine, now: datetime) -> str:
    if line.state in (MarketState.DONE, MarketState.PLANNED):
        return ""
    return time_words(seconds_left(line.deadline, now))


def _agent(agent: AgentAtWork, turns: bool) -> str:
    name = _OTHER_NAMES.get(agent.agent, agent.agent)
    turn = f".{agent.turn}" if turns else ""
    tries = f"×{agent.attempt}" if agent.attempt > 1 else ""
    return f"{name}{turn}{tries}"


def _failure(agents: Agents) -> str | None:
    return next((agent.last_failure for agent in agents if agent.last_failure), None)


def _troubles(lines: list[MarketLine]) -> Iterator[str]:
    """What keeps failing, once for each reason."""
    told: set[str] = set()
    for line in lines:
        reason = _failure(line.agents)
        if reason is not None and reason not in told:
            told.add(reason)
            yield f"{line.market}: {one_line(reason)}"
