"""Checks the form that a graph must have to be run at all.

A loop is entered only at its head, and one node of it, its latch, decides with `next` whether to
repeat or to leave the loop. Within a loop every node waits for all that lead to it, so that no node
of a round still runs when the next round begins.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from desk.analytics.names.nearest import suggestion
from desk.contracts.agents.tasks import TaskType
from desk.contracts.question.graph import MOST_OUTCOMES, GraphSpec, Join
from desk.runs.graphs.fault import MOST_HINTS, GraphFault
from desk.runs.graphs.shape import Link, Loop, Shape

"""As many outcomes of nodes as the record of a run holds."""


def structure_faults(spec: GraphSpec, shape: Shape) -> tuple[GraphFault, ...]:
    """Returns the faults that keep a graph from being run: of names, edges and loops."""
    named = (*_twice(spec), *_dangling(spec))
    return (*named, *_loop_faults(spec, shape))


def round_faults(spec: GraphSpec, shape: Shape) -> Iterator[GraphFault]:
    """Yields loops that never repeat or never end, and `rounds` without effect."""
    heads = {loop.head: loop for loop in shape.loops}
    for loop in shape.loops:
        yield from _exit_faults(spec, shape, loop)
    for place in sorted(shape.order):
        node = spec.nodes[place]
        if place in heads and node.rounds == 1:
            latch = spec.nodes[heads[place].latch].name
            yield GraphFault(
                node.name,
                "rounds",
                f"{latch} goes back to {node.name}, which may run only once: give it `rounds`",
                place,
            )
        elif place not in heads and node.rounds > 1:
            words = f"no node goes back to {node.name}: `rounds` stands where a loop begins"
            yield GraphFault(node.name, "rounds", words, place)
    yield from _too_many_outcomes(spec, shape)


def _twice(spec: GraphSpec) -> Iterator[GraphFault]:
    seen: set[str] = set()
    for place, node in enumerate(spec.nodes):
        if node.name in seen:
            words = f"two nodes are called {node.name}"
            yield GraphFault(node.name, "name", words, place)
        seen.add(node.name)


def _dangling(spec: GraphSpec) -> Iterator[GraphFault]:
    names = {node.name: None for node in spec.nodes}
    found = 0
    for place, node in enumerate(spec.nodes):
        for field, edges in (("next", node.next), ("fork", node.fork)):
            for number, edge in enumerate(edges):
                if edge.to not in names:
                    found += 1
                    near = suggestion(edge.to, names) if found <= MOST_HINTS else ""
                    words = f"{node.name} leads to {edge.to}, which is no node{near}"
                    yield GraphFault(node.name, f"{field}.{number}.to", words, place)


def _loop_faults(spec: GraphSpec, shape: Shape) -> Iterator[GraphFault]:
    latches: dict[int, int] = {}
    for loop in shape.loops:
        head, latch = spec.nodes[loop.head].name, spec.nodes[loop.latch].name
        first = latches.setdefault(loop.head, loop.latch)
        if first != loop.latch:
            words = f"{spec.nodes[first].name} and {latch} both go back to {head}"
            yield _at(spec, shape, loop, f"{words}: let one node decide")
        elif loop.head != 0 and 0 in loop.body:
            words = f"{latch} goes back to {head}, but can be reached without it"
            rule = "a loop is entered only at the node that it goes back to"
            yield _at(spec, shape, loop, f"{words}: {rule}")
        else:
            yield from _body_faults(spec, shape, loop)


def _body_faults(spec: GraphSpec, shape: Shape, loop: Loop) -> Iterator[GraphFault]:
    head, latch = spec.nodes[loop.head].name, spec.nodes[loop.latch].name
    inside = loop.body - {loop.latch}
    for link in shape.links:
        if link.source == loop.latch and link.field == "fork":
            words = f"{latch} goes back to {head}, so its edges must be of `next`: a fork has no"
            yield _of(spec, link, f"{words} alternatives")
        elif link.source in inside and link.target not in loop.body:
            words = f"{spec.nodes[link.source].name} leaves the loop from {head} to {latch}"
            yield _of(spec, link, f"{words}: only {latch} may lead out of it")
    incoming = Counter(link.target for link in shape.links if not link.back)
    for place in sorted(loop.body - {loop.head}):
        node = spec.nodes[place]
        if node.join is Join.ANY and incoming[place] > 1:
            words = f"{node.name} is in the loop from {head} to {latch}, where a node waits for all"
            yield GraphFault(node.name, "join", f"{words}: leave `join: any` out", place)


def _exit_faults(spec: GraphSpec, shape: Shape, loop: Loop) -> Iterator[GraphFault]:
    leaving = [link for link in shape.links if link.source == loop.latch]
    answers = spec.nodes[loop.latch].task is TaskType.SYNTHESISE
    if any(not link.back for link in leaving) or answers:
        return
    words = f"the loop from {spec.nodes[loop.head].name} to {spec.nodes[loop.latch].name} has no"
    yield _at(spec, shape, loop, f"{words} exit: give `next` another node to go on to")


def _too_many_outcomes(spec: GraphSpec, shape: Shape) -> Iterator[GraphFault]:
    times = dict.fromkeys(shape.order, 1)
    for loop in shape.loops:
        for place in loop.body:
            times[place] *= spec.nodes[loop.head].rounds
    most = sum(times.values())
    if most > MOST_OUTCOMES:
        head = shape.loops[0].head
        words = f"with all rounds the nodes could run {most} times in all; allowed: {MOST_OUTCOMES}"
        yield GraphFault(spec.nodes[head].name, "rounds", words, head)


def _at(spec: GraphSpec, shape: Shape, loop: Loop, words: str) -> GraphFault:
    """Returns a fault of the back edge."""
    backs: Iterable[Link] = (link for link in shape.links if link.back)
    return _of(spec, next(k for k in backs if (k.target, k.source) == loop[:2]), words)


def _of(spec: GraphSpec, link: Link, words: str) -> GraphFault:
    node = spec.nodes[link.source]
    return GraphFault(node.name, f"{link.field}.{link.place}.to", words, link.source)
