"""Graphs of a thousand nodes, and graphs made at random, in any order of arrival."""

from collections.abc import Callable
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.question.graph import Edge, GraphSpec, Join, NodeSpec, NodeState
from desk.runs.graphs.checks import faults
from desk.runs.graphs.machine import GraphMachine
from tests.unit.runs.graphs.test_graph_machine import QUERY, at_random, by_name, graph, node, run


def chain(count: int) -> GraphSpec:
    following = [(f"n{place + 1}",) for place in range(count - 1)]
    return graph(*(node(f"n{place}", *to) for place, to in enumerate([*following, ()])))


def fan(count: int) -> GraphSpec:
    names = [f"n{place}" for place in range(count - 2)]
    return graph(node("a", fork=names), *(node(name, "z") for name in names), node("z"))


def ladder(count: int) -> GraphSpec:
    rungs = count // 2
    when = "a0.tickets[0].status == 'Open'"
    nodes = []
    for rung in range(rungs - 1):
        below = [Edge(to=f"a{rung + 1}", when=when), Edge(to=f"b{rung + 1}", when=when)]
        nodes += [node(f"a{rung}", fork=[f"b{rung}", below[0]]), node(f"b{rung}", below[1])]
    return graph(*nodes, node(f"a{rungs - 1}", f"b{rungs - 1}"), node(f"b{rungs - 1}"))


@pytest.mark.parametrize("shape", [chain, fan, ladder])
def test_a_graph_of_a_thousand_nodes_takes_well_under_two_seconds(
    shape: Callable[[int], GraphSpec],
) -> None:
    spec = shape(1_000)
    begun = process_time()
    machine, started = run(spec)
    assert process_time() - begun < 2.0
    assert sorted(started) == sorted(one.name for one in spec.nodes)
    assert len(machine.entries) == 1_000


CONDITIONS = (None, "errors.{}", "{}.tickets[0].status == 'Open'", "length(question) > `99`")


@st.composite
def acyclic(draw: st.DrawFn, joins: tuple[Join, ...] = (Join.ALL,)) -> GraphSpec:
    count = draw(st.integers(1, 12))
    nodes = []
    for place in range(count):
        later = st.lists(st.integers(place + 1, count - 1), max_size=3, unique=True)
        edges: dict[str, list[Edge]] = {}
        for field in ("next", "fork"):
            chosen = draw(later) if place + 1 < count else []
            edges[field] = [_edge(draw, f"n{place}", to) for to in chosen]
        join = draw(st.sampled_from(joins))
        nodes.append(node(f"n{place}", *edges["next"], fork=edges["fork"], join=join))
    return graph(*nodes)


def _edge(draw: st.DrawFn, source: str, to: int) -> Edge:
    when = draw(st.sampled_from(CONDITIONS))
    return Edge(to=f"n{to}", when=when and when.format(source))


@given(acyclic(joins=(Join.ALL, Join.ANY)), st.integers(0, 9), st.integers(0, 99))
def test_every_node_ends_and_none_starts_before_those_it_waits_for(
    spec: GraphSpec, seed: int, order: int
) -> None:
    machine = GraphMachine(spec, QUERY)
    ending, pick = by_name(seed), at_random(order)
    running = list(machine.begin())
    ended: set[str] = set()
    while running:
        for step in running:
            before = {one.name for one in spec.nodes if step.node.name in {e.to for e in one.edges}}
            reached = {one for one in before if machine.state_of(one) is not NodeState.SKIPPED}
            if step.node.join is Join.ALL:
                assert reached <= ended
            elif before:
                assert before & ended
        step = running.pop(pick(running))
        ended.add(step.node.name)
        running += machine.finish(ending(step))
    final = {NodeState.DONE, NodeState.FAILED, NodeState.SKIPPED}
    assert machine.done
    assert {machine.state_of(one.name) for one in spec.nodes} <= final
    assert len(machine.entries) + len(machine.skipped) == len(spec.nodes)


@given(acyclic(), st.integers(0, 9), st.integers(0, 99))
def test_the_order_of_arrival_changes_nothing(spec: GraphSpec, seed: int, order: int) -> None:
    one, _ = run(spec, by_name(seed))
    other, _ = run(spec, by_name(seed), at_random(order))
    assert one.entries == other.entries
    assert one.skipped == other.skipped
    for each in spec.nodes:
        assert one.visible_to(each) == other.visible_to(each)


@st.composite
def looping(draw: st.DrawFn) -> GraphSpec:
    """Rows of a step, a diamond or a loop around more of the same."""
    names = (f"n{number}" for number in range(10_000))
    nodes: list[NodeSpec] = []

    def row(depth: int, last: str) -> str:
        """Nodes that lead to `last`; the name of the first."""
        for _ in range(draw(st.integers(1, 3))):
            kind = draw(st.sampled_from(["step", "diamond", *["loop"] * (depth < 2)]))
            name = next(names)
            if kind == "step":
                nodes.append(node(name, last))
            elif kind == "diamond":
                left, right = next(names), next(names)
                nodes.append(node(name, fork=[left, right]))
                nodes.extend((node(left, last), node(right, last)))
            else:
                back = draw(st.sampled_from(CONDITIONS))
                latch = Edge(to=name, when=back and back.format(f"{name}x"))
                nodes.append(node(f"{name}x", latch, last))
                inside = row(depth + 1, f"{name}x")
                nodes.append(node(name, inside, rounds=draw(st.integers(2, 3))))
            last = name
        return last

    first = row(0, "end")
    start = [one for one in nodes if one.name == first]
    return graph(*start, *(one for one in nodes if one.name != first), node("end"))


@given(looping(), st.integers(0, 9), st.integers(0, 99))
def test_with_loops_it_ends_within_the_bound_and_alike(
    spec: GraphSpec, seed: int, order: int
) -> None:
    assert [one.words for one in faults(spec) if "without an answer" not in one.words] == []
    one, started = run(spec, by_name(seed))
    other, _ = run(spec, by_name(seed), at_random(order))
    assert len(started) <= 2_000
    assert one.state_of("end") is not NodeState.WAITING
    assert one.entries == other.entries
    for each in spec.nodes:
        assert one.visible_to(each) == other.visible_to(each)
