"""Graphs of agents for tests: what starts a run, and agents that do as they are told."""

from datetime import UTC, datetime, timedelta
from typing import Any

from temporalio.client import Client, WorkflowHandle

from desk.agents.registry import TASK_IN_GRAPHS
from desk.contracts.agents.config import DeadlineConfig, RetryConfig, RunPolicy
from desk.contracts.agents.tasks import Query, TaskType
from desk.contracts.agents.tools import ToolCall
from desk.contracts.names import AgentId, Queue
from desk.contracts.question.graph import Edge, GraphSpec, Merge, NodeSpec
from desk.contracts.question.knowledge import (
    DocumentsRead,
    KnowledgeDocument,
    PdfsRead,
    Synthesis,
    Ticket,
    TicketsFound,
    WebSearched,
)
from desk.contracts.runs.graph import GraphRequest, GraphResult
from desk.contracts.runs.turns import AgentResult, Turn, TurnRequest
from workflows.question import ResearchGraphWorkflow

AS_OF = datetime(2026, 10, 30, 12, tzinfo=UTC)
KNOWLEDGE = "knowledge"


def node(name: str, agent: AgentId, *following: str, **more: Any) -> NodeSpec:
    """A node; it forks where several follow."""
    edges = tuple(Edge(to=to) for to in following)
    lead = {"fork": edges} if len(edges) > 1 else {"next": edges}
    return NodeSpec.model_validate(
        {"name": name, "agent": agent, "task": TASK_IN_GRAPHS[agent], **lead, **more}
    )


def synthesis(**more: Any) -> NodeSpec:
    """The end of every graph here."""
    return node("synthesis", AgentId.SYNTHESIS_AGENT, **more)


def graph(*nodes: NodeSpec, **merges: Merge) -> GraphSpec:
    """A graph of the nodes."""
    return GraphSpec(name="test", nodes=nodes, merges=merges)


def fork(**more: Any) -> GraphSpec:
    """Tickets first, then documents and a search side by side, then the synthesis."""
    return graph(
        node("tickets", AgentId.JIRA_AGENT, "docs", "search"),
        node("docs", AgentId.DOC_AGENT, "synthesis", **more),
        node("search", AgentId.SEARCH_AGENT, "synthesis"),
        synthesis(),
    )


def going_round() -> GraphSpec:
    """As `fork`, with a check that sends the search round a second time."""
    check = node("check", AgentId.JIRA_AGENT).model_copy(
        update={"next": (Edge(to="search", when="search"), Edge(to="synthesis"))}
    )
    return graph(
        node("tickets", AgentId.JIRA_AGENT, "docs", "search"),
        node("docs", AgentId.DOC_AGENT, "synthesis"),
        node("search", AgentId.SEARCH_AGENT, "check", rounds=2),
        check,
        synthesis(),
    )


def question(
    spec: GraphSpec,
    words: str = "What is the state of DESK-1?",
    *,
    retries: RetryConfig | None = None,
    deadlines: DeadlineConfig | None = None,
) -> GraphRequest:
    """What starts a run of a graph."""
    quick = RetryConfig(max_attempts=2, first_pause=timedelta(milliseconds=10))
    return GraphRequest(
        graph=spec,
        query=Query(question=words),
        policy=RunPolicy(retries=retries or quick, deadlines=deadlines or DeadlineConfig()),
        as_of=AS_OF,
    )


async def start_graph(
    client: Client, request: GraphRequest, *, run_id: str = "ask-test"
) -> WorkflowHandle[ResearchGraphWorkflow, GraphResult]:
    """A started run."""
    return await client.start_workflow(
        ResearchGraphWorkflow.run, request, id=run_id, task_queue=Queue.DESK
    )


def knowing_turn(request: TurnRequest) -> Turn | None:
    """One call of a tool and then something found, as an agent of a graph does; None for others."""
    task = request.assignment.task_type
    if task is TaskType.SYNTHESISE:
        return Turn(result=put_together(request))
    tool = _TOOLS.get(task)
    if tool is None:
        return None
    call_id = f"{request.assignment.task_id}/{tool}"
    if not request.exchanges:
        return Turn(calls=(ToolCall(call_id=call_id, server=KNOWLEDGE, tool=tool),))
    return Turn(result=found(request, call_id))


def put_together(request: TurnRequest, words: str = "It was found.") -> Synthesis:
    """A synthesis that names the nodes it was told of."""
    failed = tuple(f"The node {entry.node} failed." for entry in request.state if entry.error)
    return Synthesis(
        task_id=request.assignment.task_id,
        agent=request.assignment.agent,
        summary=words,
        missing=failed,
    )


def found(request: TurnRequest, evidence: str, words: str = "In review") -> AgentResult:
    """One thing of the kind that the task is for, or nothing where it has none here."""
    task = request.assignment
    by = {"task_id": task.task_id, "agent": task.agent}
    match task.task_type:
        case TaskType.FETCH_TICKETS:
            ticket = Ticket(id="DESK-1", status=words, summary="A ticket")
            return TicketsFound.model_validate({**by, "tickets": [ticket], "evidence": [evidence]})
        case TaskType.READ_DOCUMENTS:
            read = KnowledgeDocument(doc_id="a-document", markdown=words)
            return DocumentsRead.model_validate({**by, "documents": [read], "evidence": [evidence]})
        case TaskType.READ_PDFS:
            return PdfsRead.model_validate(by)
        case _:
            return WebSearched.model_validate(by)


_TOOLS = {
    TaskType.FETCH_TICKETS: "fetch_ticket",
    TaskType.READ_DOCUMENTS: "get_doc",
    TaskType.READ_PDFS: "get_pdf",
    TaskType.SEARCH_WEB: "search_web",
}
