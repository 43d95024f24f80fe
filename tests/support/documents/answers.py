"""Runs of a graph as their workflow records them, for tests of what is made of them.

The ticket graph: tickets, a document and a PDF file that are read side by side, a search, and a
synthesis that quotes all of them. The market graph: USD/JPY from the packaged reference rates.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from desk.contracts.agents.tasks import Query, TaskType
from desk.contracts.agents.tools import CallPlace, SourceTier, ToolCall, ToolResult
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ResearchResult, ValidationResult
from desk.contracts.findings.source_results import Provenance, Quote
from desk.contracts.findings.verdicts import ClaimVerdict
from desk.contracts.names import AgentId
from desk.contracts.question.graph import Edge, GraphSpec, NodeSpec, ParameterSpec
from desk.contracts.question.knowledge import (
    DocumentAnswer,
    DocumentsRead,
    KnowledgeDocument,
    PdfAnswer,
    PdfPage,
    PdfsRead,
    PdfText,
    Quotation,
    SearchAnswer,
    SearchHit,
    Section,
    Synthesis,
    Ticket,
    TicketAnswer,
    TicketsFound,
    WebSearched,
)
from desk.contracts.runs.graph import GraphRecord, GraphRequest, NodeOutcome
from desk.contracts.runs.turns import AgentResult, StateEntry
from desk.contracts.week.report import Contribution
from desk.trust.ledger import Corroboration, Ledger, Review, derive, verdicts_of
from tests.support.builders import answered, finding, pair_market, real_history, window

WEEK = "2026-W44"
AS_OF = window(WEEK).end
STARTED_AT = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
FINISHED_AT = STARTED_AT + timedelta(seconds=3)
RUN = "ask-0123456789ab"
QUESTION = "What holds up the settlement of DESK-101, and what does the policy say?"
CORPUS = Provenance(name="Desk corpus", tier=SourceTier.SECONDARY, url="https://desk.example/")
POLICY = (
    "# Settlement policy\n\nTrades settle within 2 business days.\nA trade that fails is "
    "escalated\nto the *operations lead* <by 10:00> on the next day.\n"
)
PAGES = ("The first page has no numbers.", "Fails cost 0.25 % a day from the third day on.")
LINK = "https://news.example/custodian"


def ticket_graph() -> GraphSpec:
    """Tickets, then a document, a PDF file and a search side by side, then the synthesis."""
    after = (Edge(to="synthesis"),)
    fork = (Edge(to="parseDocs"), Edge(to="parsePdfs"), Edge(to="searchContext"))
    return GraphSpec(
        name="tickets",
        parameters=(ParameterSpec(name="ticket", required=False),),
        nodes=(
            _node("fetchTickets", AgentId.JIRA_AGENT, TaskType.FETCH_TICKETS, fork=fork),
            _node("parseDocs", AgentId.DOC_AGENT, TaskType.READ_DOCUMENTS, next=after),
            _node("parsePdfs", AgentId.PDF_AGENT, TaskType.READ_PDFS, next=after),
            _node("searchContext", AgentId.SEARCH_AGENT, TaskType.SEARCH_WEB, next=after),
            _node("synthesis", AgentId.SYNTHESIS_AGENT, TaskType.SYNTHESISE),
        ),
    )


def ticket_record(*outcomes: NodeOutcome, skipped: Sequence[str] = ()) -> GraphRecord:
    """A run of the ticket graph; the outcomes given take the place of those of their nodes."""
    usual = (tickets_found(), documents_read(), pdfs_read(), web_searched(), synthesised())
    given = {outcome.entry.node for outcome in outcomes}
    kept = [o for o in usual if o.entry.node not in given and o.entry.node not in skipped]
    places = [node.name for node in ticket_graph().nodes]
    nodes = sorted((*kept, *outcomes), key=lambda o: (places.index(o.entry.node), o.entry.round))
    return record_of(ticket_graph(), *nodes, skipped=skipped)


def market_record(prose: str = "The pair stood at [[USD/JPY:last]].") -> GraphRecord:
    """A run that researched USD/JPY, with a synthesis of one section."""
    research = _node("research", AgentId.RESEARCH_AGENT_1, TaskType.RESEARCH_FX,
                     next=(Edge(to="synthesis"),))  # fmt: skip
    graph = GraphSpec(
        name="market",
        nodes=(research, _node("synthesis", AgentId.SYNTHESIS_AGENT, TaskType.SYNTHESISE)),
    )
    result = finding(*usd_jpy_claims(), market="USD/JPY")
    record = record_of(
        graph,
        outcome("research", result, prices(), agent=AgentId.RESEARCH_AGENT_1),
        synthesised(synthesis("USD/JPY moved [[USD/JPY:move]].", prose)),
    )
    asked = Query(question="Why did USD/JPY move?")
    request = record.request.model_copy(
        update={"market": pair_market("USD/JPY", digits=2), "query": asked}
    )
    return record.model_copy(update={"request": request})


def validated_record() -> GraphRecord:
    """The run of the market graph with a validator, whose second source quotes the last fixing."""
    record, quote = market_record(), _at(_quoted_by("Federal Reserve"))
    research = record.nodes[0]
    assert isinstance(research.entry.result, ResearchResult)
    evidence = (*research.evidence, quote)
    review = Review(
        findings=(research.entry.result,),
        ledger=Ledger(record.specs, record.window, "US", evidence),
        corroboration=Corroboration(evidence, record.window),
    )
    return with_validation(record, verdicts_of(review), quote)


def with_validation(
    record: GraphRecord, verdicts: Sequence[ClaimVerdict], *evidence: ToolResult
) -> GraphRecord:
    """A run of the market graph with a validator's verdicts, and what it asked for."""
    result = ValidationResult(
        validation_id="v",
        task_id="validate",
        agent=AgentId.VALIDATOR,
        market="USD/JPY",
        research_results=(),
        verdicts=tuple(verdicts),
        recommendation="Publish.",
        confidence=0.9,
    )
    validation = outcome(
        "validate", result, *evidence, agent=AgentId.VALIDATOR, task=TaskType.VALIDATE
    )
    first, *others = record.request.graph.nodes
    spec = _node("validate", AgentId.VALIDATOR, TaskType.VALIDATE)
    graph = record.request.graph.model_copy(update={"nodes": (first, spec, *others)})
    request = record.request.model_copy(update={"graph": graph})
    nodes = (record.nodes[0], validation, *record.nodes[1:])
    return record.model_copy(update={"request": request, "nodes": nodes})


def record_of(graph: GraphSpec, *nodes: NodeOutcome, skipped: Sequence[str] = ()) -> GraphRecord:
    """A run of any graph."""
    return GraphRecord(
        request=GraphRequest(
            graph=graph, query=Query(question=QUESTION, parameters={"ticket": "DESK-101"})
        ),
        week=WEEK,
        window=window(WEEK),
        nodes=nodes,
        skipped=tuple(skipped),
        started_at=STARTED_AT,
        workflow_id=RUN,
        run_id="run-1",
    )


def outcome(
    node: str,
    result: AgentResult | None,
    *evidence: ToolResult,
    agent: AgentId = AgentId.SYNTHESIS_AGENT,
    task: TaskType = TaskType.SYNTHESISE,
    error: str | None = None,
    dead_letter: str | None = None,
    in_round: int = 1,
    lost: tuple[str, ...] = (),
) -> NodeOutcome:
    """What became of a node that took half a second."""
    return NodeOutcome(
        entry=StateEntry(
            key=node, node=node, round=in_round, result=result, error=error, lost=lost
        ),
        evidence=evidence,
        contribution=Contribution(
            agent=agent,
            task_type=task,
            delivered=result is not None,
            turns=2,
            tool_calls=len(evidence),
            error=error,
        ),
        started_at=STARTED_AT,
        ended_at=STARTED_AT + timedelta(milliseconds=500),
        dead_letter=dead_letter,
    )


def failed_node(node: str, agent: AgentId, task: TaskType, error: str) -> NodeOutcome:
    """A node whose agents could not do its task."""
    return outcome(
        node, None, agent=agent, task=task, error=error, dead_letter=f"{RUN}/reassign/{node}"
    )


def tickets_found() -> NodeOutcome:
    """One ticket."""
    ticket = Ticket(
        id="DESK-101", status="In Progress", assignee="M. Okafor", summary="Settlement is held up"
    )
    answer = TicketAnswer(
        as_of=AS_OF,
        source=CORPUS,
        **ticket.model_dump(),
        updated_at=AS_OF - timedelta(days=3),
        url="corpus://tickets/DESK-101",
    )
    result = answered(_call("fetchTickets", "fetch_ticket", ticket_id="DESK-101"), answer)
    found = TicketsFound(
        task_id="fetchTickets", agent=AgentId.JIRA_AGENT, tickets=(ticket,),
        evidence=(result.evidence_id,), missing=("DESK-404 is not known to the tracker",),
    )  # fmt: skip
    return outcome("fetchTickets", found, _at(result), agent=AgentId.JIRA_AGENT,
                   task=TaskType.FETCH_TICKETS)  # fmt: skip


def documents_read() -> NodeOutcome:
    """One document, read in two parts."""
    half = POLICY.index("A trade")
    parts = [_document_part(0, POLICY[:half]), _document_part(half, POLICY[half:])]
    read = DocumentsRead(
        task_id="parseDocs",
        agent=AgentId.DOC_AGENT,
        documents=(KnowledgeDocument(doc_id="settlement-policy", markdown=POLICY),),
        evidence=(parts[-1].evidence_id,),
    )
    return outcome("parseDocs", read, *map(_at, parts), agent=AgentId.DOC_AGENT,
                   task=TaskType.READ_DOCUMENTS)  # fmt: skip


def pdfs_read() -> NodeOutcome:
    """One PDF file of two pages."""
    url = "corpus://pdfs/fails.pdf"
    pages = tuple(PdfPage(text=text, page_number=n) for n, text in enumerate(PAGES, start=1))
    answer = PdfAnswer(
        as_of=AS_OF, source=CORPUS, url=url, pages=pages, title="Cost of fails",
        published_at=AS_OF - timedelta(days=40), page_count=len(pages),
    )  # fmt: skip
    result = answered(_call("parsePdfs", "get_pdf", url=url), answer)
    read = PdfsRead(
        task_id="parsePdfs", agent=AgentId.PDF_AGENT, pdfs=(PdfText(url=url, pages=pages),),
        evidence=(result.evidence_id,),
    )  # fmt: skip
    return outcome("parsePdfs", read, _at(result), agent=AgentId.PDF_AGENT,
                   task=TaskType.READ_PDFS)  # fmt: skip


def web_searched() -> NodeOutcome:
    """One page of the web."""
    hit = SearchHit(
        title="Custodian outage", snippet="The custodian was down for 6 hours.", url=LINK
    )
    answer = SearchAnswer(as_of=AS_OF, source=CORPUS, query="settlement", results=(hit,))
    result = answered(_call("searchContext", "search_web", query="settlement"), answer)
    found = WebSearched(
        task_id="searchContext", agent=AgentId.SEARCH_AGENT, results=(hit,),
        evidence=(result.evidence_id,),
    )  # fmt: skip
    return outcome("searchContext", found, _at(result), agent=AgentId.SEARCH_AGENT,
                   task=TaskType.SEARCH_WEB)  # fmt: skip


def synthesised(result: Synthesis | None = None) -> NodeOutcome:
    """The synthesis of the ticket graph, or another."""
    return outcome("synthesis", result or synthesis())


def synthesis(
    summary: str = "The ticket is [[q1]]: [[q2]].",
    *sections: str,
    answered: bool = True,
    missing: Sequence[str] = (),
) -> Synthesis:
    """A synthesis that quotes everything that the ticket graph finds."""
    written = sections or (
        "A trade that fails is [[q3]]. It costs money: [[q4]], and [[q5]].",
        "- The custodian says: [[q6]]\n- Before it, the desk says [[q5]].",
    )
    return Synthesis(
        task_id="synthesis",
        agent=AgentId.SYNTHESIS_AGENT,
        summary=summary,
        sections=tuple(
            Section(title=f"Finding {letter}", content=content)
            for letter, content in zip("ABCDEFG", written, strict=False)
        ),
        quotations=quotations(),
        answered=answered,
        missing=tuple(missing),
    )


def quotations() -> tuple[Quotation, ...]:
    """Words of every source of the ticket graph. The document is quoted with its last part, as
    whatever is read in parts."""
    document, pdf = "parseDocs/get_doc.2", "parsePdfs/get_pdf"
    return (
        _quoted("q1", "In Progress", "DESK-101", "fetchTickets/fetch_ticket", "status"),
        _quoted("q2", "Settlement is held up", "DESK-101", "fetchTickets/fetch_ticket"),
        _quoted("q3", "escalated to the *operations lead* <by 10:00>", "Settlement policy",
                document),
        _quoted("q4", "Fails cost 0.25 % a day", "Cost of fails", pdf, "page 2"),
        _quoted("q5", "Trades settle within 2 business days", "Settlement policy", document),
        _quoted("q6", "The custodian was down for 6 hours.", "Custodian outage",
                "searchContext/search_web", url=LINK),
    )  # fmt: skip


def prices() -> ToolResult:
    """The fixings that the claims on USD/JPY rest on."""
    return answered(
        _call("research", "get_historical", server="ecb", symbol="USD/JPY"),
        real_history("USD/JPY", WEEK),
    )


def _quoted_by(origin: str) -> ToolResult:
    """The last fixing of USD/JPY, as a source of another origin quotes it."""
    history = real_history("USD/JPY", WEEK)
    quote = Quote(
        as_of=AS_OF,
        source=Provenance(name=f"{origin} rates", tier=SourceTier.PRIMARY, origin=origin),
        symbol="USD/JPY",
        value=history.values[-1],
        fixed_on=history.days[-1],
    )
    return answered(_call("validate", "get_quote", server="fed", symbol="USD/JPY"), quote)


def usd_jpy_claims() -> tuple[Claim, ...]:
    """What the fixings of USD/JPY give."""
    specs = {"USD/JPY": pair_market("USD/JPY", digits=2)}
    history = real_history("USD/JPY", WEEK)
    return derive(history, specs, window(WEEK), prices().evidence_id)


def _node(name: str, agent: AgentId, task: TaskType, **edges: tuple[Edge, ...]) -> NodeSpec:
    return NodeSpec(name=name, agent=agent, task=task, **edges)


def _call(node: str, tool: str, *, server: str = "knowledge", part: str = "",
          **arguments: str | int) -> ToolCall:  # fmt: skip
    return ToolCall(
        call_id=f"{node}/{tool}{part}", server=server, tool=tool, arguments=dict(arguments)
    )


def _document_part(offset: int, text: str) -> ToolResult:
    number = 1 if offset == 0 else 2
    answer = DocumentAnswer(
        as_of=AS_OF, source=CORPUS, doc_id="settlement-policy", markdown=text,
        title="Settlement policy", published_at=AS_OF - timedelta(days=90),
        url="corpus://documents/settlement-policy", offset=offset, characters=len(POLICY),
    )  # fmt: skip
    called = _call("parseDocs", "get_doc", part=f".{number}", doc_id="settlement-policy",
                   offset=offset)  # fmt: skip
    return answered(called, answer)


def _quoted(
    name: str, text: str, source: str, evidence_id: str, place: str | None = None, *,
    url: str | None = None,
) -> Quotation:  # fmt: skip
    return Quotation(
        quotation_id=name, text=text, source=source, place=place, url=url, evidence_id=evidence_id
    )


def _at(result: ToolResult) -> ToolResult:
    """The result with where its call stands in history."""
    place = CallPlace(workflow_id=RUN, run_id="run-1", activity_id=result.call.call_id)
    return result.model_copy(update={"place": place})
