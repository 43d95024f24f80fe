"""A graph as a small picture: its nodes in rows from the start down, with how each of them went."""

from collections.abc import Mapping
from html import escape
from typing import Final, NamedTuple

from desk.contracts.question.answers import NodeReport
from desk.contracts.question.graph import GraphSpec, NodeState

MOST_DRAWN: Final = 40
"""A larger graph is told by its table alone."""

MARKS: Final[Mapping[NodeState, str]] = {
    NodeState.DONE: "✓",
    NodeState.FAILED: "✗",
    NodeState.SKIPPED: "–",
    NodeState.WAITING: "·",
    NodeState.RUNNING: "…",
}

_WIDTH, _HEIGHT, _ACROSS, _DOWN, _MARGIN = 138, 32, 16, 30, 8
_LONGEST_NAME = 16


class _Box(NamedTuple):
    x: float
    y: float

    @property
    def top(self) -> tuple[float, float]:
        return self.x + _WIDTH / 2, self.y

    @property
    def bottom(self) -> tuple[float, float]:
        return self.x + _WIDTH / 2, self.y + _HEIGHT


def graph_picture(graph: GraphSpec, nodes: Mapping[str, NodeReport]) -> str:
    """The graph as an `<svg>` element in the page's colours; empty for one too large to be drawn.

    Edges with a condition are dashed; an edge that leads back is drawn at the side.
    """
    if len(graph.nodes) > MOST_DRAWN:
        return ""
    rows = _rows(graph)
    widest = max(len(row) for row in rows)
    width = 2 * _MARGIN + widest * (_WIDTH + _ACROSS) - _ACROSS + 14
    height = 2 * _MARGIN + len(rows) * (_HEIGHT + _DOWN) - _DOWN
    boxes = _boxes(rows, width - 14)
    drawn = [*_edges(graph, boxes), *(_node(name, box, nodes) for name, box in boxes.items())]
    label = f"The graph {graph.name}: {len(graph.nodes)} nodes"
    return (
        f'<svg class="graph" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(label)}">{"".join(drawn)}</svg>'
    )


def _rows(graph: GraphSpec) -> list[list[str]]:
    """The names by how far from the start they are at most, along edges that do not lead back."""
    onward = _onward(graph)
    depth = {node.name: 0 for node in graph.nodes}
    for _ in graph.nodes:
        for name, targets in onward.items():
            for target in targets:
                depth[target] = max(depth[target], depth[name] + 1)
    rows: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
    for name, at in depth.items():
        rows[at].append(name)
    return [row for row in rows if row]


def _onward(graph: GraphSpec) -> dict[str, tuple[str, ...]]:
    """Where each node leads, without the edges that close a cycle."""
    known = {node.name: node for node in graph.nodes}
    onward: dict[str, list[str]] = {name: [] for name in known}
    done: set[str] = set()
    for start in known:
        stack: list[tuple[str, int]] = [(start, 0)] if start not in done else []
        while stack:
            name, at = stack.pop()
            edges = known[name].edges
            if at >= len(edges):
                done.add(name)
                continue
            stack.append((name, at + 1))
            to = edges[at].to
            if to not in known or any(to == above for above, _ in stack):
                continue
            onward[name].append(to)
            if to not in done:
                stack.append((to, 0))
    return {name: tuple(targets) for name, targets in onward.items()}


def _boxes(rows: list[list[str]], width: float) -> dict[str, _Box]:
    boxes: dict[str, _Box] = {}
    for number, row in enumerate(rows):
        taken = len(row) * (_WIDTH + _ACROSS) - _ACROSS
        left = (width - taken) / 2
        for at, name in enumerate(row):
            boxes[name] = _Box(left + at * (_WIDTH + _ACROSS), _MARGIN + number * (_HEIGHT + _DOWN))
    return boxes


def _edges(graph: GraphSpec, boxes: Mapping[str, _Box]) -> list[str]:
    drawn = []
    for node in graph.nodes:
        for edge in node.edges:
            if edge.to in boxes:
                kind = " when" if edge.when else ""
                path = _path(boxes[node.name], boxes[edge.to])
                drawn.append(f'<path class="edge{kind}" d="{path}"/>')
    return drawn


def _path(start: _Box, end: _Box) -> str:
    if end.y > start.y:
        (x, y), (to_x, to_y) = start.bottom, end.top
        turn, half = to_y - _DOWN, _DOWN / 2
        curve = f"C{x:g} {turn + half:g} {to_x:g} {to_y - half:g} {to_x:g} {to_y:g}"
        return f"M{x:g} {y:g}L{x:g} {turn:g}{curve}"
    x, y, to_x, to_y = start.x + _WIDTH, start.y + _HEIGHT / 2, end.x + _WIDTH, end.y + _HEIGHT / 2
    out = max(x, to_x) + 12
    return f"M{x:g} {y:g}C{out:g} {y:g} {out:g} {to_y:g} {to_x:g} {to_y:g}"


def _node(name: str, box: _Box, nodes: Mapping[str, NodeReport]) -> str:
    report = nodes.get(name)
    state = report.state if report else NodeState.WAITING
    short = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
    told = f"{name}: {state}"
    return (
        f'<g class="{state}"><title>{escape(told)}</title>'
        f'<rect x="{box.x:g}" y="{box.y:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="4"/>'
        f'<text x="{box.x + 10:g}" y="{box.y + 20.5:g}">{MARKS[state]}</text>'
        f'<text x="{box.x + 26:g}" y="{box.y + 20.5:g}">{escape(short)}</text></g>'
    )
