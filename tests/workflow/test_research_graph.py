"""A run of a graph: what goes side by side, what fails, what comes again, what is published."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import JsonValue
from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError

from desk.contracts.agents.config import RetryConfig
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import Query, TaskType
from desk.contracts.names import AgentId, FailureType
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.graph import Edge, GraphSpec, NodeState
from desk.contracts.question.plan import QuestionPlan
from desk.contracts.runs.graph import NodeStatus
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.weeks import TimeWindow
from desk.platform.mcp.tool_calling import ToolUnreachable
from desk.programs.question.graphs import to_be_planned
from tests.support.runs.desk import desk_workers
from tests.support.runs.graphs import (
    AS_OF,
    KNOWLEDGE,
    fork,
    found,
    graph,
    knowing_turn,
    node,
    put_together,
    question,
    start_graph,
    synthesis,
)
from tests.support.runs.scripted import ScriptedAnalyst, ScriptedTools, gives_up
from workflows.question import ResearchGraphWorkflow

SERVERS = (KNOWLEDGE,)


async def answer(
    client: Client, directory: Path, spec: GraphSpec, script: Callable[[TurnRequest], Turn | None]
) -> AnswerReport:
    """The published answer of a graph whose agents do as the script says, and else as usual."""
    analyst = ScriptedAnalyst(lambda request: script(request) or knowing_turn(request))
    async with desk_workers(client, directory, analyst=analyst, servers=SERVERS):
        run = await start_graph(client, question(spec))
        result = await run.result()
    return AnswerReport.model_validate_json(Path(result.files.json_file).read_text())


def states(report: AnswerReport) -> dict[str, NodeState]:
    return {line.node: line.state for line in report.nodes}


def as_usual(_: TurnRequest) -> Turn | None:
    return None


async def test_all_nodes_work_and_the_answer_is_published(client: Client, tmp_path: Path) -> None:
    report = await answer(client, tmp_path, fork(), as_usual)
    assert set(states(report).values()) == {NodeState.DONE}
    assert (report.outcome, report.summary) == (Outcome.COMPLETE, "It was found.")


async def test_a_plan_takes_the_place_of_the_graph_that_its_node_began(
    client: Client, tmp_path: Path
) -> None:
    """The run goes on over the days of the plan, and the node that planned is among its nodes."""
    start, end = AS_OF - timedelta(days=90), AS_OF - timedelta(days=30)
    days = TimeWindow(start=start, end=end, time_zone="Europe/London")
    shown: dict[str, TurnRequest] = {}

    def script(request: TurnRequest) -> Turn | None:
        task = request.assignment
        shown.setdefault(task.task_id, request)
        if task.task_type is not TaskType.PLAN_QUESTION:
            return None
        other = to_be_planned(graph(node("other", AgentId.SEARCH_AGENT, "synthesis"), synthesis()))
        words = Query(question="What is the state of DESK-1?", parameters={"of": "the plan"})
        plan = QuestionPlan(task_id=task.task_id, graph=other, window=days, query=words)
        return Turn(result=plan)

    report = await answer(client, tmp_path, to_be_planned(fork()), script)
    assert list(states(report)) == ["planQuestion", "other", "synthesis"]
    assert set(states(report).values()) == {NodeState.DONE}
    assert (report.window, report.as_of) == (days, days.end)
    assert report.parameters == {"of": "the plan"}
    assert shown["planQuestion"].assignment.window.end == AS_OF
    assert shown["other"].assignment.window == days


async def test_where_no_plan_comes_the_graph_goes_on_as_it_began(
    client: Client, tmp_path: Path
) -> None:
    def script(request: TurnRequest) -> Turn | None:
        fails = request.assignment.task_type is TaskType.PLAN_QUESTION
        return gives_up(request, "nothing can be planned") if fails else None

    report = await answer(client, tmp_path, to_be_planned(fork()), script)
    assert states(report).pop("planQuestion") is NodeState.FAILED
    assert list(states(report).values()).count(NodeState.DONE) == len(fork().nodes)


class _Both:
    """Lets nobody of a pair go on before both have come; then the later one first, or not."""

    def __init__(self, *, later_first: bool) -> None:
        self._here: list[str] = []
        self._later_first = later_first

    async def __call__(self, request: TurnRequest) -> Turn:
        task = request.assignment
        if task.task_id in ("docs", "search") and not request.exchanges:
            self._here.append(task.task_id)
            async with asyncio.timeout(60):
                while len(self._here) < 2:
                    await asyncio.sleep(0.01)
                if (task.task_id == "docs") is self._later_first:
                    await asyncio.sleep(0.3)
        turn = knowing_turn(request)
        assert turn is not None
        return turn


async def test_branches_of_a_fork_work_side_by_side_and_merge_in_the_order_of_the_file(
    client: Client, tmp_path: Path
) -> None:
    shown: list[tuple[str, ...]] = []
    for later_first in (True, False):
        both = _Both(later_first=later_first)

        async def analyst(request: TurnRequest, both: _Both = both) -> Turn:
            if request.assignment.task_type is TaskType.SYNTHESISE:
                shown.append(tuple(entry.key for entry in request.state))
            return await both(request)

        folder = tmp_path / str(later_first)
        folder.mkdir()
        async with desk_workers(client, folder, analyst=analyst, servers=SERVERS):
            run = await start_graph(client, question(fork()), run_id=f"ask-{later_first}")
            await run.result()
    assert shown == [("tickets", "docs", "search")] * 2


async def test_a_failed_branch_is_a_branch_with_an_error(client: Client, tmp_path: Path) -> None:
    def docs_fail(request: TurnRequest) -> Turn | None:
        fails = request.assignment.agent is AgentId.DOC_AGENT
        return gives_up(request, "the store is gone") if fails else None

    report = await answer(client, tmp_path, fork(), docs_fail)
    assert states(report) == {
        "tickets": NodeState.DONE,
        "docs": NodeState.FAILED,
        "search": NodeState.DONE,
        "synthesis": NodeState.DONE,
    }
    assert report.outcome is Outcome.INCOMPLETE
    assert any("docs" in line and "the store is gone" in line for line in report.missing), (
        report.missing
    )


async def test_a_nodes_fallback_does_what_it_can_do_instead(client: Client, tmp_path: Path) -> None:
    def docs_fail(request: TurnRequest) -> Turn | None:
        fails = request.assignment.agent is AgentId.DOC_AGENT
        return gives_up(request) if fails else None

    spec = fork(fallback=AgentId.SEARCH_AGENT)
    report = await answer(client, tmp_path, spec, docs_fail)
    assert states(report)["docs"] is NodeState.DONE
    assert report.outcome is Outcome.COMPLETE


async def test_without_a_synthesis_the_answer_says_so(client: Client, tmp_path: Path) -> None:
    def nobody(request: TurnRequest) -> Turn | None:
        ends = request.assignment.task_type is TaskType.SYNTHESISE
        return gives_up(request, "no words came") if ends else None

    report = await answer(client, tmp_path, fork(), nobody)
    assert (report.outcome, report.answered) == (Outcome.INCOMPLETE, False)
    assert any("no words came" in line for line in report.missing)


async def test_a_condition_decides_where_it_goes_on(client: Client, tmp_path: Path) -> None:
    start = node("tickets", AgentId.JIRA_AGENT).model_copy(
        update={
            "next": (
                Edge(to="docs", when="tickets.tickets[?status=='Closed']"),
                Edge(to="search"),
            )
        }
    )
    spec = graph(
        start,
        node("docs", AgentId.DOC_AGENT, "synthesis"),
        node("search", AgentId.SEARCH_AGENT, "synthesis"),
        synthesis(),
    )
    report = await answer(client, tmp_path, spec, as_usual)
    assert states(report)["docs"] is NodeState.SKIPPED
    assert states(report)["search"] is NodeState.DONE


async def test_a_graph_goes_round_until_its_condition_holds(client: Client, tmp_path: Path) -> None:
    rounds: list[str] = []

    def found_the_second_time(request: TurnRequest) -> Turn | None:
        task = request.assignment
        if task.task_type is TaskType.READ_DOCUMENTS and request.exchanges:
            rounds.append(task.task_id)
            words = "found" if len(rounds) == 2 else "not yet"
            return Turn(result=found(request, request.results[0].evidence_id, words))
        return None

    again = Edge(to="docs", when="docs.documents[0].markdown != 'found'")
    docs = node("docs", AgentId.DOC_AGENT, "check", rounds=5)
    check = node("check", AgentId.SEARCH_AGENT).model_copy(
        update={"next": (again, Edge(to="synthesis"))}
    )
    report = await answer(client, tmp_path, graph(docs, check, synthesis()), found_the_second_time)
    assert rounds == ["docs", "docs.2"]
    assert {line.node: line.rounds for line in report.nodes} == {
        "docs": 2,
        "check": 2,
        "synthesis": 1,
    }


async def test_a_node_that_hangs_ends_at_its_time_and_the_others_go_on(
    client: Client, tmp_path: Path
) -> None:
    def unreachable(server: str, tool: str, arguments: object) -> None:
        if tool == "get_doc":
            raise ToolUnreachable("the store does not answer")

    async def analyst(request: TurnRequest) -> Turn:
        if request.assignment.agent is AgentId.DOC_AGENT and request.exchanges:
            return gives_up(request, str(request.results[0].error))
        turn = knowing_turn(request)
        assert turn is not None
        return turn

    # What takes the time of the node are pauses between tries, over which the clock skips.
    spec = fork(timeout=timedelta(seconds=60))
    pause = timedelta(seconds=20)
    retries = RetryConfig(max_attempts=20, first_pause=pause, longest_pause=pause)
    tools = ScriptedTools(unreachable)
    async with desk_workers(client, tmp_path, analyst=analyst, tools=tools, servers=SERVERS):
        run = await start_graph(client, question(spec, retries=retries))
        result = await run.result()
    report = AnswerReport.model_validate_json(Path(result.files.json_file).read_text())
    assert 1 < tools.calls["knowledge.get_doc"] < retries.max_attempts, "its time ended it"
    assert states(report)["docs"] is NodeState.FAILED
    assert any("the store does not answer" in line for line in report.missing)


async def test_every_tool_call_of_a_question_carries_its_as_of_instant(
    client: Client, tmp_path: Path
) -> None:
    seen: set[JsonValue] = set()

    def noting(server: str, tool: str, arguments: object) -> None:
        assert isinstance(arguments, dict)
        seen.add(arguments["as_of"])

    analyst = ScriptedAnalyst(knowing_turn)
    tools = ScriptedTools(noting)
    async with desk_workers(client, tmp_path, analyst=analyst, tools=tools, servers=SERVERS):
        await (await start_graph(client, question(fork()))).result()
    assert seen == {"2026-10-30T12:00:00+00:00"}


async def test_a_node_calls_no_tool_that_its_graph_does_not_leave_it(
    client: Client, tmp_path: Path
) -> None:
    tools = ScriptedTools()
    spec = fork(tools=())
    async with desk_workers(
        client, tmp_path, analyst=ScriptedAnalyst(knowing_turn), tools=tools, servers=SERVERS
    ):
        await (await start_graph(client, question(spec))).result()
    assert set(tools.calls) == {"knowledge.fetch_ticket", "knowledge.search_web"}


async def test_an_invented_quotation_is_left_out_of_the_answer(
    client: Client, tmp_path: Path
) -> None:
    def invents(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is TaskType.SYNTHESISE:
            return Turn(result=put_together(request, "It was found. Some 400 of them failed."))
        return None

    report = await answer(client, tmp_path, fork(), invents)
    assert report.summary == "It was found."
    assert len(report.dropped) == 1


async def test_a_graph_that_cannot_be_run_is_refused(client: Client, tmp_path: Path) -> None:
    lost = graph(node("tickets", AgentId.JIRA_AGENT, "nowhere"), synthesis())
    async with desk_workers(client, tmp_path, servers=SERVERS):
        run = await start_graph(client, question(lost))
        with pytest.raises(WorkflowFailureError) as refused:
            await run.result()
    cause = refused.value.cause
    assert isinstance(cause, ApplicationError)
    assert cause.type == FailureType.UNUSABLE_REQUEST
    assert "nowhere" in cause.message


async def test_the_status_says_where_each_node_stands(client: Client, tmp_path: Path) -> None:
    held = asyncio.Event()

    async def analyst(request: TurnRequest) -> Turn:
        if request.assignment.agent is AgentId.DOC_AGENT:
            await held.wait()
        turn = knowing_turn(request)
        assert turn is not None
        return turn

    async with desk_workers(client, tmp_path, analyst=analyst, servers=SERVERS):
        run = await start_graph(client, question(fork()))
        async with asyncio.timeout(60):
            while (lines := await _lines(run))["search"].state is not NodeState.DONE:
                await asyncio.sleep(0.05)
        held.set()
        await run.result()
    assert lines["docs"].state is NodeState.RUNNING
    assert lines["synthesis"].state is NodeState.WAITING


async def _lines(run: object) -> dict[str, NodeStatus]:
    status = await run.query(ResearchGraphWorkflow.status)  # type: ignore[attr-defined]
    return {line.node: line for line in status.nodes}
