"""Progress through a graph on standard error: a live list on a terminal, plain lines otherwise."""

from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import TextIO

from rich.console import Group
from rich.text import Text

from desk.contracts.agents.search_attributes import Phase
from desk.contracts.question.graph import NodeState
from desk.contracts.runs.graph import GraphStatus, NodeStatus
from desk.documents.rendering.words.wording import human, one_line
from starters.runs.progress import Progress, TimedLines, shown_on_stderr

_MARKS = {
    NodeState.WAITING: ("·", "dim"),
    NodeState.RUNNING: ("…", "cyan"),
    NodeState.DONE: ("✓", "green"),
    NodeState.FAILED: ("✗", "red"),
    NodeState.SKIPPED: ("-", "dim"),
}
_ENDED = frozenset({NodeState.DONE, NodeState.FAILED})

WAITS = "a person is asked to decide a conflict: `desk escalations list`"

_PHASES = {Phase.AWAITING_PERSON: WAITS, Phase.PUBLISHING: "publishing the answer"}

GraphProgress = Progress[GraphStatus]


class PlainGraphProgress(TimedLines):
    """Writes a line for every node that begins or ends. Nodes that began before `since` were not
    run again by a reset."""

    def __init__(self, stream: TextIO, since: datetime | None = None) -> None:
        super().__init__(stream)
        self._since = since
        self._seen: dict[str, tuple[NodeState, int]] = {}
        self._phase: Phase | None = None

    def update(self, status: GraphStatus) -> None:
        """Writes what is new in a status."""
        for node in status.nodes:
            now = (node.state, node.round)
            if self._seen.get(node.node) != now:
                self._seen[node.node] = now
                if node.state in _ENDED or node.state is NodeState.RUNNING:
                    self.note(node_words(node, self._since))
        if status.phase is not self._phase:
            self._phase = status.phase
            if status.phase in _PHASES:
                self.note(_PHASES[status.phase])


def shown_graph_progress(since: datetime | None = None) -> AbstractContextManager[GraphProgress]:
    """The progress display for standard error, cleared at the end of the block. Shows a run from
    its reset at `since`, or from its start."""
    return shown_on_stderr(
        lambda stream: PlainGraphProgress(stream, since),
        lambda status, console: graph_board(status, console.height, datetime.now(UTC), since),
    )


def node_words(node: NodeStatus, since: datetime | None = None) -> str:
    """`fetchTickets done in 0.4 s`, with its error if any; `fetchTickets kept` if a reset did not
    run it again."""
    if _was_kept(node, since):
        return f"{node.node} kept"
    again = f", round {node.round}" if node.round > 1 else ""
    if node.state is NodeState.RUNNING:
        return f"{node.node} begins ({human(node.agent)}{again})"
    took = _took(node, None)
    words = f"{node.node} {node.state}" + (f" in {took:.1f} s" if took is not None else "") + again
    return f"{words}: {one_line(node.note)}" if node.note else words


def graph_board(
    status: GraphStatus, height: int, now: datetime, since: datetime | None = None
) -> Group:
    """Draws a status as a headline and a list of nodes, no taller than the screen.

    If there are too many, nodes that succeeded are omitted first.
    """
    room = max(1, height - 5)
    nodes = list(status.nodes)
    if len(nodes) > room:
        dull = (NodeState.DONE, NodeState.SKIPPED, NodeState.WAITING)
        nodes.sort(key=lambda node: node.state in dull)
    lines = [_line(node, now, since) for node in nodes[:room]]
    ended = sum(node.state in _ENDED or node.state is NodeState.SKIPPED for node in status.nodes)
    elapsed = max((now - (since or status.started_at)).total_seconds(), 0.0)
    head = f"{status.graph}  {ended} of {len(status.nodes)} nodes  {elapsed:.0f} s"
    title = Text(head, style="bold", overflow="ellipsis", no_wrap=True)
    waits = [Text(WAITS, style="yellow")] if status.phase is Phase.AWAITING_PERSON else []
    return Group(title, *lines, *waits)


def _was_kept(node: NodeStatus, since: datetime | None) -> bool:
    """Returns whether a node ended before a reset. The end may be recorded by the reset's own first
    step, so the time between is not the node's duration."""
    if since is None or node.started_at is None:
        return False
    return node.state in _ENDED and node.started_at < since


def _line(node: NodeStatus, now: datetime, since: datetime | None) -> Text:
    mark, style = _MARKS[node.state]
    took = None if _was_kept(node, since) else _took(node, now)
    seconds = f"{took:6.1f} s" if took is not None else " " * 8
    note = f"  {one_line(node.note)}" if node.note else ""
    words = f"{mark} {node.node:<20} {human(node.agent):<18} {seconds}{note}"
    return Text(words, style=style, overflow="ellipsis", no_wrap=True)


def _took(node: NodeStatus, now: datetime | None) -> float | None:
    end = node.ended_at if node.state in _ENDED else now
    if node.started_at is None or end is None or node.state is NodeState.WAITING:
        return None
    return max((end - node.started_at).total_seconds(), 0.0)
