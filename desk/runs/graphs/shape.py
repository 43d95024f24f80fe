"""The shape of a graph: which node comes before which, and its loops.

An edge that leads back to a node on the path from the start, itself included, is a back edge. A
back edge makes a loop: its head is the node that it leads to, its latch the one that it leaves, and
its body all nodes on a path from the head to the latch, both included. Without back edges a graph
is acyclic, and that is the order in which nodes wait for each other.

Nodes are identified by their place in the file. Edges to unknown names, and nodes that cannot be
reached from the start, are not part of the shape. Everything here is linear in nodes and edges for
one loop, and nothing is recursive, so that a graph may be as long as the contract allows.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from desk.contracts.question.graph import GraphSpec


class Loop(NamedTuple):
    """A loop: the node where it is entered, the node that decides to repeat it, and all of its
    nodes."""

    head: int
    latch: int
    body: frozenset[int]


class Link(NamedTuple):
    """An edge with the places of its ends; `field` and `place` give its position in its node."""

    source: int
    target: int
    field: str
    place: int
    back: bool


@dataclass(frozen=True)
class Shape:
    """The form of a graph.

    `order` has the nodes that can be reached, each after all that lead to it by forward edges.
    `links` are the edges between them, in the order of the file. `earlier` has, for each node, the
    set of nodes before it, as bits of a number. `loops` are outermost first; two back edges make
    two loops, also if they share a head.
    """

    order: tuple[int, ...]
    links: tuple[Link, ...]
    earlier: dict[int, int]
    loops: tuple[Loop, ...]

    def comes_before(self, first: int, second: int) -> bool:
        """Returns whether a path of forward edges leads from the first node to the second."""
        return bool(self.earlier[second] >> first & 1)

    def ancestors(self, node: int) -> Iterator[int]:
        """Returns the nodes before a node, in the order of the file."""
        bits = self.earlier[node]
        return (place for place in range(bits.bit_length()) if bits >> place & 1)


def shape_of(spec: GraphSpec) -> Shape:
    """Returns the shape of a graph, from the edges that name existing nodes."""
    places: dict[str, int] = {}
    for place, node in enumerate(spec.nodes):
        places.setdefault(node.name, place)
    outgoing = [_links(spec, places, place) for place in range(len(spec.nodes))]
    order, back = _walk(outgoing)
    links = tuple(
        link._replace(back=(link.source, link.target) in back)
        for place in sorted(order)
        for link in outgoing[place]
    )
    return Shape(order, links, _earlier(order, links), _loops(links))


def _links(spec: GraphSpec, places: dict[str, int], place: int) -> tuple[Link, ...]:
    node = spec.nodes[place]
    return tuple(
        Link(place, places[edge.to], field, number, False)
        for field, edges in (("next", node.next), ("fork", node.fork))
        for number, edge in enumerate(edges)
        if edge.to in places
    )


def _walk(outgoing: list[tuple[Link, ...]]) -> tuple[tuple[int, ...], set[tuple[int, int]]]:
    """Walks the graph depth-first. Returns the nodes in topological order by forward edges, and the
    back edges."""
    done: list[int] = []
    back: set[tuple[int, int]] = set()
    seen, on_the_way = {0}, {0}
    stack = [(0, iter(outgoing[0]))]
    while stack:
        place, rest = stack[-1]
        link = next(rest, None)
        if link is None:
            stack.pop()
            on_the_way.discard(place)
            done.append(place)
        elif link.target in on_the_way:
            back.add((place, link.target))
        elif link.target not in seen:
            seen.add(link.target)
            on_the_way.add(link.target)
            stack.append((link.target, iter(outgoing[link.target])))
    return tuple(reversed(done)), back


def _earlier(order: tuple[int, ...], links: Iterable[Link]) -> dict[int, int]:
    incoming: dict[int, list[int]] = {place: [] for place in order}
    for link in links:
        if not link.back:
            incoming[link.target].append(link.source)
    earlier: dict[int, int] = {}
    for place in order:
        bits = 0
        for source in incoming[place]:
            bits |= earlier[source] | 1 << source
        earlier[place] = bits
    return earlier


def _loops(links: tuple[Link, ...]) -> tuple[Loop, ...]:
    incoming: dict[int, list[int]] = {}
    for link in links:
        if not link.back:
            incoming.setdefault(link.target, []).append(link.source)
    backs = dict.fromkeys((link.target, link.source) for link in links if link.back)
    loops = [Loop(head, latch, _body(head, latch, incoming)) for head, latch in backs]
    return tuple(sorted(loops, key=lambda loop: -len(loop.body)))


def _body(head: int, latch: int, incoming: dict[int, list[int]]) -> frozenset[int]:
    body, stack = {head}, [latch]
    while stack:
        place = stack.pop()
        if place not in body:
            body.add(place)
            stack += incoming.get(place, ())
    return frozenset(body)
