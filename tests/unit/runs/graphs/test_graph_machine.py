"""The run of a graph, step by step, without a server."""

from collections.abc import Callable, Iterable
from random import Random

import pytest

from desk.contracts.agents.tasks import Query, TaskType
from desk.contracts.names import AgentId
from desk.contracts.question.graph import Edge, GraphSpec, Join, Merge, NodeSpec, NodeState
from desk.contracts.question.knowledge import Ticket, TicketsFound
from desk.contracts.runs.turns import StateEntry
from desk.runs.graphs.checks import faults
from desk.runs.graphs.machine import GraphMachine, NodeStart
from desk.runs.graphs.state import view

QUERY = Query(question="What is open?", parameters={"ticket": "DESK-101"})


def node(name: str, *following: str | Edge, fork: Iterable[str | Edge] = (), **fields: object):  # type: ignore[no-untyped-def]
    values = {
        "agent": AgentId.JIRA_AGENT,
        "task": TaskType.FETCH_TICKETS,
        "next": tuple(edge(one) for one in following),
        "fork": tuple(edge(one) for one in fork),
    }
    return NodeSpec.model_validate({"name": name, **values, **fields})


def edge(written: str | Edge) -> Edge:
    return written if isinstance(written, Edge) else Edge(to=written)


def graph(*nodes: NodeSpec, **fields: object) -> GraphSpec:
    return GraphSpec.model_validate({"name": "test", "nodes": nodes, **fields})


def entry(step: NodeStart, status: str = "Open", error: str | None = None) -> StateEntry:
    name = step.node.name
    ticket = Ticket(id=f"{name}-{step.round}", status=status, summary="A ticket")
    found = TicketsFound(task_id=name, agent=AgentId.JIRA_AGENT, tickets=(ticket,))
    result = None if error else found
    return StateEntry(key=step.node.key, node=name, round=step.round, result=result, error=error)


Ending = Callable[[NodeStart], StateEntry]


def run(
    spec: GraphSpec, ending: Ending = entry, pick: Callable[[list[NodeStart]], int] = lambda _: 0
) -> tuple[GraphMachine, list[str]]:
    """A machine at its end, and the order in which its nodes were started."""
    machine = GraphMachine(spec, QUERY)
    running = list(machine.begin())
    started = [step.node.name for step in running]
    while running:
        step = running.pop(pick(running))
        following = machine.finish(ending(step))
        started += [one.node.name for one in following]
        running += following
    assert machine.done
    return machine, started


def by_name(seed: int) -> Ending:
    """Endings that depend on the node and its round alone."""

    def ending(step: NodeStart) -> StateEntry:
        chance = Random(f"{seed} {step.node.name} {step.round}")
        error = "down" if chance.random() < 0.2 else None
        return entry(step, chance.choice(["Open", "Closed"]), error)

    return ending


def at_random(seed: int) -> Callable[[list[NodeStart]], int]:
    chance = Random(seed)
    return lambda running: chance.randrange(len(running))


def test_nodes_in_a_row_run_one_after_the_other() -> None:
    machine, started = run(graph(node("a", "b"), node("b", "c"), node("c")))
    assert started == ["a", "b", "c"]
    assert [one.node for one in machine.entries] == ["a", "b", "c"]


def test_the_nodes_of_a_fork_start_together_and_a_join_waits_for_all() -> None:
    machine = GraphMachine(
        graph(node("a", fork=["b", "c"]), node("b", "d"), node("c", "d"), node("d")), QUERY
    )
    (first,) = machine.begin()
    b, c = machine.finish(entry(first))
    assert (b.node.name, c.node.name) == ("b", "c")
    assert machine.finish(entry(c)) == ()
    assert machine.state_of("d") is NodeState.WAITING
    (d,) = machine.finish(entry(b))
    assert d.node.name == "d"
    assert not machine.done
    assert machine.finish(entry(d)) == ()
    assert machine.done


def test_the_first_alternative_that_holds_is_taken_and_the_others_are_skipped() -> None:
    closed = Edge(to="shut", when="a.tickets[0].status == 'Closed'")
    opened = Edge(to="open", when="a.tickets[0].status == 'Open'")
    spec = graph(
        node("a", closed, opened, "else"),
        node("shut", "end"),
        node("open", "end"),
        node("else", "end"),
        node("end"),
    )
    machine, started = run(spec)
    assert started == ["a", "open", "end"]
    assert machine.skipped == ("shut", "else")


def test_a_node_may_go_on_by_next_and_by_fork_at_once() -> None:
    spec = graph(node("a", "b", fork=["c"]), node("b", "d"), node("c", "d"), node("d"))
    assert run(spec)[1] == ["a", "b", "c", "d"]


def test_where_no_condition_holds_all_that_follows_is_skipped() -> None:
    never = Edge(to="b", when="errors.a")
    machine, started = run(graph(node("a", never), node("b", "c"), node("c")))
    assert started == ["a"]
    assert machine.skipped == ("b", "c")


def test_a_failed_node_leads_on_and_its_key_stands_in_the_errors() -> None:
    spec = graph(
        node("a", Edge(to="b", when="errors.a"), "c"), node("b", "c"), node("c"), name="failing"
    )
    machine, started = run(
        spec, lambda step: entry(step, error="no server" if step.node.name == "a" else None)
    )
    assert started == ["a", "b", "c"]
    assert machine.state_of("a") is NodeState.FAILED
    assert view(spec, QUERY, machine.entries)["errors"] == {"a": "no server"}


def test_a_join_of_any_starts_at_the_first_arrival_and_only_once() -> None:
    spec = graph(
        node("a", fork=["b", "c"]), node("b", "d"), node("c", "d"), node("d", join=Join.ANY)
    )
    machine = GraphMachine(spec, QUERY)
    b, c = machine.finish(entry(machine.begin()[0]))
    (d,) = machine.finish(entry(c))
    assert [one.node for one in machine.visible_to(d.node)] == ["a", "c"]
    following = [(machine.finish(entry(step)), machine.done) for step in (d, b)]
    assert following == [((), False), ((), True)]
    assert machine.rounds_of("d") == 1


def loop(rounds: int = 3, when: str | None = None) -> GraphSpec:
    return graph(
        node("start", "head"),
        node("head", fork=["left", "right"], rounds=rounds),
        node("left", "check"),
        node("right", "check"),
        node("check", Edge(to="head", when=when), "end"),
        node("end"),
    )


def test_a_loop_goes_round_as_often_as_its_head_may_run() -> None:
    machine, started = run(loop(rounds=3))
    assert started == ["start", *["head", "left", "right", "check"] * 3, "end"]
    names = [
        "start",
        *(name for name in ("head", "left", "right", "check") for _ in range(3)),
        "end",
    ]
    assert [e.node for e in machine.entries] == names
    assert [e.round for e in machine.entries if e.node == "left"] == [1, 2, 3]
    held = view(loop(), QUERY, machine.entries)["left"]
    assert held == view(loop(), QUERY, reversed(machine.entries))["left"]
    assert held["tickets"][0]["id"] == "left-3"  # type: ignore[call-overload, index]


def test_a_loop_is_left_when_its_condition_no_longer_holds() -> None:
    machine, _ = run(loop(when="check.tickets[0].id != 'check-2'"))
    assert machine.rounds_of("head") == 2
    assert machine.rounds_of("end") == 1


def test_a_round_sees_what_the_one_before_has_left_and_nothing_of_what_runs_beside_it() -> None:
    spec = loop(rounds=2)
    machine = GraphMachine(spec, QUERY)
    (start,) = machine.begin()
    (head,) = machine.finish(entry(start))
    for step in machine.finish(entry(head)):
        following = machine.finish(entry(step))
    (again,) = machine.finish(entry(following[0]))
    left, right = machine.finish(entry(again))
    machine.finish(entry(left))
    seen = [(one.node, one.round) for one in machine.visible_to(right.node)]
    assert seen == [("start", 1), ("head", 2), ("left", 1), ("right", 1), ("check", 1)]


def test_a_loop_within_a_loop_counts_its_rounds_anew_each_time_it_is_entered() -> None:
    spec = graph(
        node("outer", "inner", rounds=2),
        node("inner", "decide", rounds=3),
        node("decide", "inner", "close"),
        node("close", "outer", "end"),
        node("end"),
    )
    assert faults(spec)[0].words.startswith("the graph ends at end without an answer")
    machine, _ = run(spec)
    assert machine.rounds_of("inner") == 6
    assert machine.rounds_of("close") == 2


def test_a_node_that_goes_back_to_itself_is_a_loop() -> None:
    machine, _ = run(graph(node("a", Edge(to="a", when="errors.a"), "b", rounds=4), node("b")))
    assert machine.rounds_of("a") == 1
    retried, _ = run(
        graph(node("a", Edge(to="a", when="errors.a"), "b", rounds=4), node("b")),
        lambda step: entry(step, error="down" if step.round < 3 else None),
    )
    assert retried.rounds_of("a") == 3


def test_a_node_is_shown_only_what_it_reads_of_what_is_before_it() -> None:
    spec = graph(
        node("a", fork=["b", "c"]), node("b", "d"), node("c", "d"), node("d", reads=("c", "a"))
    )
    machine, _ = run(spec)
    assert [e.node for e in machine.visible_to(spec.node("d"))] == ["a", "c"]
    assert [e.node for e in machine.visible_to(spec.node("b"))] == ["a"]


@pytest.mark.parametrize(
    ("merge", "held"),
    [(Merge.FIRST, "b-1"), (Merge.LAST, "c-1"), (Merge.ALL, ["b-1", "c-1"])],
)
def test_what_several_nodes_write_is_merged_in_the_order_of_the_file(
    merge: Merge, held: str | list[str]
) -> None:
    spec = graph(
        node("a", fork=["b", "c"]),
        node("b", "d", writes="found"),
        node("c", "d", writes="found"),
        node("d"),
        merges={"found": merge},
    )
    for seed in range(4):
        machine, _ = run(spec, pick=at_random(seed))
        found = view(spec, QUERY, reversed(machine.entries))["found"]
        many = found if isinstance(found, list) else [found]
        ids = [one["tickets"][0]["id"] for one in many]  # type: ignore[index, call-overload]
        assert ids == (held if isinstance(held, list) else [held])


def test_what_is_not_running_cannot_end() -> None:
    machine = GraphMachine(graph(node("a", "b"), node("b")), QUERY)
    (a,) = machine.begin()
    with pytest.raises(ValueError, match="b is not running"):
        machine.finish(StateEntry(key="b", node="b"))
    with pytest.raises(ValueError, match="a runs in round 1"):
        machine.finish(entry(a._replace(round=2)))
    machine.finish(entry(a))
    with pytest.raises(ValueError, match="a is not running"):
        machine.finish(entry(a))


def test_a_graph_that_leads_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match="a leads to x, which is no node"):
        GraphMachine(graph(node("a", "x")), QUERY)


def test_a_condition_may_look_at_the_whole_state() -> None:
    spec = graph(node("a", "b"), node("b", Edge(to="c", when="length(keys(@)) == `5`")), node("c"))
    assert run(spec)[1] == ["a", "b", "c"]
