"""Graphs as files: read, and each fault told with its line and column."""

from datetime import timedelta
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.agents.tasks import Query, TaskType, ToolName
from desk.contracts.names import AgentId
from desk.contracts.question.graph import Join, Merge
from desk.platform.settings import shipped_graphs
from desk.runs.graphs.machine import GraphMachine
from desk.runs.graphs.shape import shape_of
from starters.questions.graph_file import GraphFileError, find_graph, read_graph
from starters.terminal.exit_status import ExitStatus, UsageError
from tests.support.processes.homes import PROJECT

SEED = """\
graph:
  - name: fetchTickets
    agent: jira_agent
    next: parseDocs
  - name: parseDocs
    agent: doc_agent
    next: searchContext
  - name: searchContext
    agent: search_agent
    fork:
      - synthesis
  - name: synthesis
    agent: synthesis_agent
"""

EVERYTHING = """\
name: everything
description: All that a file can say.
parameters:
  ticket: Its id.
  since: {default: 2026, required: no}
merge: {found: all}
graph:
  - name: a
    agent: jira_agent
    fork: [b, {to: c, when: "a.tickets[?status == 'Open']"}]
    tools: knowledge.fetch_ticket
    timeout: 20 s
    retries: {max_attempts: 5, first_pause: 100 ms, longest_pause: 2 minutes}
    fallback: search_agent
  - {name: b, agent: doc_agent, next: check, writes: found}
  - {name: c, agent: pdf_agent, next: check, writes: found}
  - name: check
    agent: research_agent_2
    task: research_fx
    join: any
    reads: [a, found]
    rounds: 3
    instructions: Look twice.
    next:
      - to: check
        when: errors.check
      - end
  - {name: end, agent: synthesis_agent}
"""


def written(folder: Path, text: str | bytes, name: str = "mine.yaml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def faults_of(folder: Path, text: str | bytes) -> list[str]:
    """The faults of a file as `LINE:COLUMN: words`."""
    path = written(folder, text)
    with pytest.raises(GraphFileError) as caught:
        read_graph(path)
    assert caught.value.status is ExitStatus.USAGE
    lines = str(caught.value).splitlines()
    assert all(line.startswith(f"{path}:") for line in lines)
    return [line.removeprefix(f"{path}:") for line in lines]


def test_the_graph_of_the_seed_is_read_as_it_stands_there(tmp_path: Path) -> None:
    spec = read_graph(written(tmp_path, SEED))
    assert spec.name == "mine"
    assert [node.task for node in spec.nodes] == [
        TaskType.FETCH_TICKETS,
        TaskType.READ_DOCUMENTS,
        TaskType.SEARCH_WEB,
        TaskType.SYNTHESISE,
    ]
    assert [[edge.to for edge in node.edges] for node in spec.nodes] == [
        ["parseDocs"],
        ["searchContext"],
        ["synthesis"],
        [],
    ]


def test_all_that_a_node_can_say_is_read(tmp_path: Path) -> None:
    spec = read_graph(written(tmp_path, EVERYTHING))
    a, b, _, check, _ = spec.nodes
    assert spec.name == "everything"
    assert spec.merges == {"found": Merge.ALL}
    assert [p.name for p in spec.parameters] == ["ticket", "since"]
    assert (spec.parameters[0].description, spec.parameters[1].default) == ("Its id.", "2026")
    assert [edge.when for edge in a.fork] == [None, "a.tickets[?status == 'Open']"]
    assert a.tools == (ToolName(server="knowledge", tool="fetch_ticket"),)
    assert a.timeout == timedelta(seconds=20)
    assert a.retries is not None
    assert a.retries.longest_pause == timedelta(minutes=2)
    assert a.fallback is AgentId.SEARCH_AGENT
    assert b.key == "found"
    assert (check.task, check.join, check.rounds) == (TaskType.RESEARCH_FX, Join.ANY, 3)
    assert check.reads == ("a", "found")
    assert check.instructions == "Look twice."


@pytest.mark.parametrize("path", shipped_graphs(PROJECT), ids=lambda path: path.stem)
def test_the_shipped_graphs_are_sound_and_their_agents_work_side_by_side(path: Path) -> None:
    spec = read_graph(path)
    assert spec.name == path.stem
    assert spec.description.endswith(".")
    shape = shape_of(spec)
    beside = {
        (one, other)
        for one in shape.order
        for other in shape.order
        if one < other and not shape.comes_before(one, other)
    }
    assert any(not shape.comes_before(other, one) for one, other in beside)


def test_five_graphs_ship() -> None:
    assert [path.stem for path in shipped_graphs(PROJECT)] == [
        "bank",
        "currency",
        "documents",
        "market",
        "tickets",
    ]
    names = [node.name for node in read_graph(PROJECT / "graphs" / "tickets.yaml").nodes]
    assert {"fetchTickets", "parseDocs", "searchContext", "synthesis"} <= set(names)


def test_all_faults_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    text = """\
grph: x
graph:
  - name: a
    agent: doc_agnet
    next: bb
  - name: b
    agnt: pdf_agent
    agent: pdf_agent
    timeout: soon
    next:
      - to: c
        when: "length(a"
  - name: c
    agent: product_manager
    tools: getdoc
    tools: x.y
"""
    found = faults_of(tmp_path, text)
    assert [line.split(": ")[0] for line in found] == [
        "1:1",
        "4:12",
        "5:11",
        "7:5",
        "9:14",
        "12:15",
        "14:12",
        "15:12",
        "16:5",
    ]
    assert found[0].endswith(
        "known: graph, name, description, parameters, merge; did you mean graph?"
    )
    assert found[1].endswith("did you mean doc_agent?")
    assert found[2].endswith("a leads to bb, which is no node; did you mean b?")
    assert found[3].endswith("did you mean agent?")
    assert 'allowed: a duration such as "20 s"' in found[4]
    assert "no JMESPath, at column 9" in found[5]
    assert "'product_manager', which works in no graph" in found[6]
    assert "a tool such as knowledge.get_doc" in found[7]
    assert "stands there twice, first in line 15" in found[8]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "1:1: the file is empty; it begins with `graph:`"),
        ("# only a comment\n", "1:1: the file is empty; it begins with `graph:`"),
        ("- a\n- b\n", "1:1: a graph is a mapping with the key `graph`, a list of nodes"),
        ("graph: here\n", "1:8: graph is 'here'; allowed: a list with `name`, `agent` and what"),
        ("graph: []\n", "1:8: graph is a list of 0; allowed: one at least"),
        ("graph:\n  - fetch\n", "2:5: graph is 'fetch'; allowed: a mapping with `name`, `agent`"),
        ("graph:\n  - agent: doc_agent\n", "2:5: 'name' is missing"),
        ("graph:\n  - name: a\n", "2:5: 'agent' is missing"),
        ("graph:\n  - name: a b\n    agent: doc_agent\n", "2:11: name is 'a b'; allowed: a name"),
        ("graph: [\n", "2:1: no usable YAML: "),
        ("graph:\n\t- name: a\n", "2:1: no usable YAML: "),
        ("graph: *all\n", "1:8: anchors and aliases are not read here"),
        ("graph: &all []\n", "1:8: anchors and aliases are not read here"),
        ("graph: !!python/object:os.system x\n", "1:8: tags such as "),
        ("graph: []\n---\ngraph: []\n", "2:1: a second document"),
        ("graph:\n  - name: a\x07\n", "2:12: '\\x07' is no printable character"),
        (b"graph:\n  - name: \xff\n", "2:11: this is no UTF-8"),
        ("a: " + "[" * 3_000, "1:16: nested too deeply"),
        ("graph: " + "[" * 30 + "]" * 30, "1:20: nested too deeply"),
        ("? [a]\n: b\n", "1:3: a key is a single word"),
        ("graph: []\ngraph: []\n", "1:8: graph is a list of 0"),
    ],
)  # fmt: skip
def test_what_is_no_graph_is_refused_with_its_place(
    tmp_path: Path, text: str | bytes, fault: str
) -> None:
    assert faults_of(tmp_path, text)[0].startswith(fault)


NODE = "graph:\n  - name: a\n    agent: doc_agent\n    {}\n"


@pytest.mark.parametrize(
    ("field", "fault"),
    [
        ("rounds: many", "4:13: rounds is 'many'; allowed: integer"),
        ("rounds: 99", "4:13: rounds is '99'; allowed: less than or equal to 20"),
        ("join: al", "4:11: join is 'al'; allowed: all, any; did you mean all?"),
        ("task: fetch_ticket", "4:11: task is 'fetch_ticket'; allowed: plan_week, "),
        ("retries: {max_attempt: 3}", "4:15: unknown key 'max_attempt'; known: max_attempts,"),
        ("retries: {first_pause: 1 hour}", "4:14: retries is a mapping; allowed: longest_pause"),
        ("next: {to: end}", "4:16: end"),
        ("next: [{to: end, if: x}]", "4:22: unknown key 'if'; known: to, when"),
        ("next: [{when: x}]", "4:12: 'to' is missing"),
        ("fallback: nobody", "4:15: fallback is 'nobody', which works in no graph"),
        ("instructions: [a]", "4:19: instructions is a list of 1; allowed: string"),
        ("timeout: 0 s", "4:14: timeout is "),
    ],
)
def test_a_value_that_is_not_allowed_is_told_where_it_stands(
    tmp_path: Path, field: str, fault: str
) -> None:
    if field == "next: {to: end}":
        assert "4:11" in faults_of(tmp_path, NODE.format(field))[0]
        return
    assert any(line.startswith(fault) for line in faults_of(tmp_path, NODE.format(field)))


def test_faults_of_the_graph_stand_where_the_value_does(tmp_path: Path) -> None:
    text = EVERYTHING.replace("merge: {found: all}", "merge: {fnd: all}").replace(
        "reads: [a, found]", "reads: [a, fond]"
    )
    found = faults_of(tmp_path, text)
    assert [line.split(": ")[0] for line in found] == ["6:14", "16:54", "21:16"]
    assert "did you mean found?" in found[0]
    assert "b and c both write found" in found[1]


def test_only_the_first_faults_are_listed_and_the_others_counted(tmp_path: Path) -> None:
    nodes = "".join(f"  - {{name: n{n}, agent: nobody}}\n" for n in range(50))
    found = faults_of(tmp_path, f"graph:\n{nodes}")
    assert len(found) == 21
    assert found[-1] == " and 30 faults more"


def test_words_of_a_file_reach_the_terminal_on_one_line_and_without_control(tmp_path: Path) -> None:
    text = SEED.replace("next: parseDocs", 'next: [{to: parseDocs, when: "\\"\\e[31m\\nx\\""}]')
    (line,) = faults_of(tmp_path, text)
    assert line.isprintable()


def test_a_file_that_is_too_large_or_not_there_is_refused(tmp_path: Path) -> None:
    assert "more than 5 MB" in faults_of(tmp_path, b"#" * (5 * 2**20 + 1))[0]
    with pytest.raises(GraphFileError, match=r"none\.yaml:1:1: there is no such file"):
        read_graph(tmp_path / "none.yaml")
    with pytest.raises(GraphFileError, match="Is a directory"):
        read_graph(tmp_path)


def test_a_graph_is_found_by_its_name_or_by_its_path(tmp_path: Path) -> None:
    assert find_graph("tickets", PROJECT) == PROJECT / "graphs" / "tickets.yaml"
    own = written(tmp_path, SEED)
    assert find_graph(str(own), PROJECT) == own
    with pytest.raises(UsageError, match=r"documents, market, tickets; did you mean tickets\?"):
        find_graph("tickts", PROJECT)


def test_a_file_of_a_thousand_nodes_is_read(tmp_path: Path) -> None:
    rows = [f"  - {{name: n{n}, agent: doc_agent, next: n{n + 1}}}" for n in range(999)]
    last = "  - {name: n999, agent: synthesis_agent}"
    spec = read_graph(written(tmp_path, "\n".join(["graph:", *rows, last])))
    assert len(spec.nodes) == 1_000
    one_more = "  - {name: n1000, agent: synthesis_agent}"
    (found,) = faults_of(tmp_path, "\n".join(["graph:", *rows, last, one_more]))
    assert found.startswith("1002:5: a graph has at most 1,000 nodes, and this one has 1,001")


@pytest.mark.parametrize("text", ["graph:\n" + "- a\n" * 200_000, "a: b\n" * 200_000])
def test_a_file_of_very_many_values_is_refused_in_seconds(tmp_path: Path, text: str) -> None:
    begun = process_time()
    assert faults_of(tmp_path, text)
    assert process_time() - begun < 5.0


@given(
    st.integers(0, len(EVERYTHING)),
    st.integers(0, 40),
    st.text("abc: -[]{},'\"\n\t#&*!|>?%@`\\0\x1b\u20ac", max_size=12),
)
def test_whatever_is_written_there_it_is_read_or_refused_with_a_place(
    tmp_path_factory: pytest.TempPathFactory, start: int, length: int, instead: str
) -> None:
    text = EVERYTHING[:start] + instead + EVERYTHING[start + length :]
    path = written(tmp_path_factory.getbasetemp(), text, "fuzzed.yaml")
    try:
        spec = read_graph(path)
    except GraphFileError as error:
        lines = text.count("\n") + 1
        assert error.faults
        assert all(1 <= at.line <= lines + 1 and at.column >= 1 for at, _ in error.faults)
        assert all(line.isprintable() for line in error.lines())
    else:
        GraphMachine(spec, Query(question="What?"))
