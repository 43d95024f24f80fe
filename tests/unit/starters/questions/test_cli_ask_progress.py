"""How far a graph is, as it is told on a terminal and without one."""

import io
from datetime import UTC, datetime, timedelta

from rich.console import Console

from desk.contracts.agents.search_attributes import Phase
from desk.contracts.names import AgentId
from desk.contracts.question.graph import NodeState
from desk.contracts.runs.graph import GraphStatus, NodeStatus
from starters.questions.progress import PlainGraphProgress, graph_board

BEGAN = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


def node(name: str, state: NodeState, *, note: str | None = None, seconds: float = 0.4,
         in_round: int = 1) -> NodeStatus:  # fmt: skip
    ended = state in (NodeState.DONE, NodeState.FAILED)
    begun = ended or state is NodeState.RUNNING
    return NodeStatus(
        node=name, agent=AgentId.JIRA_AGENT, state=state, round=in_round, note=note,
        started_at=BEGAN if begun else None,
        ended_at=BEGAN + timedelta(seconds=seconds) if ended else None,
    )  # fmt: skip


def status(*nodes: NodeStatus, phase: Phase = Phase.RESEARCHING) -> GraphStatus:
    return GraphStatus(
        question="What?", graph="tickets", phase=phase, as_of=BEGAN, started_at=BEGAN,
        deadline=BEGAN + timedelta(minutes=30), nodes=nodes,
    )  # fmt: skip


def told(*statuses: GraphStatus) -> list[str]:
    stream = io.StringIO()
    progress = PlainGraphProgress(stream)
    for each in statuses:
        progress.update(each)
    return [line.partition(" s  ")[2] for line in stream.getvalue().splitlines()]


def drawn(shown: GraphStatus, height: int = 30) -> str:
    console = Console(file=io.StringIO(), width=80, height=height, force_terminal=False)
    console.print(graph_board(shown, height, BEGAN + timedelta(seconds=2)))
    output = console.file
    assert isinstance(output, io.StringIO)
    return output.getvalue()


def test_each_node_is_told_once_when_it_begins_and_once_when_it_ends() -> None:
    begun = status(node("fetch", NodeState.RUNNING), node("read", NodeState.WAITING))
    ended = status(node("fetch", NodeState.DONE), node("read", NodeState.SKIPPED))
    assert told(begun, begun, ended, ended) == [
        "fetch begins (jira agent)",
        "fetch done in 0.4 s",
    ]


def test_a_failure_is_told_with_its_reason_on_one_line() -> None:
    failed = status(node("fetch", NodeState.FAILED, note="no tool\nanswered\x1b[31m"))
    assert told(failed) == ["fetch failed in 0.4 s: no tool answered [31m"]


def test_progress_tells_a_node_again_in_its_second_round() -> None:
    lines = told(
        status(node("fetch", NodeState.DONE)), status(node("fetch", NodeState.DONE, in_round=2))
    )
    assert lines == ["fetch done in 0.4 s", "fetch done in 0.4 s, round 2"]


def test_progress_tells_once_that_the_answer_is_published() -> None:
    publishing = status(node("fetch", NodeState.DONE), phase=Phase.PUBLISHING)
    assert told(publishing, publishing).count("publishing the answer") == 1


def test_the_board_counts_the_nodes_and_shows_what_each_took() -> None:
    shown = drawn(status(node("fetch", NodeState.DONE), node("read", NodeState.RUNNING)))
    assert "1 of 2 nodes" in shown
    assert "✓ fetch" in shown
    assert "2.0 s" in shown


def test_a_large_graph_shows_what_is_at_work_and_fits_the_screen() -> None:
    nodes = [node(f"n{number}", NodeState.DONE) for number in range(100)]
    shown = drawn(status(*nodes, node("last", NodeState.RUNNING)), height=20)
    assert "… last" in shown
    assert len(shown.splitlines()) <= 20


def test_what_a_reset_kept_is_told_without_the_time_since_the_first_run() -> None:
    since = BEGAN + timedelta(days=2)
    again = node("answer", NodeState.DONE).model_copy(
        update={"started_at": since, "ended_at": since + timedelta(seconds=3)}
    )
    after = status(node("fetch", NodeState.DONE, seconds=172_801), again)
    stream = io.StringIO()
    PlainGraphProgress(stream, since).update(after)
    lines = [line.partition(" s  ")[2] for line in stream.getvalue().splitlines()]
    assert lines == ["fetch kept", "answer done in 3.0 s"]
    console = Console(file=io.StringIO(), width=80, force_terminal=False)
    with console.capture() as shown:
        console.print(graph_board(after, 30, since + timedelta(seconds=4), since))
    assert "172801" not in shown.get() and "2 of 2 nodes  4 s" in shown.get()
