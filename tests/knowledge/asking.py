"""Requests to the agents that answer questions, and what their tools answered."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from pydantic import JsonValue

from desk.contracts.agents.tasks import Query, TaskAssignment, TaskType
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.names import AgentId
from desk.contracts.question.knowledge import (
    DocumentsRead,
    KnowledgeDocument,
    PdfPage,
    PdfsRead,
    PdfText,
    SearchHit,
    Ticket,
    TicketsFound,
    WebSearched,
)
from desk.contracts.runs.turns import Exchange, StateEntry, TurnRequest
from desk.contracts.weeks import TimeWindow
from desk.trust.prose.references import REFERENCE
from desk.trust.seals import content_hash

AS_OF = datetime(2026, 11, 2, 7, tzinfo=UTC)
AGENTS = {
    TaskType.FETCH_TICKETS: AgentId.JIRA_AGENT,
    TaskType.READ_DOCUMENTS: AgentId.DOC_AGENT,
    TaskType.READ_PDFS: AgentId.PDF_AGENT,
    TaskType.SEARCH_WEB: AgentId.SEARCH_AGENT,
    TaskType.SYNTHESISE: AgentId.SYNTHESIS_AGENT,
}


def asked(
    task: TaskType,
    question: str,
    *rounds: Sequence[ToolResult],
    state: Sequence[StateEntry] = (),
    last: bool = False,
    **parameters: str,
) -> TurnRequest:
    """What an agent is shown that answers a question, after some rounds of tool answers."""
    return TurnRequest(
        assignment=TaskAssignment(
            task_id=f"node/{task}",
            task_type=task,
            agent=AGENTS[task],
            week="2026-W44",
            window=TimeWindow(start=AS_OF - timedelta(days=7), end=AS_OF, time_zone="UTC"),
            deadline=AS_OF + timedelta(minutes=30),
            query=Query(question=question, parameters=parameters),
        ),
        exchanges=tuple(Exchange(results=tuple(results)) for results in rounds),
        state=tuple(state),
        last=last,
    )


def answered(call: ToolCall, **content: JsonValue) -> ToolResult:
    """A call with an answer, which need not be one of the desk's own tools."""
    return ToolResult(
        call=call, status=ToolStatus.OK, content=content, content_hash=content_hash(content)
    )


def refused(call: ToolCall, error: str = "there is no such thing") -> ToolResult:
    """A call that the tool said no to."""
    return ToolResult(call=call, status=ToolStatus.REFUSED, error=error)


def unavailable(call: ToolCall, error: str = "the server does not answer") -> ToolResult:
    """A call that did not reach its tool."""
    return ToolResult(call=call, status=ToolStatus.UNAVAILABLE, error=error)


def hits(*found: tuple[str, str, str]) -> list[JsonValue]:
    """The results of a search: title, snippet and address of each."""
    return [{"title": title, "snippet": snippet, "url": url} for title, snippet, url in found]


def tickets_state(*tickets: Ticket, missing: Sequence[str] = ()) -> StateEntry:
    """What a node with the JIRA agent brought."""
    result = TicketsFound(
        task_id="fetchTickets/fetch_tickets",
        agent=AgentId.JIRA_AGENT,
        tickets=tickets,
        evidence=tuple(f"fetch_tickets/{ticket.id}" for ticket in tickets),
        missing=tuple(missing),
    )
    return StateEntry(key="fetchTickets", node="fetchTickets", result=result)


def ticket(
    name: str, status: str = "Open", assignee: str | None = None, summary: str = "Do a thing"
) -> Ticket:
    """A ticket with an address."""
    return Ticket(
        id=name,
        status=status,
        assignee=assignee,
        summary=summary,
        url=f"corpus://tickets/{name}",
    )


def documents_state(**documents: str) -> StateEntry:
    """What a node with the Doc agent brought: Markdown by id, `_` standing for a hyphen."""
    named = {name.replace("_", "-"): markdown for name, markdown in documents.items()}
    result = DocumentsRead(
        task_id="parseDocs/read_documents",
        agent=AgentId.DOC_AGENT,
        documents=tuple(
            KnowledgeDocument(doc_id=name, markdown=markdown, url=f"corpus://documents/{name}")
            for name, markdown in named.items()
        ),
        evidence=tuple(f"read_documents/{name}" for name in named),
    )
    return StateEntry(key="parseDocs", node="parseDocs", result=result)


def pdf_state(url: str, *pages: str) -> StateEntry:
    """What a node with the PDF agent brought: one file."""
    result = PdfsRead(
        task_id="readPdfs/read_pdfs",
        agent=AgentId.PDF_AGENT,
        pdfs=(
            PdfText(
                url=url,
                pages=tuple(PdfPage(text=text, page_number=n) for n, text in enumerate(pages, 1)),
            ),
        ),
        evidence=("read_pdfs/file",),
    )
    return StateEntry(key="readPdfs", node="readPdfs", result=result)


def web_state(*found: tuple[str, str, str]) -> StateEntry:
    """What a node with the Search agent brought: title, snippet and address of each."""
    result = WebSearched(
        task_id="searchContext/search_web",
        agent=AgentId.SEARCH_AGENT,
        results=tuple(SearchHit(title=t, snippet=s, url=u) for t, s, u in found),
        evidence=("search_web/all",) * len(found),
    )
    return StateEntry(key="searchContext", node="searchContext", result=result)


def printed(prose: str, words: dict[str, str]) -> str:
    """Prose with the words of its quotations in their places."""
    return REFERENCE.sub(lambda found: words[found[1]], prose)
