"""What is wrong with a graph is found before it runs, and said where it stands."""

from time import process_time

import pytest

from desk.agents.registry import TASK_IN_GRAPHS
from desk.contracts.agents.tasks import Query
from desk.contracts.names import AgentId
from desk.contracts.question.graph import Edge, GraphSpec, Join, Merge, NodeSpec
from desk.runs.graphs.checks import faults
from desk.runs.graphs.fault import GraphFault
from desk.runs.graphs.machine import GraphMachine
from desk.runs.graphs.state import holds

QUERY = Query(question="What is open?")


def node(name: str, *following: str | Edge, agent: str = "doc_agent", **fields: object) -> NodeSpec:
    values = {"name": name, "agent": agent, "task": TASK_IN_GRAPHS[AgentId(agent)]}
    edges = [one if isinstance(one, Edge) else Edge(to=one) for one in following]
    if "fork" in fields:
        fields["fork"] = [{"to": one} for one in str(fields["fork"]).split()]
    return NodeSpec.model_validate({**values, "next": edges, **fields})


END = node("end", agent="synthesis_agent")


def graph(*nodes: NodeSpec, merges: dict[str, Merge] | None = None) -> GraphSpec:
    return GraphSpec(name="test", nodes=nodes, merges=merges or {})


def only(spec: GraphSpec) -> GraphFault:
    (fault,) = faults(spec)
    return fault


def maybe(to: str, when: str = "errors") -> Edge:
    return Edge(to=to, when=when)


def test_a_sound_graph_has_no_fault() -> None:
    spec = graph(
        node("a", fork="b c"),
        node("b", "d", writes="found"),
        node("c", "d", writes="found"),
        node("d", maybe("b2", "length(found) > `1`"), "end", reads=("found",)),
        node("b2", maybe("b2", "errors.b2"), "end", rounds=3),
        END,
        merges={"found": Merge.ALL},
    )
    assert faults(spec) == ()


@pytest.mark.parametrize(
    ("spec", "where", "words"),
    [
        (graph(node("a", "ende"), END), ("a", "next.0.to"), "is no node; did you mean end?"),
        (graph(node("a", "end"), END, END), ("end", "name"), "two nodes are called end"),
        (graph(node("a", "end"), node("b", "end"), END), ("b", "name"), "no way leads from"),
        (graph(node("a", "b"), node("b"), END), ("end", "name"), "no way leads from"),
        (
            graph(node("a", fork="b end"), node("b"), END),
            ("b", "name"),
            "b leads nowhere, so what it finds is in no answer: lead it on to end",
        ),
        (
            graph(node("a", fork="b end"), node("b", agent="synthesis_agent"), END),
            ("end", "name"),
            "b and end are both ends",
        ),
        (graph(node("a", "b"), node("b")), ("b", "name"), "without an answer"),
        (graph(node("a", "end", rounds=2), END), ("a", "rounds"), "no node goes back to a"),
        (
            graph(node("a", "b"), node("b", maybe("a"), "end"), END),
            ("a", "rounds"),
            "b goes back to a, which may run only once",
        ),
        (
            graph(node("a", "b", "end", rounds=2), node("b", maybe("a")), END),
            ("a", "next.1.to"),
            "a leaves the loop from a to b: only b may lead out of it",
        ),
        (
            graph(node("a", "b", rounds=2), node("b", fork="a end"), END),
            ("b", "fork.0.to"),
            "a fork has no alternatives",
        ),
        (
            graph(
                node("a", fork="b c"),
                node("b", "c"),
                node("c", maybe("b"), "end", rounds=2),
                END,
            ),
            ("c", "next.0.to"),
            "c goes back to b, but can be reached without it",
        ),
        (
            graph(
                node("a", fork="b c", rounds=2),
                node("b", "d"),
                node("c", "d"),
                node("d", maybe("a"), "end", join=Join.ANY),
                END,
            ),
            ("d", "join"),
            "leave `join: any` out",
        ),
        (
            graph(node("a", "b", rounds=2), node("b", maybe("a"), "c"), node("c", "a", "end"), END),
            None,
            "both go back to a: let one node decide",
        ),
        (
            graph(
                node("a", fork="b c"),
                node("b", "end", writes="x"),
                node("c", "end", writes="x"),
                END,
            ),
            ("c", "writes"),
            "b and c both write x: say what becomes of it with `merge: {x: all}`",
        ),
        (graph(node("errors", "end"), END), ("errors", "name"), "a name of the state's own"),
        (
            graph(node("a", "end"), END, merges={"b": Merge.ALL}),
            (None, "merges.b"),
            "no node writes it",
        ),
        (
            graph(node("a", "end"), END, merges={"a": Merge.ALL}),
            (None, "merges.a"),
            "only one writes it",
        ),
        (
            graph(node("alpha", "b"), node("b", "end", reads=("alpa",)), END),
            ("b", "reads.0"),
            "b reads alpa, which no node writes; did you mean alpha?",
        ),
        (
            graph(node("a", "b", reads=("end",)), node("b", "end"), END),
            ("a", "reads.0"),
            "which no node before it writes",
        ),
        (
            graph(node("a", maybe("end", "length(a")), END),
            ("a", "next.0.when"),
            "no JMESPath, at column 9: the expression is not complete",
        ),
        (
            graph(node("a", maybe("end", "a == 'x")), END),
            ("a", "next.0.when"),
            "at column 6: the ' is not closed",
        ),
        (
            graph(node("a", maybe("end", "a $ b")), END),
            ("a", "next.0.when"),
            "at column 3: '$' is not expected here",
        ),
        (
            graph(node("a", maybe("end", "lenght(a) > `1`")), END),
            ("a", "next.0.when"),
            "lenght() is no function of JMESPath; did you mean length?",
        ),
        (
            graph(node("a", maybe("end", "length(a, a)")), END),
            ("a", "next.0.when"),
            "length() takes 1 arguments, and 2 are given",
        ),
        (
            graph(node("a", maybe("end", "(" * 400 + "a")), END),
            ("a", "next.0.when"),
            "",
        ),
        (
            graph(node("alpha", maybe("end", "alpa.documents")), END),
            ("alpha", "next.0.when"),
            "looks at alpa, which no node writes; did you mean alpha?",
        ),
        (
            graph(node("a", "end", fallback="doc_agent"), END),
            ("a", "fallback"),
            "doc_agent cannot stand in for itself",
        ),
        (
            graph(node("a", "b"), node("b", "end", agent="validator_agent"), END),
            ("b", "agent"),
            "no research agent comes before it",
        ),
        (
            graph(node("a", "b", maybe("end")), node("b", "end"), END),
            ("a", "next.1.to"),
            "end is never chosen: b stands before it without a condition",
        ),
        (
            graph(node("a", maybe("end"), maybe("end")), END),
            ("a", "next.1.to"),
            "leads to end twice in `next`",
        ),
    ],
)  # fmt: skip
def test_each_fault_is_told_with_its_place(
    spec: GraphSpec, where: tuple[str | None, str] | None, words: str
) -> None:
    found = faults(spec)
    told = [one for one in found if words in one.words]
    assert told, found
    assert where is None or (told[0].node, told[0].field) == where


def test_a_loop_needs_an_exit() -> None:
    spec = graph(
        node("a", fork="b end"),
        node("b", maybe("b", "errors.b"), rounds=3),
        END,
    )
    assert "the loop from b to b has no exit" in faults(spec)[0].words


def test_a_synthesis_may_be_written_again_until_it_answers() -> None:
    again = node("end", maybe("end", "!end.answered"), agent="synthesis_agent", rounds=3)
    assert faults(graph(node("a", "end"), again)) == ()


def test_more_rounds_than_a_record_holds_are_a_fault() -> None:
    names = [f"n{number}" for number in range(300)]
    inside = [node(name, to) for name, to in zip(names, [*names[1:], "last"], strict=True)]
    spec = graph(node("a", "n0", rounds=20), *inside, node("last", maybe("a"), "end"), END)
    assert "could run 6041 times" in only(spec).words


def test_a_thousand_nodes_with_faults_are_checked_in_a_second() -> None:
    nodes = [node(f"n{number}", f"m{number}", f"n{number + 1}") for number in range(999)]
    begun = process_time()
    assert len(faults(graph(*nodes, node("n999", "end")))) >= 1_000
    assert process_time() - begun < 1.0


def test_what_has_faults_of_form_is_not_run() -> None:
    spec = graph(node("a", "b", "end", rounds=2), node("b", maybe("a")), END)
    with pytest.raises(ValueError, match="only b may lead out of it"):
        GraphMachine(spec, QUERY)


@pytest.mark.parametrize(
    ("expression", "held"),
    [
        ("number", True),
        ("none", False),
        ("missing", False),
        ("empty", False),
        ("text", True),
        ("false", False),
        ("things[?kind == 'x']", True),
        ("things[?kind == 'y']", False),
        ("length(number) > `0`", False),
        ("things[::`0`]", False),
        ("not an expression", False),
    ],
)
def test_a_condition_holds_where_its_value_is_something(expression: str, held: bool) -> None:
    things = [{"kind": "x"}]
    state = {"number": 0, "none": None, "empty": [], "text": "a", "false": False, "things": things}
    assert holds(expression, state) is held  # type: ignore[arg-type]
