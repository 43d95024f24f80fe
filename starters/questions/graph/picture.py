"""A graph to look at: a tree for a terminal, Mermaid text, and an SVG picture."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from types import MappingProxyType
from typing import Final, NamedTuple

from rich.text import Text
from rich.tree import Tree

from desk.contracts.agents.tasks import TaskType
from desk.contracts.question.graph import GraphSpec, Join
from desk.documents.rendering.wording import one_line
from desk.runs.graphs.shape import Link, shape_of

MOST_BENDS: Final = 3_000
"""As many places as are kept free for edges that run past layers; with more they run straight."""

_SWEEPS: Final = 6


@dataclass(frozen=True)
class Layout:
    """The layers, top first, each a row of items. An item below the number of nodes is the node of
    that place; the others are where an edge passes a layer. `ways` has the items of each forward
    edge, its ends included; `back` are the edges that go back."""

    layers: tuple[tuple[int, ...], ...]
    ways: dict[Link, tuple[int, ...]]
    back: tuple[Link, ...]


def layout_of(spec: GraphSpec) -> Layout:
    """The layout of the nodes that can be reached."""
    shape = shape_of(spec)
    forward = [link for link in shape.links if not link.back]
    depth = dict.fromkeys(shape.order, 0)
    leaving: dict[int, list[Link]] = {}
    for link in forward:
        leaving.setdefault(link.source, []).append(link)
    for place in shape.order:
        for link in leaving.get(place, ()):
            depth[link.target] = max(depth[link.target], depth[place] + 1)
    rows: list[list[int]] = [[] for _ in range(max(depth.values()) + 1)]
    for place in sorted(shape.order):
        rows[depth[place]].append(place)
    ways = _ways(forward, depth, rows, len(spec.nodes))
    _untangle(rows, ways)
    return Layout(tuple(map(tuple, rows)), ways, tuple(k for k in shape.links if k.back))


def condition_of(spec: GraphSpec, link: Link) -> str:
    """When an edge is taken: its condition, `otherwise` after other alternatives, or nothing."""
    node = spec.nodes[link.source]
    when = (node.next if link.field == "next" else node.fork)[link.place].when
    otherwise = "otherwise" if link.field == "next" and link.place else ""
    return otherwise if when is None else one_line(when)


def agent_words(spec: GraphSpec, place: int) -> str:
    """A node's agent, and that it starts at the first arrival where it does."""
    node = spec.nodes[place]
    return f"{node.agent}, any" if node.join is Join.ANY else str(node.agent)


def _ways(
    links: list[Link], depth: dict[int, int], rows: list[list[int]], first: int
) -> dict[Link, tuple[int, ...]]:
    bends = sum(depth[link.target] - depth[link.source] - 1 for link in links)
    ways = {}
    for link in links:
        between = range(depth[link.source] + 1, depth[link.target]) if bends <= MOST_BENDS else ()
        passing = tuple(range(first, first + len(between)))
        for row, item in zip(between, passing, strict=True):
            rows[row].append(item)
        first += len(passing)
        ways[link] = (link.source, *passing, link.target)
    return ways


def _untangle(rows: list[list[int]], ways: dict[Link, tuple[int, ...]]) -> None:
    """Each row in the order of the middles of what its items are joined to, down and up again."""
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for upper, lower in _pairs(ways):
        above.setdefault(lower, []).append(upper)
        below.setdefault(upper, []).append(lower)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        joined = above if down else below
        where: dict[int, float] = {}
        for row in rows if down else reversed(rows):
            own = {item: place / max(len(row) - 1, 1) for place, item in enumerate(row)}
            row.sort(key=lambda item, own=own: _middle(joined.get(item, ()), where, own[item]))  # type: ignore[misc]
            where.update({item: place / max(len(row) - 1, 1) for place, item in enumerate(row)})


def _middle(items: list[int] | tuple[()], where: dict[int, float], own: float) -> float:
    known = [where[item] for item in items if item in where]
    return sum(known) / len(known) if known else own


def _pairs(ways: dict[Link, tuple[int, ...]]) -> Iterator[tuple[int, int]]:
    for way in ways.values():
        yield from pairwise(way)


def tree_of(spec: GraphSpec) -> Tree:
    """The graph for a terminal: the nodes in the order of the file, each with its agent, and
    beneath it where it leads and when."""
    shape = shape_of(spec)
    leaving: dict[int, list[Link]] = {}
    for link in shape.links:
        leaving.setdefault(link.source, []).append(link)
    tree = Tree(spec.name)
    for place in sorted(shape.order):
        name = Text.assemble((spec.nodes[place].name, "bold"), f" ({agent_words(spec, place)})")
        branch = tree.add(name)
        for link in leaving.get(place, ()):
            branch.add(Text(_led_to(spec, link)))
    return tree


def _led_to(spec: GraphSpec, link: Link) -> str:
    target = spec.nodes[link.target]
    back = f"↺ {target.name}, {target.rounds} rounds at most" if link.back else f"→ {target.name}"
    condition = condition_of(spec, link)
    when = condition if condition in ("", "otherwise") else f"if {condition}"
    return f"{back}  {when}".rstrip()


_LETTER, _SMALL_LETTER = 7.2, 6.4
"""The widths of a letter of names and of conditions, in pixels; a little more than fonts take."""

_HEIGHT, _ROW, _SVG_GAP, _MARGIN = 46.0, 120.0, 30.0, 24.0
_LABEL: Final = 34
"""As many letters of a condition stand on an edge; all of it is the edge's tooltip."""

_FILLS: Final[Mapping[TaskType, str]] = MappingProxyType(
    {
        TaskType.FETCH_TICKETS: "#e8f0fe",
        TaskType.READ_DOCUMENTS: "#e6f4ea",
        TaskType.READ_PDFS: "#e6f4ea",
        TaskType.SEARCH_WEB: "#fef7e0",
        TaskType.VALIDATE: "#fce8e6",
        TaskType.SYNTHESISE: "#f3e8fd",
    }
)
_STYLE: Final = (
    "text{font:13px ui-sans-serif,system-ui,sans-serif;fill:#202124;text-anchor:middle}"
    ".agent{font-size:11px;fill:#5f6368}.when{font-size:11px;fill:#174ea6;"
    "paint-order:stroke;stroke:#fff;stroke-width:4px}"
    "path{fill:none;stroke:#5f6368;stroke-width:1.4}.may{stroke-dasharray:5 3}"
    ".back{stroke:#b3261e}rect{stroke:#5f6368}#tip path{fill:#5f6368;stroke:none}"
)


class _Spot(NamedTuple):
    """The middle of an item, and how wide it is."""

    x: float
    y: float
    width: float


def svg_of(spec: GraphSpec) -> str:
    """The picture: nodes in layers, edges with their conditions, dashed where they have one, and
    red where they go back. It loads nothing and runs no script."""
    layout = layout_of(spec)
    arriving = Counter(way[1] for way in layout.ways.values())
    spots, across = _spots(spec, layout, arriving)
    right = across + (60.0 + 26.0 * len(layout.back) if layout.back else 0.0)
    down = _MARGIN * 2 + _ROW * (len(layout.layers) - 1) + _HEIGHT
    paths: list[str] = []
    labels: list[str] = []
    for link, way in layout.ways.items():
        paths.append(_path(spec, link, _curve([spots[item] for item in way])))
        labels += _label(spec, link, _between(spots, way, link.place % 4, arriving[way[1]]))
    for number, link in enumerate(layout.back):
        bend = across + 20.0 + 26.0 * number
        paths.append(_path(spec, link, _return(spots[link.source], spots[link.target], bend)))
        labels += _label(spec, link, (bend, (spots[link.source].y + spots[link.target].y) / 2))
    boxes = [line for item, spot in spots.items() for line in _box(spec, item, spot)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right:.0f} {down:.0f}" '
        f'width="{right:.0f}" height="{down:.0f}" role="img">'
    )
    title = f"<title>{escape(spec.name)}</title><desc>{escape(one_line(spec.description))}</desc>"
    tip = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
    )
    ground = '<rect width="100%" height="100%" fill="#fff" style="stroke:none"/>'
    style = f"<style>{_STYLE}</style>"
    return "\n".join((head, title, style, tip, ground, *paths, *boxes, *labels, "</svg>", ""))


def mermaid_of(spec: GraphSpec) -> str:
    """The graph as Mermaid text, which GitHub and many editors draw."""
    return "\n".join(("flowchart TD", *_mermaid_lines(spec), ""))


def _mermaid_lines(spec: GraphSpec) -> Iterator[str]:
    layout = layout_of(spec)
    for item in sorted(item for row in layout.layers for item in row if item < len(spec.nodes)):
        node = spec.nodes[item]
        yield f'    n{item}["{node.name}<br/>{agent_words(spec, item)}"]'
    for link in (*layout.ways, *layout.back):
        when = condition_of(spec, link)
        arrow = "-.->" if link.back or when else "-->"
        label = f'|"{_quoted(when)}"|' if when else ""
        yield f"    n{link.source} {arrow}{label} n{link.target}"


def _quoted(text: str) -> str:
    """Text as Mermaid takes it between quotation marks."""
    signs = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "`": "#96;"}
    return "".join(signs.get(sign, sign) for sign in " ".join(text.split()))


def _spots(
    spec: GraphSpec, layout: Layout, arriving: Counter[int]
) -> tuple[dict[int, _Spot], float]:
    """Where each item is, and how wide the picture is without edges that go back."""
    boxes = {item: _svg_width(spec, item) for row in layout.layers for item in row}
    rooms = dict(boxes)
    for link, way in layout.ways.items():
        item = way[1] if arriving[way[1]] == 1 else way[0]
        rooms[item] = max(rooms[item], len(_words(spec, link)) * _SMALL_LETTER)
    wide = [sum(rooms[item] for item in row) + _SVG_GAP * (len(row) - 1) for row in layout.layers]
    across = max(wide) + _MARGIN * 2
    spots = {}
    for number, row in enumerate(layout.layers):
        left = (across - wide[number]) / 2
        for item in row:
            y = _MARGIN + _HEIGHT / 2 + number * _ROW
            spots[item] = _Spot(left + rooms[item] / 2, y, boxes[item])
            left += rooms[item] + _SVG_GAP
    return spots, across


def _svg_width(spec: GraphSpec, item: int) -> float:
    if item >= len(spec.nodes):
        return 8.0
    return max(len(spec.nodes[item].name), len(agent_words(spec, item))) * _LETTER + 24.0


def _curve(way: list[_Spot]) -> str:
    """From the bottom of the first to the top of the last, through what is between."""
    half = _HEIGHT / 2
    told = f"M{way[0].x:.1f} {way[0].y + half:.1f}"
    for place, (upper, lower) in enumerate(pairwise(way)):
        start = upper.y + half
        end = lower.y - half
        bend = (end - start) / 2
        told += f"C{upper.x:.1f} {start + bend:.1f} {lower.x:.1f} {end - bend:.1f}"
        told += f" {lower.x:.1f} {end:.1f}"
        if place + 2 < len(way):
            told += f"V{lower.y + half:.1f}"
    return told


def _return(source: _Spot, target: _Spot, bend: float) -> str:
    """From the right of the source round to the right of the target."""
    low, high = source.y + 6, target.y - 6
    start, end = source.x + source.width / 2, target.x + target.width / 2
    return (
        f"M{start:.1f} {low:.1f}H{bend - 12:.1f}Q{bend:.1f} {low:.1f} {bend:.1f} {low - 12:.1f}"
        f"V{high + 12:.1f}Q{bend:.1f} {high:.1f} {bend - 12:.1f} {high:.1f}H{end:.1f}"
    )


def _path(spec: GraphSpec, link: Link, drawn: str) -> str:
    when = condition_of(spec, link)
    names = " ".join(n for n, is_so in (("may", when), ("back", link.back)) if is_so)
    kind = f' class="{names}"' if names else ""
    source, target = spec.nodes[link.source].name, spec.nodes[link.target].name
    told = escape(f"{source} to {target}{f': {when}' if when else ''}")
    return f'<path{kind} d="{drawn}" marker-end="url(#tip)"><title>{told}</title></path>'


def _between(
    spots: dict[int, _Spot], way: tuple[int, ...], place: int, arriving: int
) -> tuple[float, float]:
    """Where the condition of an edge stands: near its end, where edges that leave together are
    apart, or near its beginning where others arrive with it."""
    upper, lower = spots[way[0]], spots[way[1]]
    if arriving > 1:
        return upper.x + (lower.x - upper.x) * 0.2, upper.y + _HEIGHT / 2 + 18 + 14 * place
    return upper.x + (lower.x - upper.x) * 0.85, lower.y - _HEIGHT / 2 - 20


def _words(spec: GraphSpec, link: Link) -> str:
    """As much of an edge's condition as stands on it."""
    words = condition_of(spec, link)
    return words if len(words) <= _LABEL else f"{words[: _LABEL - 1]}…"


def _label(spec: GraphSpec, link: Link, at: tuple[float, float]) -> Iterator[str]:
    words = escape(_words(spec, link))
    if words:
        yield f'<text class="when" x="{at[0]:.1f}" y="{at[1]:.1f}">{words}</text>'


def _box(spec: GraphSpec, item: int, spot: _Spot) -> Iterator[str]:
    if item >= len(spec.nodes):
        return
    node = spec.nodes[item]
    left, top = spot.x - spot.width / 2, spot.y - _HEIGHT / 2
    fill = _FILLS.get(node.task, "#f1f3f4")
    yield (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{spot.width:.1f}" height="{_HEIGHT:.0f}" '
        f'rx="6" fill="{fill}"/>'
    )
    yield f'<text x="{spot.x:.1f}" y="{spot.y - 3:.1f}">{escape(node.name)}</text>'
    agent = escape(agent_words(spec, item))
    yield f'<text class="agent" x="{spot.x:.1f}" y="{spot.y + 13:.1f}">{agent}</text>'
