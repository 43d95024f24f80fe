"""Where the nodes of a graph stand in a picture of it: in layers, with few crossings."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

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
