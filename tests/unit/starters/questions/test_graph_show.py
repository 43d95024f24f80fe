"""`desk graph`: lists, checks, trees and pictures of graphs."""

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from time import process_time

import pytest

from desk.contracts.question.graph import GraphSpec
from desk.documents.rendering.drawing.graph import graph_file
from desk.platform.settings import shipped_graphs
from starters.questions.graph.command import graph, mermaid_of, tree_of
from starters.questions.graph_file import read_graph
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.tables import WIDTH
from tests.support.processes.homes import PROJECT
from tests.unit.runs.graphs.test_graph_machine import graph as graph_of
from tests.unit.runs.graphs.test_graph_machine import node
from tests.unit.runs.graphs.test_graph_properties import chain, fan, ladder

CHOICE = """\
description: "A choice\\e[31m"
graph:
  - name: ask
    agent: search_agent
    next:
      - {to: left, when: "length(ask.results) > `3` && question != '<b>'"}
      - {to: right, when: "ask.results"}
      - final
  - {name: left, agent: doc_agent, next: final}
  - name: right
    agent: pdf_agent
    rounds: 2
    next: [{to: right, when: errors.right}, final]
  - {name: final, agent: synthesis_agent}
"""


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)


@pytest.fixture
def choice(tmp_path: Path) -> Path:
    path = tmp_path / "choice.yaml"
    path.write_text(CHOICE)
    return path


def desk_graph(*arguments: str) -> ExitStatus:
    return ExitStatus(graph(list(arguments), standalone_mode=False))


def test_without_a_command_the_shipped_graphs_are_listed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert desk_graph() is ExitStatus.COMPLETE
    told = capsys.readouterr().out
    assert "tickets: What became of a ticket" in told
    assert "--param market=… (required)" in told
    assert max(map(len, told.splitlines())) <= WIDTH
    assert desk_graph("--json") is ExitStatus.COMPLETE
    specs = [GraphSpec.model_validate(one) for one in json.loads(capsys.readouterr().out)]
    assert specs == [read_graph(path) for path in shipped_graphs(PROJECT)]


def test_a_sound_graph_is_told_in_one_line(
    choice: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert desk_graph("check", str(choice)) is ExitStatus.COMPLETE
    assert capsys.readouterr().out == f"{choice}: 4 nodes, 1 end, no fault\n"
    assert desk_graph("check", "market", "--json") is ExitStatus.COMPLETE
    told = json.loads(capsys.readouterr().out)
    assert told["faults"] == []
    assert GraphSpec.model_validate(told["graph"]).name == "market"


@pytest.mark.parametrize("command", ["check", "show"])
def test_faults_are_told_a_line_each_with_exit_status_2(
    command: str, choice: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    choice.write_text(CHOICE.replace("pdf_agent", "pfd_agent").replace("final}", "finale}"))
    assert desk_graph(command, str(choice)) is ExitStatus.USAGE
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[0] for line in lines] == [f"{choice}:9:42", f"{choice}:11:12"]
    assert desk_graph(command, str(choice), "--json") is ExitStatus.USAGE
    told = json.loads(capsys.readouterr().out)
    assert [(one["line"], one["column"]) for one in told["faults"]] == [(9, 42), (11, 12)]
    assert told["graph"] is None


def test_the_tree_has_every_node_edge_and_condition(
    choice: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert desk_graph("show", str(choice)) is ExitStatus.COMPLETE
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert told.endswith("""
choice
├── ask (search_agent)
│   ├── → left  if length(ask.results) > `3` && question != '<b>'
│   ├── → right  if ask.results
│   └── → final  otherwise
├── left (doc_agent)
│   └── → final
├── right (pdf_agent)
│   ├── ↺ right, 2 rounds at most  if errors.right
│   └── → final  otherwise
└── final (synthesis_agent)
""")


def test_no_line_of_a_tree_is_cut_where_it_is_piped(
    choice: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    condition = " || ".join(f"ask.results == 'a long way {n}'" for n in range(10))
    choice.write_text(CHOICE.replace('"ask.results"', f'"{condition}"'))
    assert desk_graph("show", str(choice)) is ExitStatus.COMPLETE
    assert f"→ right  if {condition}\n" in capsys.readouterr().out


@pytest.mark.parametrize("spec", [chain(1_000), fan(1_000), ladder(1_000)], ids="cfl")
def test_a_thousand_nodes_are_shown_in_seconds(spec: GraphSpec) -> None:
    begun = process_time()
    tree = tree_of(spec)
    svg = graph_file(spec)
    assert process_time() - begun < 5.0
    assert len(tree.children) == len(spec.nodes)
    assert {node.name for node in spec.nodes} <= set(re.findall(r">([^<>]+)<", svg))


def test_the_svg_is_well_formed_and_has_no_script(choice: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.svg"
    assert desk_graph("show", str(choice), "--svg", str(out)) is ExitStatus.COMPLETE
    root = ElementTree.fromstring(out.read_text())
    space = "{http://www.w3.org/2000/svg}"
    words = [text.text for text in root.iter(f"{space}text")]
    assert {"ask", "left", "right", "final", "otherwise", "errors.right"} <= set(words)
    drawn = [path for path in root.iter(f"{space}path") if path.get("marker-end")]
    assert len(drawn) == 6
    assert {element.tag.removeprefix(space) for element in root.iter()} <= {
        *("svg", "title", "desc", "style", "defs", "marker", "g", "path", "rect", "text"),
    }


def test_an_edge_runs_around_the_node_that_it_passes() -> None:
    spec = graph_of(node("a", fork=["b", "c"]), node("b", "c"), node("c"))
    root = ElementTree.fromstring(graph_file(spec))
    space = "{http://www.w3.org/2000/svg}"
    boxes = [box for group in root.iter(f"{space}g") for box in group.iter(f"{space}rect")]
    passing = next(p for p in root.iter(f"{space}path") if "a to c" in "".join(p.itertext()))
    lane = float(str(passing.get("d")).split("L")[1].split()[0])
    left, wide = float(str(boxes[1].get("x"))), float(str(boxes[1].get("width")))
    assert not left <= lane <= left + wide


def test_mermaid_text_has_every_node_and_edge(
    choice: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert desk_graph("show", str(choice), "--mermaid") is ExitStatus.COMPLETE
    told = capsys.readouterr().out
    assert told == mermaid_of(read_graph(choice))
    assert '    n0["ask<br/>search_agent"]' in told
    assert "#lt;b#gt;" in told
    assert told.count("n3\n") == 3


def test_what_cannot_be_shown_is_refused(choice: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="one of them at a time"):
        desk_graph("show", str(choice), "--mermaid", "--json")
    with pytest.raises(CommandError, match="cannot be written"):
        desk_graph("show", str(choice), "--svg", str(tmp_path / "no" / "x.svg"))
    with pytest.raises(UsageError, match="no graph is called 'marke'"):
        desk_graph("show", "marke")
