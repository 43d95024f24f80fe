"""Finds the faults of a graph before any of it runs.

A graph has exactly one end, a node without an edge onwards, and its task is to synthesise: that is
the answer, and no answer would contain the result of another end. Other nodes may synthesise on the
way, for example a draft. A node, and a condition, reads only what an earlier node writes.
"""

from collections.abc import Iterator

from desk.agents.registry import VALIDATED
from desk.analytics.names.nearest import suggestion
from desk.contracts.agents.tasks import TaskType
from desk.contracts.question.graph import GraphSpec, NodeSpec
from desk.runs.graphs.expressions import WHOLE, expression_fault, names_in
from desk.runs.graphs.fault import GraphFault
from desk.runs.graphs.loops import round_faults, structure_faults
from desk.runs.graphs.shape import Shape, shape_of
from desk.runs.graphs.state import RESERVED


def faults(spec: GraphSpec) -> tuple[GraphFault, ...]:
    """Returns all faults of a graph, in the order of the file. Without any, the graph can be run.

    Faults that depend on the order of the nodes are only looked for if names and loops are sound.
    """
    shape = shape_of(spec)
    found = [*structure_faults(spec, shape), *_expression_faults(spec)]
    sound = not found
    found += _unreachable(spec, shape)
    found += _key_faults(spec)
    for place, node in enumerate(spec.nodes):
        found += _node_faults(place, node)
    if sound:
        found += round_faults(spec, shape)
        found += _end_faults(spec, shape)
        found += _order_faults(spec, shape)
    return tuple(sorted(found, key=lambda fault: -1 if fault.place is None else fault.place))


def naming_faults(spec: GraphSpec) -> tuple[GraphFault, ...]:
    """Returns the faults that can be found in a graph of which parts could not be parsed."""
    dangling = (f for f in structure_faults(spec, shape_of(spec)) if "which is no" in f.words)
    return (*dangling, *_expression_faults(spec))


def _expression_faults(spec: GraphSpec) -> Iterator[GraphFault]:
    for place, field, when in _conditions(spec):
        wrong = expression_fault(when)
        if wrong is not None:
            yield GraphFault(spec.nodes[place].name, field, f"the condition is {wrong}", place)


def _conditions(spec: GraphSpec) -> Iterator[tuple[int, str, str]]:
    for place, node in enumerate(spec.nodes):
        for field, edges in (("next", node.next), ("fork", node.fork)):
            for number, edge in enumerate(edges):
                if edge.when is not None:
                    yield place, f"{field}.{number}.when", edge.when


def _unreachable(spec: GraphSpec, shape: Shape) -> Iterator[GraphFault]:
    start, reached = spec.nodes[0].name, set(shape.order)
    names = {spec.nodes[place].name for place in reached}
    for place, node in enumerate(spec.nodes):
        if place not in reached and node.name not in names:
            words = f"no way leads from the first node, {start}, to {node.name}"
            yield GraphFault(node.name, "name", words, place)


def _key_faults(spec: GraphSpec) -> Iterator[GraphFault]:
    writers: dict[str, list[str]] = {}
    for place, node in enumerate(spec.nodes):
        field = "name" if node.writes is None else "writes"
        first = writers.setdefault(node.key, [])
        if node.key in RESERVED:
            words = f"{node.key} is a name of the state's own, and no node may write it"
            yield GraphFault(node.name, field, words, place)
        elif first and node.key not in spec.merges and node.name not in first:
            words = f"{first[0]} and {node.name} both write {node.key}: say what becomes of it"
            rule = f"with `merge: {{{node.key}: all}}`, or first, or last"
            yield GraphFault(node.name, field, f"{words} {rule}", place)
        first.append(node.name)
    for key in spec.merges:
        count = len(writers.get(key, ()))
        if count < 2:
            problem = (
                "no node writes it" + suggestion(key, writers)
                if not count
                else "only one writes it"
            )
            yield GraphFault(None, f"merges.{key}", f"{key} has a merge rule, but {problem}")


def _node_faults(place: int, node: NodeSpec) -> Iterator[GraphFault]:
    if node.fallback is node.agent:
        words = f"{node.agent} cannot stand in for itself"
        yield GraphFault(node.name, "fallback", words, place)
    for field, edges in (("next", node.next), ("fork", node.fork)):
        seen: set[tuple[str, str | None]] = set()
        for number, edge in enumerate(edges):
            if (edge.to, edge.when) in seen:
                words = f"{node.name} leads to {edge.to} twice in `{field}`"
                yield GraphFault(node.name, f"{field}.{number}.to", words, place)
            seen.add((edge.to, edge.when))


def _end_faults(spec: GraphSpec, shape: Shape) -> Iterator[GraphFault]:
    going_on = {link.source for link in shape.links if not link.back}
    ends = [place for place in sorted(shape.order) if place not in going_on]
    answers = [place for place in ends if spec.nodes[place].task is TaskType.SYNTHESISE]
    if not answers:
        names = ", ".join(spec.nodes[place].name for place in ends[:3])
        words = f"the graph ends at {names} without an answer: lead it to a synthesis_agent"
        yield GraphFault(spec.nodes[ends[0]].name, "name", words, ends[0])
        return
    answer = spec.nodes[answers[0]].name
    for place in ends:
        node = spec.nodes[place]
        if place in answers[1:]:
            words = f"{answer} and {node.name} are both ends: an answer has one"
            yield GraphFault(node.name, "name", words, place)
        elif place not in answers:
            words = f"{node.name} leads nowhere, so what it finds is in no answer: lead it on"
            yield GraphFault(node.name, "name", f"{words} to {answer}", place)


def _order_faults(spec: GraphSpec, shape: Shape) -> Iterator[GraphFault]:
    back = {(k.source, k.field, k.place) for k in shape.links if k.back}
    every = {node.key for node in spec.nodes}
    for place in sorted(shape.order):
        node = spec.nodes[place]
        yield from _never_taken(place, node, back)
        if not (node.reads or node.task is TaskType.VALIDATE or any(e.when for e in node.edges)):
            continue
        before = _before(shape, place)
        keys = {spec.nodes[earlier].key for earlier in before}
        for number, key in enumerate(node.reads or ()):
            if key not in keys:
                words = f"{node.name} reads {key}, which {_unwritten(key, every, keys)}"
                yield GraphFault(node.name, f"reads.{number}", words, place)
        yield from _condition_faults(place, node, every, keys)
        tasks = {spec.nodes[earlier].task for earlier in before}
        if node.task is TaskType.VALIDATE and not tasks & VALIDATED:
            words = f"{node.name} validates, but no research agent comes before it"
            yield GraphFault(node.name, "agent", words, place)


def _before(shape: Shape, place: int) -> set[int]:
    """Returns the nodes whose entries a node can see."""
    found = set(shape.ancestors(place))
    for loop in shape.loops:
        if place in loop.body:
            found |= loop.body
    return found


def _condition_faults(
    place: int, node: NodeSpec, every: set[str], before: set[str]
) -> Iterator[GraphFault]:
    known = before | {node.key, WHOLE, *RESERVED}
    for field, edges in (("next", node.next), ("fork", node.fork)):
        for number, edge in enumerate(edges):
            for name in sorted(names_in(edge.when)) if edge.when else ():
                if name not in known:
                    words = f"the condition looks at {name}, which {_unwritten(name, every, known)}"
                    yield GraphFault(node.name, f"{field}.{number}.when", words, place)


def _unwritten(key: str, every: set[str], before: set[str]) -> str:
    if key in every:
        return "no node before it writes"
    return "no node writes" + suggestion(key, before)


def _never_taken(
    place: int, node: NodeSpec, back: set[tuple[int, str, int]]
) -> Iterator[GraphFault]:
    """Yields alternatives after one that is always taken. A back edge is not always taken, because
    rounds run out."""
    certain = None
    for number, edge in enumerate(node.next):
        if certain is not None:
            words = f"{edge.to} is never chosen: {certain} stands before it without a condition"
            yield GraphFault(node.name, f"next.{number}.to", words, place)
        elif edge.when is None and (place, "next", number) not in back:
            certain = edge.to
