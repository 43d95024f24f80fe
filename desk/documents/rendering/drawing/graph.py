"""Draws a graph of agents as SVG: in an answer's page with the outcome of its nodes, or as a file
of its own with agents and conditions.

Nodes are in rows, each as far down as the longest path from the start to it. Edges with a condition
are dashed; a back edge is drawn at the side.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape
from typing import Final, NamedTuple

from desk.analytics.names.shortening import shortened
from desk.contracts.question.answers import NodeReport
from desk.contracts.question.graph import Edge, GraphSpec, Join, NodeSpec, NodeState
from desk.documents.rendering.words.wording import one_line
from desk.runs.graphs import Link, Shape, shape_of

MOST_DRAWN: Final = 40
"""The maximum number of nodes drawn in an answer's page. A larger graph is only shown as a
table."""

MARKS: Final[Mapping[NodeState, str]] = {
    NodeState.DONE: "✓",
    NodeState.FAILED: "✗",
    NodeState.SKIPPED: "–",
    NodeState.WAITING: "·",
    NodeState.RUNNING: "…",
}

_MARGIN: Final = 8
_CLEAR: Final = 6
"""The distance between a node and an edge that passes it."""

_MOST_ACROSS: Final = 4
"""The maximum number of nodes in a row of a page; more would be too small to read."""

_LONGEST_LABEL: Final = 34
"""The maximum number of letters of a condition on an edge; its tooltip has all of it."""

_LETTER, _SMALL_LETTER = 7.2, 6.4
"""The widths of a letter of names and of conditions, in pixels; a little more than fonts take."""

_SMALL, _CAPITAL = 6.4, 8.8
"""Those of a letter of a name in a page, and of a capital."""

_ROOM_FOR_NAME: Final = 126
"""The width in pixels for a name in the box of a node in a page, beside its mark."""

_STYLE: Final = (
    "text{font:13px system-ui,sans-serif;fill:#16191d}g text{text-anchor:middle}"
    "g .agent{font-size:11px;fill:#5c6570}g rect{fill:#f0f2f5;stroke:#7b8490}"
    ".label{font-size:11px;fill:#1257a8;text-anchor:middle;paint-order:stroke;stroke:#fff;"
    "stroke-width:4px}.aside{text-anchor:start}.edge{fill:none;stroke:#7b8490}"
    ".when{stroke-dasharray:4 3}.back{stroke:#a8480b}#tip path{fill:#7b8490}"
)
_TIP: Final = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
    'markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
)


class _Sizes(NamedTuple):
    """The size of a node, the distances to the next ones right and below, how far back edges bulge,
    and how far from the middle of a node they begin and end. `around` determines whether edges go
    around the nodes that they pass, or behind them."""

    width: float
    height: float
    across: float
    down: float
    bulge: float
    apart: float
    around: bool


_IN_A_PAGE: Final = _Sizes(160, 32, 16, 30, 12, 0, around=False)


class _Layout:
    """The positions of a graph's nodes, by their places in the file, and the paths of its edges."""

    def __init__(self, graph: GraphSpec, shape: Shape, sizes: _Sizes) -> None:
        self._sizes = sizes
        self._depth = _depths(graph, shape)
        self._rows: list[list[int]] = [[] for _ in range(max(self._depth.values()) + 1)]
        for place, depth in self._depth.items():
            self._rows[depth].append(place)
        if not sizes.around:
            self._rows = [part for row in self._rows for part in _parts(row)]
        pitch, step = sizes.width + sizes.across, sizes.height + sizes.down
        self.width = 2 * _MARGIN + max(map(len, self._rows)) * pitch - sizes.across
        self.height = 2 * _MARGIN + len(self._rows) * step - sizes.down
        self.corners: dict[int, tuple[float, float]] = {}
        for number, row in enumerate(self._rows):
            left = (self.width - (len(row) * pitch - sizes.across)) / 2
            for at, place in enumerate(row):
                self.corners[place] = (left + at * pitch, _MARGIN + number * step)

    def path(self, link: Link) -> str:
        """Returns the path of an edge: down past rows to its end, or back at the side."""
        (x, y), (to_x, to_y) = self.corners[link.source], self.corners[link.target]
        width, height, _, down, bulge, apart, _ = self._sizes
        if to_y <= y:
            x, y = x + width, y + height / 2 + apart
            to_x, to_y = to_x + width, to_y + height / 2 - apart
            out = max(x, to_x) + bulge
            return f"M{x:g} {y:g}C{out:g} {y:g} {out:g} {to_y:g} {to_x:g} {to_y:g}"
        x, y, to_x, half = x + width / 2, y + height, to_x + width / 2, down / 2
        lane, turn, begun = self._lane(link, x), to_y - down, f"M{x:g} {y:g}"
        if lane != x:
            begun += f"C{x:g} {y + half:g} {lane:g} {y + half:g} {lane:g} {y + down:g}"
        curve = f"C{lane:g} {turn + half:g} {to_x:g} {to_y - half:g} {to_x:g} {to_y:g}"
        return f"{begun}L{lane:g} {turn:g}{curve}"

    def _lane(self, link: Link, x: float) -> float:
        """Returns where an edge passes rows: as near to its start as possible without crossing a
        node."""
        if not self._sizes.around:
            return x
        passed = self._rows[self._depth[link.source] + 1 : self._depth[link.target]]
        starts = sorted(self.corners[place][0] - _CLEAR for row in passed for place in row)
        wide = self._sizes.width + 2 * _CLEAR
        low = high = x
        for start in starts:
            high = start + wide if start < high < start + wide else high
        for start in reversed(starts):
            low = start if start < low < start + wide else low
        return low if x - low <= high - x else high

    def label_at(self, link: Link, *, alone: bool) -> tuple[float, float]:
        """Returns the position of an edge's label: near its end, where edges that leave together
        are apart; near its start if others arrive with it; beside it if it leads back."""
        (x, y), (to_x, to_y) = self.corners[link.source], self.corners[link.target]
        width, height, _, _, bulge, *_ = self._sizes
        if link.back:
            return max(x, to_x) + width + bulge, (y + to_y + height) / 2 + 4
        if alone:
            return x + (to_x - x) * 0.85 + width / 2, to_y - 12
        return x + width / 2, y + height + 16 + 12 * (link.place % 3)


def _parts(row: list[int]) -> Iterator[list[int]]:
    """Splits a row into as few rows of similar length as needed."""
    count = -(-len(row) // _MOST_ACROSS)
    length = -(-len(row) // count)
    return (row[start : start + length] for start in range(0, len(row), length))


def _depths(graph: GraphSpec, shape: Shape) -> dict[int, int]:
    """Returns the length of the longest forward path from the start to each node."""
    depths = dict.fromkeys(range(len(graph.nodes)), 0)
    leaving: dict[int, list[int]] = {}
    for link in shape.links:
        if not link.back:
            leaving.setdefault(link.source, []).append(link.target)
    for place in shape.order:
        for target in leaving.get(place, ()):
            depths[target] = max(depths[target], depths[place] + 1)
    return depths


def graph_in_page(graph: GraphSpec, nodes: Mapping[str, NodeReport]) -> str:
    """Draws the graph as an `<svg>` element in the page's colours, each node with its state. Empty
    if it is too large."""
    if len(graph.nodes) > MOST_DRAWN:
        return ""
    shape = shape_of(graph)
    layout = _Layout(graph, shape, _IN_A_PAGE)
    drawn = [
        f'<path class="edge{" when" if _edge(graph, link).when else ""}" d="{layout.path(link)}"/>'
        for link in shape.links
    ]
    for place, corner in layout.corners.items():
        drawn.append(_node_with_state(graph.nodes[place].name, corner, nodes))
    size = _size(layout.width + 14, layout.height)
    label = f"The graph {graph.name}: {len(graph.nodes)} nodes"
    return (
        f'<svg class="graph" {size} role="img" aria-label="{escape(label)}">{"".join(drawn)}</svg>'
    )


def graph_file(graph: GraphSpec) -> str:
    """Draws the graph as an SVG file, each node with its agent and each edge with its condition. It
    loads nothing and runs no script."""
    shape = shape_of(graph)
    sizes, aside = _sizes_of_file(graph, shape)
    layout = _Layout(graph, shape, sizes)
    arriving = Counter(link.target for link in shape.links if not link.back)
    edges: list[str] = []
    labels: list[str] = []
    for link in shape.links:
        edges.append(_edge_path(graph, link, layout.path(link)))
        at = layout.label_at(link, alone=arriving[link.target] == 1)
        labels += _label(graph, link, at)
    boxes = (_node_with_agent(graph.nodes[n], at, sizes) for n, at in layout.corners.items())
    size = _size(layout.width + aside, layout.height)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    title = f"<title>{escape(graph.name)}</title><desc>{escape(one_line(graph.description))}</desc>"
    ground = f'<style>{_STYLE}</style>{_TIP}<rect width="100%" height="100%" fill="#fff"/>'
    return "\n".join((head, title, ground, *edges, *boxes, *labels, "</svg>", ""))


def condition_words(graph: GraphSpec, link: Link) -> str:
    """Returns when an edge is taken: its condition, `otherwise` after other alternatives, or
    nothing."""
    when = _edge(graph, link).when
    if when is None:
        return "otherwise" if link.field == "next" and link.place else ""
    return one_line(when)


def agent_label(node: NodeSpec) -> str:
    """Returns a node's agent, with a note if the node starts at the first arrival."""
    return f"{node.agent}, any" if node.join is Join.ANY else str(node.agent)


def _edge(graph: GraphSpec, link: Link) -> Edge:
    node = graph.nodes[link.source]
    return (node.next if link.field == "next" else node.fork)[link.place]


def _sizes_of_file(graph: GraphSpec, shape: Shape) -> tuple[_Sizes, float]:
    """Returns sizes that leave room for all words, and the room that back edges need at the
    right."""
    names = max(max(len(node.name), len(agent_label(node))) for node in graph.nodes)
    longest = {False: 0, True: 0}
    for link in shape.links:
        longest[link.back] = max(longest[link.back], len(_label_words(graph, link)))
    width = max(names * _LETTER + 24, longest[False] * _SMALL_LETTER)
    aside = 40 + longest[True] * _SMALL_LETTER if any(link.back for link in shape.links) else 0
    return _Sizes(width, 46, max(30, aside), 74, bulge=36, apart=8, around=True), aside


def _size(width: float, height: float) -> str:
    return f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'


def _rectangle(corner: tuple[float, float], sizes: _Sizes) -> str:
    x, y = corner
    width, height, *_ = sizes
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4"/>'


def _node_with_state(
    name: str, corner: tuple[float, float], nodes: Mapping[str, NodeReport]
) -> str:
    report = nodes.get(name)
    state = report.state if report else NodeState.WAITING
    x, y = corner
    return (
        f'<g class="{state}"><title>{escape(f"{name}: {state}")}</title>'
        f"{_rectangle(corner, _IN_A_PAGE)}"
        f'<text x="{x + 10:g}" y="{y + 20.5:g}">{MARKS[state]}</text>'
        f'<text x="{x + 26:g}" y="{y + 20.5:g}">{escape(_fitting(name))}</text></g>'
    )


def _fitting(name: str) -> str:
    """Returns a name, shortened to fit into its node."""
    fits = len(name)
    while fits > 1 and _width(shortened(name, fits)) > _ROOM_FOR_NAME:
        fits -= 1
    return shortened(name, fits)


def _width(name: str) -> float:
    return sum(_CAPITAL if sign.isupper() else _SMALL for sign in name)


def _node_with_agent(node: NodeSpec, corner: tuple[float, float], sizes: _Sizes) -> str:
    x, y = corner[0] + sizes.width / 2, corner[1]
    return (
        f'<g>{_rectangle(corner, sizes)}<text x="{x:g}" y="{y + 20:g}">{escape(node.name)}</text>'
        f'<text class="agent" x="{x:g}" y="{y + 36:g}">{escape(agent_label(node))}</text></g>'
    )


def _edge_path(graph: GraphSpec, link: Link, path: str) -> str:
    when = condition_words(graph, link)
    kind = f"edge{' when' if when else ''}{' back' if link.back else ''}"
    source, target = graph.nodes[link.source].name, graph.nodes[link.target].name
    words = escape(f"{source} to {target}{f': {when}' if when else ''}")
    return f'<path class="{kind}" d="{path}" marker-end="url(#tip)"><title>{words}</title></path>'


def _label(graph: GraphSpec, link: Link, at: tuple[float, float]) -> Iterator[str]:
    words = _label_words(graph, link)
    if words:
        kind = "label aside" if link.back else "label"
        yield f'<text class="{kind}" x="{at[0]:g}" y="{at[1]:g}">{escape(words)}</text>'


def _label_words(graph: GraphSpec, link: Link) -> str:
    return shortened(condition_words(graph, link), _LONGEST_LABEL)
